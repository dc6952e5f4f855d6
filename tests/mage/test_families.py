"""Every family of models samples, trains and agrees with plain transformers and PEFT, alone and in a mixed batch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from mage.adapters import BASE
from mage.learner import Learner
from mage.rows import Row
from mage.sampler import CachedSampler
from tests.mage import small_families as families
from tests.mage.small_families import AGENTS, CASES, Opened
from tests.mage.small_rows import CAPACITY, MIXED, SETTINGS, gradients, learning, sample, sampled, trained


@pytest.fixture(scope="module", params=CASES, ids=families.title)
def folder(request, tmp_path_factory) -> Path:
    return families.write_family(tmp_path_factory.mktemp("family"), request.param)


@pytest.fixture
def case(folder) -> Opened:
    return families.opened(folder)


@pytest.fixture
def rows(case) -> list[Row]:
    """Ragged, of three agents and the base."""
    found = sample(case.sampler, case.model.codec, MIXED)
    assert len({len(row.ids) for row in found}) > 4
    return found


@pytest.fixture
def reference(case, tmp_path):
    return families.in_peft(case, tmp_path)


def equal(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)


def test_sampler_trainer_and_plain_peft_agree_in_a_padded_mixed_batch(case, rows, reference):
    expected = families.padded(reference, rows)
    equal(sampled(rows), expected)
    equal(trained(case.model, case.bank, rows), expected)
    swapped = [replace(row, agent="bob" if row.agent == "ann" else "ann") for row in rows[:5]]
    assert (families.padded(reference, swapped) - sampled(rows[:5])).abs().max() > 0.05  # the comparison can fail


@torch.no_grad()
def test_each_row_alone_is_what_it_is_in_the_mixed_batch_and_what_plain_transformers_gives(case, rows, reference):
    for number, row in enumerate(rows):
        (single,) = sample(case.sampler, case.model.codec, [row.agent], first=number)
        assert single.ids == row.ids
        expected = families.alone(reference, row)
        equal(sampled([single]), expected)
        equal(sampled([row]), expected)
        equal(trained(case.model, case.bank, [single]), expected)


def test_the_untrained_agent_is_the_plain_model_without_peft(case, rows):
    base = [row for row in rows if row.agent == BASE]
    with torch.no_grad():
        logits = families.plain(case.folder)(input_ids=torch.tensor([base[0].ids])).logits[0]
    equal(sampled(base), families.chosen(logits, base[0]))


def test_the_gradients_of_a_mixed_batch_are_those_of_plain_autograd_through_peft(case, rows, reference):
    """Of minus the mean of advantage times log-probability, which the loss is where nothing has moved yet."""
    batch = learning(rows)
    found = gradients(case.model, case.bank, batch, entropy_bonus=0.0)
    for agent in AGENTS:
        own = [row for row in batch if row.agent == agent]
        weights = torch.tensor([a for row in own for a in row.advantages])
        (-(weights * torch.cat([families.alone(reference, row) for row in own])).mean()).backward()
        named = dict(reference.named_parameters())
        parts = [f"base_model.model.{name}.lora_{half}.{agent}.weight" for half in "AB" for name in case.bank.shapes]
        for gradient, part in zip(found[agent], parts, strict=True):
            expected = named[part].grad
            assert float((gradient - expected).norm()) <= 1e-4 * float(expected.norm())
            assert float(expected.norm()) > 0


def test_an_update_moves_the_learners_and_the_sampler_follows_the_trainer(case, rows, tmp_path):
    before = {name: adapter.digest() for name, adapter in case.bank.adapters.items()}
    weights = {name: tensor.clone() for name, tensor in case.bank.model.state_dict().items()}
    Learner(case.model, case.bank, AGENTS, SETTINGS, 5).update(learning(rows), 0, 1e-2)
    assert all(adapter.digest() != before[name] for name, adapter in case.bank.adapters.items())
    assert all(torch.equal(weights[name], tensor) for name, tensor in case.bank.model.state_dict().items())
    after = sample(case.sampler, case.model.codec, MIXED)
    assert (sampled(after[:1])[0] - sampled(rows[:1])[0]).abs() > 1e-3
    expected = families.padded(families.in_peft(case, tmp_path / "after"), after)
    equal(sampled(after), expected)
    equal(trained(case.model, case.bank, after), expected)


def test_layers_that_are_computed_again_give_the_same_gradients(case, rows):
    kept = gradients(case.model, case.bank, learning(rows))
    case.model.checkpoint_layers()
    again = gradients(case.model, case.bank, learning(rows))
    for agent in AGENTS:
        for one, other in zip(again[agent], kept[agent], strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-7)
    assert sample(case.sampler, case.model.codec, MIXED) == rows


def test_merged_weights_and_weights_laid_out_for_onednn_change_nothing(case, rows):
    merging = CachedSampler(case.model, case.bank, CAPACITY, merge=True)
    merged = sample(merging, case.model.codec, ["ann"] * 3)
    assert [row.ids for row in merged] == [row.ids for row in rows[:3]]
    equal(sampled(merged), sampled(rows[:3]))
    kept = gradients(case.model, case.bank, learning(rows))
    case.bank.pack_base()
    again = sample(case.sampler, case.model.codec, MIXED)
    assert [row.ids for row in again] == [row.ids for row in rows]
    equal(sampled(again), sampled(rows))
    for agent, parts in gradients(case.model, case.bank, learning(rows)).items():
        for one, other in zip(parts, kept[agent], strict=True):
            assert float((one - other).norm()) <= 1e-4 * float(other.norm())


def test_a_folder_loads_in_bfloat16_and_samples_about_what_it_trains(folder):
    case = families.opened(folder, torch.bfloat16)
    rows = sample(case.sampler, case.model.codec, MIXED)
    assert (trained(case.model, case.bank, rows) - sampled(rows)).abs().max() < 0.3
