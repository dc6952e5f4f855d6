"""How strong every member is: one rating each from all results at once, whatever their order, with intervals.

The model and its priors are those of `populations.davidson`: Bradley-Terry with draws and an advantage of the lower
seat. Episodes of one result share deals and random streams, so intervals are widened by the dispersion that the data
show. Leaves out results of three or more seats, and whether a single number can rank the members at all: a dispersion
far above 1 is a hint that it cannot, and the meta-game says more.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from populations import davidson
from populations.arrays import Floats
from populations.davidson import Episodes, Fit, Integers
from populations.dispersion import dependence, dispersion
from populations.members import unknown_name
from populations.outcomes import Outcome, indexed, outcome
from populations.payoffs import Result
from populations.posterior import propagate

PRIOR_DEVIATION = 3.0  # logits
LEVEL = 0.95  # of the intervals
_UNBENT = 1000.0  # deviation of the prior of the fit that dispersion is judged by: a narrow one misses who always wins
WIDEST_PRIOR = 1e4  # logits; beyond it arithmetic loses what ties members that never met


def elo(logits: ArrayLike) -> Any:
    """Return logits in Elo points: 400 / ln 10 to the logit, so that 400 points are odds of 10 to 1 without draws."""
    return 400.0 / math.log(10.0) * np.asarray(logits, dtype=np.float64)[()]


@dataclass(frozen=True, slots=True)
class Rating:
    """One member's rating, logits above the anchors' mean, and what it rests on."""

    name: str
    rating: float
    low: float  # of the interval
    high: float
    deviation: float  # standard
    episodes: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """What `fit_ratings` found. Ratings are logits: by them the odds of a win, where nothing is drawn."""

    entries: tuple[Rating, ...]  # best first
    seat_advantage: float  # of the lower seat, logits
    draw_parameter: float  # Davidson's nu; two equals draw nu / (nu + 2) of their episodes where no seat is better
    dispersion: float  # variance of scores as a multiple of that of independent episodes, at least 1
    dependence: float  # the same within pairs, to which ratings that miss who beats whom add nothing
    prior_deviation: float  # logits
    level: float
    anchors: tuple[str, ...]  # whose mean rating is 0; empty: all members'
    components: tuple[tuple[str, ...], ...]  # names; between two of these no episode, the prior alone ties them

    def __getitem__(self, name: str) -> Rating:
        """Return the rating of `name`; ValueError names the closest where it has none."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise unknown_name("rated member", name, (entry.name for entry in self.entries))

    def expected_score(self, first: str, second: str, seat: int | None = None) -> float:
        """Return P(win) + P(draw) / 2 of `first` against `second`, sitting in `seat` (None: mean of both seats).

        ValueError for a member without a rating and for a seat other than 0 and 1.
        """
        if seat not in (None, 0, 1):
            raise ValueError(f"got seat {seat}, expected 0, 1 or None for the mean of both")
        gap = np.array(self[first].rating - self[second].rating)
        by_seat = self._scores(gap)
        return float(np.mean(by_seat) if seat is None else by_seat[seat])

    def expected_scores(self, names: Sequence[str]) -> Floats:
        """Return [N, N]: the row's expected score against the column, mean of both seats; 1/2 on the diagonal.

        ValueError for a member without a rating.
        """
        known = {entry.name: entry.rating for entry in self.entries}
        for name in names:
            if name not in known:
                raise unknown_name("rated member", name, known)
        ratings = np.array([known[name] for name in names], dtype=np.float64)
        lower, upper = self._scores(ratings[:, None] - ratings[None, :])
        return (lower + upper) / 2.0

    def _scores(self, gap: Floats) -> tuple[Floats, Floats]:
        """Expected scores of a member `gap` above its opponent, in the lower and in the upper seat."""
        lower = davidson.expected_score(gap + self.seat_advantage, self.draw_parameter)
        return lower, 1.0 - davidson.expected_score(self.seat_advantage - gap, self.draw_parameter)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, with each rating in Elo points too."""
        entries = [{**asdict(entry), "elo": float(elo(entry.rating))} for entry in self.entries]
        told = asdict(self) | {"anchors": list(self.anchors), "components": [list(group) for group in self.components]}
        return {**told, "entries": entries, "seat_advantage_elo": float(elo(self.seat_advantage))}


def fit_ratings(
    results: Iterable[Result],
    *,
    anchors: Collection[str] = (),
    prior_deviation: float = PRIOR_DEVIATION,
    level: float = LEVEL,
) -> Ratings:
    """Fit a rating for every member that played an episode, all at once; the order of results changes nothing.

    results: of two seats, each match ONCE: of a log in which matches between learners stand from both sides, see
    `one_sided`. The episodes of one result may depend on one another, those of two results not.
    anchors: members whose mean rating is 0; all members where none is given. Intervals are those of the difference to
    that mean.
    prior_deviation: ratings are independently normal about 0 beforehand with this deviation, logits, in (0, 10,000].
    Strengths that spread further and met few times are drawn in, and their intervals too narrow: widen it then.
    level: the share of intervals that hold the truth, in (0, 1).

    Priors and likelihood: see `populations.davidson`. Where episodes of a result or of a pair in the same seats agree
    more than independent ones would, the log-likelihood is divided by the `dispersion` (quasi-likelihood, Wedderburn
    1974) and the prior kept as it is. Ratings, seat advantage and draw parameter maximise the posterior; the intervals
    are those of its normal approximation by `populations.posterior`, lopsided about the rating where it is.
    ValueError without an episode, for three or more seats, unknown anchors, and settings out of range.
    """
    return fit_outcomes(map(outcome, results), anchors=anchors, prior_deviation=prior_deviation, level=level)


def fit_outcomes(
    outcomes: Iterable[Outcome], *, anchors: Collection[str], prior_deviation: float, level: float
) -> Ratings:
    """Fit ratings to results told from the lower seat; otherwise as `fit_ratings`."""
    if not 0.0 < prior_deviation <= WIDEST_PRIOR:
        raise ValueError(f"got prior_deviation={prior_deviation}, expected above 0 and at most {WIDEST_PRIOR:g} logits")
    if not 0.0 < level < 1.0:
        raise ValueError(f"got level={level}, expected between 0 and 1")
    names, episodes = indexed(outcomes)
    for name in anchors:
        if name not in names:
            raise unknown_name("anchor", name, names)
    fitted, widening = _fit(episodes, len(names), prior_deviation)
    shift = np.array([name in anchors or not anchors for name in names], dtype=np.float64)
    shift /= shift.sum()
    spread = _spread(episodes, fitted, prior_deviation, widening, shift)
    return Ratings(
        _entries(names, episodes, fitted, spread, shift, level),
        fitted.seat,
        fitted.draw,
        widening,
        dependence(episodes, len(names)),
        prior_deviation,
        level,
        tuple(sorted(set(anchors))),
        tuple(tuple(names[member] for member in group) for group in episodes.components(len(names))),
    )


def _fit(episodes: Episodes, players: int, deviation: float) -> tuple[Fit, float]:
    """Return the fit, and the dispersion of what it leaves open.

    A result's episodes depend on one another through what they share, all of a pair's where the model misses it.
    """
    pooled = episodes.pooled(players)
    unbent = davidson.fit(pooled, players, max(deviation, _UNBENT))
    widening = max(dispersion(rows, unbent) for rows in (episodes, pooled))
    return davidson.fit(pooled, players, deviation, 1.0 / widening), widening


def _spread(episodes: Episodes, fitted: Fit, deviation: float, widening: float, shift: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation [N] of the ratings, less their mean by the weights `shift` [N]."""
    size = len(shift)
    mean, covariance = propagate(episodes.pooled(size), fitted, deviation, 1.0 / widening)
    shared = covariance[:size, :size] @ shift
    variance = np.diag(covariance)[:size] - 2.0 * shared + shift @ shared
    variance[shift == 1.0] = 0.0  # a single anchor: exactly, not to rounding
    return mean[:size] - mean[:size] @ shift, np.sqrt(np.maximum(variance, 0.0))


def _entries(
    names: Sequence[str], episodes: Episodes, fitted: Fit, spread: tuple[Floats, Floats], shift: Floats, level: float
) -> tuple[Rating, ...]:
    """Return the ratings, best first and by name where equal; spread and shift: see `_spread`."""
    size = len(names)
    ratings = fitted.ratings - fitted.ratings @ shift
    centre, deviations = spread
    margin = NormalDist().inv_cdf((1.0 + level) / 2.0) * deviations
    low, high = np.minimum(centre - margin, ratings), np.maximum(centre + margin, ratings)
    wins, draws, losses = (
        _by_member(episodes, ours, theirs, size)
        for ours, theirs in (
            (episodes.wins, episodes.losses),
            (episodes.draws, episodes.draws),
            (episodes.losses, episodes.wins),
        )
    )
    order = sorted(range(size), key=lambda i: (-ratings[i], names[i]))
    return tuple(
        Rating(
            names[i],
            float(ratings[i]),
            float(low[i]),
            float(high[i]),
            float(deviations[i]),
            int(wins[i] + draws[i] + losses[i]),
            int(wins[i]),
            int(draws[i]),
            int(losses[i]),
        )
        for i in order
    )


def _by_member(episodes: Episodes, lower: Floats, upper: Floats, size: int) -> Integers:
    """[N] sums of counts of the lower and of the upper seat."""
    return np.rint(np.bincount(episodes.lower, lower, size) + np.bincount(episodes.upper, upper, size)).astype(np.int64)
