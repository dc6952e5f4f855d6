"""Gradients by shared openings, by layers computed again and by each way of multiplying are the same gradients."""

from __future__ import annotations

import pytest
import torch

from mage import packing
from mage.learner import Learner
from mage.population import LongRuns, ShortRuns
from mage.rows import Row
from mage.sampler import CachedSampler
from tests.mage.small_rows import CAPACITY, MIXED, SETTINGS, distance, gradients, learning, mixed_rows, sample


@pytest.fixture
def rows(spelled, bank, spelling) -> list[Row]:
    return mixed_rows(spelled, bank, spelling)


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
    assert sample(CachedSampler(spelled, bank, CAPACITY), spelling, MIXED) == rows


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
