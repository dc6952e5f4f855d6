"""What a network must do alike for mage to play it, tried out on a few tokens when it is loaded.

The packed forward, the cached one and the scoring of moves rest on assumptions that most causal language models keep
and some break without an error: recurrent or convolution layers, attention that transformers can't switch, heads with a
bias. Left out: reading files (`mage.models`).
"""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from games.errors import RequestError
from mage.attention import CachedLayout, Layout, PackedLayout, RowCache
from mage.packing import Piece, pack

HEAD_TOLERANCE = 1e-2  # relative to the greatest logit
LOUD = 300.0  # a logit that any cap up to 1,700 changes beyond the tolerance; Gemma 2's is 30
# By number type: how far a hidden state may be off, relative to its size, and the share of a context's states that must
# keep to it. Rounded to 8 bits, single states of a sound model are off by more than their size.
TOLERANCES = {torch.float32: (1e-3, 1.0), torch.bfloat16: (0.1, 0.5), torch.float16: (0.05, 0.5)}
LENGTHS = (9, 5)  # tokens of two contexts
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
    texts = _texts(model)
    try:
        alone = [model.hidden(*_rectangle(model, text))[0] for text in texts]
        found = {"packed": _packed(model, texts), "cached": _cached(model, texts)}
    except RequestError:  # says it already
        raise
    except (TypeError, RuntimeError, AttributeError, IndexError, ValueError) as error:  # each seen with some family
        raise ValueError(f"its layers can't read packed tokens: {str(error).splitlines()[0]}") from error
    _check_head(model, texts[0], alone[0])
    for way, states in found.items():
        for state, reference in zip(states, alone, strict=True):
            if not _error(state, reference) <= TOLERANCES[model.dtype][0]:  # NaN is refused as well
                raise ValueError(
                    f"its {way} forward gives other numbers than its own; its layers are not plain attention"
                )


def _texts(model: Network) -> list[tuple[int, ...]]:
    """Token ids from all over the vocabulary: control tokens, which stand at its ends, are ill-conditioned alone."""
    ids = torch.linspace(3, model.network.get_input_embeddings().weight.shape[0] - 3, sum(LENGTHS)).long()
    return [tuple(part.tolist()) for part in ids.split(LENGTHS)]


def _error(states: Tensor, references: Tensor) -> float:
    """Return the greatest relative error among the states that have to keep to the tolerance; both [T, width]."""
    apart = (states - references).float().norm(dim=1) / references.float().norm(dim=1)
    return float(apart.quantile(TOLERANCES[states.dtype][1], interpolation="higher"))


def _rectangle(model: Network, text: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    return torch.tensor([text], device=model.device), torch.arange(len(text), device=model.device)[None]


def _packed(model: Network, texts: Sequence[tuple[int, ...]]) -> list[Tensor]:
    packed = pack([Piece("", text) for text in texts], model.device, model.dtype)
    states = model.packed_hidden(packed.ids, packed.positions, PackedLayout(packed))
    return [states[start : start + len(text)] for start, text in zip(packed.starts, texts, strict=True)]


def _cached(model: Network, texts: Sequence[tuple[int, ...]]) -> list[Tensor]:
    cache = RowCache(model.layers, len(texts), max(map(len, texts)))
    rows = torch.arange(len(texts), device=model.device)
    parts: list[list[Tensor]] = [[] for _ in texts]
    for begin, end in ((0, CUT), (CUT, None)):
        pieces = [Piece("", text[begin:end], begin) for text in texts]
        packed = pack(pieces, model.device, model.dtype)
        lengths = torch.tensor([len(piece.ids) for piece in pieces], device=model.device)
        states = model.packed_hidden(packed.ids, packed.positions, CachedLayout(packed, cache, rows, lengths))
        for part, start, piece in zip(parts, packed.starts, pieces, strict=True):
            part.append(states[start : start + len(piece.ids)])
    return [torch.cat(part) for part in parts]


def _check_head(model: Network, text: tuple[int, ...], state: Tensor) -> None:
    """Refuse logits that are made otherwise than by one matrix: a bias, a scale, a soft cap.

    They are compared as they are and once more made loud, since a cap bends small ones by less than rounding does.
    """
    head = model.network.get_output_embeddings()
    if isinstance(head, nn.Linear) and getattr(head, "bias", None) is None:
        plain = functional.linear(state, head.weight).float()
        loud = float(LOUD / plain.abs().max())
        if all(_head_error(model, head, text, state, factor) <= HEAD_TOLERANCE for factor in (1.0, loud)):
            return
    raise ValueError("its head is not one matrix without bias, scale or cap, which is what mage scores moves with")


def _head_error(model: Network, head: nn.Linear, text: tuple[int, ...], state: Tensor, factor: float) -> float:
    """Return how far the logits of `factor` times the state [T, width] are off, relative to the greatest of them."""
    ids, positions = _rectangle(model, text)
    handle = head.register_forward_pre_hook(lambda _, arguments: (arguments[0] * factor,))
    try:
        logits = model.network(input_ids=ids, position_ids=positions).logits[0].float()
    finally:
        handle.remove()
    plain = functional.linear(state * factor, head.weight).float()
    return float((plain - logits).abs().max() / logits.abs().max())
