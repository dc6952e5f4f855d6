"""Skill over time: one joint fit in which a learner is another player in every window of a run.

What does not change (scripted members, frozen snapshots) is the same player throughout, ties the windows together and
is the anchor. Leaves out smoothing: a window's rating rests on that window's games, and on the prior.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from populations.payoffs import Result
from populations.ratings import LEVEL, PRIOR_DEVIATION, Rating, Ratings, fit_ratings

_MARK = "\0"  # between a name and its window: in no member's name


@dataclass(frozen=True, slots=True)
class SkillCurve:
    """Ratings over time, logits above the mean of the members that do not change."""

    edges: tuple[int, ...]  # window w holds the times edges[w] <= time < edges[w + 1]
    curves: dict[str, tuple[Rating | None, ...]]  # by changing member, sorted; None where it played no game
    ratings: Ratings  # a changing member is what it was in its last window with a game

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values: the edges, and of each changing member rating, low and high by window."""
        curves = {
            name: [None if point is None else [point.rating, point.low, point.high] for point in points]
            for name, points in self.curves.items()
        }
        return {"edges": list(self.edges), "curves": curves}


def skill_curve(
    results: Iterable[tuple[int, Result]],
    edges: Sequence[int],
    changing: Collection[str],
    *,
    prior_deviation: float = PRIOR_DEVIATION,
    level: float = LEVEL,
) -> SkillCurve:
    """Rate the members in `changing` anew in each window, all others once, by one `fit_ratings`.

    results: each with its time, such as the iteration; each match once, see `one_sided`. edges: W + 1 rising times of
    W windows. The anchors are all constant members that played; where there are none the mean of all is 0, and windows
    that share no member are tied by the prior alone. One more window costs a player more for each changing member.
    ValueError for edges that do not rise, a time outside them, and whatever `fit_ratings` refuses.
    """
    if len(edges) < 2 or any(left >= right for left, right in pairwise(edges)):
        raise ValueError(f"got edges {list(edges)}, expected at least two, each above the one before")
    stamped, constant = [], set()
    for time, result in results:
        if not edges[0] <= time < edges[-1]:
            raise ValueError(f"got a result of time {time}, expected {edges[0]} <= time < {edges[-1]}; widen the edges")
        window = bisect_right(edges, time) - 1
        labels = {name: _label(name, window) if name in changing else name for name in (result.row, result.column)}
        if result.wins + result.draws + result.losses:
            constant |= {name for name in labels if name not in changing}
        stamped.append(_renamed(result, labels))
    fitted = fit_ratings(stamped, anchors=constant, prior_deviation=prior_deviation, level=level)
    return _unlabelled(tuple(edges), fitted)


def _renamed(result: Result, labels: Mapping[str, str]) -> Result:
    """Give the two sides other names; `dataclasses.replace` takes five times as long, and logs hold many results."""
    return Result(
        labels[result.row],
        labels[result.column],
        result.seat,
        result.n,
        result.total,
        result.total_squares,
        result.wins,
        result.draws,
        result.losses,
        result.forfeits,
    )


def _label(name: str, window: int) -> str:
    return f"{name}{_MARK}{window}"


def _unlabelled(edges: tuple[int, ...], fitted: Ratings) -> SkillCurve:
    """Give the members of a fit by window their own names back."""
    points: dict[str, dict[int, Rating]] = {}
    for entry in fitted.entries:
        name, mark, window = entry.name.partition(_MARK)
        if mark:
            points.setdefault(name, {})[int(window)] = replace(entry, name=name)
    last = {_label(name, max(by_window)): name for name, by_window in points.items()}
    now = {entry.name: last.get(entry.name, entry.name) for entry in fitted.entries}
    standing = {label: name for label, name in now.items() if _MARK not in name}
    components = [tuple(sorted(standing[label] for label in group if label in standing)) for group in fitted.components]
    ratings = replace(
        fitted,
        entries=tuple(replace(entry, name=now[entry.name]) for entry in fitted.entries if entry.name in standing),
        components=tuple(group for group in components if group),
    )
    windows = range(len(edges) - 1)
    curves = {name: tuple(map(by_window.get, windows)) for name, by_window in sorted(points.items())}
    return SkillCurve(edges, curves, ratings)
