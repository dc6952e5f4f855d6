"""A key-value cache for transformers' own, unpacked forward, with which the bare base is measured (`mage.bound`).

transformers' DynamicCache copies the whole cache at every step; this one grows by doubling, so a trial of n tokens
copies O(n) instead of O(n^2). Left out: sliding-window layers, paging.
"""

from typing import Any

import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin


class BufferLayer(CacheLayerMixin):
    """Keys and values of one layer, [rows, heads, capacity, head_dim], of which `length` slots are in use."""

    is_sliding = False

    def __init__(self, capacity: int) -> None:
        """Allocate on first use."""
        super().__init__()
        self._capacity = capacity
        self.length = 0

    @classmethod
    def filled(cls, keys: Tensor, values: Tensor, length: int) -> "BufferLayer":
        """Take buffers [rows, heads, capacity, head_dim] whose first `length` slots are in use."""
        layer = cls(keys.shape[2])
        layer.keys, layer.values, layer.length = keys, values, length
        layer.is_initialized = True
        return layer

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Allocate buffers in the dtype and on the device of the first keys."""
        rows, heads, _, width = key_states.shape
        self.keys = key_states.new_empty(rows, heads, self._capacity, width)
        self.values = value_states.new_empty(rows, heads, self._capacity, value_states.shape[-1])
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Append [rows, heads, new, head_dim]; return views of everything so far."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        assert self.keys is not None and self.values is not None
        stop = self.length + key_states.shape[2]
        if stop > self.keys.shape[2]:
            self._grow(stop)
        self.keys[:, :, self.length : stop] = key_states
        self.values[:, :, self.length : stop] = value_states
        self.length = stop
        return self.keys[:, :, :stop], self.values[:, :, :stop]

    def _grow(self, needed: int) -> None:
        capacity = max(needed, 2 * self._capacity)
        assert self.keys is not None and self.values is not None
        for name in ("keys", "values"):
            old: Tensor = getattr(self, name)
            new = old.new_empty(*old.shape[:2], capacity, old.shape[3])
            new[:, :, : self.length] = old[:, :, : self.length]
            setattr(self, name, new)
        self._capacity = capacity

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Return the length of keys that the next queries see, and the offset of the first."""
        return self.length + query_length, 0

    def get_seq_length(self) -> int:
        """Return the slots in use."""
        return self.length

    def get_max_length(self) -> int:
        """Return -1: no maximum."""
        return -1

    def reset(self) -> None:
        """Empty the cache and keep the buffers."""
        self.length = 0


def buffer_cache(layers: int, capacity: int) -> Cache:
    """Return a cache of `layers` layers, each with room for `capacity` slots before it grows."""
    return Cache(layers=[BufferLayer(capacity) for _ in range(layers)])


def attention_mask(valid: Tensor, new: int) -> Tensor:
    """Return the boolean mask [rows, 1, new, slots] of a chunk of `new` slots at the end of `valid` [rows, slots].

    A query sees the valid slots up to its own. It always sees its own slot, valid or not, so that a padded query has
    something to attend to and yields numbers, not NaN, into slots that nobody reads.
    """
    slots = valid.shape[1]
    index = torch.arange(slots, device=valid.device)
    query = index[slots - new :, None]
    seen = valid[:, None, :] & (index[None, None, :] <= query[None])
    own: Tensor = (index[None, :] == query)[None]
    return (seen | own)[:, None]
