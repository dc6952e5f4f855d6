"""How strong the members of a run are: ratings, skill over time, and the meta-game, as plain JSON values.

Pure functions of results. Leaves out reading them (`standings`), the methods (`populations.skill`,
`populations.equilibria`, `populations.domination`) and drawing (`views`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mage.statistics import SIGNIFICANT, wilson_interval
from populations.domination import cycles
from populations.equilibria import nash_averaging
from populations.members import KINDS
from populations.metagame import payoff_matrix, played_together
from populations.outcomes import is_first_telling
from populations.payoffs import Counts, PayoffTable, Result
from populations.ratings import elo
from populations.skill import skill_curve

WINDOWS = 8  # of a run, in which a learner counts as one player each


def strength(
    results: Sequence[tuple[int, Result]], table: PayoffTable, kinds: Mapping[str, str], seats: int | None = None
) -> dict[str, Any]:
    """Return `ratings`, `skill`, `metagame` and `unrated`, the reason why all three are null, else null.

    results: with their iterations, matches between learners from both sides, as a log has them; table: the same
    results summed; kinds: of every member, by name; seats: of the game, where the log says. A learner changes: its
    rating is that of the last window of iterations that it played in. See docs/standings.md for the fields.
    """
    summed = table.results()
    reason = _why_not(summed, seats)
    if reason is not None:
        return {"unrated": reason, "ratings": None, "skill": None, "metagame": None}
    learners = {name for name, kind in kinds.items() if kind == "learner"}
    iterations = [iteration for iteration, _ in results]
    once = [(iteration, result) for iteration, result in results if is_first_telling(result, learners)]
    curve = skill_curve(once, windows(min(iterations), max(iterations)), learners, anchors=_anchors(summed, kinds))
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
        "metagame": metagame(table, kinds, curve.ratings.dependence),
    }


def windows(first: int, last: int) -> list[int]:
    """Return the edges of up to `WINDOWS` windows of about equal length over the iterations `first` to `last`."""
    length = last + 1 - first
    count = min(WINDOWS, length)
    return [first + round(index * length / count) for index in range(count + 1)]


def independent(episodes: int, dependence: float) -> int:
    """Return how many independent episodes say as much as `episodes` whose variance is `dependence` times theirs."""
    return max(1, int(episodes / dependence))


def metagame(table: PayoffTable, kinds: Mapping[str, str], dependence: float = 1.0) -> dict[str, Any]:
    """Return the maximum-entropy Nash mixture among members that all met one another, over the whole run.

    Learners come first in the search for such members, see `played_together`; nothing is filled in for those left
    out. A member beats another where the interval of its win rate lies above one half, over as many episodes as are
    `independent`, at a level that makes 5% the chance of one or more false wins among all pairs (Bonferroni).
    """
    played = {name for result in table.results() for name in (result.row, result.column)}
    names = [name for kind in KINDS for name, own in kinds.items() if own == kind and name in played]
    met = payoff_matrix(table, names)
    members = played_together(met, names)
    positions = [names.index(name) for name in members]
    payoff = met[np.ix_(positions, positions)]
    margins = _margins(table, members, payoff, dependence)
    mixture, skill = nash_averaging(payoff)
    return {
        "members": list(members),
        "left_out": len(names) - len(members),
        "payoff": payoff.tolist(),
        "mixture": mixture.tolist(),
        "skill": skill.tolist(),
        "cycles": [[members[index] for index in cycle] for cycle in cycles(payoff, margins)],
    }


def _why_not(results: Iterable[Result], seats: int | None) -> str | None:
    """Why these results can't be rated, None if they can."""
    scored = False
    for result in results:
        if result.seat > 1 or (seats or 2) > 2:
            return "ratings compare two players; this game has three seats or more"
        scored = scored or _episodes(result) > 0
    return None if scored else "no game was played so far"


def _anchors(results: Iterable[Result], kinds: Mapping[str, str]) -> list[str]:
    """The scripted members that played an episode, else the snapshots, which come, and improve, as a run goes on."""
    played = {name for result in results if _episodes(result) for name in (result.row, result.column)}
    for kind in ("scripted", "snapshot"):
        names = [name for name in sorted(played) if kinds[name] == kind]
        if names:
            return names
    return []


def _episodes(counts: Counts | Result) -> int:
    return counts.wins + counts.draws + counts.losses


def _point(rating: float, low: float, high: float) -> dict[str, float]:
    points = {"elo": elo(rating), "elo_low": elo(low), "elo_high": elo(high)}
    return {"rating": rating, "low": low, "high": high} | {name: float(value) for name, value in points.items()}


def _margins(
    table: PayoffTable, members: Sequence[str], payoff: NDArray[np.float64], dependence: float
) -> NDArray[np.float64]:
    """How far above a draw [N, N] a payoff must be to be no luck: half the interval's width, in payoff units."""
    margins = np.zeros_like(payoff)
    level = 1.0 - SIGNIFICANT / max(1, len(members) * (len(members) - 1) // 2)
    for row, own in enumerate(members):
        for column, other in enumerate(members):
            cells = (table.cell(own, other), table.cell(other, own))
            episodes = max((_episodes(cell) for cell in cells if cell is not None), default=0)
            if episodes:
                n = independent(episodes, dependence)
                rate = wilson_interval((1.0 + payoff[row, column]) / 2.0 * n, n, level)
                margins[row, column] = 2.0 * (rate.value - rate.low)
    return margins
