"""What a run will take, before it starts: the resolved config with estimates of time and memory, stage by stage.

The pace is measured on the spot with the base model (of `builtin:tiny` with a random one of its shape, since it may not
be made yet), so the estimate is this machine's. Left out: the base model's own first training, validation, what is
measured at the end of a stage, the evaluation, contexts that retention draws from longer stages.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from mage.adapters import AdapterBank
from mage.bases import Reader, provider
from mage.config import Config, resolved
from mage.lengths import longest_context
from mage.memories import FRESH
from mage.models import LanguageModel, seconds_of
from mage.session import describe, lora_settings, open_bank
from mage.settings import conditions_of
from mage.settle import settled
from mage.stages import RL, StagePlan, plan_stages

FEW_ROWS = 1  # first, which tells how many can be measured
MANY_ROWS = 64
PATIENCE = 3.0  # seconds, about, for a measurement


@dataclass(frozen=True, slots=True)
class Pace:
    """What the base was measured to do here."""

    tokens: int  # that it was measured on
    sampling: float  # tokens/s forward
    training: float  # tokens/s forward and backward


@dataclass(frozen=True, slots=True)
class Load:
    """What a stage puts through the model."""

    stage: StagePlan
    contexts: int  # an iteration; at least, where two learners may meet and both learn from a trial
    tokens: int  # a context, at most
    samples: bool  # whether the learners play; what experts play passes no model

    def seconds(self, pace: Pace) -> float:
        """Return how long the stage takes at a pace."""
        learning = self.stage.config.learning
        each = learning.epochs / pace.training + (1 / pace.sampling if self.samples else 0.0)
        return self.stage.iterations * self.contexts * self.tokens * each


def plan(config: Config) -> str:
    """Return the resolved config as TOML with the estimates as comments before it."""
    config = settled(config)
    setting = describe(config)
    loads = [load_of(stage, setting.reader) for stage in plan_stages(config, setting)]
    torch.set_num_threads(config.run.threads)
    model = provider(config.model.name).specimen(config, setting.reader)
    model.network.to(device=config.run.device)
    pace = _measured(model, config, max(load.tokens for load in loads))
    sets = setting.opponents
    lines = [
        f"opponents: {len(sets.training)} training, {len(sets.validation)} validation, {len(sets.held_out)} held-out",
        *_told(loads, pace),
        _memory(loads, model),
    ]
    return "\n".join(f"# {line}" for line in lines) + "\n\n" + resolved(config)


def load_of(stage: StagePlan, reader: Reader) -> Load:
    """Return what a stage puts through the model; reader: of the run's base."""
    config, league = stage.config, stage.config.league
    trials = stage.declared.trials if stage.declared and stage.kind != RL else league.groups * league.num_generations
    contexts = config.trial.episodes if config.trial.memory in FRESH else 1
    tokens = longest_context(conditions_of(config, stage.setting.game, reader.codec))
    experts = any(source.experts for source in stage.sources)
    return Load(stage, league.learners * trials * contexts, tokens, samples=not experts)


def _told(loads: Sequence[Load], pace: Pace) -> Iterator[str]:
    """Yield what goes through the model and how long that takes, by stage where there are stages, and in all."""
    for load in loads:
        more = " or more" if load.stage.kind == RL else ""
        size = f"at most {load.tokens} a context, {load.contexts} contexts{more} an iteration"
        if load.stage.declared:
            about = _minutes(load.seconds(pace))
            yield f"{load.stage.name}: {load.stage.kind}, {load.stage.iterations} iterations, {about}; tokens: {size}"
        else:
            yield f"tokens: {size}"
    yield (
        f"time: {_minutes(sum(load.seconds(pace) for load in loads))} for {loads[-1].stage.stop} iterations "
        f"without gates and evaluations ({pace.sampling:.0f} tokens/s sampled, {pace.training:.0f} trained, "
        f"measured now on {pace.tokens} tokens)"
    )


def _minutes(seconds: float) -> str:
    return f"about {seconds / 60:.0f} min"


def _memory(loads: Sequence[Load], model: LanguageModel) -> str:
    """Return the largest batch's memory in words."""
    batches = [(load.stage.config.learning.batch_rows, load.tokens) for load in loads if load.samples]
    if not batches:
        return "memory: no keys and values are kept, since no stage samples"
    rows, tokens = max(batches, key=math.prod)
    size = rows * tokens * _cache_bytes(model) / 2**20
    return f"memory: about {size:.0f} MiB of keys and values for each batch of {rows} contexts, up to 4 batches at once"


def _measured(model: LanguageModel, config: Config, width: int) -> Pace:
    """Measure as many rows of `width` tokens as patience allows."""
    bank = open_bank(model, lora_settings(config), model.name, config.run.linear)
    if config.learning.gradient_checkpointing:
        model.checkpoint_layers()
    learners = list(config.league.names)
    for name in learners:
        bank.add(name, trainable=True)

    def seconds(work: Callable[..., None], rows: int) -> float:
        agents = sorted(learners[row % len(learners)] for row in range(rows))
        return seconds_of(model.device, lambda: work(model, bank, agents, width))

    seconds(_train, FEW_ROWS)  # the first forward is slower than the others
    few = seconds(_sample, FEW_ROWS) + seconds(_train, FEW_ROWS)
    rows = max(FEW_ROWS, min(MANY_ROWS, int(FEW_ROWS * PATIENCE / few)))
    tokens = rows * width
    return Pace(tokens, tokens / seconds(_sample, rows), tokens / seconds(_train, rows))


def _sample(model: LanguageModel, bank: AdapterBank, agents: Sequence[str], width: int) -> None:
    """Run the forward that sampling takes."""
    with bank.routed(agents), torch.no_grad():
        model.hidden(*_rows(model, len(agents), width))


def _train(model: LanguageModel, bank: AdapterBank, agents: Sequence[str], width: int) -> None:
    """Run the forward and backward that training takes."""
    with bank.routed(agents):
        model.hidden(*_rows(model, len(agents), width)).float().square().mean().backward()


def _rows(model: LanguageModel, rows: int, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    ids = torch.ones(rows, width, dtype=torch.long, device=model.device)
    return ids, torch.arange(width, device=model.device)[None].expand(rows, -1)


def _cache_bytes(model: LanguageModel) -> int:
    """Return the bytes of keys and values for one token of one context."""
    config = model.network.config
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return 2 * model.layers * heads * size * model.dtype.itemsize
