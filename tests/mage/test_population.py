"""Products of many agents at once: all ways of multiplying runs are a loop over the runs, and so are the gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from mage.frozen import Frozen, pack
from mage.population import LONG_RUN, EqualRuns, Factors, LongRuns, Runs, ShortRuns, products, runs_of

CPU = torch.device("cpu")
WAYS: dict[str, Callable[[Sequence[int]], Runs]] = {
    "equal": lambda lengths: EqualRuns(len(lengths)),
    "long": LongRuns,
    "short": lambda lengths: ShortRuns(lengths, CPU),
}
RAGGED = ([3, 0, 5, 1], [0, 0, 6], [6, 0], [1, 2])
EVEN = ([4, 4, 4], [7], [1] * 64)
CASES = [(way, lengths) for way in ("long", "short") for lengths in (*RAGGED, *EVEN)]
CASES += [("equal", lengths) for lengths in EVEN]
DTYPES = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 0.05}  # error over size


def draw(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def close(found: Tensor, expected: Tensor, tolerance: float) -> None:
    assert found.dtype != torch.float64 or tolerance < 1e-6
    torch.testing.assert_close(found.double(), expected.double(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("way", WAYS)
def test_two_runs_by_hand(way):
    """Tokens 1 and 2 belong to a run that multiplies by 10 and 20, tokens 3 and 4 to one with 100 and 200."""
    runs = WAYS[way]([2, 2])
    x = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    weight = torch.tensor([[[10.0], [20.0]], [[100.0], [200.0]]])  # [S, q, p]
    low = runs.project(x, weight)
    assert low.tolist() == [[10, 20], [20, 40], [300, 600], [400, 800]]
    y = torch.full((4, 1), 0.5)
    runs.add(y, low, weight)  # 10 * 10 + 20 * 20, ...
    assert y.tolist() == [[500.5], [1000.5], [150000.5], [200000.5]]
    # 10 * 1 + 20 * 2 and 20 * 1 + 40 * 2; 300 * 3 + 400 * 4 and 600 * 3 + 800 * 4
    assert runs.outer(low, x).tolist() == [[[50], [100]], [[2500], [5000]]]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("way", "lengths"), CASES, ids=str)
def test_every_way_is_a_loop_over_the_runs(way, lengths, dtype):
    runs, count, n = WAYS[way](lengths), len(lengths), sum(lengths)
    x, low = draw(n, 5, dtype=dtype), draw(n, 2, dtype=dtype, seed=1)
    weight = draw(count, 2, 5, dtype=dtype, seed=2)
    y = draw(n, 5, dtype=dtype, seed=3)
    parts = list(zip(x.double().split(lengths), low.double().split(lengths), weight.double(), strict=True))
    close(runs.project(x, weight), torch.cat([own @ w.t() for own, _, w in parts]), DTYPES[dtype])
    added = y.clone()
    runs.add(added, low, weight)
    close(added, y.double() + torch.cat([own @ w for _, own, w in parts]), DTYPES[dtype] * 2)
    outer = runs.outer(low, x)
    close(outer, torch.stack([left.t() @ right for right, left, _ in parts]), DTYPES[dtype] * 2)
    for number, length in enumerate(lengths):
        assert length or not outer[number].any()  # nobody's tokens add nothing, not what padding holds


@pytest.mark.parametrize("way", ["long", "short"])
def test_a_token_that_is_not_a_number_stays_in_its_run(way):
    """The gathered rectangle pads the second run, of one token, with the first token of its own or of all."""
    runs = WAYS[way]([3, 1])
    x = torch.ones(4, 2)
    x[0] = float("nan")
    assert runs.project(x, torch.ones(2, 1, 2))[1:].tolist() == [[2], [2], [2]]
    assert runs.outer(x, torch.ones(4, 1))[1].tolist() == [[1], [1]]


def layers_and_factors(count: int, rank: int = 2) -> tuple[list[Frozen], Tensor, list[Tensor]]:
    """Two layers that read 6 numbers: one with a bias writes 4, one without writes 3."""
    layers = [Frozen(draw(4, 6, seed=5), draw(4, seed=6)), Frozen(draw(3, 6, seed=7), None)]
    a = draw(count, 2 * rank, 6, seed=8).requires_grad_()
    b = [draw(count, rank, out, seed=out).requires_grad_() for out in (4, 3)]
    return layers, a, b


def plain(x: Tensor, lengths: Sequence[int], layers: Sequence[Frozen], a: Tensor, b: Sequence[Tensor]) -> list[Tensor]:
    """The formula run by run, left to torch to differentiate."""
    results = []
    for i, (layer, factor) in enumerate(zip(layers, b, strict=True)):
        part = slice(2 * i, 2 * i + 2)
        products = [own @ w[part].t() @ f for own, w, f in zip(x.split(lengths), a, factor, strict=True)]
        results.append(functional.linear(x, layer.weight, layer.bias) + torch.cat(products))
    return results


PRODUCTS = [("long", [3, 0, 5, 1]), ("short", [3, 0, 5, 1]), ("equal", [2, 2]), ("equal", [5]), ("short", [1, 4])]


@pytest.mark.parametrize(("way", "lengths"), PRODUCTS, ids=str)
def test_outputs_and_gradients_are_those_of_the_plain_formula(way, lengths):
    layers, a, b = layers_and_factors(len(lengths))
    x = draw(sum(lengths), 6, seed=9).requires_grad_()
    runs = WAYS[way](lengths)
    found = products(x, runs, layers, Factors(a, tuple(b)))
    expected = plain(x, lengths, layers, a, b)
    tilts = [draw(*y.shape, seed=10 + i) for i, y in enumerate(expected)]
    gradients = torch.autograd.grad(found, (x, a, *b), tilts)
    wanted = torch.autograd.grad(expected, (x, a, *b), tilts)
    for one, other in zip((*found, *gradients), (*expected, *wanted), strict=True):
        close(one, other, 1e-12)
    assert torch.autograd.gradcheck(lambda x, a, *b: products(x, runs, layers, Factors(a, b)), (x, a, *b))


def test_with_onednn_outputs_and_gradients_are_the_same_to_rounding():
    layers, a, b = layers_and_factors(2)
    plain_layers = [
        Frozen(layer.weight.float(), None if layer.bias is None else layer.bias.float()) for layer in layers
    ]
    packed = [Frozen(layer.weight, layer.bias, pack(layer.weight)) for layer in plain_layers]
    assert all(layer.packed is not None for layer in packed)
    x = draw(5, 6, seed=9).float().requires_grad_()
    factors = Factors(a.float(), tuple(factor.float() for factor in b))
    results = []
    for kind in (plain_layers, packed):
        found = products(x, WAYS["long"]([2, 3]), kind, factors)
        results.append((*found, *torch.autograd.grad(sum(y.square().sum() for y in found), (x, a, *b))))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("way", ["long", "short"])
def test_a_sibling_whose_output_is_not_used_gets_no_gradient(way):
    layers, a, b = layers_and_factors(2)
    first, _ = products(draw(5, 6), WAYS[way]([2, 3]), layers, Factors(a, tuple(b)))
    first.sum().backward()
    assert b[0].grad.abs().min() > 0
    assert a.grad[:, :2].abs().min() > 0
    assert not b[1].grad.any()
    assert not a.grad[:, 2:].any()


def test_the_frozen_weights_take_no_gradient_and_neither_does_an_input_that_needs_none():
    layers, a, b = layers_and_factors(1)
    for layer in layers:
        layer.weight.requires_grad_()
    x = draw(4, 6)
    sum(y.sum() for y in products(x, EqualRuns(1), layers, Factors(a, tuple(b)))).backward()
    assert a.grad is not None
    assert x.grad is None
    assert [layer.weight.grad for layer in layers] == [None, None]


def test_the_same_products_twice_give_the_same_bytes():
    for way in ("long", "short"):
        runs, results = WAYS[way]([40, 0, 90, 7]), []
        for _ in range(2):
            layers, a, b = layers_and_factors(4)
            x = draw(137, 6, seed=9).requires_grad_()
            found = products(x, runs, layers, Factors(a, tuple(b)))
            results.append([*found, *torch.autograd.grad(sum(y.square().sum() for y in found), (x, a, *b))])
        assert all(torch.equal(one, other) for one, other in zip(*results, strict=True))


def test_the_way_is_chosen_by_the_lengths():
    assert LONG_RUN == 64
    table = {
        (5, 5, 5): EqualRuns,
        (200,): EqualRuns,
        (0, 64): LongRuns,  # 64 tokens a run that has any
        (0, 63): ShortRuns,
        (0, 0, 63): LongRuns,  # a rectangle of 3 x 63 would be more padding than tokens
        (1, 2, 3): ShortRuns,
        (64, 63, 65): LongRuns,
    }
    assert {lengths: type(runs_of(lengths, CPU)) for lengths in table} == table


def test_a_nan_of_one_run_stays_in_it():
    x = torch.ones(4, 2)
    x[0] = math.nan
    for runs in (ShortRuns([3, 1], CPU), LongRuns([3, 1])):
        assert runs.outer(torch.ones(4, 1), x)[0].isnan().all()
        assert runs.outer(torch.ones(4, 1), x)[1].tolist() == [[1.0, 1.0]]
