"""Seeds of one config are called different as often as Welch's t promises; what shortcuts would call is the fault.

Simulated nested data (`benchmarks.null_simulation`) through the whole report.
"""

import numpy as np
import pytest

from benchmarks.null_simulation import CASES, OF_MEANS, of_units

pytestmark = pytest.mark.slow

REPEATS = 1000


def band(share: float, n: int = REPEATS) -> float:
    """Half of the binomial band that a true share leaves once in a thousand times, with n comparisons."""
    return float(3.3 * np.sqrt(share * (1.0 - share) / n))


@pytest.mark.parametrize("case", ["two_runs", "three_runs", "five_runs"])
def test_seeds_of_one_config_are_called_different_as_often_as_means_of_one_law(case):
    # 2.4%, 3.4% and 4.4%: bands of 1.6, 1.9 and 2.1 points.
    seeds = CASES[case].seeds
    expected = of_units(seeds, seeds).share
    assert CASES[case].rate(REPEATS).share == pytest.approx(expected, abs=band(expected))


@pytest.mark.parametrize(("units", "share"), [((2, 2), 0.024), ((3, 3), 0.034), ((5, 5), 0.044), ((2, 5), 0.062)])
def test_equal_sides_are_called_different_at_most_one_time_in_twenty_and_uneven_ones_more_often(units, share):
    # The shares are those in docs/comparison.md, of other draws: two samples of 20,000 differ by 0.8 points at most.
    assert of_units(*units, seed=1).share == pytest.approx(share, abs=band(share, OF_MEANS) * np.sqrt(2.0))


def test_learners_of_two_equal_runs_are_called_different_as_often_as_means_of_one_law():
    # Nothing is shared, so that four learners a side are four independent means: 4.4%, give or take 2.1.
    expected = of_units(4, 4).share
    assert CASES["own_draws"].rate(REPEATS).share == pytest.approx(expected, abs=band(expected))


def test_learners_of_two_equal_runs_that_share_draws_are_called_different_less_often():
    # Shared draws make both sides alike in more than the test knows. The same noise, with draws of more weight.
    alone, alike, shared = (CASES[name].rate(REPEATS).called for name in ("own_draws", "alike", "shared_draws"))
    assert shared < alike < alone


def test_trials_alone_call_seeds_of_one_config_different_six_times_in_ten():
    # Where runs differ twice as much as the learners of a run do.
    assert CASES["trials"].rate(REPEATS).share == pytest.approx(0.60, abs=band(0.60))


def test_learners_are_no_substitute_for_seeds_where_runs_differ():
    # Why one run a side gets no verdict: it can't tell a lucky seed from a better config.
    assert CASES["learners"].rate(REPEATS).share == pytest.approx(0.41, abs=band(0.41))
