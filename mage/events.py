"""The event log of a run: one JSON object a line, in the order in which things happened.

Writes, syncs and truncates `events.jsonl`, reads it back, and turns trial records into events. Leaves out
following a log while it grows (`views/follow.py`), judging what an event means, and wall-clock times:
they belong to `timings.jsonl`, so that a resumed run's log equals the uninterrupted one byte for byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from games.errors import RequestError

if TYPE_CHECKING:
    from mage.records import TrialRecord

SCHEMA = "mage.events/1"
Event = dict[str, Any]
NOTED = ("reflections", "reflection_prompts", "reflections_said")  # of an episode, where some seat reflects
WRITTEN = ("prompt", "said", "thinking", "illegal", "randomised")  # of a turn, where they are not empty


def encode(event: Mapping[str, Any]) -> bytes:
    """One event as a compact JSON line with sorted keys, newline included.

    Floats are written as Python's repr, so equal events are equal bytes; numpy scalars and arrays become
    plain numbers and lists. Raises ValueError for NaN or an infinity, TypeError for what JSON cannot hold.
    """
    try:
        text = json.dumps(event, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain)
    except ValueError as error:
        kind = event.get("type")
        raise ValueError(f"a {kind!r} event holds NaN, an infinity or itself; log finite numbers") from error
    return text.encode("ascii") + b"\n"


def _plain(value: Any) -> Any:
    convert = getattr(value, "tolist", None)  # numpy scalars and arrays, without importing numpy
    if convert is None:
        raise TypeError(f"an event cannot hold a {type(value).__name__}; pass numbers, text, lists or mappings")
    return convert()


class EventLog:
    """Appends events to a file, buffered. Use as a context manager, or call `close`.

    path: the log. offset: None starts a new log and refuses a file that already holds one; a number of bytes
    resumes, which cuts away everything after it. Raises RequestError when the file is shorter than the offset
    or is not cut between two lines there.
    """

    def __init__(self, path: Path, offset: int | None = None) -> None:
        """Open for appending, truncated to `offset` bytes."""
        self.path = path
        size = path.stat().st_size if path.exists() else 0
        if offset is None and size:
            raise RequestError(f"{path} already holds {size} bytes; resume that run or choose another directory")
        keep = offset or 0
        if size < keep:
            raise RequestError(
                f"{path} holds {size} bytes where the checkpoint expects {keep} or more: the log is damaged; "
                "restore it, or start a new run"
            )
        self._file = path.open("r+b" if path.exists() else "w+b")
        if keep:
            self._file.seek(keep - 1)
            if self._file.read(1) != b"\n":
                self._file.close()
                raise RequestError(
                    f"{path} has no line end at byte {keep}, the checkpoint's offset: the log is damaged; "
                    "restore it, or start a new run"
                )
        self._file.seek(keep)
        self._file.truncate(keep)
        self._offset = keep

    @property
    def offset(self) -> int:
        """Bytes appended so far, those still buffered included; what a checkpoint remembers after `sync`."""
        return self._offset

    def append(self, event: Mapping[str, Any]) -> None:
        """Add one event (see `encode`); it reaches the disk with `flush`, `sync` or `close` at the latest."""
        line = encode(event)
        self._file.write(line)
        self._offset += len(line)

    def flush(self) -> None:
        """Hand everything to the operating system, so that other processes see it."""
        self._file.flush()

    def sync(self) -> None:
        """Hand everything to the disk; returns when it would survive a power cut."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Flush and close; appending afterwards is a ValueError."""
        self._file.close()

    def __enter__(self) -> EventLog:
        """The log itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close, whatever happened."""
        self.close()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)  # one for all lines: making one costs as much as a line


def decode(line: bytes) -> Event:
    """One line as an event. Raises ValueError when it is not a JSON object with a `type`."""
    try:
        event = _DECODER.decode(line.decode())
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        raise ValueError("not a JSON object with a type")
    return event


def read(path: Path) -> Iterator[Event]:
    """The events of a log, in order. A torn last line, as in a run in progress, is left out.

    Raises RequestError when the file cannot be read, or with the line's number when another line is broken.
    """
    return (event for _, event in numbered(path))


def numbered(path: Path, but: bytes | None = None) -> Iterator[tuple[int, Event]]:
    """The events of a log with the numbers of their lines, from 1; otherwise as `read`.

    but: lines that end so are passed over without being looked at.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if but is not None and line.endswith(but):
                    continue
                try:
                    event = decode(line)
                except ValueError as error:
                    if not line.endswith(b"\n"):
                        return
                    raise broken_line(path, number) from error
                yield number, event
    except OSError as error:
        raise RequestError(f"cannot read {path}: {error.strerror}; give a run directory or its events.jsonl") from error


def broken_line(path: Path, number: int) -> RequestError:
    """The error for a line (counted from 1) of a log that is not an event."""
    return RequestError(
        f"line {number} of {path} is not an event (expected a JSON object with a type): the log is damaged, "
        "or it is another kind of file"
    )


def match_event(iteration: int, trial: TrialRecord) -> Event:
    """A whole trial as a `match` event, enough to replay it. Its id is `ITERATION-TRIAL`.

    What was written besides a move is in it where there is any (docs/run.md).
    """
    episodes = [
        {
            "returns": list(episode.returns),
            "forfeits": list(episode.forfeits),
            **{name: list(column) for name in NOTED if (column := getattr(episode, name))},
            "turns": [
                {
                    "turn": turn.turn,
                    "seat": turn.seat,
                    "news": turn.news,
                    "legal": list(turn.legal),
                    "move": turn.move,
                    "probabilities": None if turn.probabilities is None else list(turn.probabilities),
                    "reward": turn.reward,
                    "forfeit": turn.forfeit,
                    **{name: value for name in WRITTEN if (value := getattr(turn, name))},
                }
                for turn in episode.turns
            ],
        }
        for episode in trial.episodes
    ]
    return {
        "type": "match",
        "iteration": iteration,
        "id": f"{iteration}-{trial.pairing.trial}",
        "game": trial.game,
        "memory": trial.memory,
        "members": list(trial.members),
        "episodes": episodes,
    }
