"""The intervals: exact where nothing varies, right in width and coverage where something does."""

import numpy as np
import pytest

from mage.statistics import (
    Estimate,
    mean_interval,
    percentile_interval,
    ratio_of_sums_interval,
    resampled_sums,
    wilson_interval,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_mean_of_equal_values_has_no_width():
    assert mean_interval(np.full(7, 0.1), rng()) == Estimate(*[pytest.approx(0.1, abs=1e-15)] * 3)
    assert mean_interval(np.full(7, 2.0), rng()) == Estimate(2.0, 2.0, 2.0)


def test_a_single_trial_shows_no_spread():
    assert mean_interval(np.array([3.0]), rng()) == Estimate(3.0, 3.0, 3.0)


def test_resampled_sums_have_the_unbiased_variance_of_a_sum():
    # Two rows, 0 and 2: the sample variance is 2, so a sum of two has variance 4. Without widening the
    # bootstrap would say 2 * 1 = 2.
    sums = resampled_sums(np.array([[0.0], [2.0]]), rng(), 40_000)[:, 0]
    assert sums.mean() == pytest.approx(2.0, abs=0.03)
    assert sums.var() == pytest.approx(4.0, rel=0.03)


def test_columns_of_one_trial_are_drawn_together():
    values = rng(1).normal(size=(20, 1))
    sums = resampled_sums(np.hstack([values, 10.0 - values]), rng(), 50)
    np.testing.assert_allclose(sums.sum(axis=1), 200.0)


def test_a_mean_interval_matches_the_normal_one_where_there_are_many_trials():
    values = rng(3).normal(size=10_000)
    got = mean_interval(values, rng(), resamples=1000)
    half = 1.96 * values.std() / 100.0
    assert got.low == pytest.approx(got.value - half, abs=0.002)
    assert got.high == pytest.approx(got.value + half, abs=0.002)


def test_the_same_generator_gives_the_same_interval():
    values = rng(5).normal(size=30)
    assert mean_interval(values, rng(9)) == mean_interval(values, rng(9))
    assert mean_interval(values, rng(9)) != mean_interval(values, rng(10))


def test_a_ratio_of_sums_is_not_a_mean_of_ratios():
    # Gains possible are 2 and 6; half of the first and all of the second are taken: (1 + 6) / (2 + 6).
    strata = [(np.array([1.0]), np.array([2.0])), (np.array([6.0]), np.array([6.0]))]
    assert ratio_of_sums_interval(strata, rng()) == Estimate(7 / 8, 7 / 8, 7 / 8)


def test_strata_that_differ_from_one_another_but_not_inside_leave_no_width():
    strata = [(np.full(5, 0.0), np.full(5, 2.0)), (np.full(3, 6.0), np.full(3, 6.0))]
    assert ratio_of_sums_interval(strata, rng()) == Estimate(18 / 28, 18 / 28, 18 / 28)


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        ([], "at least one stratum"),
        ([(np.ones(2), np.zeros(2))], "more than 0"),
        ([(np.ones(2), np.ones(3))], "numerators for"),
    ],
)
def test_a_ratio_that_does_not_exist_is_refused(strata, message):
    with pytest.raises(ValueError, match=message):
        ratio_of_sums_interval(strata, rng())


def test_values_that_cannot_be_resampled_are_refused():
    with pytest.raises(ValueError, match="n >= 1"):
        mean_interval(np.array([]), rng())
    with pytest.raises(ValueError, match="resamples"):
        mean_interval(np.ones(3), rng(), resamples=0)
    with pytest.raises(ValueError, match="level"):
        percentile_interval(0.0, np.zeros(3), level=95)


def test_stratified_intervals_cover_the_truth_about_as_often_as_they_say():
    # Two opponents with other means and other gaps; the truth is (20*1 + 12*3) / (20*2 + 12*6) = 0.5.
    draw, resample, covered, repetitions = rng(11), rng(12), 0, 1500
    for _ in range(repetitions):
        strata = [
            (draw.normal(1.0, 1.0, size=20), np.full(20, 2.0)),
            (draw.normal(3.0, 2.0, size=12), np.full(12, 6.0)),
        ]
        got = ratio_of_sums_interval(strata, resample, resamples=400)
        covered += got.low <= 0.5 <= got.high
    assert covered / repetitions == pytest.approx(0.95, abs=0.03)


def test_wilson_intervals_match_the_textbook():
    # z = 1.96, 8 of 10: centre (0.8 + 0.192) / 1.384 = 0.717, half width 0.227.
    got = wilson_interval(8, 10)
    assert (got.low, got.value, got.high) == pytest.approx((0.490, 0.8, 0.943), abs=5e-4)


def test_wilson_intervals_stay_inside_zero_and_one_at_the_ends():
    none, every = wilson_interval(0, 10), wilson_interval(10, 10)
    assert (none.low, none.value) == (0.0, 0.0)
    assert (every.high, every.value) == (1.0, 1.0)
    assert none.high == pytest.approx(1.0 - every.low) == pytest.approx(0.2775, abs=1e-4)


@pytest.mark.parametrize(("successes", "n"), [(1, 0), (-1, 3), (4, 3)])
def test_a_rate_outside_its_range_is_refused(successes, n):
    with pytest.raises(ValueError, match="a rate needs"):
        wilson_interval(successes, n)
