"""One round of a repeated matrix game from one seat: own payoffs, maximin, constant sum.

Left out: anything that lasts longer than a round (`exact`).
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from games.errors import RequestError
from games.finite_state import RepeatedGame

TOLERANCE = 1e-9  # payoffs closer than this count as equal


def require_matrix(game: object) -> None:
    """Raise RequestError unless the game is a two-seat repeated matrix game."""
    if not all(hasattr(game, field) for field in ("payoffs", "rounds", "moves")):
        raise RequestError(
            f"got {getattr(game, 'name', game)!r}, a game without a payoff matrix, expected a repeated "
            "two-seat matrix game such as rock_paper_scissors"
        )


def own_payoffs(game: RepeatedGame, seat: int) -> NDArray[np.float64]:
    """Payoffs of `seat` in one round, [M_own, M_other], in game units."""
    payoffs = np.asarray(game.payoffs, dtype=np.float64)
    return payoffs[0] if seat == 0 else payoffs[1].T


def best_moves(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities [N, M] that are equal among the moves of the highest value of each row, to `TOLERANCE`."""
    best = values >= values.max(axis=1, keepdims=True) - TOLERANCE
    return np.asarray(best / best.sum(axis=1, keepdims=True))


@lru_cache(maxsize=64)
def is_symmetric(game: RepeatedGame) -> bool:
    """Whether both seats have the same moves and payoffs, so that a policy is the same on either seat."""
    same_moves = tuple(game.moves[0]) == tuple(game.moves[1])
    return same_moves and np.array_equal(own_payoffs(game, 0), own_payoffs(game, 1))


def is_constant_sum(game: RepeatedGame) -> bool:
    """Whether the payoffs of the two seats add up to the same number after every joint move."""
    return bool(np.ptp(game.payoffs[0] + game.payoffs[1]) <= TOLERANCE)


def maximin(payoffs: NDArray[np.float64]) -> float:
    """The most that a mixed move secures in one round whatever the other does.

    payoffs: [M_own, M_other]. The linear program of von Neumann: maximise v subject to x @ payoffs >= v, x a
    distribution.
    """
    from scipy.optimize import linprog  # half a second to import, and needed by few commands

    own, other = payoffs.shape
    solution = linprog(
        c=np.append(np.zeros(own), -1.0),
        A_ub=np.column_stack([-payoffs.T, np.ones(other)]),
        b_ub=np.zeros(other),
        A_eq=np.append(np.ones(own), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, None)] * own + [(None, None)],
    )
    if not solution.success:
        raise ArithmeticError(f"the maximin linear program found no solution: {solution.message}")
    return float(solution.x[-1]) + 0.0  # no negative zero
