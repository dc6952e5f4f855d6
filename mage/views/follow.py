"""Follows an event log that another process is writing, for live views.

Leaves out any drawing, and what the events mean.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from games.errors import RequestError
from mage.events import Event, broken_line, decode


class Follower:
    """Reads a log that another process is writing; `poll` returns what has been added since the last call.

    A resume cuts the log and writes on. Then the log is read again from its start, and events equal, line by
    line, to those already returned are left out, so a viewer sees each event once.
    """

    def __init__(self, path: Path) -> None:
        """Start before the first line of `path`, which need not exist yet."""
        self.path = path
        self._position = 0  # bytes read, always between two lines
        self._line = 0  # lines read
        self._seen: list[int] = []  # a hash of every line returned

    def poll(self) -> list[Event]:
        """New events; empty when there are none or no file yet. Raises RequestError for a broken line."""
        try:
            with self.path.open("rb") as file:
                if not self._between_lines(file):
                    self._position = self._line = 0
                file.seek(self._position)
                return self._take(file)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RequestError(f"cannot read {self.path}: {error.strerror}; is it a run's events.jsonl?") from error

    def _between_lines(self, file: BinaryIO) -> bool:
        """Whether the log still reaches where we stopped, and a line ends there."""
        if self._position == 0:
            return True
        file.seek(self._position - 1)
        return file.read(1) == b"\n"

    def _take(self, lines: Iterable[bytes]) -> list[Event]:
        events = []
        for line in lines:
            if not line.endswith(b"\n"):
                break  # torn: the rest has not been written yet
            try:
                event = decode(line)
            except ValueError as error:
                raise broken_line(self.path, self._line + 1) from error
            mark = hash(line)
            if self._line >= len(self._seen) or self._seen[self._line] != mark:
                del self._seen[self._line :]
                self._seen.append(mark)
                events.append(event)
            self._position += len(line)
            self._line += 1
        return events


def follow(path: Path, stop: Callable[[], bool], *, interval: float = 0.2) -> Iterator[Event]:
    """Events as they are written, waiting `interval` seconds (> 0) between looks.

    Ends after an `end` event that is the log's last, or when `stop()` is true. See `Follower` for resumes.
    """
    follower = Follower(path)
    while True:
        events = follower.poll()
        yield from events
        if stop() or (events and events[-1]["type"] == "end"):
            return
        time.sleep(interval)
