"""Whether anything in a game is left to chance: its own chance moves, and an opponent's draws.

A deterministic game against a deterministic opponent goes the same way whenever the other seat moves the same way, so
that it counts once however often it was played. Everything here errs on one side: what isn't known to be certain counts
as drawn. Left out: how an agent that isn't scripted draws its moves.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from games import public_goods
from games.any_families import FIRST_LEGAL
from games.finite_state import FiniteStatePolicy
from games.fits import MATRIX, TREE, load_solver
from games.naming import NamedOpponent
from games.strategies import Strategy
from games.trees.policy import TreePolicy

# Games without a payoff matrix that OpenSpiel doesn't know and that have no chance moves, by name without parameters.
WITHOUT_CHANCE = frozenset({"chess", "go", "rps", public_goods.NAME})


def has_chance(game: Any) -> bool:
    """Whether the seed of an episode may decide anything; True unless the game is known to have no chance moves."""
    if MATRIX.test(game):
        return False
    if TREE.test(game):
        return bool(load_solver(game.solver).get_type().chance_mode.name != "DETERMINISTIC")
    return re.split(r"[(/]", game.name)[0] not in WITHOUT_CHANCE  # a changed game is as certain as it was


def is_deterministic(game: Any, opponent: NamedOpponent, seat: int) -> bool:
    """Whether it is certain that no move of the opponent on `seat` is drawn, whatever the others play.

    In matrix games, and in trees that are small enough to walk, every state that its own play can reach has one move of
    probability 1. Elsewhere only the first legal move is known to be certain.
    """
    strategy = opponent.strategy(game, seat)
    if isinstance(strategy, FiniteStatePolicy):
        return _is_certain(strategy.minimal.probabilities)
    if strategy.core == FIRST_LEGAL and strategy.kept == 1.0:
        return True
    return isinstance(strategy, TreePolicy) and _is_certain_in_tree(strategy, game.solver, seat)


def _is_certain_in_tree(strategy: Strategy, solver: str, seat: int) -> bool:
    from games.trees import behaviour  # pyspiel takes a while to import

    where = behaviour.situations(solver, seat)
    if where.reached is None:
        return False
    table = behaviour.rows(strategy, solver, seat)
    return _is_certain(table[where.reached(table)])


def _is_certain(rows: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
    """Whether each row, of move probabilities, has one that is exactly 1; [S, M]."""
    return bool((rows.max(axis=1, initial=0.0) == 1.0).all())
