"""What a run will take, before it starts: the resolved config with estimates of time and memory.

The rate is measured on the spot with the base model (of `builtin:tiny` with a random one of its shape, since it may not
be made yet), so the estimate is this machine's. Left out: the base model's own first training, the evaluation.
"""

from collections.abc import Sequence

import torch

from mage.adapters import AdapterBank
from mage.bases import provider
from mage.config import Config, resolved
from mage.lengths import longest_context
from mage.models import LanguageModel, seconds_of
from mage.session import describe, lora_settings, open_bank
from mage.settings import conditions_of
from mage.settle import settled
from mage.stages import plan_stages

FEW_ROWS = 1  # first, which tells how many can be measured
MANY_ROWS = 64
PATIENCE = 3.0  # seconds, about, for a measurement


def plan(config: Config) -> str:
    """Return the resolved config as TOML with the estimates as comments before it."""
    config = settled(config)
    setting = describe(config)
    plan_stages(config, setting)  # for what it refuses
    torch.set_num_threads(config.run.threads)
    tokens = longest_context(conditions_of(config, setting.game, setting.reader.codec))
    model = provider(config.model.name).specimen(config, setting.reader)
    model.network.to(device=config.run.device)
    rows, rate = _measured(model, config, tokens)
    league = config.league
    contexts = league.learners * league.groups * league.num_generations
    seconds = config.run.iterations * contexts * tokens / rate
    cache = config.learning.batch_rows * tokens * _cache_bytes(model)
    sets = setting.opponents
    lines = [
        f"opponents: {len(sets.training)} training, {len(sets.validation)} validation, {len(sets.held_out)} held-out",
        f"tokens: at most {tokens} a context, {contexts} contexts or more an iteration",
        f"time: about {seconds / 60:.0f} min for {config.run.iterations} iterations "
        f"({rate:.0f} tokens/s sampled and trained, measured now on {rows * tokens} tokens)",
        f"memory: about {cache / 2**20:.0f} MiB of keys and values for each batch of {config.learning.batch_rows} "
        "contexts, up to 4 batches at once",
    ]
    return "\n".join(f"# {line}" for line in lines) + "\n\n" + resolved(config)


def _measured(model: LanguageModel, config: Config, width: int) -> tuple[int, float]:
    """Return how many rows of `width` tokens were measured, and tokens/s of sampling plus training them."""
    bank = open_bank(model, lora_settings(config), model.name, config.run.linear)
    if config.learning.gradient_checkpointing:
        model.checkpoint_layers()
    learners = list(config.league.names)
    for name in learners:
        bank.add(name, trainable=True)

    def seconds(rows: int) -> float:
        agents = sorted(learners[row % len(learners)] for row in range(rows))
        return seconds_of(model.device, lambda: _pass(model, bank, agents, width))

    seconds(FEW_ROWS)  # the first forward is slower than the others
    rows = max(FEW_ROWS, min(MANY_ROWS, int(FEW_ROWS * PATIENCE / seconds(FEW_ROWS))))
    return rows, rows * width / seconds(rows)


def _pass(model: LanguageModel, bank: AdapterBank, agents: Sequence[str], width: int) -> None:
    """Run a forward for sampling, and a forward and backward for training."""
    ids = torch.ones(len(agents), width, dtype=torch.long, device=model.device)
    positions = torch.arange(width, device=model.device)[None].expand(len(agents), -1)
    with bank.routed(agents):
        with torch.no_grad():
            model.hidden(ids, positions)
        model.hidden(ids, positions).float().square().mean().backward()


def _cache_bytes(model: LanguageModel) -> int:
    """Return the bytes of keys and values for one token of one context."""
    config = model.network.config
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return 2 * model.layers * heads * size * model.dtype.itemsize
