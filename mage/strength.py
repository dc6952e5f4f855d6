"""How strong the members of a run are: ratings, skill over time, and the meta-game, as plain JSON values.

Pure functions of results. Leaves out reading them (`standings`), the methods (`populations.skill`,
`populations.equilibria`, `populations.domination`) and drawing (`views`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mage.statistics import wilson_interval
from populations.domination import cycles
from populations.equilibria import nash_averaging
from populations.metagame import payoff_matrix, played_together
from populations.payoffs import PayoffTable, Result
from populations.ratings import elo, one_sided
from populations.skill import skill_curve

_ORDER = ("learner", "snapshot", "scripted")
WINDOWS = 8  # of a run, in which a learner counts as one player each


def strength(results: Sequence[tuple[int, Result]], table: PayoffTable, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return `ratings`, `skill`, `metagame` and `unrated`, the reason why all three are null, else null.

    results: with their iterations, matches between learners from both sides, as a log has them; table: the same
    results summed; kinds: of every member, by name. A learner changes: its rating is that of the last window of
    iterations that it played in. See docs/standings.md for the fields.
    """
    reason = _why_not(table.results())
    if reason is not None:
        return {"unrated": reason, "ratings": None, "skill": None, "metagame": None}
    learners = {name for name, kind in kinds.items() if kind == "learner"}
    last = max(iteration for iteration, _ in results)
    curve = skill_curve(_once(results, learners), windows(last), learners)
    ratings = curve.ratings.to_json()
    for entry in ratings["entries"]:
        bounds = {"elo_low": float(elo(entry["low"])), "elo_high": float(elo(entry["high"]))}
        entry |= {"kind": kinds[entry["name"]], **bounds}
    curves = {
        name: [None if point is None else _point(point.rating, point.low, point.high) for point in points]
        for name, points in curve.curves.items()
    }
    return {
        "unrated": None,
        "ratings": ratings,
        "skill": {"edges": list(curve.edges), "curves": curves},
        "metagame": metagame(table, kinds),
    }


def windows(last: int) -> list[int]:
    """Return the edges of up to `WINDOWS` windows of about equal length over the iterations 0 to `last`."""
    count = min(WINDOWS, last + 1)
    return [round(index * (last + 1) / count) for index in range(count + 1)]


def metagame(table: PayoffTable, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return the maximum-entropy Nash mixture among members that all met one another, over the whole run.

    Learners come first in the search for such members, see `played_together`; nothing is filled in for those left
    out. A member beats another where the 95% interval of its win rate, over trials, lies above one half.
    """
    played = {name for result in table.results() for name in (result.row, result.column)}
    names = [name for kind in _ORDER for name, own in kinds.items() if own == kind and name in played]
    members = played_together(payoff_matrix(table, names), names)
    payoff = payoff_matrix(table, members)
    mixture, skill = nash_averaging(payoff)
    return {
        "members": list(members),
        "left_out": len(names) - len(members),
        "payoff": payoff.tolist(),
        "mixture": mixture.tolist(),
        "skill": skill.tolist(),
        "cycles": [[members[index] for index in cycle] for cycle in cycles(payoff, _margins(table, members, payoff))],
    }


def _why_not(results: Iterable[Result]) -> str | None:
    """Why these results can't be rated, None if they can."""
    scored = False
    for result in results:
        if result.seat > 1:
            return "ratings compare two players; this game has three seats or more"
        scored = scored or result.wins + result.draws + result.losses > 0
    return None if scored else "no game was played so far"


def _once(results: Iterable[tuple[int, Result]], learners: Collection[str]) -> list[tuple[int, Result]]:
    """Drop the second telling of every match between learners."""
    return [
        (iteration, result)
        for iteration, stamped in groupby(results, key=itemgetter(0))
        for result in one_sided((result for _, result in stamped), learners)
    ]


def _point(rating: float, low: float, high: float) -> dict[str, float]:
    points = {"elo": elo(rating), "elo_low": elo(low), "elo_high": elo(high)}
    return {"rating": rating, "low": low, "high": high} | {name: float(value) for name, value in points.items()}


def _margins(table: PayoffTable, members: Sequence[str], payoff: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far above a draw [N, N] a payoff must be to be no luck: half the interval's width, in payoff units."""
    margins = np.zeros_like(payoff)
    for row, own in enumerate(members):
        for column, other in enumerate(members):
            cells = (table.cell(own, other), table.cell(other, own))
            trials = max((cell.n for cell in cells if cell is not None), default=0)
            if trials:
                rate = wilson_interval((1.0 + payoff[row, column]) / 2.0 * trials, trials)
                margins[row, column] = 2.0 * (rate.value - rate.low)
    return margins
