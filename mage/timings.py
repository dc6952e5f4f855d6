"""Where the time goes, iteration by iteration, in `timings.jsonl`: the only place for wall-clock values.

Left out: what to compare the rates with (`mage.bound`).
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PARTS = ("sampling", "games", "training", "league", "checkpoint", "log", "other")


@dataclass(frozen=True, slots=True)
class Spent:
    """What one iteration took, or several added up."""

    seconds: Mapping[str, float] = field(default_factory=dict)  # by part
    tokens: Mapping[str, int] = field(default_factory=dict)  # that went through the model, by part

    def __add__(self, other: "Spent") -> "Spent":
        """Add part by part."""
        return Spent(
            _added(self.seconds, other.seconds), {k: int(v) for k, v in _added(self.tokens, other.tokens).items()}
        )

    def rate(self, part: str) -> float | None:
        """Return the tokens per second of a part; None where it took no time."""
        seconds = self.seconds.get(part, 0.0)
        return self.tokens.get(part, 0) / seconds if seconds > 0 else None


@dataclass(frozen=True, slots=True)
class Profile:
    """Where a training run's time went, since it was started or resumed."""

    iterations: int
    spent: Spent
    bounds: Mapping[str, float | None]  # tokens per second of the bare base alone, by part


def _added(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


class Stopwatch:
    """Adds up the seconds of named parts; what lies in none of them is `other`."""

    def __init__(self) -> None:
        """Start now."""
        self._part = "other"
        self._seconds = dict.fromkeys(PARTS, 0.0)
        self._since = time.perf_counter()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time inside towards `name`, one of `PARTS`; a part within a part counts towards the inner alone."""
        outer = self._turn_to(name)
        try:
            yield
        finally:
            self._turn_to(outer)

    def _turn_to(self, name: str) -> str:
        now = time.perf_counter()
        self._seconds[self._part] += now - self._since
        self._since = now
        before, self._part = self._part, name
        return before

    def take(self) -> dict[str, float]:
        """Return the seconds of every part since the last call, and start over."""
        self._turn_to(self._part)
        taken, self._seconds = self._seconds, dict.fromkeys(PARTS, 0.0)
        return taken


class Timer:
    """Keeps the time of a run's iterations: one line in the file for each, and the sum."""

    def __init__(self, path: Path) -> None:
        """path: the file that lines are appended to."""
        self._path = path
        self.stopwatch = Stopwatch()
        self.spent = Spent()  # since the run was started or resumed
        self.iterations = 0

    def write(self, iteration: int, tokens: Mapping[str, int]) -> None:
        """Append the line of the iteration that ended; iteration: updates done. tokens: as in `Spent`."""
        spent = Spent(self.stopwatch.take(), tokens)
        self.spent, self.iterations = self.spent + spent, self.iterations + 1
        line = {
            "iteration": iteration,
            "seconds": {name: round(value, 4) for name, value in spent.seconds.items()},
            "tokens": dict(tokens),
            "tokens_per_second": {name: _rounded(spent.rate(name)) for name in tokens},
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, sort_keys=True) + "\n")


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 1)
