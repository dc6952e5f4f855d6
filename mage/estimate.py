"""What a run will take, before it starts: the resolved config with estimates of time and memory.

The rate is measured on the spot with a random model of the configured shape, so the estimate is this machine's.
Left out: the base model's own first training, the evaluation.
"""

import time

import torch

from mage import tiny
from mage.codec import Codec
from mage.config import Config, resolved
from mage.models import LanguageModel, start_ids
from mage.session import describe, longest_context

PROBE_ROWS = 64
BYTES = 4  # of a float32


def plan(config: Config) -> str:
    """Return the resolved config as TOML with the estimates as comments before it."""
    setting = describe(config)
    torch.set_num_threads(config.run.threads)
    tokenizer = tiny.build_tokenizer(setting.game)
    codec = Codec(tokenizer, start_ids(tokenizer))
    tokens = longest_context(setting.game, codec, config.trial.episodes)
    network = tiny.network(tiny.settings_of(config), len(tokenizer))
    rate = _rate(LanguageModel(tiny.NAME, network, codec), tokens)
    league = config.league
    contexts = league.learners * league.groups * league.num_generations
    seconds = config.run.iterations * contexts * tokens / rate
    cache = 2 * config.learning.batch_rows * tokens * config.model.layers * config.model.width * BYTES
    sets = setting.opponents
    lines = [
        f"opponents: {len(sets.training)} training, {len(sets.validation)} validation, {len(sets.held_out)} held-out",
        f"tokens: at most {tokens} a context, {contexts} contexts or more an iteration",
        f"time: about {seconds / 60:.0f} min for {config.run.iterations} iterations "
        f"({rate:.0f} tokens/s sampled and trained, measured now)",
        f"memory: about {cache / 2**20:.0f} MiB of keys and values for each batch of {config.learning.batch_rows} "
        "contexts, up to 4 batches at once",
    ]
    return "\n".join(f"# {line}" for line in lines) + "\n\n" + resolved(config)


def _rate(model: LanguageModel, width: int) -> float:
    """Return tokens per second of a forward for sampling plus a forward and backward for training."""
    rows = [[1] * width] * PROBE_ROWS
    tiny.next_token_loss(model, rows[:8]).backward()
    start = time.perf_counter()
    tiny.next_token_loss(model, rows).backward()
    with torch.inference_mode():
        tiny.next_token_loss(model, rows)
    return PROBE_ROWS * width / (time.perf_counter() - start)
