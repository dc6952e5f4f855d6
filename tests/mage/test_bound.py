"""The bare base's rate on given chunks."""

from __future__ import annotations

import pytest
import torch

from mage import bound
from mage.work import Chunk

LONG, STEP = Chunk((5, 7), (0, 0)), Chunk((2,) * 4, (30,) * 4)


def test_no_chunks_have_no_rate_and_others_a_positive_one(model, bank):
    rates = bound.bounds(model, bank, {"sampling": [LONG, STEP], "training": []})
    assert rates["training"] is None
    assert rates["sampling"] > 0


def test_the_rate_is_tokens_by_the_fastest_passes_of_each_chunk(monkeypatch):
    seconds = {LONG: [0.5, 0.2, 0.3], STEP: [0.4, 0.9, 0.4]}
    rate = bound._rate([LONG, STEP], lambda chunk: seconds[chunk].pop(0), seconds=60.0)
    assert rate == pytest.approx((12 + 8) / (0.2 + 0.4))


def test_without_time_one_chunk_is_passed_once():
    passed = []
    bound._rate([LONG, STEP], lambda chunk: passed.append(chunk) or 1.0, seconds=0.0)
    assert passed == [LONG]


def test_a_chunk_goes_through_the_base_alone_against_as_many_cached_tokens(model, bank, monkeypatch):
    seen = []
    plain = type(model).hidden

    def hidden(self, ids, positions, mask=None, cache=None):
        seen.append((tuple(ids.shape), positions[0].tolist(), cache.get_seq_length(), bank.route))
        return plain(self, ids, positions, mask, cache)

    monkeypatch.setattr(type(model), "hidden", hidden)
    bound._forward(model, bank, STEP)
    assert seen[-1] == ((4, 2), [30, 31], 30, ("base",))
    bound._forward(model, bank, LONG)
    assert seen[-1] == ((2, 6), [0, 1, 2, 3, 4, 5], 0, ("base",))


def test_measuring_leaves_no_gradient_and_no_route(model, bank):
    before = {name: adapter.digest() for name, adapter in bank.adapters.items()}
    bound.bounds(model, bank, {"sampling": [STEP], "training": [LONG]})
    assert bank.route == ()
    parameters = [*model.network.parameters(), *(p for a in bank.adapters.values() for p in a.parameters())]
    assert all(parameter.grad is None for parameter in parameters)
    assert {name: adapter.digest() for name, adapter in bank.adapters.items()} == before


def test_a_cached_forward_of_the_bound_is_the_forward_of_the_whole(model, bank):
    """What is timed is real work: in the cache's place, the true keys give the true hidden states."""
    ids = torch.arange(8)[None] + 5
    positions = torch.arange(8)[None]
    cache = bound.buffer_cache(model.layers, 8)
    mask = bound.attention_mask(torch.ones(1, 8, dtype=torch.bool), 3)
    with torch.inference_mode(), bank.routed(["base"]):
        whole = model.hidden(ids, positions)
        model.hidden(ids[:, :5], positions[:, :5], None, cache)
        part = model.hidden(ids[:, 5:], positions[:, 5:], mask, cache)
    torch.testing.assert_close(part, whole[:, 5:], atol=1e-5, rtol=1e-5)
