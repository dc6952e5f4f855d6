"""Seconds by part and tokens by part, added up and written down; the clock is a list of numbers."""

from __future__ import annotations

import json

import pytest

from mage import timings
from mage.timings import Spent, Stopwatch, Timer


@pytest.fixture
def clock(monkeypatch):
    """The times that the next looks at the clock give; set by the test."""
    times: list[float] = []
    monkeypatch.setattr(timings.time, "perf_counter", lambda: times.pop(0))
    return times


def test_a_part_within_a_part_counts_once_and_the_rest_is_other(clock):
    clock += [0.0, 1.0, 3.0, 7.0, 8.0, 10.0]
    watch = Stopwatch()  # at 0
    with watch.part("games"), watch.part("sampling"):  # from 1, from 3 to 7
        pass
    # games ended at 8; taken at 10
    seconds = watch.take()
    assert {name: value for name, value in seconds.items() if value} == {"games": 3.0, "sampling": 4.0, "other": 3.0}
    assert tuple(seconds) == timings.PARTS


def test_taking_starts_over(clock):
    clock += [0.0, 5.0, 6.0]
    watch = Stopwatch()
    assert watch.take()["other"] == 5.0
    assert watch.take()["other"] == 1.0


def test_an_error_within_a_part_ends_it(clock):
    clock += [0.0, 1.0, 2.0, 5.0]
    watch = Stopwatch()
    with pytest.raises(ValueError, match="wrong"), watch.part("training"):
        raise ValueError("wrong")
    assert watch.take() == dict.fromkeys(timings.PARTS, 0.0) | {"training": 1.0, "other": 4.0}


def test_times_add_up_part_by_part_and_rates_are_tokens_by_their_own_seconds():
    total = Spent({"sampling": 1.0, "games": 2.0}, {"sampling": 30}) + Spent({"sampling": 3.0}, {"sampling": 50})
    assert total == Spent({"sampling": 4.0, "games": 2.0}, {"sampling": 80})
    assert total.rate("sampling") == 20.0
    assert (total.rate("games"), total.rate("training")) == (0.0, None)


def test_each_iteration_is_a_line_and_the_timer_keeps_the_sum(clock, tmp_path):
    clock += [0.0, 0.0, 2.0, 3.0, 3.0, 7.0, 7.0]
    timer = Timer(tmp_path / "timings.jsonl")
    for iteration, tokens in enumerate((100, 20), start=1):
        with timer.stopwatch.part("sampling"):
            pass
        timer.write(iteration, {"sampling": tokens, "training": 0})
    first, second = (json.loads(line) for line in (tmp_path / "timings.jsonl").read_text().splitlines())
    assert first == {
        "iteration": 1,
        "seconds": dict.fromkeys(timings.PARTS, 0.0) | {"sampling": 2.0, "other": 1.0},
        "tokens": {"sampling": 100, "training": 0},
        "tokens_per_second": {"sampling": 50.0, "training": None},
    }
    assert (second["iteration"], second["tokens_per_second"]["sampling"]) == (2, 5.0)
    assert timer.iterations == 2
    assert (timer.spent.seconds["sampling"], timer.spent.tokens["sampling"]) == (6.0, 120)
