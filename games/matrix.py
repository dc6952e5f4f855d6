"""Repeated two-seat matrix games: the payoff table and the PettingZoo environment that plays it.

The environment is ours because neither PettingZoo nor OpenSpiel has a repeated matrix game with any payoffs
and the whole history visible. It has no wrappers and no chance moves; text for agents is in `matrix_text`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray
from pettingzoo.utils.env import AECEnv

from games.errors import RequestError

AGENTS = ("player_0", "player_1")
WORD = re.compile(r"[^\s(),=]+")  # the names of opponents quote moves: "peaked_habit(move=R,peak=0.8)"


@dataclass(frozen=True, eq=False)
class MatrixSpec:
    """A one-shot game of two seats that move at the same time. Equal when all fields are equal; hashable."""

    name: str
    moves0: tuple[str, ...]  # of seat 0; short words without spaces
    moves1: tuple[str, ...]  # of seat 1
    payoffs: NDArray[np.float64]  # [2, M0, M1] read-only: payoffs[seat, move of seat 0, move of seat 1]

    def __eq__(self, other: object) -> bool:
        """Compare by content."""
        return isinstance(other, MatrixSpec) and self._key == other._key

    def __hash__(self) -> int:
        """Hash by content."""
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        return self.name, self.moves0, self.moves1, self.payoffs.tobytes()

    @property
    def moves(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The moves of both seats."""
        return self.moves0, self.moves1

    @cached_property
    def rewards(self) -> dict[tuple[int, int], tuple[float, float]]:
        """The payoffs as plain numbers: joint move indices to the payoff of each seat."""
        first, second = self.payoffs.tolist()
        pairs = np.ndindex(len(self.moves0), len(self.moves1))
        return {(own, other): (first[own][other], second[own][other]) for own, other in pairs}

    @property
    def zero_sum(self) -> bool:
        """Whether both payoffs sum to 0 (to 1e-9) whatever is played."""
        return bool(np.abs(self.payoffs.sum(axis=0)).max() <= 1e-9)


def make_spec(name: str, moves0: Sequence[str], moves1: Sequence[str], payoffs: ArrayLike) -> MatrixSpec:
    """Check a matrix and freeze it.

    moves0, moves1: the moves of each seat, distinct words without spaces or any of (),=.
    payoffs: [2, M0, M1] by seat; or [M0, M1], seat 0's payoffs of a zero-sum game.
    Raises RequestError for moves that are empty, repeated or no such words, and for payoffs of another shape
    or not finite.
    """
    for seat, moves in enumerate((moves0, moves1)):
        if isinstance(moves, str) or not moves or not all(isinstance(move, str) for move in moves):
            raise RequestError(f"moves of seat {seat}: got {moves!r}, expected a list of words such as ['C', 'D']")
        if len(set(moves)) < len(moves) or not all(WORD.fullmatch(move) for move in moves):
            raise RequestError(
                f"moves of seat {seat}: got {list(moves)!r}, expected distinct words without spaces or any of (),="
            )
    shape = (len(moves0), len(moves1))
    try:
        table = np.array(payoffs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RequestError(f"payoffs of {name}: expected numbers of shape [2, {shape[0]}, {shape[1]}]") from error
    if table.shape == shape:
        table = np.stack([table, 0.0 - table])
    if table.shape != (2, *shape):
        raise RequestError(
            f"payoffs of {name}: got shape {list(table.shape)}, expected [2, {shape[0]}, {shape[1]}] "
            f"(one table a seat), or {list(shape)} for a zero-sum game; give every pair of moves a payoff"
        )
    if not np.isfinite(table).all():
        raise RequestError(f"payoffs of {name}: got a value that isn't finite, expected numbers; replace it")
    table.setflags(write=False)
    return MatrixSpec(name, tuple(moves0), tuple(moves1), table)


PAYOFFS: dict[str, MatrixSpec] = {
    spec.name: spec
    for spec in (
        make_spec("rock_paper_scissors", ["R", "P", "S"], ["R", "P", "S"], [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]),
        make_spec("matching_pennies", ["H", "T"], ["H", "T"], [[1, -1], [-1, 1]]),
        make_spec("prisoners_dilemma", ["C", "D"], ["C", "D"], [[[3, 0], [5, 1]], [[3, 5], [0, 1]]]),
        make_spec("stag_hunt", ["S", "H"], ["S", "H"], [[[4, 0], [3, 3]], [[4, 3], [0, 3]]]),
    )
}


class RepeatedMatrixGame(AECEnv[str, NDArray[np.int64], int]):
    """`rounds` rounds of a matrix game, then truncation; seat 0 moves first, and unseen.

    An observation is the whole joint history, [rounds, 2] of move indices by seat, the same for both agents,
    with `unplayed` (one above the largest move index) where a round isn't complete. Rewards come when both
    moved.
    """

    def __init__(self, spec: MatrixSpec, rounds: int) -> None:
        """rounds: at least 1; spec: the stage game."""
        self.spec = spec
        self.rounds = rounds
        self.unplayed = max(len(spec.moves0), len(spec.moves1))
        self.metadata = {"name": spec.name, "render_modes": ["ansi"], "is_parallelizable": True}
        self.render_mode = "ansi"
        self.possible_agents = list(AGENTS)
        self.history: list[tuple[int, int]] = []  # joint moves of complete rounds; read only
        self._rewards = spec.rewards
        self._sizes = {AGENTS[0]: len(spec.moves0), AGENTS[1]: len(spec.moves1)}
        self._spaces: dict[str, spaces.Discrete] = {}
        self._pending = -1  # seat 0's hidden move of this round

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode. The game has no chance moves, so `seed` and `options` have nothing to decide."""
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.history = []
        self._pending = -1

    def step(self, action: int | None) -> None:
        """Play the selected agent's move index, or take `None` from a finished agent."""
        agent = self.agent_selection
        if self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < self._sizes[agent]:
            raise ValueError(f"{agent}: got move {action!r}, expected 0 to {self._sizes[agent] - 1}")
        first, second = AGENTS
        totals = self._cumulative_rewards
        totals[agent] = 0.0
        if agent == first:
            self._pending = int(action)
            self.rewards = {first: 0.0, second: 0.0}
            self.agent_selection = second
            return
        joint = (self._pending, int(action))
        self.history.append(joint)
        own, other = self._rewards[joint]
        self.rewards = {first: own, second: other}
        totals[first] += own
        totals[second] += other
        if len(self.history) == self.rounds:
            self.truncations = {first: True, second: True}
        self.agent_selection = first

    def observe(self, agent: str) -> NDArray[np.int64]:
        """Give the joint history, [rounds, 2]; a move whose round isn't complete isn't in it."""
        observation = np.full((self.rounds, 2), self.unplayed, dtype=np.int64)
        if self.history:
            observation[: len(self.history)] = self.history
        return observation

    def render(self) -> str:
        """Write the history as one line a round, "R P" for seats 0 and 1."""
        return "\n".join(f"{self.spec.moves0[own]} {self.spec.moves1[other]}" for own, other in self.history)

    def close(self) -> None:
        """Nothing is held open."""

    def action_space(self, agent: str) -> spaces.Discrete:
        """The agent's move indices; made on first use, since making it costs more than an episode."""
        if agent not in self._spaces:
            self._spaces[agent] = spaces.Discrete(self._sizes[agent])
        return self._spaces[agent]

    def observation_space(self, agent: str) -> spaces.Box:
        """The same for both agents: [rounds, 2] in 0..unplayed."""
        return self._observation_space

    @cached_property
    def _observation_space(self) -> spaces.Box:
        return spaces.Box(0, self.unplayed, (self.rounds, 2), np.int64)
