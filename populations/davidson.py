"""The Bradley-Terry model with draws and a seat advantage: its likelihood and its maximum.

An episode between player i in the lower seat and player j in the upper one, with d = r_i - r_j + s and
Z = exp(d/2) + exp(-d/2) + nu, is won by i with probability exp(d/2) / Z and drawn with nu / Z (Davidson 1970, On
extending the Bradley-Terry model to accommodate ties; the advantage s as in Davidson and Beaver 1977, On extending the
Bradley-Terry model to incorporate within-pair order effects).
Arrays and indices only; leaves out names, anchors and intervals (`ratings`), and how far data stray from the model
(`dispersion`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from populations.arrays import Floats

Integers = NDArray[np.int64]

SEAT_DEVIATION = 1.0  # of the normal prior on s, logits, about 0
DRAW_DEVIATION = 3.0  # of the normal prior on log nu, about 0 (even players then draw one episode in three)

_GRADIENT = 1e-10  # relative to the episodes of the busiest player
_ITERATIONS = 200  # Newton's method takes 5 to 30
_SMALL_GAIN = 1e-6  # a step that promises less is taken in full: rounding would hide what it gains


@dataclass(frozen=True, slots=True)
class Episodes:
    """Counts of episodes, one row for each set of them between the same two players in the same seats."""

    lower: Integers  # [M] the player in the lower seat
    upper: Integers  # [M] the player in the upper seat, another one
    wins: Floats  # [M] episodes that the lower seat won, not negative
    draws: Floats  # [M]
    losses: Floats  # [M]

    @property
    def total(self) -> Floats:
        """[M] episodes of each row."""
        return self.wins + self.draws + self.losses

    def pooled(self, players: int) -> Episodes:
        """Add up the rows of the same two players in the same seats, sorted by them."""
        cells, inverse = np.unique(self.lower * players + self.upper, return_inverse=True)
        sums = np.array([np.bincount(inverse, counts) for counts in (self.wins, self.draws, self.losses)], np.float64)
        return Episodes(cells // players, cells % players, sums[0], sums[1], sums[2])

    def components(self, players: int) -> list[list[int]]:
        """Return the sets of players that chains of episodes link, the largest first, each sorted."""
        links: list[set[int]] = [set() for _ in range(players)]
        for i, j in zip(self.lower.tolist(), self.upper.tolist(), strict=True):
            links[i].add(j)
            links[j].add(i)
        unseen, found = set(range(players)), []
        while unseen:
            members = [min(unseen)]
            unseen.discard(members[0])
            for member in members:  # grows as it goes
                new = links[member] & unseen
                unseen -= new
                members += new
            found.append(sorted(members))
        return sorted(found, key=lambda group: (-len(group), group))


@dataclass(frozen=True, slots=True)
class Fit:
    """The maximum of the posterior, and its curvature there."""

    ratings: Floats  # [N] logits; their mean is 0
    seat: float  # s, logits
    draw: float  # nu, 0 without any draw
    covariance: Floats  # [N + 1, N + 1] of ratings and seat; meant for differences of ratings, see `gram`

    def differences(self, episodes: Episodes) -> Floats:
        """[M] d of every row."""
        return self.ratings[episodes.lower] - self.ratings[episodes.upper] + self.seat


def probabilities(difference: Floats, draw: float) -> tuple[Floats, Floats, Floats]:
    """Return P(the lower seat wins), P(draw) and P(it loses); difference: d, any shape; draw: nu >= 0."""
    scale = np.abs(difference) / 2.0
    win, loss = np.exp(difference / 2.0 - scale), np.exp(-difference / 2.0 - scale)
    tie = draw * np.exp(-scale)
    total = win + tie + loss
    return win / total, tie / total, loss / total


def log_normaliser(difference: Floats, draw: float) -> Floats:
    """Return log Z, same shape as difference."""
    scale = np.abs(difference) / 2.0
    return scale + np.log1p(np.exp(-2.0 * scale) + draw * np.exp(-scale))


def expected_score(difference: Floats, draw: float) -> Floats:
    """Return P(win) + P(draw) / 2 of the lower seat, same shape as difference."""
    win, tie, _ = probabilities(difference, draw)
    return win + tie / 2.0


@dataclass(frozen=True, slots=True)
class Moments:
    """Of an episode of each row: of the score above one half S in {1/2, 0, -1/2}, and of T, 1 for a draw and else 0."""

    score: Floats  # [M] E[S]
    draw: Floats  # [M] E[T]
    score_variance: Floats  # [M]
    covariance: Floats  # [M] of S and T
    draw_variance: Floats  # [M]

    @classmethod
    def of(cls, difference: Floats, draw: float) -> Moments:
        """Return them for d [M] and nu."""
        win, tie, loss = probabilities(difference, draw)
        score = (win - loss) / 2.0
        return cls(score, tie, (win + loss) / 4.0 - score**2, -score * tie, tie * (win + loss))


class _Posterior:
    """Log-likelihood plus log-prior as a function of the parameters: ratings [N], s, and log nu where there are draws.

    The likelihood is an exponential family in d and log nu, so the function is strictly concave.
    """

    def __init__(self, episodes: Episodes, players: int, deviation: float, weight: float) -> None:
        self.episodes, self.players, self.weight = episodes, players, weight
        self.has_draws = bool(episodes.draws.any())
        tail = [SEAT_DEVIATION, DRAW_DEVIATION][: 1 + self.has_draws]
        self.precision = np.array([deviation] * players + tail) ** -2.0

    def split(self, parameters: Floats) -> tuple[Floats, float]:
        """Return d of every row, and nu."""
        ratings, seat = parameters[: self.players], parameters[self.players]
        draw = float(np.exp(parameters[self.players + 1])) if self.has_draws else 0.0
        return ratings[self.episodes.lower] - ratings[self.episodes.upper] + seat, draw

    def value(self, parameters: Floats) -> float:
        difference, draw = self.split(parameters)
        episodes = self.episodes
        terms = (episodes.wins - episodes.losses) * difference / 2.0 - episodes.total * log_normaliser(difference, draw)
        if self.has_draws:
            terms += episodes.draws * parameters[-1]
        return float(self.weight * terms.sum() - (self.precision * parameters**2).sum() / 2.0)

    def derivatives(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the gradient [P] and the negative Hessian [P, P]."""
        difference, draw = self.split(parameters)
        episodes, linear = self.episodes, self.players + 1  # ratings and seat, of which d is a linear function
        moments, total = Moments.of(difference, draw), self.weight * episodes.total
        excess = self.weight * (episodes.wins - episodes.losses) / 2.0 - total * moments.score
        gradient, curvature = -self.precision * parameters, np.diag(self.precision)
        gradient[:linear] += pulled(episodes, self.players, excess)
        curvature[:linear, :linear] += gram(episodes, self.players, total * moments.score_variance)
        if self.has_draws:
            gradient[-1] += self.weight * episodes.draws.sum() - (total * moments.draw).sum()
            border = pulled(episodes, self.players, total * moments.covariance)
            curvature[-1, :-1] += border
            curvature[:-1, -1] += border
            curvature[-1, -1] += (total * moments.draw_variance).sum()
        return gradient, curvature


def pulled(episodes: Episodes, players: int, terms: Floats) -> Floats:
    """Return X' terms, [N + 1] for ratings and seat, where d = X (ratings, seat); terms: [M]."""
    lower, upper = np.bincount(episodes.lower, terms, players), np.bincount(episodes.upper, terms, players)
    return np.append(lower - upper, terms.sum())


def gram(episodes: Episodes, players: int, weights: Floats) -> Floats:
    """Return X' diag(weights) X, [N + 1, N + 1], and on top of it a multiple of 1 1' over the ratings.

    The likelihood sees differences of ratings alone and the prior holds their sum at 0, so the multiple changes neither
    the ratings nor the variance of a difference; it keeps matrices well conditioned under a wide prior.
    """
    pairs = np.bincount(episodes.lower * players + episodes.upper, weights, players**2).reshape(players, players)
    met, matrix = pairs + pairs.T, np.zeros((players + 1, players + 1))
    degree = met.sum(axis=0)
    matrix[:-1, :-1] = np.diag(degree) - met + degree.sum() / players**2
    matrix[-1] = matrix[:, -1] = pulled(episodes, players, weights)
    return matrix


def fit(episodes: Episodes, players: int, deviation: float, weight: float = 1.0) -> Fit:
    """Maximise the posterior by Newton's method with exact derivatives.

    episodes: at least one; pooled, they make the same fit in less time. players: N >= 2. deviation: of the independent
    normal priors on ratings, logits, > 0, under which who always wins stays finite. weight: > 0, multiplies the
    log-likelihood: 1 / dispersion where episodes depend on one another. ArithmeticError where rounding defeats it.
    """
    posterior = _Posterior(episodes, players, deviation, weight)
    parameters = np.zeros(len(posterior.precision))
    busiest = max(1.0, weight * float(np.bincount(episodes.lower, episodes.total).max()))
    value = posterior.value(parameters)
    for _ in range(_ITERATIONS):
        gradient, curvature = posterior.derivatives(parameters)
        if np.abs(gradient).max() <= _GRADIENT * busiest:
            break
        step = np.linalg.solve(curvature, gradient)
        gain, share = float(gradient @ step), 1.0
        while gain > _SMALL_GAIN and posterior.value(parameters + share * step) < value + 0.1 * share * gain:
            share /= 2.0
        parameters = parameters + share * step
        value = posterior.value(parameters)
    else:
        raise ArithmeticError(f"ratings did not converge: the gradient is still {np.abs(gradient).max():.1e}")
    _, draw = posterior.split(parameters)
    covariance = np.asarray(np.linalg.inv(curvature), np.float64)[: players + 1, : players + 1]
    return Fit(parameters[:players], float(parameters[players]), draw, covariance)


def difference_variance(episodes: Episodes, covariance: Floats) -> Floats:
    """[M] variance of d of every row; covariance: [N + 1, N + 1] of ratings and seat."""
    i, j, own = episodes.lower, episodes.upper, np.diag(covariance)
    pairs = own[i] + own[j] - 2.0 * covariance[i, j]
    return pairs + own[-1] + 2.0 * (covariance[i, -1] - covariance[j, -1])
