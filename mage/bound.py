"""The bound: how many tokens a second the bare base itself puts through, on this machine, on a run's own chunks.

A handful of the run's chunks goes through the model again without adapters, head, sampling, games or loss. Each is run
as a rectangle of its mean lengths, so the bare model pads nothing. Left out: the exact replay of a whole rollout or
update, which the benchmarks make.
"""

import time
from collections.abc import Callable, Mapping, Sequence

import torch

from mage.adapters import BASE, AdapterBank
from mage.cache import attention_mask, buffer_cache
from mage.matches import spread
from mage.models import LanguageModel, seconds_of
from mage.work import Chunk

CHUNKS = 12  # of each kind, evenly spread over those that are given
SECONDS = 20.0  # after which no further chunk of a kind is begun
PASSES = 3  # the fastest counts, as long as there is time for more than one


def bounds(
    model: LanguageModel, bank: AdapterBank, chunks: Mapping[str, Sequence[Chunk]], seconds: float = SECONDS
) -> dict[str, float | None]:
    """Return tokens per second of the bare base on chunks of `sampling` and of `training`; None without any.

    seconds: for each of the two, at most about so long.
    """
    return {
        "sampling": _rate(chunks["sampling"], lambda chunk: _forward(model, bank, chunk), seconds),
        "training": _rate(chunks["training"], lambda chunk: _forward_and_backward(model, bank, chunk), seconds),
    }


def _rate(chunks: Sequence[Chunk], run: Callable[[Chunk], float], seconds: float) -> float | None:
    """Return tokens per second; run: makes one pass and returns its seconds."""
    start = time.perf_counter()
    tokens, taken = 0, 0.0
    filled = [chunk for chunk in chunks if chunk.tokens]
    for chunk in spread(filled, CHUNKS, first=len(filled) // (2 * CHUNKS)):  # the first alone would be an opening
        passes = [run(chunk)]
        while len(passes) < PASSES and time.perf_counter() - start < seconds / 2:
            passes.append(run(chunk))
        tokens, taken = tokens + _width(chunk) * len(chunk.new), taken + min(passes)
        if time.perf_counter() - start > seconds:
            break
    return tokens / taken if taken > 0 else None


def _width(chunk: Chunk) -> int:
    return max(1, round(chunk.tokens / len(chunk.new)))


@torch.inference_mode()
def _forward(model: LanguageModel, bank: AdapterBank, chunk: Chunk) -> float:
    """Time one forward of the chunk's new tokens against its cached ones; returns seconds."""
    rows, width = len(chunk.new), _width(chunk)
    cached = round(sum(chunk.cached) / rows)
    cache = buffer_cache(model.layers, cached + width)
    ids = torch.zeros(rows, width, dtype=torch.long, device=model.device)
    with bank.routed([BASE] * rows):
        if cached:  # one token makes the buffers, and then stands for all that would be in them
            model.hidden(ids[:, :1], ids[:, :1], None, cache)
            for layer in cache.layers:
                layer.keys.normal_()
                layer.values.normal_()
                layer.length = cached
        positions = torch.arange(cached, cached + width, device=model.device).expand(rows, -1)
        mask = None
        if cached and width > 1:
            mask = attention_mask(torch.ones(rows, cached + width, dtype=torch.bool, device=model.device), width)
        return seconds_of(model.device, lambda: model.hidden(ids, positions, mask, cache))


def _forward_and_backward(model: LanguageModel, bank: AdapterBank, chunk: Chunk) -> float:
    """Time one forward of the chunk and the backward pass down to its input embeddings; returns seconds."""
    rows, width = len(chunk.new), _width(chunk)
    ids = torch.zeros(rows, width, dtype=torch.long, device=model.device)
    embedded = model.network.get_input_embeddings()(ids).detach().requires_grad_(True)

    def run() -> None:
        model.network.base_model(inputs_embeds=embedded, use_cache=False).last_hidden_state.sum().backward()

    with bank.routed([BASE] * rows):
        return seconds_of(model.device, run)
