"""From payoffs to the meta-game: the matrix of who beats whom among the members of a population.

What was never played is NaN, and stays so until someone fills it knowingly (`complete`) or leaves its members out
(`played_together`). Leaves out what is made of the matrix: `equilibria`, `dynamics`, `domination`, `alpharank`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from populations.arrays import Floats
from populations.members import unknown_name
from populations.payoffs import PayoffTable, Result

Measure = Literal["win_rate", "mean_return"]

# Each gives a cell's sum and the number that it is a sum over.
_MEASURES: dict[str, Callable[[Result], tuple[float, float]]] = {
    "win_rate": lambda result: (result.wins - result.losses, result.wins + result.draws + result.losses),
    "mean_return": lambda result: (result.total, result.n),
}


def payoff_matrix(table: PayoffTable, names: Sequence[str], measure: Measure = "win_rate") -> Floats:
    """Return what each of `names` won against each other over all seats: [N, N], antisymmetric, 0 on the diagonal.

    measure: `win_rate`, 2 x (win rate with draws half) - 1 in [-1, 1]: 1 for an always-win member; or `mean_return`,
    per episode in game units, for zero-sum games. NaN for a pair that never met. Both sides' cells are pooled by
    their counts, so it makes no difference whether a match was recorded from one side or from both. ValueError for
    an unknown measure or a name given twice.
    """
    if measure not in _MEASURES:
        raise unknown_name("measure", measure, _MEASURES)
    index = {name: position for position, name in enumerate(names)}
    if len(index) < len(names):
        twice = next(name for position, name in enumerate(names) if index[name] != position)
        raise ValueError(f"got the member {twice!r} twice, expected every name once")
    won, played = np.zeros((2, len(names), len(names)))
    for result in table.results():
        if result.row in index and result.column in index:
            cell = index[result.row], index[result.column]
            total, count = _MEASURES[measure](result)
            won[cell] += total
            played[cell] += count
    played += played.T
    matrix = np.where(played > 0, (won - won.T) / np.maximum(played, 1.0), np.nan)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def complete(matrix: ArrayLike, expected: ArrayLike) -> Floats:
    """Return `matrix` with every NaN replaced by the entry of `expected`, both [N, N]; say so wherever it is shown.

    expected: for instance 2 p - 1, with p the win rates that ratings foretell. ValueError for different shapes, or
    when a gap would stay.
    """
    known, guess = np.asarray(matrix, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    if known.shape != guess.shape:
        raise ValueError(f"got shapes {known.shape} and {guess.shape}, expected the same for payoffs and expectations")
    filled = np.where(np.isnan(known), guess, known)
    if np.isnan(filled).any():
        raise ValueError(f"{int(np.isnan(filled).sum())} entries are missing in both, expected a number for each gap")
    return filled


def played_together(matrix: ArrayLike, names: Sequence[str]) -> tuple[str, ...]:
    """Return names that all met one another, as many as a greedy search finds, in the given order.

    matrix: [N, N], NaN where two never met. Each member once starts a set, which then takes in whoever has met all
    of it, in order; the largest set is kept, of equal ones the first. (The very largest is a maximum clique, which
    nobody can find quickly.) Empty for no names. ValueError for another shape.
    """
    met = ~np.isnan(np.asarray(matrix, dtype=np.float64))
    if met.shape != (len(names), len(names)):
        raise ValueError(f"got a matrix {met.shape} for {len(names)} names, expected as many rows and columns")
    best: list[int] = []
    for first in range(len(names)):
        if int((met[first] | (np.arange(len(names)) == first)).sum()) <= len(best):
            continue
        chosen, candidates = [first], met[first].copy()
        candidates[first] = False
        while candidates.any():
            joined = int(np.argmax(candidates))
            chosen.append(joined)
            candidates &= met[joined]
            candidates[joined] = False
        best = max(best, chosen, key=len)
    return tuple(names[index] for index in sorted(best))
