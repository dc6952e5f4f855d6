"""The sampler and the learner as users of one packed engine: what they compute is what plain PEFT computes.

Caches, packing, shared openings, merging and checkpointing change how it is computed, never what.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import replace

import peft
import pytest
import torch
from torch import Tensor

from games.errors import RequestError
from mage import packing
from mage.adapter_files import LoraSettings
from mage.adapters import BASE, AdapterBank
from mage.contexts import Context, MoveRequest
from mage.keys import PlayKeys
from mage.learner import Learner, UpdateSettings, distributions
from mage.losses import Clip
from mage.population import LongRuns, ShortRuns
from mage.rows import Row
from mage.sampler import ConstrainedSampler

KEYS = PlayKeys(11, "train", 0)
LEGAL = ("1", "10", "O-O", "O-O-O")
MIXED = ("ann", "ann", "ann", "bob", "bob", BASE, "cid")
CAPACITY = 16  # contexts grow to about 80 tokens
SETTINGS = UpdateSettings("grpo", "token-mean", Clip(0.2, 0.2), 0.01, 2, 2, math.inf, 0.5, 400)


def sample(sampler: ConstrainedSampler, spelling, agents: Sequence[str], turns: int = 3) -> list[Row]:
    """Three moves for a row of each agent after one rule and news of many lengths; as rows for the trainer."""
    lane = sampler.open(agents)
    contexts = [Context(agent, 0, [0, *spelling.encode("the higher number wins\n")]) for agent in agents]
    for turn in range(turns):
        for number, context in enumerate(contexts):
            context.ids.extend(spelling.encode(f"turn {turn}" + "." * (5 * number * (turn == 1)) + "\n"))
        lane.choose({i: MoveRequest(c, LEGAL, i, 0, turn) for i, c in enumerate(contexts)}, KEYS)
    return [Row(c.agent, tuple(c.ids), tuple(c.choices), (0.0,) * len(c.choices)) for c in contexts]


def sampled(rows: Sequence[Row]) -> Tensor:
    return torch.tensor([choice.log_prob for row in rows for choice in row.choices])


@torch.no_grad()
def trained(model, bank, rows: Sequence[Row]) -> Tensor:
    chosen = torch.tensor([choice.chosen for row in rows for choice in row.choices])
    return distributions(model, bank, rows).gather(1, chosen[:, None])[:, 0]


@torch.no_grad()
def by_peft(network, bank: AdapterBank, row: Row, folder) -> list[float]:
    """Every choice of a row by PEFT's own forward of the whole context, on a copy of the bare network."""
    plain = copy.deepcopy(network)
    if row.agent != BASE:
        bank.save(row.agent, folder)
        plain = peft.PeftModel.from_pretrained(plain, folder)
    logits = plain.eval()(input_ids=torch.tensor([row.ids])).logits[0]
    return [float(logits[c.position - 1, list(c.allowed)].log_softmax(-1)[c.chosen]) for c in row.choices]


def gradients(model, bank, rows: Sequence[Row], **changes) -> dict[str, list[Tensor]]:
    names = [name for name in dict.fromkeys(row.agent for row in rows)]
    return Learner(model, bank, names, replace(SETTINGS, **changes), 5).gradients(rows)


def learning(rows: Sequence[Row]) -> list[Row]:
    fitted = [replace(row, advantages=tuple((-0.6) ** i for i in range(len(row.choices)))) for row in rows]
    return [row for row in fitted if row.agent != BASE]


def distance(one: Sequence[Tensor], other: Sequence[Tensor]) -> float:
    """The greatest relative L2 distance over the tensors."""
    return max(float((a - b).norm() / b.norm()) for a, b in zip(one, other, strict=True))


def moved(bank: AdapterBank, name: str) -> None:
    with torch.no_grad():
        for b in bank.adapters[name].b:
            b.add_(0.2)


@pytest.fixture
def rows(spelled, bank, spelling) -> list[Row]:
    found = sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, MIXED)
    assert len({len(row.ids) for row in found}) > 4
    assert max(len(row.ids) for row in found) > 2 * CAPACITY  # the cache had to grow
    return found


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
    again = sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, MIXED)
    assert [row.ids for row in again] == [row.ids for row in rows]
    torch.testing.assert_close(sampled(again), sampled(rows), rtol=0, atol=1e-4)
    torch.testing.assert_close(trained(spelled, bank, rows), sampled(rows), rtol=0, atol=1e-4)
    alone = [row for row in sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, [BASE])]
    torch.testing.assert_close(trained(spelled, bank, alone), sampled(alone), rtol=0, atol=1e-4)


def test_a_second_lane_in_a_used_cache_sees_nothing_of_the_first(spelled, bank, spelling):
    sampler = ConstrainedSampler(spelled, bank, CAPACITY)
    fresh = sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, MIXED[::-1], turns=1)
    sample(sampler, spelling, MIXED)  # longer, other agents, in the same rows
    assert sample(sampler, spelling, MIXED[::-1], turns=1) == fresh


def test_lanes_that_follow_one_another_share_one_cache_and_lanes_at_once_do_not(spelled, bank, spelling):
    sampler = ConstrainedSampler(spelled, bank, 128)
    places = set()
    for _ in range(3):
        sample(sampler, spelling, MIXED)
        ((_, cache),) = sampler._caches
        places.add(tuple(buffer.data_ptr() for buffer in cache._keys + cache._values))
    assert len(places) == 1
    assert len(set(next(iter(places)))) == 2 * spelled.layers
    one, two = sampler.open(MIXED), sampler.open(MIXED)
    assert one._cache is cache
    assert two._cache is not cache


def test_a_lane_of_another_size_takes_another_cache_and_the_old_one_is_let_go(spelled, bank, spelling):
    sampler = ConstrainedSampler(spelled, bank, CAPACITY)
    sample(sampler, spelling, MIXED)
    lane = sampler.open(["ann"])
    assert [cache.rows for _, cache in sampler._caches] == [1]
    assert lane._cache.rows == 1


def test_changed_weights_and_loaded_snapshots_are_seen_by_the_next_lane(rows, spelled, bank, spelling):
    """Sample, train, sample, go back, sample: with one sampler throughout."""
    sampler = ConstrainedSampler(spelled, bank, CAPACITY)
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
    found = sample(ConstrainedSampler(spelled, bank, CAPACITY, merge=True), spelling, [agent] * 3)
    plain = sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, [agent] * 3)
    assert [row.ids for row in found] == [row.ids for row in plain]
    torch.testing.assert_close(sampled(found), sampled(plain), rtol=0, atol=1e-5)
    assert not torch.equal(sampled(found), sampled(plain))  # it was another computation
    assert all(torch.equal(before[name], tensor) for name, tensor in bank.model.state_dict().items())


def test_lanes_of_several_agents_or_of_the_base_are_not_merged(spelled, bank, spelling):
    merging, plain = (
        ConstrainedSampler(spelled, bank, CAPACITY, merge=True),
        ConstrainedSampler(spelled, bank, CAPACITY),
    )
    for agents in (MIXED, (BASE, BASE)):
        assert sample(merging, spelling, agents) == sample(plain, spelling, agents)
        assert merging.open(agents)._merged is None
    assert merging.open(["ann"])._merged is not None


def test_shared_openings_give_the_same_gradients_as_whole_contexts(rows, spelled, bank, monkeypatch):
    batch = learning(rows)
    shared = gradients(spelled, bank, batch, microbatch_tokens=10**6)
    monkeypatch.setattr(packing, "SHARED_AT_LEAST", 10**6)
    whole = gradients(spelled, bank, batch, microbatch_tokens=10**6)
    assert set(shared) == {"ann", "bob", "cid"}
    assert max(distance(shared[agent], whole[agent]) for agent in shared) < 1e-5
    assert not all(torch.equal(a, b) for a, b in zip(shared["ann"], whole["ann"], strict=True))


@pytest.mark.parametrize("memory", [400, 10**6])
def test_checkpointing_computes_every_layer_twice_and_gives_the_same_gradients(memory, rows, spelled, bank):
    batch = learning(rows)
    calls: list[bool] = []
    for layer in bank.model.model.layers:
        layer.mlp.register_forward_pre_hook(lambda *_: calls.append(torch.is_grad_enabled()))
    kept = gradients(spelled, bank, batch, microbatch_tokens=memory)
    once = len(calls)
    assert once % spelled.layers == 0
    spelled.checkpoint_layers()
    again = gradients(spelled, bank, batch, microbatch_tokens=memory)
    assert len(calls) == 3 * once
    assert max(distance(again[agent], kept[agent]) for agent in kept) < 1e-6


def test_checkpointing_leaves_sampling_alone(rows, spelled, bank, spelling):
    spelled.checkpoint_layers()
    assert sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, MIXED) == rows


@pytest.mark.parametrize("way", [LongRuns, ShortRuns])
def test_an_update_twice_gives_the_same_bytes_whichever_way_runs_are_multiplied(way, rows, spelled, bank, monkeypatch):
    made = []

    def runs_of(lengths, device):
        made.append(lengths)
        return LongRuns(lengths) if way is LongRuns else ShortRuns(lengths, device)

    monkeypatch.setattr("mage.wrapping.runs_of", runs_of)
    start = {name: adapter.state() for name, adapter in bank.adapters.items()}
    digests = []
    for _ in range(2):
        for name, state in start.items():
            bank.adapters[name].load(state, name)
        Learner(spelled, bank, ["ann", "bob", "cid"], SETTINGS, 5).update(learning(rows), 0, 1e-2)
        digests.append({name: adapter.digest() for name, adapter in bank.adapters.items()})
    assert made
    assert digests[0] == digests[1]
    assert digests[0]["ann"] != digests[0]["ann@1"]


def test_a_base_in_bfloat16_keeps_float32_masters_and_samples_about_what_it_trains(spelled, spelling):
    spelled.network.to(torch.bfloat16)
    bank = AdapterBank(spelled.network, LoraSettings(rank=4, alpha=8.0), spelled.name)
    for seed, name in enumerate(("ann", "bob", "cid")):
        bank.add(name, trainable=True, seed=seed)
        moved(bank, name)
    agents = [name for name in MIXED if name != BASE]
    found = sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, agents)
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
    found = sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, names, turns=1)
    torch.testing.assert_close(trained(spelled, bank, found), sampled(found), rtol=0, atol=1e-4)
    for number in (0, 63):
        alone = gradients(spelled, bank, learning(found[number : number + 1]))[names[number]]
        assert distance(gradients(spelled, bank, learning(found))[names[number]], alone) < 1e-5


def test_a_context_that_outgrows_the_model_is_refused_in_one_sentence(monkeypatch, spelled, bank, spelling):
    monkeypatch.setattr(spelled.network.config, "max_position_embeddings", 40)
    with pytest.raises(RequestError, match=r"came to \d+ tokens, .* reads 40 at most; ask for fewer episodes"):
        sample(ConstrainedSampler(spelled, bank, CAPACITY), spelling, MIXED)
