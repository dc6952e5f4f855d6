"""The intervals: exact where nothing varies, right in width and coverage where something does; and the tests."""

import numpy as np
import pytest

from mage.statistics import (
    Estimate,
    holm,
    mean_interval,
    percentile_interval,
    ratio_of_sums_interval,
    resampled_p,
    resampled_sums,
    stratified_p,
    welch,
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


def test_welch_matches_a_sum_done_by_hand():
    # Variances 1 and 4 of three values each: error sqrt(1/3 + 4/3) = 1.291, t = 2 / 1.291 = 1.549,
    # degrees (5/3)^2 / ((1/3)^2 / 2 + (4/3)^2 / 2) = 2.941.
    got = welch(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    assert got.degrees == pytest.approx(50 / 17)
    assert got.estimate.value == pytest.approx(2.0)
    assert got.estimate.high - 2.0 == pytest.approx(2.0 - got.estimate.low) == pytest.approx(3.2187 * 1.29099, abs=1e-3)
    assert got.p == pytest.approx(0.2209, abs=5e-4)


def test_welch_of_two_against_two_has_the_quantile_of_the_t_table():
    # Both variances 2, error sqrt(2/2 + 2/2) = sqrt(2), 2 degrees: the table says 4.303. With 2 degrees the
    # two-sided p of t is 1 - t / sqrt(2 + t^2); t = 4 / sqrt(2), so p = 1 - sqrt(8/10).
    got = welch(np.array([0.0, 2.0]), np.array([4.0, 6.0]))
    assert (got.degrees, got.estimate.value) == (pytest.approx(2.0), 4.0)
    assert got.estimate.high - got.estimate.value == pytest.approx(4.3027 * np.sqrt(2), abs=1e-3)
    assert got.p == pytest.approx(1.0 - np.sqrt(0.8))


def test_swapping_the_sides_of_welch_flips_signs_only():
    a, b = rng(1).normal(size=4), rng(2).normal(1.0, 3.0, size=6)
    one, other = welch(a, b), welch(b, a)
    assert (one.estimate.low, one.estimate.high) == pytest.approx((-other.estimate.high, -other.estimate.low))
    assert (one.p, one.degrees) == pytest.approx((other.p, other.degrees))


def test_where_nothing_varies_welch_is_certain():
    same = welch(np.full(3, 0.1), np.full(2, 0.1))
    assert (same.estimate, same.p) == (Estimate(0.0, 0.0, 0.0), 1.0)
    other = welch(np.full(3, 1.0), np.full(2, 2.0))
    assert (other.estimate, other.p) == (Estimate(1.0, 1.0, 1.0), 0.0)


def test_welch_needs_two_values_on_each_side():
    with pytest.raises(ValueError, match="got 1 and 2"):
        welch(np.ones(1), np.ones(2))


def test_holm_multiplies_the_least_by_how_many_there_are():
    # 0.01 * 4, 0.02 * 3, 0.03 * 2 (not below the one before), 0.5 * 1, in the order given.
    assert holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])


def test_holm_stays_within_one_and_leaves_one_alone():
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.04]) == [0.04]
    assert holm([]) == []


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_holm_refuses_what_is_no_p_value(p):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        holm([0.5, p])


def test_a_resampled_p_counts_the_draws_beyond_zero_on_the_rarer_side():
    # 1 of 19 draws is at most 0: 2 * (1 + 1) / (1 + 19).
    assert resampled_p(np.array([-1.0, *[1.0] * 18])) == pytest.approx(0.2)
    assert resampled_p(np.full(39, -2.0)) == pytest.approx(0.05)
    assert resampled_p(np.zeros(19)) == 1.0


def test_a_stratified_p_is_students_with_satterthwaites_degrees_of_freedom():
    # One stratum of 4 trials: t with 3 degrees of freedom, whose 97.5% point is 3.182446.
    assert stratified_p(3.182446, [1.0], [4]) == pytest.approx(0.05, abs=1e-6)
    # Two equal strata of 4 have (1 + 1)^2 / (1/3 + 1/3) = 6; the 97.5% point is 2.446912, the deviation root 2.
    assert stratified_p(-2.446912 * 2**0.5, [1.0, 1.0], [4, 4]) == pytest.approx(0.05, abs=1e-6)
    assert stratified_p(3.182446, [1.0, 0.0], [4, 100]) == pytest.approx(0.05, abs=1e-6)  # what can't vary adds none
    assert 0.0 < stratified_p(100.0, [1.0], [50]) < 1e-20
    assert stratified_p(0.0, [0.0], [5]) == 1.0
    # Nothing varied: t = 2 with one degree of freedom is 2 (1/2 - arctan(2) / pi), however many others are alike.
    assert stratified_p(0.5, [0.0, 0.0], [2, 50]) == pytest.approx(0.295167, abs=1e-6)


@pytest.mark.parametrize(("strata", "trials"), [(2, 4), (8, 2), (2, 16)])
def test_a_stratified_p_below_one_in_80_comes_about_as_seldom_by_chance(strata, trials):
    draw, found = rng(5), 0
    for _ in range(2000):
        values = draw.normal(size=(strata, trials))
        found += stratified_p(values.sum(), (trials * values.var(axis=1, ddof=1)).tolist(), [trials] * strata) < 0.0125
    assert found <= 2000 * 0.0125 + 3 * (2000 * 0.0125) ** 0.5  # three standard deviations above what is due


def test_values_that_agree_by_chance_are_known_no_better_than_what_they_were_measured_by():
    equal, other = np.array([1.0, 1.0]), np.array([1.5, 1.5])
    assert welch(equal, other).p == 0.0
    found = welch(equal, other, least_error=0.25)  # t = 2 with 2 + 2 - 2 degrees of freedom
    assert (found.p, found.degrees) == (pytest.approx(0.183503, abs=1e-6), 2.0)
    assert found.estimate.low == pytest.approx(0.5 - 4.302653 * 0.25, abs=1e-6)
    wide = welch(np.array([0.0, 2.0]), np.array([1.0, 3.0]), least_error=0.25)
    assert wide == welch(np.array([0.0, 2.0]), np.array([1.0, 3.0]))  # what varies more than that keeps its own error
