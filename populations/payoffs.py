"""What every member earned against every other, by seat: counts and sums only.

A cell is (row, column, row's seat) and holds the row's view. A match between two learners is two results, one
from each side, in two different cells; `mean` and `win_rate` of (row, column) read the row's cells alone, so
no match is counted twice. What was never played is missing (None), not zero. The order of recording matters
to rounding at most. Leaves out ratings and the meta-game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Counts:
    """Sums over the trials of a cell; two add up with `+`."""

    n: int = 0  # trials
    total: float = 0.0  # sum over trials of the row's mean return per episode, game units
    total_squares: float = 0.0  # sum over trials of that mean squared
    wins: int = 0  # episodes in which the row's return was above that of every other seat
    draws: int = 0  # episodes in which it equalled the best of the others
    losses: int = 0  # episodes in which it was below
    forfeits: int = 0  # forfeits by the row

    def __add__(self, other: Counts | Result) -> Counts:
        """Pool the trials of two cells, or of a cell and a result."""
        return Counts(
            self.n + other.n,
            self.total + other.total,
            self.total_squares + other.total_squares,
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.forfeits + other.forfeits,
        )


MOST_EPISODES = 10**10  # of a result: beyond it arithmetic on counts loses what ratings rest on


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one or more trials from the row's side. Raises ValueError when impossible."""

    row: str
    column: str
    seat: int  # the row's, from 0
    n: int  # trials, at least 1
    total: float  # sum over trials of the row's mean return per episode, game units
    total_squares: float  # sum over trials of that mean squared
    wins: int  # episodes, as draws and losses
    draws: int
    losses: int
    forfeits: int  # forfeits by the row

    def __post_init__(self) -> None:
        """Check that the result is possible."""
        if self.row == self.column:
            raise self._impossible("a member is never rated against itself")
        if self.seat < 0:
            raise self._impossible(f"got seat {self.seat}, expected 0 or more")
        if self.n < 1 or self.wins < 0 or self.draws < 0 or self.losses < 0 or self.forfeits < 0:
            raise self._impossible(f"got n={self.n} or a negative count, expected n >= 1 and counts >= 0")
        if self.wins + self.draws + self.losses > MOST_EPISODES:
            raise self._impossible(f"got more than {MOST_EPISODES:,} episodes, which can't be told apart from noise")
        if not (math.isfinite(self.total) and math.isfinite(self.total_squares)):
            raise self._impossible("got a return that is not a finite number")

    def _impossible(self, why: str) -> ValueError:
        return ValueError(f"result of {self.row!r} against {self.column!r}: {why}")


RESULT_FIELDS = tuple(item.name for item in fields(Result))
_NOTHING = Counts()


def tally(row: str, column: str, seat: int, returns: ArrayLike, forfeits: ArrayLike) -> Result:
    """Sum up the trials of one pairing from the side of `row`, who sat in `seat`.

    returns: [trials, episodes, seats] by seat, game units; forfeits: [trials, episodes, seats] counts by seat.
    Between two the other side of the same trials is `tally(column, row, 1 - seat, returns, forfeits)`.
    ValueError for another shape, no trial, or a return that is not finite.
    """
    by_seat = np.asarray(returns, dtype=np.float64)
    faults = np.asarray(forfeits, dtype=np.int64)
    if by_seat.ndim != 3 or by_seat.shape[2] < 2 or 0 in by_seat.shape or faults.shape != by_seat.shape:
        raise ValueError(
            f"got returns {by_seat.shape} and forfeits {faults.shape}, expected both [trials, episodes, seats] "
            "with at least one trial and one episode, of two seats or more"
        )
    own, other = by_seat[:, :, seat], np.delete(by_seat, seat, axis=2).max(axis=2)
    means = own.mean(axis=1)
    return Result(
        row=row,
        column=column,
        seat=seat,
        n=len(means),
        total=float(means.sum()),
        total_squares=float((means**2).sum()),
        wins=int((own > other).sum()),
        draws=int((own == other).sum()),
        losses=int((own < other).sum()),
        forfeits=int(faults[:, :, seat].sum()),
    )


class PayoffTable:
    """Sums of results by (row, column, row's seat)."""

    def __init__(self, results: Iterable[Result] = ()) -> None:
        """Record `results` in order."""
        self._cells: dict[tuple[str, str], dict[int, Counts]] = {}  # row, column; the row's seat
        for result in results:
            self.record(result)

    def record(self, result: Result) -> None:
        """Add one side's result to its cell."""
        seats = self._cells.setdefault((result.row, result.column), {})
        seats[result.seat] = seats.get(result.seat, _NOTHING) + result

    def cell(self, row: str, column: str, seat: int | None = None) -> Counts | None:
        """Return the row's sums against `column` in `seat` (None: all seats), or None when never played."""
        seats = self._cells.get((row, column), {})
        found = [counts for own, counts in sorted(seats.items()) if seat in (None, own)]
        return sum(found, start=Counts()) if found else None

    def mean(self, row: str, column: str, seat: int | None = None) -> float | None:
        """Return the row's mean return per episode against `column`, game units; None when never played."""
        counts = self.cell(row, column, seat)
        return None if counts is None else counts.total / counts.n

    def win_rate(self, row: str, column: str, seat: int | None = None) -> float | None:
        """Return the row's share of episodes won against `column`, draws half; None when never played."""
        counts = self.cell(row, column, seat)
        episodes = 0 if counts is None else counts.wins + counts.draws + counts.losses
        if counts is None or episodes == 0:
            return None
        return (counts.wins + 0.5 * counts.draws) / episodes

    def results(self) -> tuple[Result, ...]:
        """Return every cell as one summed result, sorted by row, column and seat."""
        return tuple(
            Result(
                row,
                column,
                seat,
                counts.n,
                counts.total,
                counts.total_squares,
                counts.wins,
                counts.draws,
                counts.losses,
                counts.forfeits,
            )
            for (row, column), seats in sorted(self._cells.items())
            for seat, counts in sorted(seats.items())
        )

    def to_json(self) -> list[dict[str, Any]]:
        """Return plain JSON values, sorted, from which `from_json` rebuilds an equal table."""
        return [{name: getattr(result, name) for name in RESULT_FIELDS} for result in self.results()]

    @classmethod
    def from_json(cls, data: list[dict[str, Any]]) -> PayoffTable:
        """Rebuild what `to_json` wrote; ValueError for an impossible cell."""
        return cls(Result(**fields) for fields in data)
