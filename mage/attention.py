"""Attention over packed tokens, with or without a key-value cache, for any model that transformers can switch.

transformers calls the function registered here from inside each attention layer; a `Layout` that travels with the
forward says which token attends to which. Without one it is transformers' own. Grouped key heads are not copied.
Left out: sliding windows shorter than the context, soft-capping, sinks: refused, not ignored.
"""

from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

from games.errors import RequestError
from mage.packing import Packed, Window, causal_mask

NAME = "mage_packed"
SHORT = 16  # new tokens a row up to which plain products beat the fused kernel on a CPU
REFUSED = ("softcap", "s_aux", "position_bias")  # arguments that change the formula


class Layout(Protocol):
    """Says how the packed tokens of one forward attend."""

    @property
    def longest(self) -> int:
        """Return the most keys that a query sees."""
        ...

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float | None) -> Tensor:
        """Return [N, heads, head_dim] of query [N, heads, head_dim], key and value [N, key heads, head_dim]."""
        ...


def packed_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    mage_layout: Layout | None = None,
    **options: Any,
) -> tuple[Tensor, None]:
    """Attend as the layout says; query [1, heads, N, head_dim] -> [1, N, heads, head_dim]."""
    odd = [name for name in REFUSED if options.get(name) is not None]
    window = options.get("sliding_window")
    if mage_layout is not None and window is not None and window < mage_layout.longest:
        odd.append(f"sliding_window={window}")
    if odd:
        raise RequestError(f"this model's attention uses {', '.join(odd)}, which mage does not compute; use another")
    if mage_layout is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, **options)
    layer = int(module.layer_idx)  # type: ignore[arg-type]  # transformers numbers its attention layers
    q, k, v = (tensor[0].transpose(0, 1) for tensor in (query, key, value))
    return mage_layout.attend(layer, q, k, v, options.get("scaling"))[None], None


AttentionInterface.register(NAME, packed_attention)
AttentionMaskInterface.register(NAME, sdpa_mask)


class PackedLayout:
    """Whole contexts without a cache: training, and everything that needs gradients."""

    def __init__(self, packed: Packed) -> None:
        """Keep the windows."""
        self._windows, self._place = packed.windows, packed.place
        self.longest = int(packed.positions.max()) + 1

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float | None) -> Tensor:
        """Attend window by window and put the results back in the packed order."""
        parts = [_attend(window, query, key, value, scale) for window in self._windows]
        return _in_order(parts[0] if len(parts) == 1 else torch.cat(parts), self._windows[0], self._place)


def _attend(window: Window, query: Tensor, key: Tensor, value: Tensor, scale: float | None) -> Tensor:
    """Return [R * W, heads, head_dim] of one window."""
    rows, width = window.shape
    q = _rectangle(query, window.queries, rows, width)
    if window.keys is None:
        k, v = (_rectangle(tensor, window.queries, rows, width) for tensor in (key, value))
    else:
        k, v = (_rectangle(tensor, window.keys, rows, window.keys.shape[1]) for tensor in (key, value))
    return _attention(q, k, v, window.mask, scale).flatten(0, 1)


def _rectangle(tokens: Tensor, index: Tensor | None, rows: int, width: int) -> Tensor:
    """Return [rows, width, heads, head_dim] of packed tokens [N, heads, head_dim]."""
    chosen = tokens[: rows * width] if index is None else tokens.index_select(0, index.flatten())
    return chosen.unflatten(0, (rows, width))


def _in_order(out: Tensor, window: Window, place: Tensor) -> Tensor:
    """Put the windows' queries [M, heads, head_dim], laid end to end, into the packed order [N]; window: the first."""
    return out if window.queries is None and len(out) == len(place) else out.index_select(0, place)


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float | None) -> Tensor:
    """Return [R, W, heads, head_dim]; without a mask causal with W = L."""
    q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    grouped = q.shape[1] != k.shape[1]
    out = functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=mask is None, scale=scale, enable_gqa=grouped
    )
    return out.transpose(1, 2)


def _short_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, scale: float | None) -> Tensor:
    """Return [R, W, heads, head_dim] for few queries; q [R, W, heads, head_dim], k and v [R, key heads, L, head_dim].

    Two batched products over views of the cache; torch's fused kernel takes two to three times as long for them.
    """
    rows, width, heads, size = q.shape
    grouped = heads // k.shape[1]
    q = (q * (size**-0.5 if scale is None else scale)).unflatten(2, (-1, grouped)).permute(0, 2, 3, 1, 4)
    scores = q.reshape(rows, -1, grouped * width, size) @ k.transpose(2, 3)
    scores = scores.unflatten(2, (grouped, width)).float() + mask[:, :, None]
    out = scores.softmax(-1).to(v.dtype).flatten(2, 3) @ v
    return out.unflatten(2, (grouped, width)).permute(0, 3, 1, 2, 4).reshape(rows, width, heads, v.shape[-1])


class RowCache:
    """Keys and values of every layer, [rows, key heads, capacity, head_dim], written in place; grows by doubling."""

    def __init__(self, layers: int, rows: int, capacity: int) -> None:
        """Allocate on first use."""
        self.rows = rows
        self._capacity = capacity
        self._keys: list[Tensor | None] = [None] * layers
        self._values: list[Tensor | None] = [None] * layers

    def extend(self, layer: int, rows: Tensor, positions: Tensor, key: Tensor, value: Tensor, length: int) -> None:
        """Write tokens [N, key heads, head_dim] to (row, position) [N]; length: the slots needed in all."""
        for buffers, new in ((self._keys, key), (self._values, value)):
            buffer = buffers[layer]
            if buffer is None or buffer.shape[2] < length:
                buffer = buffers[layer] = self._grown(buffer, new, length)
            buffer.transpose(1, 2)[rows, positions] = new

    def clear(self) -> None:
        """Forget what is in the buffers and keep them: a NaN left beyond a row's end would reach it, even times 0."""
        for buffer in (*self._keys, *self._values):
            if buffer is not None:
                buffer.zero_()

    def read(self, layer: int, rows: Tensor | None, length: int) -> tuple[Tensor, Tensor]:
        """Return keys and values [R, key heads, length, head_dim] of some rows, of all where rows is None."""
        key, value = self._keys[layer], self._values[layer]
        assert key is not None and value is not None
        if rows is None:
            return key[:, :, :length], value[:, :, :length]
        return key[:, :, :length].index_select(0, rows), value[:, :, :length].index_select(0, rows)

    def copy(self, source: int, targets: Tensor, length: int) -> None:
        """Copy the first `length` slots of a row to other rows [M]."""
        for buffer in (*self._keys, *self._values):
            assert buffer is not None
            buffer[targets, :, :length] = buffer[source, :, :length].clone()

    def _grown(self, old: Tensor | None, new: Tensor, length: int) -> Tensor:
        capacity = max(self._capacity, length, 0 if old is None else 2 * old.shape[2])
        _, heads, size = new.shape
        buffer = new.new_zeros(self.rows, heads, capacity, size)
        if old is not None:
            buffer[:, :, : old.shape[2]] = old
        return buffer


class CachedLayout:
    """New tokens of some rows of a cache: sampling."""

    def __init__(self, packed: Packed, cache: RowCache, rows: Tensor, lengths: Tensor) -> None:
        """packed: each row's new tokens as a piece of its own; rows, lengths: [R] which rows, their new tokens."""
        (window,) = packed.windows
        self._window, self._place, self._cache = window, packed.place, cache
        self._rows = None if len(rows) == cache.rows else rows
        self._tokens = int(lengths.sum())
        self._token_rows = torch.repeat_interleave(rows, lengths)
        self._positions = packed.positions[: self._tokens]
        self.longest = int(self._positions.max()) + 1
        count, width = window.shape
        positions = _rectangle(packed.positions, window.queries, count, width)
        self._mask = causal_mask(positions, self.longest, torch.float32)

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scale: float | None) -> Tensor:
        """Write the new keys and values, then attend to everything the rows hold."""
        n = self._tokens
        self._cache.extend(layer, self._token_rows, self._positions, key[:n], value[:n], self.longest)
        k, v = self._cache.read(layer, self._rows, self.longest)
        q = _rectangle(query, self._window.queries, *self._window.shape)
        if q.device.type == "cpu" and q.shape[1] <= SHORT:
            out = _short_attention(q, k, v, self._mask, scale).flatten(0, 1)
        else:
            out = _attention(q, k.transpose(1, 2), v.transpose(1, 2), self._mask.to(q.dtype), scale).flatten(0, 1)
        return _in_order(out, self._window, self._place)
