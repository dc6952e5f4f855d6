"""Lanes and their caches: one lane sees nothing of another, and memory is that of the lanes in use."""

from __future__ import annotations

from mage.sampler import CachedSampler
from tests.mage.small_rows import CAPACITY, MIXED, sample


def test_a_second_lane_in_a_used_cache_sees_nothing_of_the_first(spelled, bank, spelling):
    sampler = CachedSampler(spelled, bank, CAPACITY)
    fresh = sample(CachedSampler(spelled, bank, CAPACITY), spelling, MIXED[::-1], turns=1)
    sample(sampler, spelling, MIXED)  # longer, other agents, in the same rows
    assert sample(sampler, spelling, MIXED[::-1], turns=1) == fresh


def test_lanes_that_follow_one_another_share_one_cache_and_lanes_at_once_do_not(spelled, bank, spelling):
    sampler = CachedSampler(spelled, bank, 128)
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
    sampler = CachedSampler(spelled, bank, CAPACITY)
    sample(sampler, spelling, MIXED)
    lane = sampler.open(["ann"])
    assert [cache.rows for _, cache in sampler._caches] == [1]
    assert lane._cache.rows == 1
