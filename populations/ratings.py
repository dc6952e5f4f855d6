"""How strong every member is: one rating each from all results at once, whatever their order, with intervals.

The model and its priors are those of `populations.davidson`: Bradley-Terry with draws and an advantage of the lower
seat. Games of one result share deals and random streams, so intervals are widened by the dispersion that the data
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
from populations.davidson import Fit, Floats, Games, Integers
from populations.members import unknown_name
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
    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """What `fit_ratings` found. Ratings are logits: by them the odds of a win, where nothing is drawn."""

    entries: tuple[Rating, ...]  # best first
    seat_advantage: float  # of the lower seat, logits
    draw_parameter: float  # Davidson's nu; two equals draw nu / (nu + 2) of their games where no seat is better
    dispersion: float  # variance of scores as a multiple of that of independent games, at least 1
    prior_deviation: float  # logits
    level: float
    anchors: tuple[str, ...]  # whose mean rating is 0; empty: all members'
    components: tuple[tuple[str, ...], ...]  # names; between two of these no game was played, only the prior ties them

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


def one_sided(results: Iterable[Result], both: Collection[str]) -> tuple[Result, ...]:
    """Drop the second telling of every match that was recorded from both of its sides.

    both: the members whose matches with one another are recorded twice, the learners of a run. Of those the results
    with row < column are kept, and all others as they are.
    """
    return tuple(
        result
        for result in results
        if result.row < result.column or result.row not in both or result.column not in both
    )


def fit_ratings(
    results: Iterable[Result],
    *,
    anchors: Collection[str] = (),
    prior_deviation: float = PRIOR_DEVIATION,
    level: float = LEVEL,
) -> Ratings:
    """Fit a rating for every member that played a game, all at once; the order of results changes nothing.

    results: of two seats, each match ONCE: of a log in which matches between learners stand from both sides, see
    `one_sided`. The games of one result may depend on one another, those of two results not.
    anchors: members whose mean rating is 0; all members where none is given. Intervals are those of the difference to
    that mean.
    prior_deviation: ratings are independently normal about 0 beforehand with this deviation, logits, in (0, 10,000].
    Strengths that spread further and met few times are drawn in, and their intervals too narrow: widen it then.
    level: the share of intervals that hold the truth, in (0, 1).

    Priors and likelihood: see `populations.davidson`. Where games of a result or of a pair in the same seats agree
    more than independent games would, the log-likelihood is divided by the `dispersion` (quasi-likelihood, Wedderburn
    1974) and the prior kept as it is. Ratings, seat advantage and draw parameter maximise the posterior; the intervals
    are those of its normal approximation by `populations.posterior`, lopsided about the rating where it is.
    ValueError without a game, for three or more seats, unknown anchors, and settings out of range.
    """
    if not 0.0 < prior_deviation <= WIDEST_PRIOR:
        raise ValueError(f"got prior_deviation={prior_deviation}, expected above 0 and at most {WIDEST_PRIOR:g} logits")
    if not 0.0 < level < 1.0:
        raise ValueError(f"got level={level}, expected between 0 and 1")
    names, games = _games(results)
    for name in anchors:
        if name not in names:
            raise unknown_name("anchor", name, names)
    fitted, dispersion = _fit(games, len(names), prior_deviation)
    shift = np.array([name in anchors or not anchors for name in names], dtype=np.float64)
    shift /= shift.sum()
    spread = _spread(games, fitted, prior_deviation, dispersion, shift)
    return Ratings(
        _entries(names, games, fitted, spread, shift, level),
        fitted.seat,
        fitted.draw,
        dispersion,
        prior_deviation,
        level,
        tuple(sorted(set(anchors))),
        tuple(tuple(names[member] for member in group) for group in games.components(len(names))),
    )


def _games(results: Iterable[Result]) -> tuple[list[str], Games]:
    """Return the names, sorted, and a row for each result with a game, sorted too."""
    rows = []
    for result in results:
        if result.seat > 1:
            raise ValueError(
                f"got a result of seat {result.seat}, expected two seats (0 and 1); rate those games alone"
            )
        sides = (result.row, result.column, result.wins, result.draws, result.losses)
        if result.seat == 1:
            sides = (result.column, result.row, result.losses, result.draws, result.wins)
        if sum(sides[2:]):
            rows.append(sides)
    if not rows:
        raise ValueError("got no result with a game in it, expected at least one; play first")
    names = sorted({name for row in rows for name in row[:2]})
    index = {name: number for number, name in enumerate(names)}
    table = np.array(sorted((index[row[0]], index[row[1]], *row[2:]) for row in rows), dtype=np.int64).T
    counts = table[2:].astype(np.float64)
    return names, Games(table[0], table[1], counts[0], counts[1], counts[2])


def _fit(games: Games, players: int, deviation: float) -> tuple[Fit, float]:
    """Return the fit, and the dispersion of what it leaves open.

    A result's games depend on one another through what they share, all games of a pair where the model misses it.
    """
    pooled = games.pooled(players)
    unbent = davidson.fit(pooled, players, max(deviation, _UNBENT))
    dispersion = max(davidson.dispersion(rows, unbent) for rows in (games, pooled))
    return davidson.fit(pooled, players, deviation, 1.0 / dispersion), dispersion


def _spread(games: Games, fitted: Fit, deviation: float, dispersion: float, shift: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation [N] of the ratings, less their mean by the weights `shift` [N]."""
    size = len(shift)
    mean, covariance = propagate(games.pooled(size), fitted, deviation, 1.0 / dispersion)
    shared = covariance[:size, :size] @ shift
    variance = np.diag(covariance)[:size] - 2.0 * shared + shift @ shared
    variance[shift == 1.0] = 0.0  # a single anchor: exactly, not to rounding
    return mean[:size] - mean[:size] @ shift, np.sqrt(np.maximum(variance, 0.0))


def _entries(
    names: Sequence[str], games: Games, fitted: Fit, spread: tuple[Floats, Floats], shift: Floats, level: float
) -> tuple[Rating, ...]:
    """Return the ratings, best first and by name where equal; spread and shift: see `_spread`."""
    size = len(names)
    ratings = fitted.ratings - fitted.ratings @ shift
    centre, deviations = spread
    margin = NormalDist().inv_cdf((1.0 + level) / 2.0) * deviations
    low, high = np.minimum(centre - margin, ratings), np.maximum(centre + margin, ratings)
    wins, draws, losses = (
        _by_member(games, ours, theirs, size)
        for ours, theirs in ((games.wins, games.losses), (games.draws, games.draws), (games.losses, games.wins))
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


def _by_member(games: Games, lower: Floats, upper: Floats, size: int) -> Integers:
    """[N] sums of counts of the lower and of the upper seat."""
    return np.rint(np.bincount(games.lower, lower, size) + np.bincount(games.upper, upper, size)).astype(np.int64)
