"""A frozen layer's product is the same whoever multiplies."""

from __future__ import annotations

import pytest
import torch

from mage import frozen
from mage.frozen import Frozen, faster, pack

WEIGHT = torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.0, -1.0]])
BIAS = torch.tensor([10.0, 20.0, 30.0])


def layer(bias: torch.Tensor | None = BIAS) -> Frozen:
    packed = pack(WEIGHT)
    assert packed is not None
    assert packed.forward.is_mkldnn  # it is oneDNN that multiplies
    return Frozen(WEIGHT, bias, packed)


def test_a_packed_layer_is_x_times_the_transposed_weight_plus_the_bias():
    x = torch.tensor([[1.0, 1.0], [2.0, 0.0]])
    assert layer().product(x).tolist() == [[13, 27, 29], [12, 26, 30]]
    assert layer(None).product(x[None]).tolist() == [[[3, 7, -1], [2, 6, 0]]]


@pytest.mark.parametrize("rows", [1, 5, 384, 1000])
def test_any_number_of_rows_goes_through_weights_laid_out_for_one(rows):
    generator = torch.Generator().manual_seed(0)
    x, weight = (torch.randn(n, 96, generator=generator) for n in (rows, 80))
    expected = x.double() @ weight.double().t()
    torch.testing.assert_close(Frozen(weight, None, pack(weight)).product(x).double(), expected, rtol=0, atol=1e-4)


def test_where_gradients_are_taken_torch_multiplies():
    x = torch.ones(1, 2, requires_grad=True)
    layer().product(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[4, 5]]  # the columns' sums


def test_a_gradient_goes_back_through_the_transposed_weight_and_is_added_to_what_is_there():
    gradient, before = torch.tensor([[1.0, 0.0, 2.0]]), torch.tensor([[100.0, 200.0]])
    plain = Frozen(WEIGHT, BIAS)
    for one in (layer(), plain):  # row 0 of the weight plus twice row 2
        assert one.back(gradient, None).tolist() == [[1, 0]]
        assert one.back(gradient, before.clone()).tolist() == [[101, 200]]
    strided = torch.tensor([[1.0], [0.0], [2.0]]).t()
    assert layer().back(strided, None).tolist() == [[1, 0]]


def test_other_number_types_and_machines_without_onednn_stay_with_torch(monkeypatch):
    assert pack(WEIGHT.bfloat16()) is None
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert pack(WEIGHT) is None


@pytest.mark.parametrize(("seconds", "found"), [((1.0, 0.9), "onednn"), ((1.0, 0.97), "torch"), ((1.0, 1.2), "torch")])
def test_onednn_is_chosen_where_it_is_clearly_faster(monkeypatch, seconds, found):
    monkeypatch.setattr(frozen, "SHAPE", (4, 2))
    monkeypatch.setattr(frozen, "_seconds", lambda layers, x: seconds[layers[0].packed is not None])
    assert faster() == found


def test_without_onednn_torch_is_chosen_untimed(monkeypatch):
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    monkeypatch.setattr(frozen, "_seconds", lambda layers, x: pytest.fail("timed"))
    assert faster() == "torch"
