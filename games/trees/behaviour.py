"""What tree policies do wherever a seat may have to move: a fingerprint, and how far apart two policies are.

Where the game is small, every information state is asked (every position, where nothing is hidden). Where it is too
large there is no fingerprint, and distances are measured in what a fixed sample of random plays meets. Left out:
strategies without probabilities (`strategies`).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from games.errors import RequestError
from games.finite_state import PROBABILITY_STEP
from games.fits import load_solver
from games.trees.policy import Probabilities
from games.trees.positions import Positions, hides_nothing, visit
from games.trees.sequence import Decisions
from games.trees.walk import sequence_form, state_after

SMALL = 20_000  # positions, visited in half a second; histories have the limit of `walk`
PLAYS = 100  # random plays that stand for a game that is too large

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Situations:
    """Where one seat may have to move; I of them.

    histories: one that leads to each. moves: [I], how many there are. weights: [I], how often each is met when everyone
    moves at random. reached: a policy's `rows` -> [I], which of them its own play can meet; None where not all are
    listed.
    """

    game: Any
    histories: tuple[tuple[int, ...], ...]
    moves: NDArray[np.int64]
    weights: Floats
    reached: Callable[[Floats], NDArray[np.bool_]] | None


@lru_cache(maxsize=4096)
def fingerprint(policy: Probabilities, solver: str, seat: int) -> bytes | None:
    """Bytes that are equal exactly for policies that give every move the same probability, to `PROBABILITY_STEP`.

    What the policy's own play never meets doesn't count. None where the game is too large.
    """
    where = situations(solver, seat)
    if where.reached is None:
        return None
    table = rows(policy, solver, seat)
    rounded = np.rint(table / PROBABILITY_STEP).astype("<i8")
    rounded[~where.reached(table)] = -1
    return hashlib.sha256(rounded.tobytes()).digest()


def distance(first: Probabilities, second: Probabilities, solver: str, seat: int) -> float:
    """The mean total variation of two policies over what the seat meets when everyone moves at random, in [0, 1]."""
    weights = situations(solver, seat).weights
    apart = 0.5 * np.abs(rows(first, solver, seat) - rows(second, solver, seat)).sum(axis=1)
    total = float(weights.sum())
    return float(weights @ apart) / total if total > 0 else 0.0


@lru_cache(maxsize=256)
def rows(policy: Probabilities, solver: str, seat: int) -> Floats:
    """The policy's move probabilities in each of the situations, [I, M], 0 beyond the moves that there are."""
    where = situations(solver, seat)
    table = np.zeros((len(where.histories), int(where.moves.max(initial=0))))
    for row, history, moves in zip(table, where.histories, where.moves, strict=True):
        row[:moves] = policy(state_after(where.game, history), seat)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=16)
def situations(solver: str, seat: int) -> Situations:
    """Where the seat may have to move: everywhere in a small game, else in a sample of random plays."""
    game = load_solver(solver)
    try:
        if hides_nothing(game):
            return _of_positions(_small_positions(solver), seat)
        form = sequence_form(solver)
    except RequestError:  # too large, or its chance can't be listed: no fault, the sample serves
        return _of_sample(game, seat)
    uniform = {
        other: decisions.plan([[1.0 / decisions.moves(i)] * decisions.moves(i) for i in range(len(decisions.keys))])
        for other, decisions in enumerate(form.decisions)
    }
    decisions = form.decisions[seat]
    ends = np.zeros(int(decisions.first[-1]))
    np.add.at(ends, form.played[:, seat], form.reach(uniform))
    moves = np.diff(decisions.first)
    weights = _visits(decisions, ends)
    return Situations(game, decisions.histories, moves, weights, lambda table: _reached(decisions, moves, table))


def _reached(decisions: Decisions, moves: NDArray[np.int64], table: Floats) -> NDArray[np.bool_]:
    """Which information states the seat's own moves can lead to."""
    played = (table > PROBABILITY_STEP / 2).astype(np.float64)
    plan = decisions.plan([row[:count].tolist() for row, count in zip(played, moves, strict=True)])
    return np.asarray(plan[decisions.parent] > 0)


def _visits(decisions: Decisions, ends: Floats) -> Floats:
    """How likely each information state is met, [I]. ends: [S], how likely a play ends with each sequence."""
    total = ends.copy()
    met = np.zeros(len(decisions.keys))
    for number in reversed(range(len(met))):  # more own moves come later
        met[number] = total[decisions.first[number] : decisions.first[number + 1]].sum()
        total[decisions.parent[number]] += met[number]
    return met


@lru_cache(maxsize=8)
def _small_positions(solver: str) -> Positions:
    return visit(load_solver(solver), SMALL)


def _of_positions(positions: Positions, seat: int) -> Situations:
    own = positions.of_seat(seat)
    weights = np.zeros(len(positions.movers))
    weights[-1] = 1.0
    for number in reversed(range(len(weights))):  # what comes before has a higher number
        followers = positions.following[number]
        shares = positions.chance[number] or (1.0 / max(len(followers), 1),) * len(followers)
        for follower, share in zip(followers, shares, strict=True):
            weights[follower] += weights[number] * share
    histories = tuple(positions.histories[number] for number in own)
    moves = np.array([len(positions.following[number]) for number in own], dtype=np.int64)
    return Situations(positions.game, histories, moves, weights[own], lambda table: _met(positions, seat, table))


def _met(positions: Positions, seat: int, table: Floats) -> NDArray[np.bool_]:
    """Which of the seat's positions its own moves can lead to."""
    own = positions.of_seat(seat)
    row_of = dict(zip(own, table.tolist(), strict=True))
    met = np.zeros(len(positions.movers), dtype=np.bool_)
    met[-1] = True
    for number in reversed(range(len(met))):
        if met[number]:
            row = row_of.get(number)
            for move, follower in enumerate(positions.following[number]):
                if row is None or row[move] > PROBABILITY_STEP / 2:
                    met[follower] = True
    return met[own]


def _of_sample(game: Any, seat: int) -> Situations:
    """What random plays with a fixed seed meet."""
    rng = random.Random(0)
    histories: list[tuple[int, ...]] = []
    moves: list[int] = []
    for _ in range(PLAYS):
        state = game.new_initial_state()
        while not state.is_terminal():
            simultaneous = state.is_simultaneous_node()
            own = state.legal_actions(seat) if simultaneous or state.current_player() == seat else []
            if own:
                histories.append(tuple(state.history()))
                moves.append(len(own))
            if simultaneous:
                options = [state.legal_actions(other) for other in range(game.num_players())]
                state.apply_actions([rng.choice(actions or [pyspiel.INVALID_ACTION]) for actions in options])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
    return Situations(game, tuple(histories), np.array(moves, dtype=np.int64), np.ones(len(moves)), None)
