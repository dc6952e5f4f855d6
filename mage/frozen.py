"""The base's own linear layers, which no gradient reaches, multiplied by torch or, on a CPU, by oneDNN.

oneDNN takes weights that were laid out for its kernels once, which holds them in memory a second time, and a third one
where gradients go back through them. It is the faster of the two on some processors, which `faster` measures; the
results differ by rounding. Left out: number types other than float32, which torch gives to oneDNN itself.
"""

import time
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional

ROWS = 384  # for which weights are laid out; any number may be multiplied
CLEARLY = 1.05  # oneDNN must be this much faster to be worth the memory
SHAPE = (1536, 576)  # (out, in) of what is measured; several of them, since real weights don't stay in a core's cache
LAYERS = 32
REPEATS = 5


class Packed:
    """A weight as oneDNN wants it."""

    def __init__(self, weight: Tensor) -> None:
        """weight: [out, in], of which `can_pack` holds."""
        self._weight = weight.detach()
        self.forward = _laid_out(self._weight)

    @cached_property
    def backward(self) -> Tensor:
        """The transposed weight, laid out when the first gradient goes back."""
        return _laid_out(self._weight.t())


@dataclass(frozen=True, slots=True)
class Frozen:
    """A linear layer of the base."""

    weight: Tensor  # [out, in]
    bias: Tensor | None  # [out]
    packed: Packed | None = None  # where oneDNN multiplies

    def product(self, x: Tensor) -> Tensor:
        """Return x weight^T + bias; x [..., in] -> [..., out]. Where autograd is to see it torch multiplies."""
        if self.packed is None or (x.requires_grad and torch.is_grad_enabled()):
            return functional.linear(x, self.weight, self.bias)
        return _multiplied(x, self.packed.forward, self.bias)

    def back(self, gradient: Tensor, onto: Tensor | None) -> Tensor:
        """Return the gradient of x, `onto` (changed in place) added; gradient: [N, out] of the product -> [N, in]."""
        if self.packed is not None:
            own = _multiplied(gradient.contiguous(), self.packed.backward, None)
            return own if onto is None else onto.add_(own)
        return gradient @ self.weight if onto is None else onto.addmm_(gradient, self.weight)


def can_pack(weight: Tensor) -> bool:
    """Return whether oneDNN can multiply with this weight here."""
    known = hasattr(torch.ops.mkldnn, "_linear_pointwise") and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    fits = weight.device.type == "cpu" and weight.dtype == torch.float32
    return bool(torch.backends.mkldnn.is_available() and known and fits)


def pack(weight: Tensor) -> Packed | None:
    """Return the weight [out, in] laid out for oneDNN, None where that can't be."""
    return Packed(weight) if can_pack(weight) else None


@torch.no_grad()
def _laid_out(weight: Tensor) -> Tensor:
    result: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), ROWS)
    return result


def _multiplied(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    result: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return result


@torch.inference_mode()
def faster() -> str:
    """Return "onednn" where this CPU multiplies clearly faster with it in float32, else "torch"."""
    weights = [torch.full(SHAPE, 0.01) for _ in range(LAYERS)]
    if not can_pack(weights[0]):
        return "torch"
    plain = [Frozen(weight, None) for weight in weights]
    packed = [Frozen(weight, None, pack(weight)) for weight in weights]
    x = torch.ones(ROWS, SHAPE[1])
    seconds = [(_seconds(plain, x), _seconds(packed, x)) for _ in range(REPEATS + 1)][
        1:
    ]  # in turn; the first is slower
    torchs, onednns = (sorted(column)[REPEATS // 2] for column in zip(*seconds, strict=True))
    return "onednn" if torchs > CLEARLY * onednns else "torch"


def _seconds(layers: list[Frozen], x: Tensor) -> float:
    begun = time.perf_counter()
    for layer in layers:
        layer.product(x)
    return time.perf_counter() - begun
