"""The bound of a rollout: the bare base model over the very tokens that the rollout processed, and nothing else.

Every chunk that the sampler ran (new tokens of each row, tokens of each row in the cache) is run again through an
untouched Hugging Face model: no adapters, no head, no sampling, no games. The caches are filled, and ids, positions
and masks are made, before the clock starts. The bare model has its best case: rows of one length run together, and of
the growing cache that transformers has and a cache written in place, the faster one is used. Only real tokens
are counted, for both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.cache_utils import Cache, DynamicLayer

from benchmarks.measure import Sample, timed
from mage.cache import BufferLayer
from mage.work import Chunk

WASTE = 1.1  # a batch is padded up to so many times its real tokens
ENOUGH = 128  # real tokens below which a batch of its own costs more than padding does
CACHES = ("in place", "growing")


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of a chunk that run in one forward; the order of rows is free."""

    new: tuple[int, ...]
    cached: tuple[int, ...]

    @property
    def width(self) -> int:
        """Query slots of each row."""
        return max(self.new)

    @property
    def slots(self) -> int:
        """Key slots of each row before the new ones."""
        return max(self.cached)


def batches(chunk: Chunk) -> list[Batch]:
    """Cut a chunk into batches of rows of about equal width; small batches are padded rather than split."""
    rows = sorted(zip(chunk.new, chunk.cached, strict=True), reverse=True)
    found: list[list[tuple[int, int]]] = []
    for row in rows:
        if found:
            batch = [*found[-1], row]
            real = sum(new for new, _ in batch)
            if batch[0][0] * len(batch) <= WASTE * real or sum(new for new, _ in found[-1]) < ENOUGH:
                found[-1] = batch
                continue
        found.append([row])
    return [Batch(tuple(new for new, _ in batch), tuple(cached for _, cached in batch)) for batch in found]


class Replay:
    """The chunks of a rollout, ready to be run through the bare model."""

    def __init__(self, network: PreTrainedModel, chunks: Sequence[Chunk]) -> None:
        """Choose the faster kind of cache on the chunk with the median number of tokens."""
        self._network = network
        self._batches = [batch for chunk in chunks for batch in batches(chunk)]
        self._inputs = [_inputs(batch, network) for batch in self._batches]
        self._buffers = _buffers(network, self._batches)
        self.tokens = sum(sum(batch.new) for batch in self._batches)
        order = sorted(range(len(self._batches)), key=lambda i: sum(self._batches[i].new))
        probe = [order[len(order) // 2]]
        self._run(probe, CACHES[0])  # warms up
        self.cache = min(CACHES, key=lambda kind: self._run(probe, kind).seconds)

    def run(self) -> Sample:
        """Time every forward; the amount is real tokens."""
        samples = [self._run([number], self.cache) for number in range(len(self._batches))]
        return Sample(self.tokens, sum(sample.seconds for sample in samples))

    @torch.inference_mode()
    def _run(self, numbers: Sequence[int], kind: str) -> Sample:
        caches = [_cache(kind, self._buffers, self._batches[number]) for number in numbers]

        def forwards() -> float:
            for number, cache in zip(numbers, caches, strict=True):
                ids, positions, mask = self._inputs[number]
                self._network.base_model(
                    input_ids=ids, position_ids=positions, attention_mask=mask, cache=cache, use_cache=True
                )
            return sum(sum(self._batches[number].new) for number in numbers)

        return timed(self._network.device, forwards)


def _inputs(batch: Batch, network: PreTrainedModel) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return ids, positions and mask; no mask where plain causal attention is right, which is the fastest."""
    rows, width, slots = len(batch.new), batch.width, batch.slots
    device = network.device
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(network.config.vocab_size, (rows, width), generator=generator).to(device)
    cached = torch.tensor(batch.cached, device=device)
    positions = cached[:, None] + torch.arange(width, device=device)
    if slots == 0:
        return ids, positions, None
    key = torch.arange(slots + width, device=device)
    filled = key < cached[:, None, None]
    own = (key >= slots) & (key <= slots + torch.arange(width, device=device)[:, None])
    return ids, positions, (filled | own)[:, None]


def _buffers(network: PreTrainedModel, needed: Sequence[Batch]) -> list[tuple[Tensor, Tensor]]:
    """Return random keys and values for every layer, large enough for every batch."""
    config = network.config
    rows = max(len(batch.new) for batch in needed)
    slots = max(batch.slots + batch.width for batch in needed)
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    shape = (rows, config.num_key_value_heads, slots, size)
    options = {"dtype": network.dtype, "device": network.device}
    return [(torch.randn(shape, **options), torch.randn(shape, **options)) for _ in range(config.num_hidden_layers)]


def _cache(kind: str, buffers: Sequence[tuple[Tensor, Tensor]], batch: Batch) -> Cache:
    rows = len(batch.new)
    if kind == "in place":
        return Cache(layers=[BufferLayer.filled(keys[:rows], values[:rows], batch.slots) for keys, values in buffers])
    layers = []
    for keys, values in buffers:
        layer = DynamicLayer()
        if batch.slots:
            part = (slice(rows), slice(None), slice(batch.slots))
            layer.update(keys[part].contiguous(), values[part].contiguous())
        layers.append(layer)
    return Cache(layers=layers)
