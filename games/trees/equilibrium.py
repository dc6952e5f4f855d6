"""A seat's part of an equilibrium of a two-seat game of constant sum that OpenSpiel knows, as a policy.

There whoever plays so that nothing can hurt, plays an equilibrium. Where nothing is hidden that is backward induction
over positions, and one move of each position; elsewhere it is the linear program of `program`, mixed as that says. Left
out: other games, whose equilibria depend on who else plays which (`exact.refusal` says which games are too large).
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

import numpy as np

from games.fits import load_solver
from games.trees.positions import hides_nothing, position_key, positions
from games.trees.program import maximin_plan, moves_of_plan
from games.trees.sequence import TIE
from games.trees.states import Row, TablePolicy
from games.trees.walk import information_key, sequence_form


@lru_cache(maxsize=16)
def equilibrium_policy(solver: str, seat: int) -> TablePolicy:
    """The policy of `seat`, made once. Raises RequestError for a game that is too large to walk."""
    return _by_positions(solver, seat) if hides_nothing(load_solver(solver)) else _by_histories(solver, seat)


def _by_positions(solver: str, seat: int) -> TablePolicy:
    """Of equally good moves the first, in every position: after the other's mistakes too, play is as good as can be."""
    tree = positions(solver)
    chosen: dict[int, int] = {}

    def choose(number: int, after: list[float]) -> float:
        best = max(after)
        chosen[number] = next(move for move, worth in enumerate(after) if worth >= best - TIE * (1 + abs(best)))
        return best

    tree.values(seat, {seat: choose, 1 - seat: lambda _, after: min(after)})
    rows: dict[Hashable, Row] = {
        key: tuple(np.eye(len(tree.following[number]))[chosen[number]].tolist())
        for key, number in tree.numbers.items()
        if number in chosen
    }
    return TablePolicy(rows, lambda state, _: position_key(state), positional=True)


def _by_histories(solver: str, seat: int) -> TablePolicy:
    form = sequence_form(solver)
    decisions = form.decisions[seat]
    moves = moves_of_plan(decisions, maximin_plan(form, seat))
    rows: dict[Hashable, Row] = dict(zip(decisions.keys, moves, strict=True))
    return TablePolicy(rows, information_key(form.game))
