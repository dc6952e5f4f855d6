"""Policies that go by how often the other has played each move in this episode.

Left out: what is answered to the counts (`matrix_families`, `bayes_player`).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from games.errors import RequestError
from games.finite_state import FiniteStatePolicy, RepeatedGame

LARGEST_POLICY = 50_000  # states

Floats = NDArray[np.float64]


def counting_policy(
    game: RepeatedGame, seat: int, answer: Callable[[Floats], Floats], name: str, rounds: int | None = None
) -> FiniteStatePolicy:
    """The policy of `seat` whose move probabilities are a function of the other's move counts.

    answer: counts [N, M_other] to probabilities [N, M_own]. name: of who plays so. rounds: after which no more is
    counted; unless given the game's. Raises RequestError for more than `LARGEST_POLICY` states.
    """
    rounds = rounds or game.rounds
    own, other = len(game.moves[seat]), len(game.moves[1 - seat])
    queue = [(0,) * other]
    number = {queue[0]: 0}
    following: list[list[int]] = []
    for counts in queue:
        if len(queue) > LARGEST_POLICY:
            raise RequestError(
                f"got {name} over {rounds} rounds of {game.name}, more than {LARGEST_POLICY} "
                "states, expected fewer rounds or moves: choose another opponent"
            )
        if sum(counts) >= rounds - 1:
            following.append([number[counts]] * other)
            continue
        nexts = [(*counts[:move], counts[move] + 1, *counts[move + 1 :]) for move in range(other)]
        for after in nexts:
            if after not in number:
                number[after] = len(queue)
                queue.append(after)
        following.append([number[after] for after in nexts])
    next_state = np.repeat(np.array(following)[:, None, :], own, axis=1)
    return FiniteStatePolicy(0, answer(np.array(queue, dtype=np.float64)), next_state)
