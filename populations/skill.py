"""Skill over time: one joint fit in which a learner is another player in every window of a run.

What does not change (scripted members, frozen snapshots) is the same player throughout and ties the windows together.
Leaves out smoothing: a window's rating rests on that window's episodes, and on the prior.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from populations.outcomes import outcome
from populations.payoffs import Result
from populations.ratings import LEVEL, PRIOR_DEVIATION, Rating, Ratings, fit_outcomes

_MARK = "\0"  # between a name and its window: in no member's name


@dataclass(frozen=True, slots=True)
class SkillCurve:
    """Ratings over time, logits above the anchors' mean."""

    edges: tuple[int, ...]  # window w holds the times edges[w] <= time < edges[w + 1]
    curves: dict[str, tuple[Rating | None, ...]]  # by changing member, sorted; None where it played no episode
    ratings: Ratings  # a changing member is what it was in its last window with an episode


def skill_curve(
    results: Iterable[tuple[int, Result]],
    edges: Sequence[int],
    changing: Collection[str],
    *,
    anchors: Collection[str] = (),
    prior_deviation: float = PRIOR_DEVIATION,
    level: float = LEVEL,
) -> SkillCurve:
    """Rate the members in `changing` anew in each window, all others once, by one `fit_ratings`.

    results: each with its time, such as the iteration; each match once, see `one_sided`. edges: W + 1 rising times of
    W windows. anchors: members that do not change and whose mean is 0; where none is given it is the mean of all, every
    window's player counted. Windows that share no member are tied by the prior alone. One more window costs a player
    more for each changing member. ValueError for edges that do not rise, a time outside them, an anchor that changes,
    and whatever `fit_ratings` refuses.
    """
    if len(edges) < 2 or any(left >= right for left, right in pairwise(edges)):
        raise ValueError(f"got edges {list(edges)}, expected at least two, each above the one before")
    for name in anchors:
        if name in changing:
            raise ValueError(f"got the anchor {name!r}, which changes; expected one that is the same throughout")
    labels = [{name: _label(name, window) for name in changing} for window in range(len(edges) - 1)]
    outcomes = []
    for time, result in results:
        if not edges[0] <= time < edges[-1]:
            raise ValueError(f"got a result of time {time}, expected {edges[0]} <= time < {edges[-1]}; widen the edges")
        now = labels[bisect_right(edges, time) - 1]
        lower, upper, wins, draws, losses = outcome(result)
        outcomes.append((now.get(lower, lower), now.get(upper, upper), wins, draws, losses))
    fitted = fit_outcomes(outcomes, anchors=anchors, prior_deviation=prior_deviation, level=level)
    return _unlabelled(tuple(edges), fitted)


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
