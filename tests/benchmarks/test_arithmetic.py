"""The benchmarks' arithmetic by hand: ratios and bars, turns of arms, exponents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import measure, results
from benchmarks.growth import Measured, Point, exponent, exponents
from benchmarks.measure import Sample
from benchmarks.results import Check, Row


def test_a_ratio_is_median_over_median_and_its_range_is_that_of_neighbouring_runs():
    row = Row("a", "tokens/s", (10.0, 30.0, 20.0), (4.0, 5.0, 8.0), "b", bar=4.0)
    assert row.ratio == 20.0 / 5.0
    assert row.spread == (2.5, 6.0)


@pytest.mark.parametrize(
    ("bar", "at_least", "verdict"),
    [(2.0, True, True), (2.1, True, False), (2.0, False, True), (1.9, False, False), (None, True, None)],
)
def test_a_bar_is_reached_from_its_own_side(bar: float | None, at_least: bool, verdict: bool | None):
    assert Row("a", "s", (6.0,), (3.0,), "b", bar, at_least).holds is verdict


def test_what_could_not_be_run_has_neither_ratio_nor_verdict():
    row = Row("a", "s", (6.0,), (), "b", 1.0)
    assert (row.ratio, row.spread, row.holds) == (None, None, None)
    assert results.cells(row.to_json()) == ("a", "b", "6", "not run", "s", "", "≥ 1", "")


def test_a_check_of_a_number_that_is_none_fails():
    assert Check("same", 0.0, 0.0).holds
    assert not Check("same", float("nan"), 1.0).holds


def test_arms_take_turns():
    order: list[str] = []

    def arm(name: str) -> measure.Arm:
        def run() -> Sample:
            order.append(name)
            return Sample(6.0, 2.0 + len(order))

        return run

    series = measure.alternate({name: arm(name) for name in "abc"}, repeats=3, tell=lambda line: None, single=["c"])
    assert "".join(order) == "abcabab"
    assert series["a"].durations == (3.0, 6.0, 8.0)
    assert series["a"].seconds == 6.0
    assert series["a"].rates == (2.0, 1.0, 0.75)
    assert len(series["c"].samples) == 1


def test_the_fastest_is_the_one_with_the_highest_rate_not_the_shortest_time():
    runs = {1: Sample(10.0, 1.0), 2: Sample(30.0, 2.0), 4: Sample(40.0, 4.0)}
    assert measure.fastest([1, 2, 4], runs.__getitem__) == 2


def test_an_exponent_is_the_slope_between_logarithms():
    assert exponent([1, 2, 4], [3, 6, 12]) == pytest.approx(1.0)
    assert exponent([1, 2, 4], [1, 4, 16]) == pytest.approx(2.0)
    assert exponent([16, 64], [5, 5]) == pytest.approx(0.0)


def test_longer_trials_are_fitted_over_the_tokens_they_took():
    first = Measured("m", "episodes", Point(1, 8, 2), new_tokens=100, trained_tokens=200, rollout=1.0, update=2.0)
    second = replace(first, point=Point(4, 8, 2), new_tokens=400, trained_tokens=800, rollout=4.0, update=32.0)
    rollout, update = exponents([first, second])
    assert (rollout["over"], rollout["exponent"], rollout["linear"]) == ("new tokens", pytest.approx(1.0), True)
    assert (update["over"], update["exponent"], update["linear"]) == ("trained tokens", pytest.approx(2.0), False)
