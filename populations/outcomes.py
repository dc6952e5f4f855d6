"""Results as ratings take them: told once, from the lower seat, and counted by member.

Leaves out what is made of them (`ratings`, `davidson`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from populations.davidson import Episodes
from populations.payoffs import Result

Outcome = tuple[str, str, int, int, int]  # in the lower seat, in the upper one; won, drawn and lost by the lower


def one_sided(results: Iterable[Result], both: Collection[str]) -> tuple[Result, ...]:
    """Drop the second telling of every match that was recorded from both of its sides, see `is_first_telling`."""
    return tuple(result for result in results if is_first_telling(result, both))


def is_first_telling(result: Result, both: Collection[str]) -> bool:
    """Whether a result is to be kept where matches may be told twice.

    both: the members whose matches with one another are recorded from both sides, the learners of a run. Of those the
    results with row < column are kept, and all others as they are.
    """
    return result.row < result.column or result.row not in both or result.column not in both


def outcome(result: Result) -> Outcome:
    """Tell a result from the lower seat's side; ValueError for three seats or more."""
    if result.seat == 0:
        return result.row, result.column, result.wins, result.draws, result.losses
    if result.seat > 1:
        raise ValueError(f"got a result of seat {result.seat}, expected two seats (0 and 1); rate other games alone")
    return result.column, result.row, result.losses, result.draws, result.wins


def indexed(outcomes: Iterable[Outcome]) -> tuple[list[str], Episodes]:
    """Return the names of all that played an episode, sorted, and a row for each outcome with one, sorted too.

    ValueError where no episode was played.
    """
    played = [row for row in outcomes if row[2] or row[3] or row[4]]
    if not played:
        raise ValueError("got no result with an episode in it, expected at least one; play first")
    names = sorted({row[0] for row in played} | {row[1] for row in played})
    index = {name: number for number, name in enumerate(names)}
    table = np.array([(index[row[0]], index[row[1]], row[2], row[3], row[4]) for row in played], dtype=np.int64).T
    table = table[:, np.lexsort(table[::-1])]  # so that the order in which results came changes no sum
    counts = table[2:].astype(np.float64)
    return names, Episodes(table[0], table[1], counts[0], counts[1], counts[2])
