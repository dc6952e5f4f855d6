"""The ceiling of adaptation: what a Bayes-optimal player gets from a memoryless opponent in each episode.

A memoryless opponent plays the same move probabilities in every round, whatever we do. Its moves then tell
the same about it whatever we play, so the myopic best response to the posterior mean is Bayes-optimal, and
the counts of its moves are all there is to know: everything is exact by adding up over counts. Left out:
opponents with memory, against which it can pay to explore; `ceiling` returns None for them.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from games.errors import RequestError
from games.finite_state import RepeatedGame
from games.naming import NamedOpponent
from games.stage import best_moves, own_payoffs

Floats = NDArray[np.float64]


class Prior(Protocol):
    """What is believed of a memoryless opponent's move probabilities before the first round."""

    def posterior_mean(self, counts: Floats) -> Floats:
        """The expected move probabilities after the moves in `counts`. Both [N, M]; rows sum to 1."""


@dataclass(frozen=True)
class DirichletPrior:
    """A Dirichlet distribution over move probabilities."""

    alpha: tuple[float, ...]  # [M], all positive

    def posterior_mean(self, counts: Floats) -> Floats:
        """(alpha + counts) / their sum."""
        weights = counts + np.array(self.alpha)
        return weights / weights.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class FinitePrior:
    """One of finitely many vectors of move probabilities."""

    vectors: tuple[tuple[float, ...], ...]  # [K, M], each sums to 1
    weights: tuple[float, ...]  # [K], positive, in any unit

    def posterior_mean(self, counts: Floats) -> Floats:
        """The vectors averaged by weight and likelihood; by weight alone where none allows the counts."""
        vectors, weights = np.array(self.vectors), np.array(self.weights)
        possible = (counts[:, None, :] == 0) | (vectors[None] > 0)  # [N, K, M]
        logarithms = counts @ np.log(np.where(vectors > 0, vectors, 1.0)).T + np.log(weights)
        logarithms = np.where(possible.all(axis=2), logarithms, -np.inf)
        logarithms = np.where(np.isneginf(logarithms).all(axis=1, keepdims=True), np.log(weights), logarithms)
        posterior = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
        return posterior / posterior.sum(axis=1, keepdims=True) @ vectors


def habit(game: RepeatedGame, opponent: NamedOpponent, seat: int) -> Floats | None:
    """The move probabilities of a memoryless opponent on its own `seat`, [M]; None of any other."""
    policy = opponent.policy(game, seat).minimal
    return policy.probabilities[0] if len(policy.probabilities) == 1 else None


def habit_prior(game: RepeatedGame, opponents: Iterable[NamedOpponent], seat: int) -> FinitePrior | None:
    """Equal weights on the memoryless ones of `opponents` (of the training set, say); None without any.

    seat: the learner's; the opponents sit on the other.
    """
    vectors = [habit(game, opponent, 1 - seat) for opponent in opponents]
    known = tuple(tuple(vector.tolist()) for vector in vectors if vector is not None)
    return FinitePrior(known, (1.0,) * len(known)) if known else None


def _symmetric_dirichlet(game: RepeatedGame, seat: int, ranges: Mapping[str, Any]) -> Prior:
    return DirichletPrior((float(ranges.get("alpha", 1.0)),) * len(game.moves[1 - seat]))


# What a family's draws come from, for a learner on `seat`, by the family's name; `ranges` as declared. Other families'
# draws are not memoryless, or have no such simple distribution.
PRIORS: dict[str, Callable[[RepeatedGame, int, Mapping[str, Any]], Prior]] = {"dirichlet_habit": _symmetric_dirichlet}


def adaptation_curve(game: RepeatedGame, opponent: NamedOpponent, prior: Prior, episodes: int, seat: int) -> Floats:
    """Exact expected return of each episode of a trial, [episodes], for the Bayes-optimal player on `seat`.

    The player knows `prior`, not the opponent, and remembers the whole trial. In every round it plays a best
    response to the posterior mean, equally good moves with equal probability.
    Raises RequestError for an opponent that isn't memoryless.
    """
    truth = habit(game, opponent, 1 - seat)
    if truth is None:
        raise RequestError(
            f"got {opponent.name} in {game.name}, an opponent with memory, expected a memoryless one such as "
            "peaked_habit: no ceiling is known for others"
        )
    payoffs = own_payoffs(game, seat)
    values = [_round_value(payoffs, truth, prior, seen) for seen in range(episodes * game.rounds)]
    return np.array(values).reshape(episodes, game.rounds).sum(axis=1)


def ceiling(game: RepeatedGame, opponent: NamedOpponent, prior: Prior, episodes: int, seat: int) -> Floats | None:
    """`adaptation_curve` where the opponent is memoryless, else None."""
    if habit(game, opponent, 1 - seat) is None:
        return None
    return adaptation_curve(game, opponent, prior, episodes, seat)


def greedy(payoffs: Floats, prior: Prior, counts: Floats) -> Floats:
    """Probabilities of the own moves after the other's in `counts` [N, M_other]: equal among those best in belief.

    payoffs: [M_own, M_other]. Returns [N, M_own].
    """
    return best_moves(prior.posterior_mean(counts) @ payoffs.T)


def _round_value(payoffs: Floats, truth: Floats, prior: Prior, seen: int) -> float:
    """Expected payoff of the round after `seen` moves of the opponent."""
    counts = _counts(seen, len(truth))
    gained = greedy(payoffs, prior, counts) @ (payoffs @ truth)
    return float(_probabilities(counts, truth) @ gained)


def _counts(total: int, size: int) -> Floats:
    """All ways to share `total` observations among `size` moves, [N, size]."""
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(size - 1):
        left = total - rows.sum(axis=1)
        repeated = np.repeat(rows, left + 1, axis=0)
        added = np.concatenate([np.arange(most + 1) for most in left])
        rows = np.column_stack([repeated, added])
    return np.column_stack([rows, total - rows.sum(axis=1)]).astype(np.float64)


def _probabilities(counts: Floats, truth: Floats) -> Floats:
    """Multinomial probability of each row of counts, [N]."""
    total = int(counts[0].sum())
    factorial = np.array([math.lgamma(number + 1) for number in range(total + 1)])
    ways = factorial[total] - factorial[counts.astype(np.int64)].sum(axis=1)
    impossible = ((counts > 0) & (truth == 0)).any(axis=1)
    likelihood = counts @ np.log(np.where(truth > 0, truth, 1.0))
    return np.where(impossible, 0.0, np.exp(ways + likelihood))
