"""From played trials to training rows: which tokens are trained, with which advantage.

A row is one context. Only sampled tokens are trained (design, decision 6); what the environment, the opponent or
the trie's single choice wrote is not. Left out: tensors.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from mage.advantages import CellKey, encode, normalise
from mage.contexts import REFLECTION, TokenChoice
from mage.credit import following, reward_to_go
from mage.trials import PlayedTrial


@dataclass(frozen=True, slots=True)
class CreditSettings:
    """How rewards become advantages; see `mage.advantages`."""

    objective: str
    gamma_step: float
    gamma_traj: float
    cell: tuple[str, ...]
    scale_rewards: str
    thinking_cost: float = 0.0  # game units that a token of thinking costs


@dataclass(frozen=True, slots=True)
class Row:
    """One context of one learner."""

    agent: str
    ids: tuple[int, ...]
    choices: tuple[TokenChoice, ...]
    advantages: tuple[float, ...]  # one per choice


@dataclass(frozen=True, slots=True)
class RewardSummary:
    """A learner's returns in this update, game units per episode."""

    reward: float
    reward_std: float
    frac_reward_zero_std: float
    valid_move_rate: float  # of its decisions, those whose first try was legal
    random_move_rate: float  # of its decisions, those drawn in its place, since no try was legal
    forfeit_rate: float  # of its episodes
    thinking_tokens: float  # per decision
    reflection_tokens: float  # per reflection

    def logged(self) -> dict[str, float]:
        """Return the figures under the names of the event log."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Side:
    """One seat of a played trial, seen as a trial record of its own."""

    trial: PlayedTrial
    agent: str
    seat: int
    opponent: str


def build_rows(
    played: Sequence[PlayedTrial], learners: Sequence[str], credit: CreditSettings
) -> tuple[list[Row], dict[str, RewardSummary]]:
    """Return the rows of every learner that played, in the trials' order, and each learner's rewards.

    A match between two learners gives two sides, each normalised among its own learner's cells.
    """
    sides = [
        _Side(trial, member, seat, _rivals(trial.record.members, seat))
        for trial in played
        for seat, member in enumerate(trial.record.members)
        if member in set(learners)
    ]
    advantages, flat = _advantages(sides, credit)
    rows = [
        Row(
            side.agent,
            tuple(context.ids),
            tuple(context.choices),
            tuple(advantages[i][choice.episode, choice.turn] for choice in context.choices),
        )
        for i, side in enumerate(sides)
        for context in side.trial.contexts
        if context.seat == side.seat and context.choices
    ]
    return rows, _summaries(sides, flat)


def _rivals(members: tuple[str, ...], seat: int) -> str:
    """Return who sits in the other seats, as one label."""
    return "+".join(members[:seat] + members[seat + 1 :])


def _advantages(
    sides: Sequence[_Side], credit: CreditSettings
) -> tuple[list[dict[tuple[int, int], float]], dict[str, float]]:
    """Return per side the advantage of each (episode, turn), and the flat share of each learner's cells."""
    index: list[tuple[int, int, int]] = []
    returns: list[float] = []
    for i, side in enumerate(sides):
        values = _values(side, credit)
        for n, episode_values in enumerate(values):
            index.extend((i, n, t) for t in range(len(episode_values)))
            returns.extend(episode_values)
        for n in _reflected(side):
            index.append((i, n, REFLECTION))
            returns.append(following(values, n))
    if not index:
        return [{} for _ in sides], {}
    which, episode, turn = np.array(index, dtype=np.int64).T
    learner = encode(side.agent for side in sides)
    key = CellKey(
        learner=learner[which],
        game=encode(side.trial.record.game for side in sides)[which],
        seat=np.array([side.seat for side in sides], dtype=np.int64)[which],
        opponent=encode(side.opponent for side in sides)[which],
        episode=episode,
        turn=turn,
    )
    result = normalise(np.array(returns), key, which, credit.cell, credit.scale_rewards)
    table: list[dict[tuple[int, int], float]] = [{} for _ in sides]
    for (i, n, t), value in zip(index, result.advantages.tolist(), strict=True):
        table[i][n, t] = value
    names = {int(code): side.agent for code, side in zip(learner, sides, strict=True)}
    return table, {names[code]: share for code, share in result.frac_reward_zero_std.items()}


def _values(side: _Side, credit: CreditSettings) -> list[list[float]]:
    """Return the reward-to-go of each decision; thinking costs where it was spent, whatever the objective."""
    own = [[turn for turn in episode.turns if turn.seat == side.seat] for episode in side.trial.record.episodes]
    rewards = [[turn.reward for turn in turns] for turns in own]
    values = reward_to_go(rewards, credit.objective, credit.gamma_step, credit.gamma_traj)
    if not credit.thinking_cost:
        return values
    spent = [[credit.thinking_cost * turn.thinking for turn in turns] for turns in own]
    costs = reward_to_go(spent, "sum", credit.gamma_step, credit.gamma_traj)
    return [[v - c for v, c in zip(*pair, strict=True)] for pair in zip(values, costs, strict=True)]


def _reflected(side: _Side) -> list[int]:
    """Return the episodes after which a seat wrote a reflection of its own."""
    own = (c for context in side.trial.contexts if context.seat == side.seat for c in context.choices)
    return sorted({choice.episode for choice in own if choice.turn == REFLECTION})


def _summaries(sides: Sequence[_Side], flat: dict[str, float]) -> dict[str, RewardSummary]:
    by_agent: dict[str, list[_Side]] = {}
    for side in sides:
        by_agent.setdefault(side.agent, []).append(side)
    return {agent: _summary(own, flat.get(agent, 0.0)) for agent, own in by_agent.items()}


def _summary(sides: Sequence[_Side], flat: float) -> RewardSummary:
    episodes = [(episode, side.seat) for side in sides for episode in side.trial.record.episodes]
    returns = [episode.returns[seat] for episode, seat in episodes]
    turns = [turn for episode, seat in episodes for turn in episode.turns if turn.seat == seat]
    written = [
        choice
        for side in sides
        for context in side.trial.contexts
        for choice in context.choices
        if context.seat == side.seat and choice.turn == REFLECTION
    ]
    reflections = sum(len(_reflected(side)) for side in sides) if written else 0
    return RewardSummary(
        reward=float(np.mean(returns)),
        reward_std=float(np.std(returns)),
        frac_reward_zero_std=flat,
        valid_move_rate=1.0 - sum(bool(turn.illegal) for turn in turns) / max(len(turns), 1),
        random_move_rate=sum(turn.randomised for turn in turns) / max(len(turns), 1),
        forfeit_rate=sum(episode.forfeits[seat] for episode, seat in episodes) / len(episodes),
        thinking_tokens=sum(turn.thinking for turn in turns) / max(len(turns), 1),
        reflection_tokens=len(written) / max(reflections, 1),
    )
