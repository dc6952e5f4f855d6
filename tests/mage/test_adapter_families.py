"""Adapters of every family in PEFT's own format, both ways, and on the layers that PEFT itself would choose."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import peft
import pytest
import torch
from torch import Tensor

from games.errors import RequestError
from mage.adapter_files import LoraSettings
from mage.adapters import BASE, AdapterBank
from mage.models import load
from tests.mage import small_families as families
from tests.mage.small_models import FAMILIES

IDS = torch.tensor([[0, 5, 9, 40, 7], [0, 11, 3, 8, 2], [0, 30, 31, 32, 33]])
ROWS = len(IDS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("families")
    return {kind: families.write_family(root / kind, (kind, True)) for kind in FAMILIES}


def bank_of(folder: Path, targets: str | tuple[str, ...] = "all-linear") -> AdapterBank:
    return AdapterBank(load(folder, "x").network, LoraSettings(rank=4, alpha=8.0, targets=targets), "x")


@torch.no_grad()
def logits(bank: AdapterBank, agent: str) -> Tensor:
    with bank.routed([agent] * ROWS):
        return bank.model(input_ids=IDS).logits


def made_by_peft(folder: Path, targets: str | list[str] = "all-linear") -> peft.PeftModel:
    """A random adapter."""
    torch.manual_seed(5)
    config = peft.LoraConfig(r=4, lora_alpha=8, target_modules=targets, task_type="CAUSAL_LM", init_lora_weights=False)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="fan_in_fan_out")
        return peft.get_peft_model(families.plain(folder), config).eval()


@pytest.mark.parametrize("kind", FAMILIES)
@torch.no_grad()
def test_an_adapter_that_peft_made_on_all_linear_layers_gives_the_same_logits_in_the_bank(kind, folders, tmp_path):
    theirs = made_by_peft(folders[kind])
    theirs.save_pretrained(tmp_path)
    bank = bank_of(folders[kind])
    bank.load("guest", tmp_path, trainable=False)
    expected = theirs(input_ids=IDS).logits
    torch.testing.assert_close(logits(bank, "guest"), expected, rtol=0, atol=1e-4)
    assert (expected - logits(bank, BASE)).abs().max() > 0.05
    layers = [name for name, module in theirs.named_modules() if isinstance(module, peft.tuners.lora.LoraLayer)]
    assert [f"base_model.model.{name}" for name in bank.shapes] == layers


@pytest.mark.parametrize("kind", FAMILIES)
@torch.no_grad()
def test_an_adapter_that_the_bank_saved_loads_in_plain_peft_without_a_warning(kind, folders, tmp_path):
    case = families.opened(folders[kind])
    case.bank.save("cid", tmp_path)
    assert json.loads((tmp_path / "adapter_config.json").read_text())["fan_in_fan_out"] == (kind == "gpt2")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="fan_in_fan_out")  # PEFT's, where the folder says it wrongly
        theirs = peft.PeftModel.from_pretrained(families.plain(folders[kind]), tmp_path).eval()
    expected = theirs(input_ids=IDS).logits
    torch.testing.assert_close(logits(case.bank, "cid"), expected, rtol=0, atol=1e-4)
    assert (expected - logits(case.bank, BASE)).abs().max() > 0.05


@pytest.mark.parametrize("kind", FAMILIES)
@torch.no_grad()
def test_merged_weights_are_those_that_peft_merges(kind, folders, tmp_path):
    """PEFT merges into the layer's own layout: a Conv1D's [in, out] is the transpose of ours."""
    case = families.opened(folders[kind])
    case.bank.save("ann", tmp_path)
    theirs = peft.PeftModel.from_pretrained(families.plain(folders[kind]), tmp_path).merge_and_unload().state_dict()
    ours = case.bank.merged("ann")
    assert set(ours) == set(case.bank.shapes)
    for name, weight in ours.items():
        expected = theirs[f"{name}.weight"]
        torch.testing.assert_close(weight, expected.t() if kind == "gpt2" else expected, rtol=0, atol=1e-5)


def test_gpt2s_layers_have_their_shapes_as_out_and_in(folders):
    """A width of 32: query, key and value in one layer of 96, and an inner width of 128."""
    bank = bank_of(folders["gpt2"])
    first = {name: shape for name, shape in bank.shapes.items() if name.startswith("transformer.h.0.")}
    assert first == {
        "transformer.h.0.attn.c_attn": (96, 32),
        "transformer.h.0.attn.c_proj": (32, 32),
        "transformer.h.0.mlp.c_fc": (128, 32),
        "transformer.h.0.mlp.c_proj": (32, 128),
    }
    adapter = bank.add("ann", trainable=True)
    number = adapter.index["transformer.h.0.mlp.c_proj"]
    assert (adapter.a[number].shape, adapter.b[number].shape) == ((4, 128), (32, 4))
    largest = float(adapter.a[number].detach().abs().max())
    assert largest == pytest.approx(128**-0.5, rel=0.05)  # uniform up to 1 / sqrt(in)


@pytest.mark.parametrize("kind,targets", [("gpt2", ("c_attn",)), ("gpt2", ("c_proj",)), ("gpt_neox", ("dense",))])
@torch.no_grad()
def test_some_of_a_familys_layers_are_chosen_by_name_as_peft_chooses_them(kind, targets, folders, tmp_path):
    """GPT-2's c_proj is in attention and after it; GPT-NeoX's dense is not the beginning of dense_h_to_4h."""
    theirs = made_by_peft(folders[kind], list(targets))
    theirs.save_pretrained(tmp_path)
    bank = bank_of(folders[kind], targets)
    bank.load("guest", tmp_path, trainable=False)
    torch.testing.assert_close(logits(bank, "guest"), theirs(input_ids=IDS).logits, rtol=0, atol=1e-4)


def test_an_adapter_of_another_family_is_refused(folders, tmp_path):
    families.opened(folders["gpt_neox"]).bank.save("ann", tmp_path)
    with pytest.raises(RequestError, match="holds other layers than this run's adapters"):
        bank_of(folders["gpt2"]).load("guest", tmp_path, trainable=False)
