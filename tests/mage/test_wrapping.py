"""Wrapped layers: siblings are computed together, each for the tensor that it was given, and nothing stays behind."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from transformers import AutoConfig, AutoModelForCausalLM

import mage.wrapping
from games.errors import RequestError
from mage.adapter_files import LoraSettings
from mage.adapters import BASE, AdapterBank
from mage.wrapping import PopulationLinear

IDS = torch.tensor([[0, 5, 9, 40, 7], [0, 11, 3, 8, 2]])
WIDTH = 32


def layer(bank: AdapterBank, kind: str, number: int = 0) -> PopulationLinear:
    block = bank.model.model.layers[number]
    return getattr(block.mlp if hasattr(block.mlp, kind) else block.self_attn, kind)


def direct(bank: AdapterBank, agent: str, wrapped: PopulationLinear, x: Tensor) -> Tensor:
    """W x + bias + alpha/r B A x, with alpha / r = 2."""
    adapter = bank.adapters[agent]
    i = adapter.index[wrapped.name]
    plain = functional.linear(x, wrapped.base.weight, wrapped.base.bias)
    return plain + 2 * functional.linear(functional.linear(x, adapter.a[i]), adapter.b[i])


def x(seed: int) -> Tensor:
    return torch.randn(1, 4, WIDTH, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def counted(monkeypatch) -> list[int]:
    """How many layers each call of the batched products computed."""
    sizes: list[int] = []
    products = mage.wrapping.products

    def count(x, runs, layers, factors):
        sizes.append(len(layers))
        return products(x, runs, layers, factors)

    monkeypatch.setattr(mage.wrapping, "products", count)
    return sizes


def held(bank: AdapterBank) -> list[object]:
    return [thing for group in bank._groups for thing in (group._input, *group._outputs.values()) if thing is not None]


@torch.no_grad()
def test_a_forward_computes_siblings_once(bank, counted):
    """Query, key and value; the attention's output; gate and up; down: four products in each of two layers."""
    with bank.routed(["ann", "bob"]):
        bank.model(input_ids=IDS)
        assert held(bank) == []  # every output was handed on
    assert counted == [3, 1, 2, 1] * 2


@torch.no_grad()
def test_each_sibling_is_its_own_layer(bank, counted):
    given = x(0)
    with bank.routed(["ann"]):
        found = {kind: layer(bank, kind)(given) for kind in ("v_proj", "q_proj", "k_proj")}  # in any order
    assert counted == [3]
    for kind, output in found.items():
        torch.testing.assert_close(output, direct(bank, "ann", layer(bank, kind), given), rtol=0, atol=1e-5)


@torch.no_grad()
def test_a_sibling_that_is_given_another_tensor_is_computed_for_that_one(bank, counted):
    one, other = x(0), x(1)
    calls = [("q_proj", one), ("k_proj", other), ("v_proj", one), ("v_proj", other), ("v_proj", other.clone())]
    with bank.routed(["ann"]):
        for kind, given in calls:
            expected = direct(bank, "ann", layer(bank, kind), given)
            torch.testing.assert_close(layer(bank, kind)(given), expected, rtol=0, atol=1e-5)
    assert sum(counted) == 3 * len(counted)


@torch.no_grad()
def test_a_layer_called_twice_with_one_tensor_gives_the_same_twice(bank):
    given = x(0)
    with bank.routed(["ann"]):
        first, second = layer(bank, "q_proj")(given), layer(bank, "q_proj")(given)
    assert torch.equal(first, second)


@torch.no_grad()
def test_nothing_stays_behind_after_a_forward_nor_after_one_that_fails(bank):
    with bank.routed(["ann"]):
        layer(bank, "q_proj")(x(0))
        assert len(held(bank)) == 3  # the input, key and value
    assert held(bank) == []
    with pytest.raises(ZeroDivisionError), bank.routed(["ann"]):
        layer(bank, "q_proj")(x(0))
        raise ZeroDivisionError
    assert held(bank) == []
    assert bank.route == ()


@torch.no_grad()
def test_another_agents_forward_over_the_same_tensor_is_computed_anew(bank):
    """Key and value of ann are waiting when her forward ends; bob must not be given them."""
    given = x(0)
    with bank.routed(["ann"]):
        layer(bank, "q_proj")(given)
    with bank.routed(["bob"]):
        found = layer(bank, "k_proj")(given)
    torch.testing.assert_close(found, direct(bank, "bob", layer(bank, "k_proj"), given), rtol=0, atol=1e-5)


@torch.no_grad()
def test_targets_may_be_some_of_the_siblings(model, counted):
    bank = AdapterBank(model.network, LoraSettings(rank=4, alpha=8.0, targets=("q_proj", "v_proj")), "tiny")
    bank.add("ann", trainable=True)
    wrapped = [name for name, module in model.network.named_modules() if isinstance(module, PopulationLinear)]
    assert [name.rsplit(".", 1)[-1] for name in wrapped] == ["q_proj", "v_proj"] * 2
    for b in bank.adapters["ann"].b:
        b.copy_(0.1 * torch.randn(b.shape, generator=torch.Generator().manual_seed(0)))
    given = x(0)
    with bank.routed(["ann"]):
        bank.model(input_ids=IDS[:1])
        assert counted == [2, 2]
        for kind in ("q_proj", "v_proj"):
            torch.testing.assert_close(
                layer(bank, kind)(given), direct(bank, "ann", layer(bank, kind), given), rtol=0, atol=1e-5
            )


def test_a_target_that_no_layer_has_is_refused_and_the_known_ones_are_named(model):
    with pytest.raises(RequestError, match="q_projj.*q_proj") as error:
        AdapterBank(model.network, LoraSettings(rank=4, alpha=8.0, targets=("q_projj",)), "tiny")
    assert "lm_head" not in str(error.value)
    assert not any(isinstance(module, PopulationLinear) for module in model.network.modules())


@torch.no_grad()
def test_a_bias_of_the_base_is_kept():
    torch.manual_seed(0)
    sizes = {"hidden_size": WIDTH, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = AutoConfig.for_model("qwen2", vocab_size=50, num_key_value_heads=1, **sizes)
    network = AutoModelForCausalLM.from_config(config)
    bias = network.model.layers[0].self_attn.k_proj.bias
    bias.copy_(torch.arange(1.0, 17.0))
    bank = AdapterBank(network, LoraSettings(rank=4, alpha=8.0), "qwen2")
    bank.add("ann", trainable=True)
    for agents in ([BASE], ["ann"], ["ann", BASE]):
        with bank.routed(agents):
            found = layer(bank, "k_proj")(torch.zeros(len(agents), 1, WIDTH))
        assert found[:, 0].tolist() == [list(range(1, 17))] * len(agents)


@torch.no_grad()
def test_merged_weights_take_the_place_of_the_bases_and_leave_them_alone(bank, base):
    before = copy.deepcopy(bank.model.state_dict())
    given, wrapped = x(0), layer(bank, "gate_proj")
    with bank.routed([BASE], merged=bank.merged("ann")):
        found = wrapped(given)
    torch.testing.assert_close(found, direct(bank, "ann", wrapped, given), rtol=0, atol=1e-5)
    with bank.routed([BASE]):
        assert torch.equal(wrapped(given), functional.linear(given, wrapped.base.weight))
    assert all(torch.equal(before[name], tensor) for name, tensor in bank.model.state_dict().items())
    assert bank.merged(BASE) == {}


@torch.no_grad()
def test_packed_tokens_without_a_row_for_each_are_refused(bank):
    with pytest.raises(RuntimeError, match="a route for 3 tokens and a forward of 1 x 4"), bank.routed(["ann"], [3]):
        layer(bank, "q_proj")(x(0))
