"""Low-rank products of many agents at once (Hu et al. 2021, arXiv 2106.09685; delta W = alpha/r B A).

The tokens of a batch lie in runs, one run per agent. All runs' thin products are made together, forward and backward,
and layers that read the same input (query, key and value; gate and up) share the first of the two. Weights are float32
masters; products are made in the base's dtype. Left out: whose weights these are (`mage.adapters`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from mage.frozen import Frozen

LONG_RUN = 64  # tokens per run from which a product per run costs less than gathering the runs into one rectangle
MOST_PADDING = 2  # how much larger than the tokens the rectangle may be


class Runs(Protocol):
    """Tokens [N] in S runs, each with a matrix of its own."""

    def project(self, x: Tensor, weight: Tensor) -> Tensor:
        """Return x weight[s]^T of each run s; x [N, p], weight [S, q, p] -> [N, q]."""
        ...

    def add(self, y: Tensor, x: Tensor, weight: Tensor) -> None:
        """Add x weight[s] to y in place; x [N, q], weight [S, q, p], y [N, p]."""
        ...

    def outer(self, left: Tensor, right: Tensor) -> Tensor:
        """Return left^T right summed over each run's tokens; left [N, q], right [N, p] -> [S, q, p]."""
        ...


class EqualRuns:
    """Runs of equal length: plain batched products on views."""

    def __init__(self, count: int) -> None:
        """count: S."""
        self._count = count

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(0, (self._count, -1))

    def project(self, x: Tensor, weight: Tensor) -> Tensor:
        """See `Runs`."""
        return torch.bmm(self._split(x), weight.transpose(1, 2)).flatten(0, 1)

    def add(self, y: Tensor, x: Tensor, weight: Tensor) -> None:
        """See `Runs`."""
        self._split(y).baddbmm_(self._split(x), weight)

    def outer(self, left: Tensor, right: Tensor) -> Tensor:
        """See `Runs`."""
        return torch.bmm(self._split(left).transpose(1, 2), self._split(right))


class LongRuns:
    """Few long runs of any length: one product for each run, on slices."""

    def __init__(self, lengths: Sequence[int]) -> None:
        """lengths: of each run, 0 allowed."""
        self._count = len(lengths)
        stops = np.cumsum(lengths).tolist()
        self._slices = [
            (number, slice(stop - length, stop))
            for number, (stop, length) in enumerate(zip(stops, lengths, strict=True))
            if length
        ]

    def project(self, x: Tensor, weight: Tensor) -> Tensor:
        """See `Runs`."""
        result = x.new_empty(len(x), weight.shape[1])
        for number, run in self._slices:
            torch.mm(x[run], weight[number].t(), out=result[run])
        return result

    def add(self, y: Tensor, x: Tensor, weight: Tensor) -> None:
        """See `Runs`."""
        for number, run in self._slices:
            y[run].addmm_(x[run], weight[number])

    def outer(self, left: Tensor, right: Tensor) -> Tensor:
        """See `Runs`."""
        result = left.new_zeros(self._count, left.shape[1], right.shape[1])
        for number, run in self._slices:
            torch.mm(left[run].t(), right[run], out=result[number])
        return result


class ShortRuns:
    """Many short runs: their tokens are gathered into a rectangle, padded, and multiplied at once."""

    def __init__(self, lengths: Sequence[int], device: torch.device) -> None:
        """lengths: of each run, 0 allowed."""
        self._count, self._width = len(lengths), max(lengths)
        counts = np.array(lengths)
        offsets = np.arange(self._width)
        valid = offsets < counts[:, None]
        starts = np.cumsum(counts) - counts
        tokens = np.where(valid, starts[:, None] + offsets, 0)
        self._tokens = torch.from_numpy(tokens.reshape(-1)).to(device)
        self._place = torch.from_numpy(np.flatnonzero(valid)).to(device)
        self._padding = torch.from_numpy(~valid.reshape(-1, 1)).to(device)

    def _gather(self, x: Tensor) -> Tensor:
        return x.index_select(0, self._tokens).unflatten(0, (self._count, self._width))

    def project(self, x: Tensor, weight: Tensor) -> Tensor:
        """See `Runs`."""
        return torch.bmm(self._gather(x), weight.transpose(1, 2)).flatten(0, 1).index_select(0, self._place)

    def add(self, y: Tensor, x: Tensor, weight: Tensor) -> None:
        """See `Runs`."""
        y += torch.bmm(self._gather(x), weight).flatten(0, 1).index_select(0, self._place)

    def outer(self, left: Tensor, right: Tensor) -> Tensor:
        """See `Runs`."""
        padding = self._padding.view(self._count, self._width, 1)  # of both: 0 times another agent's NaN is NaN
        clean = (self._gather(x).masked_fill(padding, 0.0) for x in (left, right))
        return torch.bmm(next(clean).transpose(1, 2), next(clean))


def runs_of(lengths: Sequence[int], device: torch.device) -> Runs:
    """Return the way to multiply runs of these lengths that costs least."""
    if len(set(lengths)) == 1:
        return EqualRuns(len(lengths))
    total, padded = sum(lengths), len(lengths) * max(lengths)
    if total >= LONG_RUN * sum(length > 0 for length in lengths) or padded > MOST_PADDING * total:
        return LongRuns(lengths)
    return ShortRuns(lengths, device)


@dataclass(frozen=True, slots=True)
class Factors:
    """The low-rank factors of one group of layers for S runs, in the base's dtype; alpha/r is in `a`."""

    a: Tensor  # [S, members * rank, in]
    b: tuple[Tensor, ...]  # per member [S, rank, out]


class _Products(torch.autograd.Function):
    """Frozen linear layers of one input plus their low-rank products; the frozen weights take no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, runs: Runs, layers: Sequence[Frozen], a: Tensor, *b: Tensor) -> Any:
        """Return each layer's [N, out] for x [N, in]; a and b as in `Factors`."""
        low, outputs = _multiply(x, runs, layers, a, b)
        ctx.save_for_backward(x, low, a, *b)
        ctx.runs, ctx.layers = runs, layers
        return outputs

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        """Return the gradients of x, a and b, given those of the outputs."""
        x, low, a, *b = ctx.saved_tensors
        runs: Runs = ctx.runs
        rank = b[0].shape[1]
        low_gradient = torch.empty_like(low)
        b_gradients = []
        for i, (gradient, factor) in enumerate(zip(gradients, b, strict=True)):
            part = slice(i * rank, (i + 1) * rank)
            low_gradient[:, part] = runs.project(gradient, factor)
            b_gradients.append(runs.outer(low[:, part], gradient))
        a_gradient = runs.outer(low_gradient, x)
        x_gradient: Tensor | None = None
        if ctx.needs_input_grad[0]:
            for gradient, layer in zip(gradients, ctx.layers, strict=True):
                x_gradient = layer.back(gradient, onto=x_gradient)
            assert x_gradient is not None  # a group has members
            runs.add(x_gradient, low_gradient, a)
        return x_gradient, None, None, a_gradient, *b_gradients


def _multiply(
    x: Tensor, runs: Runs, layers: Sequence[Frozen], a: Tensor, b: Sequence[Tensor]
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return x a^T [N, members * rank], and each layer's output [N, out]."""
    rank = b[0].shape[1]
    low = runs.project(x, a)
    outputs = tuple(layer.product(x) for layer in layers)
    for i, (y, factor) in enumerate(zip(outputs, b, strict=True)):
        runs.add(y, low[:, i * rank : (i + 1) * rank], factor)
    return low, outputs


def products(x: Tensor, runs: Runs, layers: Sequence[Frozen], factors: Factors) -> tuple[Tensor, ...]:
    """Return layer(x) + (x a^T) b of each layer; x: [N, in] -> [N, out] each."""
    if not torch.is_grad_enabled():
        return _multiply(x, runs, layers, factors.a, factors.b)[1]
    result: tuple[Tensor, ...] = _Products.apply(x, runs, layers, factors.a, *factors.b)
    return result
