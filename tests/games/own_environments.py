"""Environments such as a person may write, for tests of `games.own`: AEC and parallel, with words and without."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv


class Facts:
    """What every environment here says of itself."""

    metadata = {"name": "mine"}
    render_mode = None
    possible_agents = ["a", "b", "c"]
    utility_range, zero_sum, max_turns = (-2.0, 3.0), False, 3


class Standoff(Facts, ParallelEnv):
    """Three rounds; whoever leaves (1) in round r is paid r and gone, who is left after the third is paid nothing."""

    def action_space(self, agent):
        return spaces.Discrete(2)

    def observation_space(self, agent):
        return spaces.Box(0, 3, (2,), np.int64)

    def reset(self, seed=None, options=None):
        self.agents, self.round = list(self.possible_agents), 0
        return self._seen(self.agents), {agent: {} for agent in self.agents}

    def step(self, actions):
        there, self.round = list(self.agents), self.round + 1
        self.agents = [agent for agent in there if not actions[agent] and self.round < 3]
        rewards = {agent: float(self.round if actions[agent] else 0) for agent in there}
        left = {agent: bool(actions[agent]) for agent in there}
        late = dict.fromkeys(there, self.round == 3)
        return self._seen(there), rewards, left, late, {agent: {} for agent in there}

    def _seen(self, agents):
        return {agent: np.array([self.round, len(self.agents)]) for agent in agents}


class Sticks(Facts, AECEnv):
    """Take 1 or 2 of the sticks; whoever takes the last one loses 2, the others win 1 each. `text` speaks if given."""

    zero_sum = True
    utility_range = (-2.0, 1.0)

    def __init__(self, text=None, mask="observation"):
        super().__init__()
        self.text, self.mask = text, mask

    def action_space(self, agent):
        return spaces.Discrete(2, start=1)

    def observation_space(self, agent):
        return spaces.Dict({"observation": spaces.Discrete(6), "action_mask": spaces.MultiBinary(2)})

    def reset(self, seed=None, options=None):
        self.sticks = 3 + np.random.default_rng(seed).integers(3)
        self.agents, self.agent_selection = list(self.possible_agents), "a"
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict(self.rewards)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._masks()

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self.sticks -= action
        if self.sticks == 0:
            self.rewards = {other: -2.0 if other == agent else 1.0 for other in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = "abc"[("abc".index(agent) + 1) % 3]
        self._masks()

    def _masks(self):
        mask = np.array([1, self.sticks >= 2], dtype=np.int8)
        self.infos = {agent: {"action_mask": mask} if self.mask == "infos" else {} for agent in self.agents}
        self._seen = {"observation": int(self.sticks)} | ({"action_mask": mask} if self.mask == "observation" else {})

    def observe(self, agent):
        return self._seen


class Elimination(Facts, AECEnv):
    """In turn, each says 0 (stay) or 1 (go); who goes is finished at once, and pays 1 to each who stays."""

    max_turns = 2
    utility_range = (0.0, 2.0)

    def action_space(self, agent):
        return spaces.Discrete(2)

    def observation_space(self, agent):
        return spaces.Discrete(7)

    def reset(self, seed=None, options=None):
        self.agents, self.agent_selection, self.turn = list(self.possible_agents), "a", 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict(self.rewards)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._clear_rewards()
        self.turn += 1
        following = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        if action:
            self.terminations[agent] = True
            self.rewards = {other: float(other != agent) for other in self.agents}
        if self.turn == 4:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = following
        self._deads_step_first()

    def observe(self, agent):
        return self.turn


class SticksWords:
    """Every method that `text` may have."""

    def rules(self, seat, episodes):
        return f"sticks seat {seat}, {episodes} episodes\n"

    def opening(self, env):
        return [f"{env.sticks} sticks\n"] * 3

    def legal_moves(self, env, seat):
        return ["one", "two"][: int(env.sticks)]

    def action(self, env, seat, move):
        return {"one": 1, "two": 2}[move]

    def news(self, env, seat, move):
        return ["" if reader == seat else f"seat {seat} took {move}\n" for reader in range(3)]


class StandoffWords:
    def __init__(self):
        self.calls = []

    def news(self, env, seat, move):
        self.calls.append((seat, move, type(env).__name__, env.round))
        return [f"round {env.round} is over\n"] * 3


def spoken_sticks():
    return Sticks(SticksWords())


def sticks_of_infos(rendering="compact"):
    env = Sticks(mask="infos")
    env.told = rendering
    return env


def standoff_with_news():
    env = Standoff()
    env.text = StandoffWords()
    return env
