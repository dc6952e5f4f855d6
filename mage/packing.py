"""Puts the tokens of many contexts into one row, without padding, and says which token attends to which.

Linear layers, norms and embeddings see [1, N] tokens and waste nothing on ragged contexts; attention alone sees a
rectangle. A piece is a run of tokens that is computed once: a whole context, or the opening that several contexts of
one agent share, or what follows it. Index arithmetic only. Left out: attention itself (`mage.attention`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

TOKEN_UNIT = 8  # N is padded to a multiple: matrix kernels round differently at 1 and 3 rows than at 8
SHARED_AT_LEAST = 8  # tokens of an opening below which computing it once does not pay

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Piece:
    """`ids` at positions `start`, `start` + 1, ..., after the tokens of piece number `after` if that is not None."""

    agent: str
    ids: tuple[int, ...]
    start: int = 0
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """One rectangle of attention: R rows of W queries that see L keys.

    A key at index j stands at position j of its context, so a query at position p sees the keys 0..p.
    """

    queries: Tensor | None  # [R, W] packed token of each query, any where padded; None: the tokens in order, no padding
    shape: tuple[int, int]  # R, W
    keys: Tensor | None  # [R, L] packed token of each key; None: the queries' own
    mask: Tensor | None  # [R, 1, W, L] 0 where a query sees a key, -inf elsewhere; None: causal, W = L


@dataclass(frozen=True, slots=True)
class Packed:
    """Pieces in one row."""

    ids: Tensor  # [N], padded to TOKEN_UNIT
    positions: Tensor  # [N]
    agents: tuple[str, ...]  # of each piece
    lengths: tuple[int, ...]  # of each piece; the last one's includes the padding
    starts: tuple[int, ...]  # packed token with which each piece begins
    windows: tuple[Window, ...]
    place: Tensor  # [N] where each packed token stands among the windows' queries laid end to end


@dataclass(frozen=True, slots=True)
class Contexts:
    """Whole contexts as pieces: context i ends with piece `last[i]`; `split[i]` of its tokens are in shared ones."""

    pieces: tuple[Piece, ...]
    last: tuple[int, ...]
    split: tuple[int, ...]

    def locate(self, packed: Packed, context: int, position: int) -> int:
        """Return the packed token that stands at a position of a context."""
        own = self.last[context]
        if position >= self.split[context]:
            return packed.starts[own] + position - self.split[context]
        opening = self.pieces[own].after
        assert opening is not None
        return packed.starts[opening] + position


def share_openings(agents: Sequence[str], ids: Sequence[tuple[int, ...]], openings: Sequence[int]) -> Contexts:
    """Cut contexts into pieces so that equal openings of one agent are computed once.

    openings: how many tokens of each context come before anything that is the context's own; each context has more.
    Pieces of equal agents stay adjacent if the contexts' are.
    """
    keys = [(agent, text[:opening]) for agent, text, opening in zip(agents, ids, openings, strict=True)]
    counts: dict[tuple[str, tuple[int, ...]], int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    pieces: list[Piece] = []
    number: dict[tuple[str, tuple[int, ...]], int] = {}
    last, split = [], []
    for key, text in zip(keys, ids, strict=True):
        agent, opening = key
        if counts[key] < 2 or len(opening) < SHARED_AT_LEAST or len(opening) == len(text):
            pieces.append(Piece(agent, text))
            split.append(0)
        else:
            if key not in number:
                number[key] = len(pieces)
                pieces.append(Piece(agent, opening))
            pieces.append(Piece(agent, text[len(opening) :], len(opening), number[key]))
            split.append(len(opening))
        last.append(len(pieces) - 1)
    return Contexts(tuple(pieces), tuple(last), tuple(split))


def pack(pieces: Sequence[Piece], device: torch.device, dtype: torch.dtype) -> Packed:
    """Lay the pieces end to end; dtype: of the masks, the model's."""
    lengths = np.array([len(piece.ids) for piece in pieces])
    starts = np.cumsum(lengths) - lengths
    total = int(lengths.sum())
    padding = -total % TOKEN_UNIT
    ids = np.zeros(total + padding, dtype=np.int64)
    ids[:total] = np.fromiter(chain.from_iterable(piece.ids for piece in pieces), np.int64, total)
    positions = np.zeros(total + padding, dtype=np.int64)
    first = np.array([piece.start for piece in pieces])
    positions[:total] = np.arange(total) - np.repeat(starts - first, lengths)
    whole = [i for i, piece in enumerate(pieces) if piece.after is None]
    following = [i for i, piece in enumerate(pieces) if piece.after is not None]
    place = np.zeros(total + padding, dtype=np.int64)
    windows, offset = [], 0
    for members in (whole, following):
        if members:
            windows.append(_window(pieces, members, lengths, starts, device, dtype))
            rows, width = windows[-1].shape
            grid, valid = spans(starts[members], lengths[members])
            place[grid[valid]] = offset + np.flatnonzero(valid)
            offset += rows * width
    place[total:] = place[total - 1]
    padded = lengths.copy()
    padded[-1] += padding
    return Packed(
        torch.from_numpy(ids).to(device),
        torch.from_numpy(positions).to(device),
        tuple(piece.agent for piece in pieces),
        tuple(padded.tolist()),
        tuple(starts.tolist()),
        tuple(windows),
        torch.from_numpy(place).to(device),
    )


def _window(
    pieces: Sequence[Piece],
    members: Sequence[int],
    lengths: Integers,
    starts: Integers,
    device: torch.device,
    dtype: torch.dtype,
) -> Window:
    """Return the rectangle of the pieces that are whole contexts, or of those that follow an opening."""
    queries, valid = spans(starts[members], lengths[members])
    shape = queries.shape
    index = None if valid.all() and len(members) == len(pieces) else torch.from_numpy(queries).to(device)
    before = [after for after in (pieces[i].after for i in members) if after is not None]
    if not before:
        return Window(index, shape, None, None)
    opening, _ = spans(starts[before], lengths[before])  # padded ones are overwritten or lie beyond every query
    first = lengths[before]  # positions of the queries' first tokens
    # What nobody sees is filled with the row's own: a NaN of another agent must not come in, even times 0.
    keys = np.repeat(queries[:, :1], shape[1] + opening.shape[1], axis=1)
    rows = np.arange(shape[0])[:, None]
    keys[:, : opening.shape[1]] = opening
    columns = first[:, None] + np.arange(shape[1])
    keys[rows, columns] = queries
    position = torch.from_numpy(columns).to(device)
    return Window(index, shape, torch.from_numpy(keys).to(device), causal_mask(position, keys.shape[1], dtype))


def spans(starts: Integers, lengths: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """Return the tokens [R, W] of R runs, padded with their first one, and which of them are not padding."""
    offsets = np.arange(int(lengths.max()))
    valid = offsets < lengths[:, None]
    return starts[:, None] + np.where(valid, offsets, 0), valid


def causal_mask(positions: Tensor, keys: int, dtype: torch.dtype) -> Tensor:
    """Return [R, 1, W, keys]: 0 where a query at `positions` [R, W] sees the key of that index, -inf elsewhere."""
    hidden = torch.arange(keys, device=positions.device) > positions[:, None, :, None]
    return torch.zeros(hidden.shape, dtype=dtype, device=positions.device).masked_fill_(hidden, float("-inf"))
