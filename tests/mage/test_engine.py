"""The sampler and the learner as users of one packed engine: what they compute is what plain PEFT computes.

Packing, merging and other ways of multiplying change how it is computed, never what.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from games.errors import RequestError
from mage.adapter_files import LoraSettings
from mage.adapters import BASE, AdapterBank
from mage.learner import Learner
from mage.rows import Row
from mage.sampler import CachedSampler
from tests.mage.small_rows import (
    CAPACITY,
    MIXED,
    SETTINGS,
    by_peft,
    distance,
    gradients,
    learning,
    mixed_rows,
    moved,
    sample,
    sampled,
    trained,
)


@pytest.fixture
def rows(spelled, bank, spelling) -> list[Row]:
    return mixed_rows(spelled, bank, spelling)


def test_sampler_trainer_and_peft_agree_on_a_mixed_batch(rows, spelled, bank, base, tmp_path):
    theirs = [value for row in rows for value in by_peft(base.network, bank, row, tmp_path / row.agent)]
    torch.testing.assert_close(sampled(rows), torch.tensor(theirs), rtol=0, atol=1e-4)
    torch.testing.assert_close(trained(spelled, bank, rows), torch.tensor(theirs), rtol=0, atol=1e-4)
    wrong = by_peft(base.network, bank, replace(rows[0], agent="bob"), tmp_path / "bob")
    assert (sampled(rows[:1]) - torch.tensor(wrong)).abs().max() > 0.05  # the comparison can fail


def test_a_base_that_onednn_multiplies_answers_as_peft_does_and_so_does_the_untrained_agent_alone(
    rows, spelled, bank, spelling
):
    bank.pack_base()
    again = sample(CachedSampler(spelled, bank, CAPACITY), spelling, MIXED)
    assert [row.ids for row in again] == [row.ids for row in rows]
    torch.testing.assert_close(sampled(again), sampled(rows), rtol=0, atol=1e-4)
    torch.testing.assert_close(trained(spelled, bank, rows), sampled(rows), rtol=0, atol=1e-4)
    alone = [row for row in sample(CachedSampler(spelled, bank, CAPACITY), spelling, [BASE])]
    torch.testing.assert_close(trained(spelled, bank, alone), sampled(alone), rtol=0, atol=1e-4)


def test_changed_weights_and_loaded_snapshots_are_seen_by_the_next_lane(rows, spelled, bank, spelling):
    """Sample, train, sample, go back, sample: with one sampler throughout."""
    sampler = CachedSampler(spelled, bank, CAPACITY)
    first = sample(sampler, spelling, MIXED)
    assert first == rows
    before = bank.adapters["ann"].state()
    Learner(spelled, bank, ["ann", "bob", "cid"], SETTINGS, 5).update(learning(first), 0, 5e-2)
    second = sample(sampler, spelling, MIXED)
    assert (sampled(second[:1])[0] - sampled(first[:1])[0]).abs() > 1e-3
    torch.testing.assert_close(trained(spelled, bank, second), sampled(second), rtol=0, atol=1e-4)
    bank.adapters["ann"].load(before, "before")
    assert sample(sampler, spelling, MIXED)[:3] == first[:3]


@pytest.mark.parametrize("agent", ["ann", "ann@1"])
def test_merging_an_agent_that_is_alone_changes_no_log_probability_and_no_weight(agent, spelled, bank, spelling):
    before = {name: tensor.clone() for name, tensor in bank.model.state_dict().items()}
    found = sample(CachedSampler(spelled, bank, CAPACITY, merge=True), spelling, [agent] * 3)
    plain = sample(CachedSampler(spelled, bank, CAPACITY), spelling, [agent] * 3)
    assert [row.ids for row in found] == [row.ids for row in plain]
    torch.testing.assert_close(sampled(found), sampled(plain), rtol=0, atol=1e-5)
    assert not torch.equal(sampled(found), sampled(plain))  # it was another computation
    assert all(torch.equal(before[name], tensor) for name, tensor in bank.model.state_dict().items())


def test_lanes_of_several_agents_or_of_the_base_are_not_merged(spelled, bank, spelling):
    merging, plain = (
        CachedSampler(spelled, bank, CAPACITY, merge=True),
        CachedSampler(spelled, bank, CAPACITY),
    )
    for agents in (MIXED, (BASE, BASE)):
        assert sample(merging, spelling, agents) == sample(plain, spelling, agents)
        assert merging.open(agents)._merged is None
    assert merging.open(["ann"])._merged is not None


def test_a_base_in_bfloat16_keeps_float32_masters_and_samples_about_what_it_trains(spelled, spelling):
    spelled.network.to(torch.bfloat16)
    bank = AdapterBank(spelled.network, LoraSettings(rank=4, alpha=8.0), spelled.name)
    for seed, name in enumerate(("ann", "bob", "cid")):
        bank.add(name, trainable=True, seed=seed)
        moved(bank, name)
    agents = [name for name in MIXED if name != BASE]
    found = sample(CachedSampler(spelled, bank, CAPACITY), spelling, agents)
    assert 0 < (trained(spelled, bank, found) - sampled(found)).abs().max() < 0.3
    grads = gradients(spelled, bank, learning(found))
    assert all(gradient.isfinite().all() for parts in grads.values() for gradient in parts)
    Learner(spelled, bank, ["ann"], SETTINGS, 5).update(learning(found)[:3], 0, 1e-2)
    dtypes = {p.dtype for adapter in bank.adapters.values() for p in (*adapter.parameters(), *grads["ann"])}
    assert dtypes == {torch.float32}


def test_sixty_four_agents_with_a_row_each(spelled, bank, spelling):
    names = [f"agent {number}" for number in range(64)]
    for seed, name in enumerate(names):
        bank.add(name, trainable=True, seed=seed)
        moved(bank, name)
    found = sample(CachedSampler(spelled, bank, CAPACITY), spelling, names, turns=1)
    torch.testing.assert_close(trained(spelled, bank, found), sampled(found), rtol=0, atol=1e-4)
    for number in (0, 63):
        alone = gradients(spelled, bank, learning(found[number : number + 1]))[names[number]]
        assert distance(gradients(spelled, bank, learning(found))[names[number]], alone) < 1e-5


def test_a_context_that_outgrows_the_model_is_refused_in_one_sentence(monkeypatch, spelled, bank, spelling):
    monkeypatch.setattr(spelled.network.config, "max_position_embeddings", 40)
    with pytest.raises(RequestError, match=r"came to \d+ tokens, .* reads 40 at most; ask for fewer episodes"):
        sample(CachedSampler(spelled, bank, CAPACITY), spelling, MIXED)
