"""The sequence form of a game: every history that OpenSpiel can walk, folded into what each seat does and knows.

A *sequence* of a seat is what it has done up to some point: its own moves, each in its information state; number 0 is
the empty one. A play is worth its returns, reached with the chance probability times each seat's probability of its own
sequence, so expected returns are one product and best responses one sweep over a seat's information states (von
Stengel, Efficient computation of behavior strategies, 1996). Moves made at the same time need no further care: neither
information state tells of the other's.

Left out: the walk (`walk`), games where a position is all that matters (`positions`), equilibria
(`program`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TIE = 1e-12  # values closer than this, relative to their size, count as equally good


@dataclass(frozen=True, eq=False, slots=True)
class Decisions:
    """The information states of one seat, those after fewer own moves first; I of them, and S sequences.

    keys: OpenSpiel's information-state text, distinct. histories: for each one history that leads there, as the actions
    that were played, chance included, moves made at the same time one after another.
    parent: [I], the sequence that the seat has played when it decides. first: [I + 1]; the sequences that end in a move
    of state i are first[i] .. first[i + 1] - 1, in the order of `legal_actions`; first[0] is 1.
    levels: [L + 1]; the states after exactly k own moves are levels[k] .. levels[k + 1] - 1.
    """

    keys: tuple[str, ...]
    histories: tuple[tuple[int, ...], ...]
    parent: Integers
    first: Integers
    levels: Integers

    def moves(self, number: int) -> int:
        """How many moves there are in an information state."""
        return int(self.first[number + 1] - self.first[number])

    def plan(self, probabilities: Sequence[Sequence[float]]) -> Floats:
        """The probability of playing each sequence, [S]: the product of its moves' probabilities.

        probabilities: for each information state, of its moves.
        """
        plan = np.ones(int(self.first[-1]))
        plan[1:] = [share for row in probabilities for share in row]
        counts = np.diff(self.first)
        for low, high in zip(self.levels[:-1], self.levels[1:], strict=True):
            plan[self.first[low] : self.first[high]] *= np.repeat(plan[self.parent[low:high]], counts[low:high])
        return plan

    def best(self, gains: Floats) -> tuple[float, Integers]:
        """The most that the seat can get, and the move that it then makes in each information state, [I].

        gains: [S], what ends with each sequence is worth, weighted by how likely everyone else lets it happen.
        Of equally good moves the first is taken.
        """
        values = gains.copy()
        chosen = np.zeros(len(self.keys), dtype=np.int64)
        for low, high in zip(self.levels[-2::-1], self.levels[:0:-1], strict=True):
            start, end = self.first[low], self.first[high]
            starts = self.first[low:high] - start
            best = np.maximum.reduceat(values[start:end], starts)
            good = best - TIE * (1 + np.abs(best))
            near = np.flatnonzero(values[start:end] >= np.repeat(good, np.diff(self.first[low : high + 1])))
            chosen[low:high] = near[np.searchsorted(near, starts)] - starts
            np.add.at(values, self.parent[low:high], best)
        return float(values[0]), chosen


@dataclass(frozen=True, eq=False, slots=True)
class SequenceForm:
    """A game in sequence form; Z terminal histories, N seats.

    game: the OpenSpiel game. decisions: by seat. played: [Z, N], the last sequence of each seat.
    chance: [Z], the product of the probabilities of chance. returns: [Z, N], in game units.
    """

    game: Any
    decisions: tuple[Decisions, ...]
    played: Integers
    chance: Floats
    returns: Floats

    def reach(self, plans: Mapping[int, Floats]) -> Floats:
        """How likely chance and the seats of `plans` let each history happen, [Z]."""
        weight = self.chance.copy()
        for seat, plan in plans.items():
            weight *= plan[self.played[:, seat]]
        return weight

    def expected(self, plans: Mapping[int, Floats]) -> tuple[float, ...]:
        """The expected return of every seat, all of them playing by `plans` (`Decisions.plan`, by seat)."""
        return tuple((self.reach(plans) @ self.returns).tolist())

    def gains(self, plans: Mapping[int, Floats], seat: int) -> Floats:
        """What ends with each sequence of `seat` pays it, [S], as likely as the plans of all others let it happen."""
        worth = self.reach(plans) * self.returns[:, seat]
        sequences = int(self.decisions[seat].first[-1])
        return np.bincount(self.played[:, seat], worth, minlength=sequences).astype(np.float64)

    def best_response(self, plans: Mapping[int, Floats], seat: int) -> tuple[float, Integers]:
        """The best expected return of `seat` against the plans of all others, and its moves (`Decisions.best`)."""
        return self.decisions[seat].best(self.gains(plans, seat))
