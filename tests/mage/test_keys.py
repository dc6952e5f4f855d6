"""Keyed draws: a function of what they are for, in any process."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from mage import keys
from mage.keys import PlayKeys

SHOW = (
    "from mage import keys; k = keys.PlayKeys(7, 'train', 3);"
    "print([k.move(5, 1, 2, 4), k.move(-1, 0, 0, 0, 1), k.deal(2, 1), keys.integer(1, 's', 2),"
    " keys.generator(1, 'pairings', 2).permutation(9).tolist()])"
)


def test_draws_are_the_same_in_processes_with_different_hash_seeds():
    def run(seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", SHOW],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    here = PlayKeys(7, "train", 3)
    assert run("1") == run("2")
    assert run("1").startswith(f"[{here.move(5, 1, 2, 4)!r}, {here.move(-1, 0, 0, 0, 1)!r}, {here.deal(2, 1)}, ")


def test_every_part_of_the_key_changes_the_draw():
    draws = [PlayKeys(*key).move(*at) for key, at in _neighbours()]
    assert len(set(draws)) == len(draws)
    assert PlayKeys(0, "train", 0).move(0, 0, 0, 0, 0) == draws[0]


def _neighbours():
    start = (0, "train", 0)
    yield start, (0, 0, 0, 0, 0)
    yield (1, "train", 0), (0, 0, 0, 0, 0)
    yield (0, "evaluate", 0), (0, 0, 0, 0, 0)
    yield (0, "train", 1), (0, 0, 0, 0, 0)
    for place in range(5):
        yield start, tuple(int(i == place) for i in range(5))


def test_draws_are_uniform():
    k = PlayKeys(0, "train", 0)
    draws = np.array([k.move(trial, 0, 0, decision) for trial in range(100) for decision in range(100)])
    assert draws.min() >= 0.0
    assert draws.max() < 1.0
    counts = np.histogram(draws, bins=10, range=(0, 1))[0]
    assert np.abs(counts - 1000).max() < 120  # four standard deviations of a count of 1000


def test_all_trials_of_a_group_see_the_same_deals_and_share_a_stream_that_no_trial_has():
    k = PlayKeys(0, "train", 0)
    assert k.deal(3, 0) == k.deal(3, 0) != k.deal(4, 0)
    shared = [k.shared(group) for group in range(5)]
    assert shared == [-1, -2, -3, -4, -5]


def test_a_generator_is_fresh_every_time():
    first, second = keys.generator(1, "x", 2), keys.generator(1, "x", 2)
    first.random(10)
    assert keys.generator(1, "x", 2).random() == second.random()


def test_a_stream_name_that_would_be_cut_off_is_refused():
    """Only so many bytes of it take part in the key: two longer names could mean the same draws."""
    with pytest.raises(ValueError, match="16"):
        keys.uniform(0, "a_name_of_seventeen")
