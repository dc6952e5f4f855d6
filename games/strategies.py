"""The kinds of things that families build, and what can be told of each: its player, its fingerprint, distances.

A `FiniteStatePolicy` plays a repeated matrix game, a `TreePolicy` a game that OpenSpiel knows, and `Plain` is anything
else that moves. Left out: families (`families`), names (`naming`), comparing tree policies (`trees.behaviour`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from games import finite_state
from games.finite_state import FiniteStatePolicy
from games.players import FiniteStatePlayer, MixturePlayer, Player
from games.trees.policy import PolicyPlayer, TreePolicy, uniform_policy

RANDOM = "random"  # the core of uniform play


@dataclass(frozen=True, eq=False)
class Plain:
    """Something that moves without move probabilities to give.

    make: a fresh player for one episode. core, kept: what it is equal by, as in `TreePolicy`.
    """

    make: Callable[[], Player]
    core: str
    kept: float = 1.0


Strategy = FiniteStatePolicy | TreePolicy | Plain


@singledispatch
def make_player(strategy: Any, game: Any, seat: int) -> Player:
    """A fresh player for one episode on `seat`."""
    raise TypeError(f"got {strategy!r}, expected a strategy")


@make_player.register
def _(strategy: FiniteStatePolicy, game: Any, seat: int) -> Player:
    return FiniteStatePlayer(strategy, tuple(game.moves[seat]))


@make_player.register
def _(strategy: TreePolicy, game: Any, seat: int) -> Player:
    return PolicyPlayer(strategy)


@make_player.register
def _(strategy: Plain, game: Any, seat: int) -> Player:
    return strategy.make()


@singledispatch
def mixed(strategy: Any, epsilon: float) -> Strategy:
    """The strategy that makes a uniformly random legal move with probability `epsilon`, else that of `strategy`."""
    raise TypeError(f"got {strategy!r}, expected a strategy")


@mixed.register
def _(strategy: FiniteStatePolicy, epsilon: float) -> Strategy:
    moves = strategy.probabilities.shape[1]
    blended = (1.0 - epsilon) * strategy.probabilities + epsilon / moves
    return FiniteStatePolicy(strategy.start, blended, strategy.next_state)


@mixed.register
def _(strategy: TreePolicy, epsilon: float) -> Strategy:
    def probabilities(state: Any, seat: int) -> list[float]:
        own = strategy(state, seat)
        return [(1.0 - epsilon) * share + epsilon / len(own) for share in own]

    return TreePolicy(probabilities, strategy.core, strategy.kept * (1.0 - epsilon))


@mixed.register
def _(strategy: Plain, epsilon: float) -> Strategy:
    make = strategy.make
    return replace(strategy, make=lambda: MixturePlayer(make(), epsilon), kept=strategy.kept * (1.0 - epsilon))


def _is_random(strategy: Plain | TreePolicy) -> bool:
    return strategy.core == RANDOM or strategy.kept < finite_state.PROBABILITY_STEP


def fingerprint(strategy: Strategy, game: Any, seat: int) -> bytes:
    """Bytes that are equal for two strategies of the seat exactly when they behave the same, as far as can be told.

    Policies of matrix games, and of trees that are small enough to walk, are compared move by move. Others are the same
    when they are the same mixture of random moves with something of the same canonical name.
    """
    if isinstance(strategy, FiniteStatePolicy):
        return strategy.fingerprint()
    if _is_random(strategy) and getattr(game, "solver", None) is not None:
        strategy = TreePolicy(uniform_policy, RANDOM)  # whatever it was made of, it is compared as what it is
    if isinstance(strategy, TreePolicy):
        from games.trees import behaviour  # pyspiel takes a while to import

        compared = behaviour.fingerprint(strategy, game.solver, seat)
        if compared is not None:
            return compared
    if _is_random(strategy):
        return RANDOM.encode()
    return f"{strategy.core} x {strategy.kept:.9f}".encode()


def distance(first: Strategy, second: Strategy, game: Any, seat: int) -> float:
    """How differently two strategies of the seat move, in [0, 1].

    In matrix games exact (`finite_state.distance`); for tree policies the mean total variation over what the seat meets
    in uniformly random play (`trees.behaviour.distance`); for anything else 0 for equal fingerprints and 1 otherwise.
    """
    if isinstance(first, FiniteStatePolicy) and isinstance(second, FiniteStatePolicy):
        return finite_state.distance(first, second, game.rounds)
    if isinstance(first, TreePolicy) and isinstance(second, TreePolicy):
        from games.trees import behaviour

        return behaviour.distance(first, second, game.solver, seat)
    return float(fingerprint(first, game, seat) != fingerprint(second, game, seat))


def memoryless(game: Any, seat: int, probabilities: Any) -> FiniteStatePolicy:
    """Always the same probabilities, [M_own], in a matrix game."""
    row = np.asarray(probabilities, dtype=np.float64)
    shape = (1, len(row), len(game.moves[1 - seat]))
    return FiniteStatePolicy(0, row[None, :], np.zeros(shape, dtype=np.int64))
