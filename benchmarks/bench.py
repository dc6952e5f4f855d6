"""What the suites share: settings and sizes, the real model, made once, and the trials that it played.

Left out: what is compared with what (`benchmarks.suites`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch

from benchmarks import arena
from benchmarks.arena import Arena, Trials
from benchmarks.measure import Sample, fastest, microbatch_candidates, timed
from benchmarks.teller import Tell
from mage.learner import Learner, UpdateSettings
from mage.losses import Clip
from mage.models import LanguageModel
from mage.rows import CreditSettings, Row, build_rows
from mage.sampler import CachedSampler
from mage.scheduler import Sampler, play_all
from mage.trials import PlayedTrial
from mage.work import Chunk

CREDIT = CreditSettings(
    "sum", gamma_step=1.0, gamma_traj=1.0, cell=("learner", "seat", "episode", "turn"), scale_rewards="group"
)
LEARNING_RATE = 1e-5


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything; the defaults are those of the issue where it names them."""

    agents: int = 4
    groups: int = 4  # of each agent, each against a habit of its own
    generations: int = 4  # trials of a group
    episodes: int = 3
    rounds: int = 4
    rendering: str = "compact"  # of the real model's trials
    update_rows: int = 16  # contexts in the updates: a quarter of the trials
    crowd: tuple[int, ...] = (1, 16, 64)  # agents that share the same rows; the ratios are to the first
    crowd_rows: int = 64
    crowd_tokens: int = 40  # of each of these rows; less than half of a trial's
    crowd_turns: int = 2  # further decisions of each row, when sampling
    tiny_groups: int = 8
    tiny_generations: int = 16


@dataclass(frozen=True)
class Bench:
    """One run of the benchmarks."""

    load: Callable[[], LanguageModel]  # the real model, in the base's number type, on the device
    sizes: Sizes
    repeats: int
    device: torch.device
    tell: Tell
    linear: str = "torch"  # what multiplies the real model's layers, as `run.linear` of a config
    kept: dict[str, list[PlayedTrial]] = field(default_factory=dict)  # trials of the rollout suite, for the update's

    @cached_property
    def arena(self) -> Arena:
        """The real model with the agents of the rollouts and updates."""
        self.tell("loading the model")
        return arena.populate(self.load(), self.sizes.agents, self.linear)

    @cached_property
    def crowd(self) -> Arena:
        """The same with as many agents as the largest crowd."""
        self.tell(f"adding agents up to {max(self.sizes.crowd)}")
        return arena.grow(self.arena, max(self.sizes.crowd))

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents of the rollouts and updates."""
        return self.arena.agents

    @cached_property
    def trials(self) -> Trials:
        """The trials of the rollouts."""
        sizes = self.sizes
        return arena.plan(
            self.arena.model.codec,
            self.agents,
            groups=sizes.groups,
            generations=sizes.generations,
            episodes=sizes.episodes,
            rounds=sizes.rounds,
            rendering=sizes.rendering,
        )

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of an update: each agent's first contexts, as the rollouts left them."""
        each = self.sizes.update_rows // self.sizes.agents
        if "rollout" in self.kept:
            played = self.kept["rollout"]
        else:
            self.tell("playing trials to train on")
            plans = tuple(plan for agent in self.agents for plan in self.trials.of(agent).plans[:each])
            chosen = Trials(plans, self.trials.conditions)
            played = play(chosen, self.arena.sampler(chosen))
        rows, _ = build_rows(played, self.agents, CREDIT)
        return [row for agent in self.agents for row in [row for row in rows if row.agent == agent][:each]]


def play(trials: Trials, sampler: Sampler) -> list[PlayedTrial]:
    """Play all trials at once."""
    return play_all(trials.plans, trials.conditions, sampler, lane_rows=len(trials.plans))


def decisions(played: Sequence[PlayedTrial]) -> int:
    """Return how many moves the learners of these trials made."""
    return sum(
        turn.seat == trial.record.pairing.seat
        for trial in played
        for episode in trial.record.episodes
        for turn in episode.turns
    )


class Rollout:
    """Our rollouts: timed as a whole, games included; keeps what was played and which chunks that took."""

    def __init__(self, trials: Trials, sampler: CachedSampler) -> None:
        """Nothing is played yet."""
        self._trials, self._sampler = trials, sampler
        self.played: list[PlayedTrial] = []
        self.chunks: list[Chunk] = []

    def run(self, device: torch.device) -> Sample:
        """Play; the amount is decisions."""
        self._sampler.work.take()

        def rollout() -> float:
            self.played = play(self._trials, self._sampler)
            return decisions(self.played)

        sample = timed(device, rollout)
        self.chunks = self._sampler.work.take()
        return sample

    @property
    def tokens(self) -> int:
        """Tokens that went through the model in the latest run."""
        return sum(chunk.tokens for chunk in self.chunks)


def learner(arena_: Arena, agents: Sequence[str], microbatch_tokens: int, *, steps: bool = True) -> Learner:
    """Return a learner whose update is one forward and backward over all rows and one step of every agent.

    steps: False leaves the optimisers' steps out, by a limit on KL that is always exceeded.
    """
    settings = UpdateSettings(
        loss_type="grpo",
        loss_agg_mode="token-mean",
        clip=Clip(0.2, 0.2),
        entropy_bonus=0.01,
        minibatches=1,
        epochs=1,
        max_kl=float("inf") if steps else -1.0,
        max_grad_norm=1.0,
        microbatch_tokens=microbatch_tokens,
    )
    return Learner(arena_.model, arena_.bank, agents, settings, seed=0)


def fastest_learner(arena_: Arena, agents: Sequence[str], rows: Sequence[Row]) -> tuple[Learner, int]:
    """Return a learner with the fastest microbatch, each tried on rows enough to fill one, and that microbatch."""
    ordered = sorted(rows, key=lambda row: row.agent)

    def attempt(budget: int) -> Sample:
        count = min(len(ordered), max(1, budget // len(ordered[0].ids)))
        trial = ordered[:count]
        one = learner(arena_, agents, budget, steps=False)

        def update() -> float:
            one.update(trial, 0, LEARNING_RATE)
            return sum(len(row.ids) for row in trial)

        return timed(arena_.device, update)

    attempt(1)  # warms up
    best = fastest(microbatch_candidates(sum(len(row.ids) for row in rows)), attempt)
    return learner(arena_, agents, best), best
