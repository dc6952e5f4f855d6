"""Families that fit any game: random and first legal moves, and mixtures of another opponent with random moves.

Each becomes the most telling strategy that the game allows: a finite-state policy, a policy of OpenSpiel's states, or a
plain player. Left out: families that need to know the game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games import strategies
from games.family import Family, Way
from games.finite_state import FiniteStatePolicy
from games.fits import ANY, MATRIX, TREE
from games.opponent_parameters import Text, opponent_text
from games.parameters import Real
from games.players import FirstLegalPlayer, RandomPlayer
from games.strategies import RANDOM, Plain, Strategy
from games.trees.policy import TreePolicy, uniform_policy

FIRST_LEGAL = "first_legal"


def _random_matrix(game: Any, seat: int) -> FiniteStatePolicy:
    count = len(game.moves[seat])
    return strategies.memoryless(game, seat, np.full(count, 1.0 / count))


def _random_tree(game: Any, seat: int) -> TreePolicy:
    return TreePolicy(uniform_policy, RANDOM)


def _random_plain(game: Any, seat: int) -> Plain:
    return Plain(RandomPlayer, RANDOM)


def _first_matrix(game: Any, seat: int) -> FiniteStatePolicy:
    return strategies.memoryless(game, seat, np.eye(len(game.moves[seat]))[0])


def first_legal_policy(state: Any, seat: int) -> list[float]:
    """The first legal action, always."""
    return [1.0, *[0.0] * (len(state.legal_actions(seat)) - 1)]


def _first_tree(game: Any, seat: int) -> TreePolicy:
    return TreePolicy(first_legal_policy, FIRST_LEGAL)


def _first_plain(game: Any, seat: int) -> Plain:
    return Plain(FirstLegalPlayer, FIRST_LEGAL)


def mixture(game: Any, seat: int, *, of: Any, epsilon: float) -> Strategy:
    """The moves of the named opponent `of`, but with probability `epsilon` a random legal one."""
    return strategies.mixed(of.strategy(game, seat), epsilon)


ANY_FAMILIES: tuple[Family, ...] = (
    Family(
        RANDOM,
        RANDOM,
        "every legal move equally likely",
        (),
        (Way(MATRIX, _random_matrix), Way(TREE, _random_tree), Way(ANY, _random_plain)),
    ),
    Family(
        FIRST_LEGAL,
        FIRST_LEGAL,
        "the first legal move",
        (),
        (Way(MATRIX, _first_matrix), Way(TREE, _first_tree), Way(ANY, _first_plain)),
    ),
    Family(
        "mixture",
        "mixture",
        "another opponent that makes a random move now and then; near to what that opponent is near to",
        (
            Text("of", "the other opponent, by name", opponent_text, FIRST_LEGAL),
            Real("epsilon", "how often its move is random, 0 to 1", 0.0, 1.0, 0.1, 0.05, 0.5),
        ),
        (Way(ANY, mixture),),
        inner="of",
        takes_rule=True,
    ),
)
