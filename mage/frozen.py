"""The base's own linear layers, which no gradient reaches, multiplied by torch or, on a CPU, by oneDNN.

oneDNN takes weights that were laid out for its kernels once, which holds them in memory a second time. It is the
faster of the two on some processors, which `faster` measures; the results differ by rounding. Left out: the backward,
which is torch's; number types other than float32, which torch gives to oneDNN itself.
"""

import time
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

ROWS = 384  # for which weights are laid out; any number may be multiplied
CLEARLY = 1.05  # oneDNN must be this much faster to be worth the memory
SHAPE = (1536, 576)  # (out, in) of what is measured; several of them, since real weights don't stay in a core's cache
LAYERS = 32
REPEATS = 5


@dataclass(frozen=True, slots=True)
class Frozen:
    """A linear layer of the base."""

    weight: Tensor  # [out, in]
    bias: Tensor | None  # [out]
    packed: Tensor | None = None  # the weight as oneDNN wants it, where it multiplies

    def product(self, x: Tensor) -> Tensor:
        """Return x weight^T + bias; x [..., in] -> [..., out]. Where x takes gradients torch multiplies."""
        if self.packed is None or (x.requires_grad and torch.is_grad_enabled()):
            return functional.linear(x, self.weight, self.bias)
        result: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")
        return result


def can_pack(weight: Tensor) -> bool:
    """Return whether oneDNN can multiply with this weight here."""
    known = hasattr(torch.ops.mkldnn, "_linear_pointwise") and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    return bool(
        torch.backends.mkldnn.is_available() and known and weight.device.type == "cpu" and weight.dtype == torch.float32
    )


@torch.no_grad()
def pack(weight: Tensor) -> Tensor | None:
    """Return the weight [out, in] laid out for oneDNN, None where that can't be."""
    return torch.ops.mkldnn._reorder_linear_weight(weight.detach(), ROWS) if can_pack(weight) else None


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
