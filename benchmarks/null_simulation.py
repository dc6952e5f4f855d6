"""How often `mage compare` calls simulated runs of one config different, and how often two shortcuts would.

Two simulations. One draws the means of runs and applies Welch's t. The other draws nested data (runs differ, learners
of a run differ, opponents differ, and trials share the opponents' draws) and goes through the whole report, so that it
shows what becomes of trials, or learners, that are taken for independent witnesses of a config. Left out: real runs
(`benchmarks.null_compare`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mage.comparison_report import MeasuredRun, comparison_report
from mage.evaluation_pools import OpponentSample
from mage.statistics import SIGNIFICANT, welch

UNITS = ((2, 2), (3, 3), (4, 4), (5, 5), (8, 8), (2, 3), (2, 5))  # runs on either side
OF_MEANS = 20_000  # comparisons of means
NESTED = 4_000  # comparisons of nested data


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of so many comparisons called a headline different that isn't."""

    what: str
    called: int
    comparisons: int

    @property
    def share(self) -> float:
        """In [0, 1]."""
        return self.called / self.comparisons


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
        """Draw what all its runs meet; learners: of each run."""
        self.spread, self.learners, self.rng = spread, learners, rng
        self.opponents = spread.opponents * rng.normal(size=self.OPPONENTS)
        self.draws = spread.draws * rng.normal(size=(learners, self.OPPONENTS, self.TRIALS, self.EPISODES))

    def seed(self) -> MeasuredRun:
        """Return another run."""
        shift = self.spread.runs * self.rng.normal()
        return MeasuredRun("run", tuple(sample for index in range(self.learners) for sample in self._of(index, shift)))

    def _of(self, index: int, shift: float) -> list[OpponentSample]:
        own = shift + self.spread.learners * self.rng.normal()
        noise = self.spread.trials * self.rng.normal(size=self.draws[index].shape)
        returns = own + self.opponents[:, None, None] + self.draws[index] + noise
        return [_sample(f"learner_{index}", str(opponent), values) for opponent, values in enumerate(returns)]


def _sample(agent: str, name: str, returns: NDArray[np.float64]) -> OpponentSample:
    none = np.zeros(returns.shape, dtype=bool)
    return OpponentSample(agent, name, name, "near", 0, 0.0, 0.0, None, returns, -returns, none)


@dataclass(frozen=True, slots=True)
class Nested:
    """A comparison of so many runs of one config a side, and by what it is judged."""

    what: str
    spread: Spread
    seeds: int
    learners: int
    by_trials: bool = False

    def called(self, rng: np.random.Generator) -> bool:
        """Whether one such comparison calls its headline different."""
        config = Config(self.spread, self.learners, rng)
        a, b = ([config.seed() for _ in range(self.seeds)] for _ in "ab")
        resamples = 200 if self.by_trials else 1
        table = comparison_report(a, b, utility_range=(-9.0, 9.0), rng=rng, resamples=resamples)
        headline: dict[str, Any] = table["figures"][0]
        return bool((headline["trials"]["p"] if self.by_trials else headline["p_holm"]) < SIGNIFICANT)

    def rate(self, comparisons: int, seed: int = 0) -> Rate:
        """Return how often it does."""
        rng = np.random.default_rng([seed, self.seeds, self.learners])
        return Rate(self.what, sum(self.called(rng) for _ in range(comparisons)), comparisons)


_UNLIKE, _ALIKE = Spread(runs=1.0), Spread(runs=0.0)
CASES = {
    "two_runs": Nested("2 runs v 2, of two learners, by runs", _UNLIKE, 2, 2),
    "three_runs": Nested("3 runs v 3, of two learners, by runs", _UNLIKE, 3, 2),
    "five_runs": Nested("5 runs v 5, of two learners, by runs", _UNLIKE, 5, 2),
    "trials": Nested("3 runs v 3, of two learners, by trials alone", _UNLIKE, 3, 2, by_trials=True),
    "learners": Nested("1 run v 1, of four learners, by learners", _UNLIKE, 1, 4),
    "own_draws": Nested("the same, runs alike, opponents' draws of no weight", Spread(0.0, draws=0.0), 1, 4),
    "alike": Nested("the same, runs alike, opponents' draws as above", _ALIKE, 1, 4),
    "shared_draws": Nested("the same, runs alike, opponents' draws thrice that", Spread(0.0, draws=2.1), 1, 4),
}


def of_units(a: int, b: int, comparisons: int = OF_MEANS, seed: int = 0) -> Rate:
    """Return how often Welch's t calls `a` and `b` normal means of one law different."""
    means = np.random.default_rng([seed, a, b]).normal(size=(comparisons, a + b))
    called = sum(welch(row[:a], row[a:]).p < SIGNIFICANT for row in means)
    return Rate(f"{a} means v {b}", called, comparisons)


def simulate() -> list[Rate]:
    """Return every simulation's rate."""
    return [*(of_units(a, b) for a, b in UNITS), *(case.rate(NESTED) for case in CASES.values())]
