"""Tabular Q-learning against another opponent: a baseline that learns from play and knows no language.

It sees information states as OpenSpiel names them, or the round and the last joint move of a matrix game, explores one
move in five and averages what followed. Trained when first asked for, and kept. Left out: function approximation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from games.draws import uniforms
from games.finite_state import FiniteStatePolicy
from games.fits import load_solver
from games.stage import own_payoffs
from games.trees.policy import TreePolicy, chosen, knowledge

EXPLORATION = 0.2  # how often a move in training is random
DECAY = 0.7  # the n-th visit moves a value by n to the power of minus this

Source = Callable[[], float]


@dataclass(eq=False, slots=True)
class QTable:
    """Values of moves by what the seat knows, in game units, not discounted."""

    values: dict[Hashable, list[float]] = field(default_factory=dict)
    visits: dict[Hashable, list[int]] = field(default_factory=dict)

    def row(self, key: Hashable, moves: int) -> list[float]:
        """The values of the moves; 0 for what was never met."""
        return self.values.get(key) or [0.0] * moves

    def explore(self, key: Hashable, moves: int, draw: Source) -> int:
        """A random move now and then, else the best; of equally good ones the first."""
        if key not in self.values:
            self.values[key], self.visits[key] = [0.0] * moves, [0] * moves
        if draw() < EXPLORATION:
            return min(int(draw() * moves), moves - 1)
        return greedy(self.values[key])

    def learn(self, key: Hashable, move: int, target: float) -> None:
        """Move the value towards what followed: the reward and the best value after it."""
        self.visits[key][move] += 1
        step = self.visits[key][move] ** -DECAY
        self.values[key][move] += step * (target - self.values[key][move])


@dataclass(frozen=True, slots=True)
class Trained:
    """What training leaves."""

    table: QTable
    returns: NDArray[np.float64]  # of each training episode, exploration included


def greedy(values: Sequence[float]) -> int:
    """The best move; of equally good ones the first."""
    return max(range(len(values)), key=values.__getitem__)


class Practice:
    """A play of an OpenSpiel game without text, as scripted players see an episode. Moves are action numbers."""

    history: tuple[tuple[int, ...], ...] = ()

    def __init__(self, game: Any, draw: Source) -> None:
        """draw: decides chance."""
        self.state = game.new_initial_state()
        self.seat = 0  # whose moves `legal_moves` gives
        self._draw = draw
        self._chance()

    def legal_moves(self) -> tuple[str, ...]:
        """The moves of `seat`."""
        return tuple(map(str, self.state.legal_actions(self.seat)))

    def movers(self) -> list[int]:
        """The seats to move now: several where they move at the same time."""
        if self.state.is_terminal():
            return []
        if self.state.is_simultaneous_node():
            return [seat for seat in range(self.state.num_players()) if self.state.legal_actions(seat)]
        return [self.state.current_player()]

    def play(self, actions: dict[int, int]) -> None:
        """Play one action for each mover, and chance after them."""
        if self.state.is_simultaneous_node():
            everyone = range(self.state.num_players())
            self.state.apply_actions([actions.get(seat, pyspiel.INVALID_ACTION) for seat in everyone])
        else:
            self.state.apply_action(next(iter(actions.values())))
        self._chance()

    def _chance(self) -> None:
        while self.state.is_chance_node():
            actions, shares = zip(*self.state.chance_outcomes(), strict=True)
            self.state.apply_action(chosen(actions, shares, self._draw()))


@lru_cache(maxsize=32)
def train_tree(game: Any, seat: int, rival: Any, episodes: int, seed: int) -> Trained:
    """Learn on `seat` against the named opponent `rival` on every other seat, for so many episodes."""
    solver, draw = load_solver(game.solver), uniforms(seed)
    table, returns = QTable(), np.zeros(episodes)
    for number in range(episodes):
        play = Practice(solver, draw)
        players = {other: rival.player(game, other) for other in range(game.seats) if other != seat}
        last: tuple[Hashable, int] | None = None
        paid = 0.0
        while movers := play.movers():
            actions = {}
            for mover in movers:
                legal = play.state.legal_actions(mover)
                play.seat = mover
                if mover != seat:
                    actions[mover] = int(players[mover].act(play, mover, draw()))
                    continue
                key = knowledge(play.state, seat)
                move = table.explore(key, len(legal), draw)
                if last is not None:
                    gained = play.state.returns()[seat] - paid
                    table.learn(*last, gained + max(table.values[key]))
                    paid += gained
                last, actions[mover] = (key, move), legal[move]
            play.play(actions)
        returns[number] = play.state.returns()[seat]
        if last is not None:
            table.learn(*last, float(returns[number]) - paid)
    return Trained(table, returns)


@lru_cache(maxsize=32)
def train_matrix(game: Any, seat: int, rival: Any, episodes: int, seed: int) -> Trained:
    """Learn on `seat` of a repeated matrix game; it knows the round and the last joint move, own move first."""
    draw, payoffs = uniforms(seed), own_payoffs(game, seat)
    own_moves = len(payoffs)
    policy: FiniteStatePolicy = rival.policy(game, 1 - seat)
    table, returns = QTable(), np.zeros(episodes)
    for number in range(episodes):
        state, key = policy.start, 0
        move = table.explore(key, own_moves, draw)
        for played in range(1, game.rounds + 1):
            other = chosen(range(payoffs.shape[1]), policy.probabilities[state].tolist(), draw())
            gain = float(payoffs[move, other])
            returns[number] += gain
            following = matrix_key(payoffs.shape, played, move, other)
            state = int(policy.next_state[state, other, move])
            if played == game.rounds:
                table.learn(key, move, gain)
                break
            answer = table.explore(following, own_moves, draw)
            table.learn(key, move, gain + max(table.values[following]))
            key, move = following, answer
    return Trained(table, returns)


def matrix_key(shape: tuple[int, ...], played: int, own: int, other: int) -> int:
    """The number of what the seat knows after so many rounds, the last joint move being (own, other); 0 at first."""
    return 1 + (played - 1) * shape[0] * shape[1] + own * shape[1] + other


def matrix_policy(game: Any, seat: int, trained: Trained) -> FiniteStatePolicy:
    """What was learned as a policy: the best move in each state."""
    shape = own_payoffs(game, seat).shape
    states = 1 + (game.rounds - 1) * shape[0] * shape[1]
    best = [greedy(trained.table.row(key, shape[0])) for key in range(states)]
    joint = np.arange(shape[0] * shape[1]).reshape(shape)
    rounds = np.array([0] + [1 + (key - 1) // joint.size for key in range(1, states)])
    following = 1 + rounds[:, None, None] * joint.size + joint[None]
    return FiniteStatePolicy(0, np.eye(shape[0])[best], np.where(following < states, following, 0))


def tree_policy(trained: Callable[[], Trained], core: str) -> TreePolicy:
    """What is learned as a policy: the best move by the table, the first one where it knows nothing."""
    return TreePolicy(partial(_best_move, trained), core)


def _best_move(trained: Callable[[], Trained], state: Any, seat: int) -> list[float]:
    moves = len(state.legal_actions(seat))
    best = greedy(trained().table.row(knowledge(state, seat), moves))
    return [float(number == best) for number in range(moves)]
