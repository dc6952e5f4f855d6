"""Families for two-seat repeated matrix games: one rule each, with parameters, as finite-state policies.

Every policy starts afresh each episode. Left out: families for other games, and the table of all (`families`).
"""

import numpy as np
from numpy.typing import NDArray

from games.counting import counting_policy
from games.errors import RequestError, unknown
from games.family import Family, Way
from games.finite_state import FiniteStatePolicy, RepeatedGame
from games.fits import MATRIX
from games.parameters import UNIFORM, Move, Probabilities, Real, Whole, dirichlet, uniforms
from games.stage import TOLERANCE, best_moves, maximin, own_payoffs
from games.strategies import memoryless


def peaked_habit(game: RepeatedGame, seat: int, *, move: str, peak: float) -> FiniteStatePolicy:
    """One move with probability `peak`, the others share the rest equally; memoryless."""
    moves = list(game.moves[seat])
    probabilities = np.full(len(moves), (1.0 - peak) / max(len(moves) - 1, 1))
    probabilities[_index(game, seat, move)] = peak if len(moves) > 1 else 1.0
    return memoryless(game, seat, probabilities)


def dirichlet_habit(game: RepeatedGame, seat: int, *, p: tuple[float, ...]) -> FiniteStatePolicy:
    """The moves with fixed probabilities `p`; memoryless."""
    if len(p) != len(game.moves[seat]):
        raise RequestError(
            f"got {len(p)} probabilities for dirichlet_habit on seat {seat} of {game.name}, expected "
            f"{len(game.moves[seat])}, one for each move: give p as 0.2/0.3/0.5"
        )
    return memoryless(game, seat, np.array(p) / sum(p))


def memory_one(game: RepeatedGame, seat: int, *, alpha: float, seed: int) -> FiniteStatePolicy:
    """A random table: one Dirichlet(alpha) row for the first round and one for each last joint move.

    The table depends on `seed`, `alpha` and the numbers of moves only, on any platform.
    """
    own, other = len(game.moves[seat]), len(game.moves[1 - seat])
    source = uniforms(seed)
    table = np.array([dirichlet(source, alpha, own) for _ in range(1 + own * other)])
    following = 1 + np.arange(own * other).reshape(own, other)
    return FiniteStatePolicy(0, table, np.tile(following, (len(table), 1, 1)))


def cycle(game: RepeatedGame, seat: int, *, start: str, step: int) -> FiniteStatePolicy:
    """Its own last move plus `step`, in the order of the game's moves."""
    own, other = len(game.moves[seat]), len(game.moves[1 - seat])
    answer = np.repeat(((np.arange(own) + step) % own)[:, None], other, axis=1)
    return _answering(game, seat, start, answer)


def win_stay_lose_shift(game: RepeatedGame, seat: int, *, start: str) -> FiniteStatePolicy:
    """Repeat a move that paid more than the stage game's security value, else shift to the next move.

    In rock-paper-scissors (security value 0): stay after a win, shift after a draw or a loss. In the
    prisoner's dilemma (security value 1) this is Pavlov.
    """
    payoffs = own_payoffs(game, seat)
    own = np.arange(len(payoffs))[:, None]
    won = payoffs > maximin(payoffs) + TOLERANCE
    return _answering(game, seat, start, np.where(won, own, (own + 1) % len(payoffs)))


def tit_for_tat(game: RepeatedGame, seat: int, *, start: str) -> FiniteStatePolicy:
    """The other's last move."""
    if tuple(game.moves[0]) != tuple(game.moves[1]):
        raise RequestError(
            f"got tit_for_tat in {game.name}, where the seats have different moves, expected a game in which "
            "it can copy the other's move: choose another opponent"
        )
    count = len(game.moves[seat])
    return _answering(game, seat, start, np.tile(np.arange(count), (count, 1)))


def frequency_counter(game: RepeatedGame, seat: int) -> FiniteStatePolicy:
    """A best response to how often the other has played each move in this episode; ties are uniform."""
    payoffs = own_payoffs(game, seat)
    return counting_policy(game, seat, lambda counts: best_moves(counts @ payoffs.T), "frequency_counter")


def _index(game: RepeatedGame, seat: int, move: str) -> int:
    moves = list(game.moves[seat])
    if move not in moves:
        raise unknown(f"move of seat {seat} in {game.name}", move, moves)
    return moves.index(move)


def _answering(game: RepeatedGame, seat: int, start: str, answer: NDArray[np.int64]) -> FiniteStatePolicy:
    """Play `answer` [M_own, M_other], an own move, to the last joint move; `start` in the first round.

    State m plays move m; a uniform start is one state more, which plays at random.
    """
    count = len(game.moves[seat])
    if start != UNIFORM:
        return FiniteStatePolicy(_index(game, seat, start), np.eye(count), np.tile(answer, (count, 1, 1)))
    probabilities = np.vstack([np.eye(count), np.full(count, 1.0 / count)])
    return FiniteStatePolicy(count, probabilities, np.tile(answer, (count + 1, 1, 1)))


_START = Move("start", "the move of the first round, or uniform: a random one", random_too=True)
_ALPHA = Real("alpha", "of its Dirichlet rows: small is nearly deterministic", 0.01, 100.0, 0.2, 0.2, 0.2)

MATRIX_FAMILIES: tuple[Family, ...] = (
    Family(
        "peaked_habit",
        "habit",
        "one favourite move, the others equally likely",
        (
            Move("move", "the favourite move"),
            Real("peak", "its probability, 0 to 1", 0.0, 1.0, 0.8, 0.6, 0.95),
        ),
        (Way(MATRIX, peaked_habit),),
    ),
    Family(
        "dirichlet_habit",
        "habit",
        "fixed move probabilities; drawn ones come from a Dirichlet(alpha), alpha 0.01 to 100",
        (Probabilities("p", "the probability of each move, as 0.2/0.3/0.5", alpha=1.0),),
        (Way(MATRIX, dirichlet_habit),),
    ),
    Family(
        "memory_one",
        "memory_one",
        "a random table of move probabilities for each last joint move",
        (
            _ALPHA,
            Whole("seed", "names the table, at least 0", low=0, usual=0),
        ),
        (Way(MATRIX, memory_one),),
    ),
    Family(
        "cycle",
        "cycle",
        "its own last move plus a step, in the order of the moves",
        (_START, Whole("step", "1 forwards, -1 backwards", low=-100, usual=1, choices=(1, -1))),
        (Way(MATRIX, cycle),),
    ),
    Family(
        "win_stay_lose_shift",
        "win_stay_lose_shift",
        "repeats a move that paid above the security value, else takes the next move",
        (_START,),
        (Way(MATRIX, win_stay_lose_shift),),
    ),
    Family("tit_for_tat", "tit_for_tat", "copies the other's last move", (_START,), (Way(MATRIX, tit_for_tat),)),
    Family(
        "frequency_counter",
        "frequency_counter",
        "plays a best response to the other's move counts of this episode",
        (),
        (Way(MATRIX, frequency_counter),),
    ),
)
