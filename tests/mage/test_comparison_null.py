"""Seeds of one config are called different as often as promised, 1 in 20; what trials alone would call is the fault.

Simulated nested data: runs differ, learners of a run differ, opponents differ, trials share the opponents' draws.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from mage.comparison_report import MeasuredRun, comparison_report
from mage.evaluation_pools import OpponentSample

pytestmark = pytest.mark.slow

REPEATS = 1000
BAND = 3.3 * np.sqrt(0.05 * 0.95 / REPEATS)  # 0.023: a true 5% leaves it once in a thousand times


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations of what differs between runs, learners of a run, opponents, and trials."""

    runs: float
    learners: float = 0.5
    opponents: float = 1.0
    draws: float = 0.7  # of the opponent's draws, which equal trials of all runs share
    trials: float = 1.0


class Config:
    """Runs of one config that differ by seed, against two opponents in three trials of one episode."""

    OPPONENTS, TRIALS, EPISODES = 2, 3, 1

    def __init__(self, spread: Spread, learners: int, rng: np.random.Generator) -> None:
        self.spread, self.learners, self.rng = spread, learners, rng
        self.opponents = spread.opponents * rng.normal(size=self.OPPONENTS)
        self.draws = spread.draws * rng.normal(size=(learners, self.OPPONENTS, self.TRIALS, self.EPISODES))

    def seed(self) -> MeasuredRun:
        shift = self.spread.runs * self.rng.normal()
        return MeasuredRun("run", tuple(sample for index in range(self.learners) for sample in self._of(index, shift)))

    def _of(self, index: int, shift: float) -> list[OpponentSample]:
        own = shift + self.spread.learners * self.rng.normal()
        noise = self.spread.trials * self.rng.normal(size=self.draws[index].shape)
        returns = own + self.opponents[:, None, None] + self.draws[index] + noise
        return [_sample(f"learner_{index}", str(opponent), values) for opponent, values in enumerate(returns)]


def _sample(agent: str, name: str, returns: np.ndarray) -> OpponentSample:
    none = np.zeros(returns.shape, dtype=bool)
    return OpponentSample(agent, name, name, "near", 0, 0.0, 0.0, None, returns, -returns, none)


def rates(spread: Spread, seeds: int, learners: int, resamples: int = 1) -> tuple[float, float]:
    """Return how often the headline is called different by the unit, and how often by the trials alone."""
    rng, called, misled = np.random.default_rng(seeds + 10 * learners), 0, 0
    for _ in range(REPEATS):
        config = Config(spread, learners, rng)
        a, b = ([config.seed() for _ in range(seeds)] for _ in "ab")
        table = comparison_report(a, b, utility_range=(-9.0, 9.0), rng=rng, resamples=resamples)
        called += table["figures"][0]["different"]
        misled += table["figures"][0]["trials"]["p"] < 0.05
    return called / REPEATS, misled / REPEATS


def test_seeds_of_one_config_are_called_different_one_time_in_twenty():
    called, _ = rates(Spread(runs=1.0), 5, learners=2)
    assert called == pytest.approx(0.05, abs=BAND)


def test_two_seeds_a_side_err_on_the_quiet_side():
    # With one degree of freedom a side, Welch's approximation is a little too careful.
    called, _ = rates(Spread(runs=1.0), 2, learners=2)
    assert 0.01 < called < 0.05


def test_learners_of_two_equal_runs_are_called_different_at_most_one_time_in_twenty():
    # Trials that share draws make both sides alike in more than the test knows, so it is a little too careful.
    called, _ = rates(Spread(runs=0.0), 1, learners=4)
    assert 0.02 < called < 0.05 + BAND


def test_trials_alone_call_seeds_of_one_config_different_far_more_often():
    called, misled = rates(Spread(runs=1.0), 3, learners=2, resamples=200)
    assert called == pytest.approx(0.05, abs=BAND)
    assert misled > 0.2


def test_learners_are_no_substitute_for_seeds_where_runs_differ():
    # Why the output says which unit was used: one run a side can't tell a lucky seed from a better config.
    called, _ = rates(Spread(runs=1.0), 1, learners=4)
    assert called > 0.2
