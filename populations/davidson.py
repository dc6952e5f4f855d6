"""The Bradley-Terry model with draws and a seat advantage: its likelihood, its maximum, and how far data stray from it.

A game between player i in the lower seat and player j in the upper one, with d = r_i - r_j + s and
Z = exp(d/2) + exp(-d/2) + nu, is won by i with probability exp(d/2) / Z and drawn with nu / Z (Davidson 1970, On
extending the Bradley-Terry model to accommodate ties; the advantage s as in Davidson and Beaver 1977, On extending the
Bradley-Terry model to incorporate within-pair order effects).
Arrays and indices only; leaves out names, anchors and intervals (`populations.ratings`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SEAT_DEVIATION = 1.0  # of the normal prior on s, logits, about 0
DRAW_DEVIATION = 3.0  # of the normal prior on log nu, about 0 (even players then draw one game in three)

_GRADIENT = 1e-10  # relative to the games of the busiest player
_ITERATIONS = 200  # Newton's method takes 5 to 30
_NO_DEPENDENCE = 1.0  # variance of scores, that of four even games, taken to have shown independence beforehand
_SMALL_GAIN = 1e-6  # a step that promises less is taken in full: rounding would hide what it gains


@dataclass(frozen=True, slots=True)
class Games:
    """Counts of games, one row for each set of them between the same two players in the same seats."""

    lower: Integers  # [M] the player in the lower seat
    upper: Integers  # [M] the player in the upper seat, another one
    wins: Floats  # [M] games that the lower seat won, not negative
    draws: Floats  # [M]
    losses: Floats  # [M]

    @property
    def total(self) -> Floats:
        """[M] games of each row."""
        return self.wins + self.draws + self.losses

    def pooled(self, players: int) -> Games:
        """Add up the rows of the same two players in the same seats, sorted by them."""
        cells, inverse = np.unique(self.lower * players + self.upper, return_inverse=True)
        sums = np.array([np.bincount(inverse, counts) for counts in (self.wins, self.draws, self.losses)], np.float64)
        return Games(cells // players, cells % players, sums[0], sums[1], sums[2])

    def components(self, players: int) -> list[list[int]]:
        """Return the sets of players that chains of games link, the largest first, each sorted."""
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

    def differences(self, games: Games) -> Floats:
        """[M] d of every row."""
        return self.ratings[games.lower] - self.ratings[games.upper] + self.seat


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
class _Moments:
    """Of one game of each row: of the score above one half, S in {1/2, 0, -1/2}, and of T, 1 for a draw and else 0."""

    score: Floats  # [M] E[S]
    draw: Floats  # [M] E[T]
    score_variance: Floats  # [M]
    covariance: Floats  # [M] of S and T
    draw_variance: Floats  # [M]

    @classmethod
    def of(cls, difference: Floats, draw: float) -> _Moments:
        win, tie, loss = probabilities(difference, draw)
        score = (win - loss) / 2.0
        return cls(score, tie, (win + loss) / 4.0 - score**2, -score * tie, tie * (win + loss))


class _Posterior:
    """Log-likelihood plus log-prior as a function of the parameters: ratings [N], s, and log nu where games were drawn.

    The likelihood is an exponential family in d and log nu, so the function is strictly concave.
    """

    def __init__(self, games: Games, players: int, deviation: float, weight: float) -> None:
        self.games, self.players, self.weight = games, players, weight
        self.has_draws = bool(games.draws.any())
        tail = [SEAT_DEVIATION, DRAW_DEVIATION][: 1 + self.has_draws]
        self.precision = np.array([deviation] * players + tail) ** -2.0

    def split(self, parameters: Floats) -> tuple[Floats, float]:
        """Return d of every row, and nu."""
        ratings, seat = parameters[: self.players], parameters[self.players]
        draw = float(np.exp(parameters[self.players + 1])) if self.has_draws else 0.0
        return ratings[self.games.lower] - ratings[self.games.upper] + seat, draw

    def value(self, parameters: Floats) -> float:
        difference, draw = self.split(parameters)
        games = self.games
        terms = (games.wins - games.losses) * difference / 2.0 - games.total * log_normaliser(difference, draw)
        if self.has_draws:
            terms += games.draws * parameters[-1]
        return float(self.weight * terms.sum() - (self.precision * parameters**2).sum() / 2.0)

    def derivatives(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the gradient [P] and the negative Hessian [P, P]."""
        difference, draw = self.split(parameters)
        games, linear = self.games, self.players + 1  # ratings and seat, of which d is a linear function
        moments, total = _Moments.of(difference, draw), self.weight * games.total
        excess = self.weight * (games.wins - games.losses) / 2.0 - total * moments.score
        gradient, curvature = -self.precision * parameters, np.diag(self.precision)
        gradient[:linear] += pulled(games, self.players, excess)
        curvature[:linear, :linear] += gram(games, self.players, total * moments.score_variance)
        if self.has_draws:
            gradient[-1] += self.weight * games.draws.sum() - (total * moments.draw).sum()
            border = pulled(games, self.players, total * moments.covariance)
            curvature[-1, :-1] += border
            curvature[:-1, -1] += border
            curvature[-1, -1] += (total * moments.draw_variance).sum()
        return gradient, curvature


def pulled(games: Games, players: int, terms: Floats) -> Floats:
    """Return X' terms, [N + 1] for ratings and seat, where d = X (ratings, seat); terms: [M]."""
    lower, upper = np.bincount(games.lower, terms, players), np.bincount(games.upper, terms, players)
    return np.append(lower - upper, terms.sum())


def gram(games: Games, players: int, weights: Floats) -> Floats:
    """Return X' diag(weights) X, [N + 1, N + 1], and on top of it a multiple of 1 1' over the ratings.

    The likelihood sees differences of ratings alone and the prior holds their sum at 0, so the multiple changes neither
    the ratings nor the variance of a difference; it keeps matrices well conditioned under a wide prior.
    """
    pairs = np.bincount(games.lower * players + games.upper, weights, players**2).reshape(players, players)
    met, matrix = pairs + pairs.T, np.zeros((players + 1, players + 1))
    degree = met.sum(axis=0)
    matrix[:-1, :-1] = np.diag(degree) - met + degree.sum() / players**2
    matrix[-1] = matrix[:, -1] = pulled(games, players, weights)
    return matrix


def fit(games: Games, players: int, deviation: float, weight: float = 1.0) -> Fit:
    """Maximise the posterior by Newton's method with exact derivatives.

    games: at least one; pooled, they make the same fit in less time. players: N >= 2. deviation: of the independent
    normal priors on ratings, logits, > 0, under which who always wins stays finite. weight: > 0, multiplies the
    log-likelihood: 1 / dispersion where games depend on one another. ArithmeticError where rounding defeats it.
    """
    posterior = _Posterior(games, players, deviation, weight)
    parameters = np.zeros(len(posterior.precision))
    busiest = max(1.0, weight * float(np.bincount(games.lower, games.total).max()))
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


def dispersion(games: Games, fitted: Fit) -> float:
    """Return by how much the variance of scores exceeds that of independent games, 1 where it does not.

    games: a row for each set of games that may depend on one another. With residuals e of the games' scores under
    `fitted` (made with weight 1 and a prior too wide to bend it), games of a row are correlated by the mean of e_g e_h
    over its pairs g != h, so the variance of a row's score is larger by that sum. Both are added up over rows, as a
    clustered sandwich estimate of the ratings' variance would (Liang and Zeger 1986), and divided by what the model
    expects, plus a little so that data which hardly vary give 1:

        1 + sum[(sum_g e_g)^2 - sum_g e_g^2 + (n - 1) v h] / (1 + sum[n v (1 - h)])

    v: the variance of one game's score; h: the row's leverage, the share of its residual that the fit has taken up.
    Rows of a single game say nothing about dependence, and add nothing to the numerator. Where no residual degree of
    freedom is left, as between two players, the data cannot tell and the answer is 1.
    """
    difference, total = fitted.differences(games), games.total
    moments = _Moments.of(difference, fitted.draw)
    spread = total * moments.score_variance
    residual = (games.wins - games.losses) / 2.0 - total * moments.score
    squares = (
        games.wins * (0.5 - moments.score) ** 2
        + games.draws * moments.score**2
        + games.losses * (0.5 + moments.score) ** 2
    )
    leverage = np.minimum(spread * difference_variance(games, fitted.covariance), 1.0)
    if (1.0 - leverage)[total > 1.0].sum() < 1.0:
        return 1.0
    excess = residual**2 - squares + (1.0 - 1.0 / total) * spread * leverage
    return max(1.0, 1.0 + float(excess.sum() / (_NO_DEPENDENCE + (spread * (1.0 - leverage)).sum())))


def difference_variance(games: Games, covariance: Floats) -> Floats:
    """[M] variance of d of every row; covariance: [N + 1, N + 1] of ratings and seat."""
    i, j, own = games.lower, games.upper, np.diag(covariance)
    pairs = own[i] + own[j] - 2.0 * covariance[i, j]
    return pairs + own[-1] + 2.0 * (covariance[i, -1] - covariance[j, -1])
