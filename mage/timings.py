"""Where the time goes, iteration by iteration, in `timings.jsonl`: the only place for wall-clock values."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Timer:
    """Adds up the seconds of named parts and appends them as one line per iteration."""

    def __init__(self, path: Path) -> None:
        """path: the file that lines are appended to."""
        self._path = path
        self._seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time inside towards `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - start

    def write(self, iteration: int, **counts: int) -> None:
        """Append the iteration's line and start over."""
        seconds = {name: round(value, 4) for name, value in self._seconds.items()}
        line = {"iteration": iteration, "seconds": seconds, **counts}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, sort_keys=True) + "\n")
        self._seconds.clear()
