"""What a network must do alike for mage to play it, tried out on a few tokens when it is loaded.

The packed forward, the cached one and the scoring of moves rest on assumptions that most causal language models keep
and some break without an error: recurrent or convolution layers, attention that transformers can't switch, heads with a
bias. Left out: reading files (`mage.models`).
"""

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from mage.attention import CachedLayout, Layout, PackedLayout, RowCache
from mage.packing import Piece, pack

HEAD_TOLERANCE = 1e-2  # relative to the greatest logit
TOLERANCES = {torch.float32: 1e-3, torch.bfloat16: 0.1, torch.float16: 0.05}  # relative to the greatest hidden state
TEXTS = (tuple(range(3, 12)), tuple(range(12, 17)))  # token ids of two contexts of unequal length
CUT = 4  # tokens of each that are read first and stay in the cache


class Network(Protocol):
    """A loaded model, as `mage.models.LanguageModel` is."""

    @property
    def network(self) -> PreTrainedModel:
        """transformers' model."""

    @property
    def layers(self) -> int:
        """The number of attention layers."""

    @property
    def device(self) -> torch.device:
        """Where the weights are."""

    @property
    def dtype(self) -> torch.dtype:
        """Number type of the weights."""

    def hidden(self, ids: Tensor, positions: Tensor) -> Tensor:
        """The last hidden states of a rectangle."""

    def packed_hidden(self, ids: Tensor, positions: Tensor, layout: Layout) -> Tensor:
        """The last hidden states of packed tokens."""


@torch.inference_mode()
def check(model: Network) -> None:
    """Raise ValueError, one clause, for a network whose packed or cached forward or whose head is not as assumed."""
    alone = [model.hidden(*_rectangle(model, text))[0] for text in TEXTS]
    _check_head(model, alone[0])
    try:
        found = {"packed": _packed(model), "cached": _cached(model)}
    except (TypeError, RuntimeError, AttributeError, IndexError) as error:  # each seen with some architecture
        raise ValueError(f"its layers can't read packed tokens: {str(error).splitlines()[0]}") from error
    for way, states in found.items():
        for state, reference in zip(states, alone, strict=True):
            if (state - reference).abs().max() > TOLERANCES[model.dtype] * reference.abs().max():
                raise ValueError(
                    f"its {way} forward gives other numbers than its own; its layers are not plain attention"
                )


def _rectangle(model: Network, text: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    return torch.tensor([text], device=model.device), torch.arange(len(text), device=model.device)[None]


def _packed(model: Network) -> list[Tensor]:
    packed = pack([Piece("", text) for text in TEXTS], model.device, model.dtype)
    states = model.packed_hidden(packed.ids, packed.positions, PackedLayout(packed))
    return [states[start : start + len(text)] for start, text in zip(packed.starts, TEXTS, strict=True)]


def _cached(model: Network) -> list[Tensor]:
    cache = RowCache(model.layers, len(TEXTS), max(map(len, TEXTS)))
    rows = torch.arange(len(TEXTS), device=model.device)
    parts: list[list[Tensor]] = [[] for _ in TEXTS]
    for begin, end in ((0, CUT), (CUT, None)):
        pieces = [Piece("", text[begin:end], begin) for text in TEXTS]
        packed = pack(pieces, model.device, model.dtype)
        lengths = torch.tensor([len(piece.ids) for piece in pieces], device=model.device)
        states = model.packed_hidden(packed.ids, packed.positions, CachedLayout(packed, cache, rows, lengths))
        for part, start, piece in zip(parts, packed.starts, pieces, strict=True):
            part.append(states[start : start + len(piece.ids)])
    return [torch.cat(part) for part in parts]


def _check_head(model: Network, state: Tensor) -> None:
    """Refuse logits that are made otherwise than by one matrix: a bias, a scale, a soft cap."""
    head = model.network.get_output_embeddings()
    plain = functional.linear(state, head.weight).float() if isinstance(head, nn.Linear) else None
    ids, positions = _rectangle(model, TEXTS[0])
    logits = model.network(input_ids=ids, position_ids=positions).logits[0].float()
    if plain is None or (plain - logits).abs().max() > HEAD_TOLERANCE * logits.abs().max():
        raise ValueError("its head is not one matrix without bias, scale or cap, which is what mage scores moves with")
