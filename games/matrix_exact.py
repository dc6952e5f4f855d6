"""Exact values of repeated two-seat matrix games against finite-state opponents, by dynamic programming.

All values are returns of one episode in game units. Left out: opponents that remember earlier episodes, tree
games (`trees.exact`), and what a player that must first find out whom it faces can reach (`bayes`).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from games.finite_state import FiniteStatePolicy, Floats, Integers, RepeatedGame
from games.naming import NamedOpponent
from games.stage import is_constant_sum, maximin, own_payoffs, require_matrix

Opponent = NamedOpponent | FiniteStatePolicy


def refusal(game: RepeatedGame) -> str | None:
    """None: every repeated matrix game has exact values. Raises RequestError for another game."""
    require_matrix(game)
    return None


def security_value(game: RepeatedGame, seat: int) -> float:
    """The most that `seat` can secure in an episode whatever the other does: the maximin of all rounds."""
    require_matrix(game)
    return maximin(own_payoffs(game, seat)) * game.rounds


def nash_value(game: RepeatedGame, seat: int = 0) -> float | None:
    """The value of an episode for `seat` where the payoffs have a constant sum, else None."""
    require_matrix(game)
    return security_value(game, seat) if is_constant_sum(game) else None


def best_response_value(game: RepeatedGame, opponent: Opponent, seat: int) -> float:
    """The highest expected return of an episode on `seat` against an opponent on the other seat.

    The responder knows the opponent and sees the joint moves, so the opponent's state is known to it as well.
    """
    policy = _on_seat(game, opponent, 1 - seat)
    value = np.zeros(len(policy.probabilities))
    for _ in range(game.rounds):
        value = _action_values(game, policy, seat, value).max(axis=1)
    return float(value[policy.start])


def best_response_policy(game: RepeatedGame, opponent: Opponent, seat: int) -> FiniteStatePolicy:
    """A deterministic policy of `seat` that reaches `best_response_value`.

    Its states are pairs of the round and the opponent's state; of equally good moves it plays the first.
    """
    policy = _on_seat(game, opponent, 1 - seat)
    states, rounds = len(policy.probabilities), game.rounds
    own_moves, other_moves = own_payoffs(game, seat).shape
    choice = np.zeros((rounds, states), dtype=np.int64)
    value = np.zeros(states)
    for number in reversed(range(rounds)):
        values = _action_values(game, policy, seat, value)
        best = values.max(axis=1, keepdims=True)
        choice[number] = np.argmax(values >= best - 1e-12 * (1 + np.abs(best)), axis=1)
        value = best[:, 0]
    following = policy.next_state.transpose(0, 2, 1)
    later = np.minimum(np.arange(rounds) + 1, rounds - 1)
    next_state = later[:, None, None, None] * states + following[None]
    return FiniteStatePolicy(
        policy.start, np.eye(own_moves)[choice.reshape(-1)], next_state.reshape(-1, own_moves, other_moves)
    )


def expected_return(game: RepeatedGame, first: Opponent, second: Opponent) -> tuple[float, float]:
    """The expected return of an episode for seat 0 and seat 1, played by `first` and `second`."""
    policies = _on_seat(game, first, 0), _on_seat(game, second, 1)
    left, right, weight = np.array([policies[0].start]), np.array([policies[1].start]), np.ones(1)
    totals = np.zeros(2)
    for _ in range(game.rounds):
        joint = policies[0].probabilities[left][:, :, None] * policies[1].probabilities[right][:, None, :]
        joint *= weight[:, None, None]
        totals += np.einsum("pij,sij->s", joint, game.payoffs)
        left, right, weight = _merge_pairs(
            policies[0].next_state[left], policies[1].next_state[right].transpose(0, 2, 1), joint
        )
    return float(totals[0]), float(totals[1])


def nash_conv(game: RepeatedGame, policies: Sequence[Opponent]) -> float:
    """What the two seats could gain, added up, each by a best response to the other; 0 exactly in an equilibrium."""
    first, second = policies
    best = best_response_value(game, second, 0) + best_response_value(game, first, 1)
    return best - sum(expected_return(game, first, second))


def _on_seat(game: RepeatedGame, opponent: Opponent, seat: int) -> FiniteStatePolicy:
    """The opponent's policy on `seat`. Raises ValueError for one with other numbers of moves."""
    require_matrix(game)
    policy = opponent.policy(game, seat) if isinstance(opponent, NamedOpponent) else opponent
    expected = own_payoffs(game, seat).shape
    if policy.next_state.shape[1:] != expected:
        raise ValueError(
            f"got a policy for {policy.next_state.shape[1:]} moves (own, the other's), expected {expected} "
            f"on seat {seat} of {game.name}"
        )
    return policy


def _action_values(
    game: RepeatedGame, policy: FiniteStatePolicy, seat: int, later: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Value of each of the responder's moves in each state of the opponent's policy, [S, M_responder].

    later: [S], the value of the rounds that follow.
    """
    gains = own_payoffs(game, seat).T[None] + later[policy.next_state]  # [S, M_opponent, M_responder]
    return np.einsum("so,sor->sr", policy.probabilities, gains)


def _merge_pairs(first: Integers, second: Integers, weight: Floats) -> tuple[Integers, Integers, Floats]:
    """Add up the weights of equal pairs of states.

    first, second, weight: any equal shapes. Returns the distinct pairs of positive weight, [N] each.
    """
    width = int(second.max()) + 1
    codes, position = np.unique(first * width + second, return_inverse=True)
    total: Floats = np.bincount(position.reshape(-1), weights=weight.reshape(-1)).astype(np.float64)
    kept = total > 0
    return codes[kept] // width, codes[kept] % width, total[kept]
