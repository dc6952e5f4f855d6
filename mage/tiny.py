"""`builtin:tiny`: a small Llama and its tokenizer, first trained on transcripts of scripted matches.

The transcripts come from the very loop that plays trials, so they have its format to the byte, and from the corpus
opponents alone, which the manifest names (design, decision 11). It is built on first use, kept by the hash of
everything it depends on, and deterministic for one machine, thread count and library version.
Left out: the tokenizer's training (`mage.tiny_tokenizer`), adapters, rewards.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import torch
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM

from games.opponents import NamedOpponent
from games.text import TextGame
from mage import keys
from mage import models as language
from mage.base_models import TINY
from mage.codec import Codec
from mage.config import Config
from mage.keys import PlayKeys
from mage.memories import REFLECTING
from mage.scheduler import Sampler, play_all
from mage.seats import SeatPlan, TrialPlan
from mage.tiny_tokenizer import VOCABULARY as VOCABULARY
from mage.tiny_tokenizer import build_tokenizer as build_tokenizer
from mage.trials import Conditions
from populations.matchmaking import Pairing

NAME = TINY
FORMAT = 1  # counted up when the same settings would give another base
MAX_TOKENS = 4096  # the longest context
CORPUS_TRIALS = 4096  # transcripts, drawn with replacement


@dataclass(frozen=True, slots=True)
class TinySettings:
    """Everything but the game and the opponents that the base depends on."""

    layers: int
    width: int
    heads: int
    steps: int
    batch: int
    learning_rate: float
    seed: int
    episodes: int
    memory: str
    reflections: str = ""  # what is written down after an episode, where the memory has reflections


def settings_of(config: Config) -> TinySettings:
    """Return what the base depends on, out of a run's config."""
    model, trial = config.model, config.trial
    reflects = trial.memory in REFLECTING
    return TinySettings(
        layers=model.layers,
        width=model.width,
        heads=model.heads,
        steps=model.pretrain.steps,
        batch=model.pretrain.batch,
        learning_rate=model.pretrain.learning_rate,
        seed=model.pretrain.seed,
        episodes=trial.episodes,
        memory=trial.memory,
        reflections=model.pretrain.reflections if reflects else "",
    )


def build(
    game: TextGame,
    opponents: Sequence[NamedOpponent],
    settings: TinySettings,
    cache: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Return the folder of the base for these settings, training it first where the cache lacks it.

    progress: called with (steps done, steps in all) while it trains.
    """
    manifest = _manifest(game, opponents, settings)
    digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()[:16]
    folder = cache / f"tiny-{digest}"
    if folder.exists():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as aside:
        fresh = Path(aside) / "base"
        tokenizer = build_tokenizer(game, settings.memory)
        untrained = network(settings, len(tokenizer))
        model = language.LanguageModel(NAME, untrained, language.codec_of(tokenizer, NAME))
        losses = _pretrain(model, game, opponents, settings, progress)
        language.save(model, tokenizer, fresh)
        manifest["loss"] = {"first": losses[0], "last": losses[-1]} if losses else None
        (fresh / "manifest.json").write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")
        if not folder.exists():  # another process may have been faster
            shutil.move(fresh, folder)
    return folder


def _manifest(game: TextGame, opponents: Sequence[NamedOpponent], settings: TinySettings) -> dict[str, object]:
    """Return what the base is made of; every text that its tokenizer and its transcripts hold comes from here."""
    told = asdict(settings)
    if not settings.reflections:
        del told["reflections"]  # bases without them keep the names that they had before there were any
    return {
        "name": NAME,
        "format": FORMAT,
        "texts": [[game.rules(seat, settings.episodes), *game.spoken[seat].news] for seat in range(game.seats)],
        "headers": [game.episode_header(number + 1) for number in range(settings.episodes)],
        "moves": [game.spoken[seat].moves for seat in range(game.seats)],
        "opponents": [opponent.name for opponent in opponents],
        "families": sorted({opponent.family for opponent in opponents}),
        "settings": told,
    }


def network(settings: TinySettings, vocabulary: int) -> LlamaForCausalLM:
    """Return the untrained Llama, its weights drawn by the settings' seed."""
    torch.manual_seed(settings.seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=settings.width,
        intermediate_size=2 * settings.width,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        num_key_value_heads=settings.heads,
        max_position_embeddings=MAX_TOKENS,
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=None,
        pad_token_id=1,
    )
    return LlamaForCausalLM(config)


def transcripts(
    game: TextGame, codec: Codec, opponents: Sequence[NamedOpponent], trials: int, settings: TinySettings
) -> list[list[int]]:
    """Play `trials` trials between corpus opponents and return what one seat read and wrote, as token ids."""
    rng = keys.generator(settings.seed, "corpus-pairs")
    plans = []
    for trial in range(trials):
        first, second = (opponents[int(i)] for i in rng.integers(len(opponents), size=2))
        pairing = Pairing(first.name, second.name, trial % game.seats, trial, trial, "scripted")
        own, other = SeatPlan(first.name, first, trial, transcribed=True), SeatPlan(second.name, second, trial)
        plans.append(TrialPlan.of(pairing, own, other, game.seats))
    play_keys = PlayKeys(settings.seed, "corpus", 0)
    conditions = Conditions(game, codec, play_keys, settings.episodes, settings.memory)
    if settings.reflections:
        conditions = replace(conditions, habit=settings.reflections)
    played = play_all(plans, conditions, _NoSampler(), lane_rows=max(trials, 1))
    return [context.ids for trial in played for context in trial.contexts]


class _NoSampler(Sampler):
    """Scripted players ask nobody."""

    def open(self, agents: Sequence[str]) -> NoReturn:
        raise AssertionError(f"a scripted match asked for a lane for {agents}")


def _pretrain(
    model: language.LanguageModel,
    game: TextGame,
    opponents: Sequence[NamedOpponent],
    settings: TinySettings,
    progress: Callable[[int, int], None],
) -> list[float]:
    """Next-token training on all tokens of the transcripts; returns the loss of every step, nats per token."""
    network = model.network
    network.train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=settings.learning_rate, weight_decay=0.01)
    warmup = max(1, settings.steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, max(0.05, 1 - step / max(settings.steps, 1)))
    )
    corpus = transcripts(game, model.codec, opponents, CORPUS_TRIALS, settings)
    rng = keys.generator(settings.seed, "corpus-order")
    losses: list[float] = []
    for step in range(settings.steps):
        rows = [corpus[int(i)] for i in rng.integers(len(corpus), size=settings.batch)]
        loss = next_token_loss(model, rows)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
        progress(step + 1, settings.steps)
    network.eval()
    return losses


def next_token_loss(model: language.LanguageModel, rows: Sequence[Sequence[int]]) -> torch.Tensor:
    """Return the mean next-token cross-entropy over the rows' tokens, nats; padding does not count."""
    width = max(len(row) for row in rows)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    targets = np.full((len(rows), width), -100, dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        targets[i, : len(row) - 1] = row[1:]
    positions = torch.arange(width)[None].expand(len(rows), -1)
    hidden = model.hidden(torch.from_numpy(ids), positions)
    logits = functional.linear(hidden, model.head)
    return functional.cross_entropy(logits.flatten(0, 1), torch.from_numpy(targets).flatten(), ignore_index=-100)
