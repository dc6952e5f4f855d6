"""The repeated public goods game for two or more seats: its rules, the PettingZoo environment that plays it.

In each round every seat has an endowment and chooses how much of it to give, unseen by the others. All that was given
is multiplied and shared out equally. The environment is ours because neither PettingZoo nor OpenSpiel has the game.
Left out: text for agents (`public_goods_text`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv

from games.errors import RequestError, unknown

NAME = "public_goods"
LIMITS = {"seats": (2, 100), "rounds": (1, 10_000), "levels": (2, 101)}
AMOUNTS = (0.001, 1_000_000)  # the least and the greatest of the other two: no sum overflows, no two amounts look alike


@dataclass(frozen=True)
class PublicGoods:
    """The rules. Amounts are in units, the same as returns."""

    seats: int = 3  # at least 2
    rounds: int = 6  # in an episode
    endowment: float = 3.0  # units that a seat has in each round, and keeps unless it gives them
    multiplier: float = 2.0  # of what was given; above 1 and below the seats, giving pays all, keeping pays oneself
    levels: int = 2  # how many amounts there are to choose from, 0 and the endowment among them

    def __post_init__(self) -> None:
        """Raises RequestError for values that make no game."""
        for name, (least, most) in LIMITS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise RequestError(f"{name} of {NAME}: got {value!r}, expected a whole number from {least} to {most}")
        low, high = AMOUNTS
        for name in ("endowment", "multiplier"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise RequestError(f"{name} of {NAME}: got {value!r}, expected a number from {low} to {high}")

    @property
    def name(self) -> str:
        """By which the game is loaded again: parameters that aren't the default, in order."""
        values = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        changed = [
            f"{name}={int(value) if value == int(value) else value}"
            for name, value, default in values
            if value != default
        ]
        return f"{NAME}({','.join(changed)})" if changed else NAME

    @cached_property
    def amounts(self) -> tuple[float, ...]:
        """What a seat may give, [levels] units, ascending from 0 to the endowment."""
        return tuple(self.endowment * level / (self.levels - 1) for level in range(self.levels))

    @cached_property
    def moves(self) -> tuple[str, ...]:
        """The moves in the order of `amounts`: keep or give where it is all or nothing, else the units to give."""
        return ("keep", "give") if self.levels == 2 else tuple(f"{amount:.6g}" for amount in self.amounts)

    def payoffs(self, joint: tuple[int, ...]) -> tuple[float, ...]:
        """Units that each seat has after a round; joint: index into `amounts` by seat."""
        share = self.multiplier * sum(self.amounts[move] for move in joint) / self.seats
        return tuple(self.endowment - self.amounts[move] + share for move in joint)

    @cached_property
    def payoff_range(self) -> tuple[float, float]:
        """The least and the greatest payoff of a seat in a round, in units.

        A payoff is linear in what the seat gives and grows with what the others give, so both lie in corners.
        """
        own = self.multiplier / self.seats - 1.0  # for each unit that the seat gives
        others = self.multiplier * self.endowment * (self.seats - 1) / self.seats
        alone = (self.endowment, self.endowment * (1.0 + own))
        return min(alone), max(alone) + others


def parse(name: str, rounds: int | None = None) -> PublicGoods:
    """The rules that `public_goods` or `public_goods(seats=4,...)` names.

    rounds: taken where the name gives none. Raises RequestError for an unknown parameter, one that doesn't fit, and
    other rounds in the name.
    """
    match = re.fullmatch(rf"{NAME}(?:\((.*)\))?", name)
    if match is None:
        raise RequestError(f"got the game {name!r}, expected {NAME}(parameter=value,...), such as {NAME}(seats=4)")
    kinds = {field.name: float if isinstance(field.default, float) else int for field in fields(PublicGoods)}
    values: dict[str, Any] = {}
    for part in filter(None, (match[1] or "").split(",")):
        key, _, text = (piece.strip() for piece in part.partition("="))
        if key not in kinds:
            raise unknown(f"parameter of {NAME}", key, kinds)
        if key in values:
            raise RequestError(
                f"{key} of {NAME}: got it twice in {name!r}, expected each parameter once; leave one out"
            )
        try:
            values[key] = kinds[key](text)
        except ValueError as error:
            raise RequestError(f"{key} of {NAME}: got {text!r}, expected a number; write {NAME}({key}=4)") from error
    if rounds is not None and values.setdefault("rounds", rounds) != rounds:
        raise RequestError(
            f"got rounds = {rounds} and {name!r}, expected the rounds once, or the same twice; leave one out"
        )
    return PublicGoods(**values)


class PublicGoodsGame(AECEnv[str, NDArray[np.int64], int]):
    """`rounds` rounds, then truncation; seats move in turn, unseen until all have moved.

    An observation is the whole joint history, [rounds, seats] of indices into `amounts`, the same for every agent,
    with `levels` where a round isn't complete. Rewards, in units, come when all have moved.
    """

    def __init__(self, rules: PublicGoods) -> None:
        """rules: what is played."""
        self.rules = rules
        self.metadata = {"name": NAME, "render_modes": ["ansi"], "is_parallelizable": True}
        self.render_mode = "ansi"
        self.possible_agents = [f"player_{seat}" for seat in range(rules.seats)]
        self.history: list[tuple[int, ...]] = []  # joint moves of complete rounds; read only
        self._pending: list[int] = []  # hidden moves of this round, by seat
        self._spaces: dict[str, spaces.Discrete] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode. The game has no chance moves, so `seed` and `options` have nothing to decide."""
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.history = []
        self._pending = []

    def step(self, action: int | None) -> None:
        """Play the selected agent's index into `amounts`, or take `None` from a finished agent."""
        agent = self.agent_selection
        if self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < self.rules.levels:
            raise ValueError(f"{agent}: got move {action!r}, expected 0 to {self.rules.levels - 1}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._pending.append(int(action))
        if len(self._pending) == self.rules.seats:
            self._pay(tuple(self._pending))
        self.agent_selection = self.possible_agents[len(self._pending)]

    def _pay(self, joint: tuple[int, ...]) -> None:
        self.history.append(joint)
        self._pending = []
        self.rewards = dict(zip(self.possible_agents, self.rules.payoffs(joint), strict=True))
        self._accumulate_rewards()
        if len(self.history) == self.rules.rounds:
            self.truncations = dict.fromkeys(self.possible_agents, True)

    def observe(self, agent: str) -> NDArray[np.int64]:
        """Give the joint history, [rounds, seats]; a move whose round isn't complete isn't in it."""
        observation = np.full((self.rules.rounds, self.rules.seats), self.rules.levels, dtype=np.int64)
        if self.history:
            observation[: len(self.history)] = self.history
        return observation

    def render(self) -> str:
        """Write the history as one line a round: what each seat gave, in units."""
        return "\n".join(" ".join(f"{self.rules.amounts[move]:g}" for move in joint) for joint in self.history)

    def close(self) -> None:
        """Nothing is held open."""

    def action_space(self, agent: str) -> spaces.Discrete:
        """The agent's indices into `amounts`; made on first use."""
        if agent not in self._spaces:
            self._spaces[agent] = spaces.Discrete(self.rules.levels)
        return self._spaces[agent]

    def observation_space(self, agent: str) -> spaces.Box:
        """The same for every agent: [rounds, seats] in 0..levels."""
        return self._observation_space

    @cached_property
    def _observation_space(self) -> spaces.Box:
        return spaces.Box(0, self.rules.levels, (self.rules.rounds, self.rules.seats), np.int64)
