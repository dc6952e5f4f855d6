"""What both sides of a comparison work on: a base, its untouched copy, agents with adapters, trials to play.

Left out: timing, and the baselines themselves.
"""

import copy
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from transformers import PreTrainedModel

import games
from mage.adapter_files import LoraSettings
from mage.adapters import AdapterBank
from mage.codec import Codec
from mage.keys import PlayKeys
from mage.lengths import longest_context
from mage.matches import plan_trials
from mage.models import LanguageModel
from mage.sampler import CachedSampler
from mage.seats import TrialPlan
from mage.session import open_bank
from mage.trials import Conditions
from populations.matchmaking import Pairing

GAME = "rock_paper_scissors"
LORA = LoraSettings(rank=8, alpha=16)
SPREAD = 0.02  # standard deviation of the random B: the agents differ, and play neither at random nor one move only
HABITS = {"family": "peaked_habit", "seed": 1, "parameters": {"peak": [0.6, 0.95]}}


@dataclass(frozen=True, slots=True)
class Arena:
    """A base with a population on it, and the same base untouched."""

    model: LanguageModel
    bank: AdapterBank
    bare: PreTrainedModel  # a copy without adapters, with transformers' own attention
    agents: tuple[str, ...]

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.model.device

    def sampler(self, trials: "Trials") -> CachedSampler:
        """Return a sampler for contexts as long as these trials need."""
        conditions = trials.conditions
        return CachedSampler(self.model, self.bank, longest_context(conditions))

    def copy_of_base(self) -> PreTrainedModel:
        """Return another untouched copy, for a baseline that changes what it is given."""
        return untouched(self.bare)


@dataclass(frozen=True, slots=True)
class Trials:
    """What is played: the plans, and what they share."""

    plans: tuple[TrialPlan, ...]
    conditions: Conditions

    def of(self, agent: str) -> "Trials":
        """Return one agent's trials."""
        return Trials(tuple(plan for plan in self.plans if plan.pairing.learner == agent), self.conditions)


def untouched(network: PreTrainedModel) -> PreTrainedModel:
    """Return a frozen copy with PyTorch's fused attention, which transformers would choose itself."""
    twin = copy.deepcopy(network)
    twin.set_attn_implementation("sdpa")
    twin.requires_grad_(False)
    return twin.eval()


def populate(model: LanguageModel, agents: int, linear: str = "torch") -> Arena:
    """Put that many agents, each with random adapters on all linear layers, onto a base.

    linear: as `run.linear` of a config.
    """
    bare = untouched(model.network)
    bank = open_bank(model, LORA, model.name, linear)
    return grow(Arena(model, bank, bare, ()), agents)


def grow(arena: Arena, agents: int) -> Arena:
    """Return the arena with that many agents; only those that it lacks are made, since each takes a while."""
    names = tuple(f"agent_{number:02d}" for number in range(agents))
    for seed, name in enumerate(names):
        if name not in arena.bank.adapters:
            generator = torch.Generator().manual_seed(seed)
            with torch.no_grad():
                for factor in arena.bank.add(name, trainable=True, seed=seed).b:
                    factor.copy_(SPREAD * torch.randn(factor.shape, generator=generator))
    return replace(arena, agents=names)


def plan(
    codec: Codec,
    agents: Sequence[str],
    *,
    groups: int,
    generations: int,
    episodes: int,
    rounds: int,
    rendering: str = "compact",
    seed: int = 0,
) -> Trials:
    """Plan `groups` x `generations` trials for each agent against habits, a habit for each of its groups.

    Seats alternate by group, so that both are played.
    """
    game = games.load_matrix(GAME, rounds=rounds, rendering=rendering)
    habits = games.expand(game, [{**HABITS, "count": groups}])
    play_keys = PlayKeys(seed, "bench", 0)
    pairings = []
    for number, agent in enumerate(agents):
        for part in range(groups):
            group = number * groups + part
            for generation in range(generations):
                trial = group * generations + generation
                pairings.append(Pairing(agent, habits[part].name, part % 2, group, trial, "scripted"))
    plans = plan_trials(pairings, {habit.name: habit for habit in habits}, play_keys)
    return Trials(tuple(plans), Conditions(game, codec, play_keys, episodes, "transcript"))


def peft_folders(arena: Arena, agents: Sequence[str]) -> tuple[tempfile.TemporaryDirectory[str], dict[str, Path]]:
    """Write the agents' adapters in PEFT's format; the folders last as long as the first result."""
    keeper = tempfile.TemporaryDirectory()
    folders = {agent: Path(keeper.name) / agent for agent in agents}
    for agent, folder in folders.items():
        arena.bank.save(agent, folder)
    return keeper, folders
