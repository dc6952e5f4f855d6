"""Pools exact returns of trials: by episode, with what was gained, and what remembering this opponent is worth.

Every opponent counts as much as any other, as in the values that stand beside. Pure functions of arrays. Left out:
where the returns come from (`mage.exact_evaluation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mage.statistics import percentile_interval, resampled_sums


@dataclass(frozen=True, slots=True, eq=False)
class ExactSample:
    """One agent in one seat against one opponent; T trials of E episodes.

    returns: [T, E], the expected return of each episode, given the memory when it began.
    elsewhere: [T], what the last episode's policy would get from the list's other opponents, on average; None where
    there is no other.
    """

    agent: str
    opponent: str
    seat: int
    returns: NDArray[np.float64]
    elsewhere: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """A sample with its resampled means; F figures: E returns, then the last one less `elsewhere`."""

    agent: str
    trials: int
    means: NDArray[np.float64]  # [F]
    draws: NDArray[np.float64]  # [resamples, F]
    compared: bool  # whether the last figure means anything


def stratum(sample: ExactSample, rng: np.random.Generator) -> Stratum:
    """Resample the trials of a sample (at least two); what is pooled at every level is drawn here, once."""
    compared = sample.elsewhere is not None
    other = sample.elsewhere if sample.elsewhere is not None else sample.returns[:, -1]
    figures = np.column_stack([sample.returns, sample.returns[:, -1] - other])
    trials = len(figures)
    return Stratum(sample.agent, trials, figures.mean(axis=0), resampled_sums(figures, rng) / trials, compared)


def pooled(strata: Sequence[Stratum], fixed: float | None) -> dict[str, Any]:
    """Return the mean return of each episode and what follows from it, with 95% intervals, in game units.

    fixed: what the best policy that doesn't adapt gets. `gain`: the last episode less the first. `excess`: the last one
    less `fixed`. `own_memory`: the last one less what the same policies would get from the other opponents; 0 for a
    policy that doesn't depend on what was seen, since every opponent is once its own and as often another's.
    """
    means = np.mean([one.means for one in strata], axis=0)
    draws = np.mean([one.draws for one in strata], axis=0)
    returns, drawn = means[:-1], draws[:, :-1]
    count = sum(one.trials for one in strata)
    return {
        "episodes": [
            {"episode": number + 1, "n": count, **_interval("mean_return", returns[number], drawn[:, number])}
            for number in range(len(returns))
        ],
        "gain": _interval("mean", returns[-1] - returns[0], drawn[:, -1] - drawn[:, 0]),
        "excess": None if fixed is None else _interval("mean", returns[-1] - fixed, drawn[:, -1] - fixed),
        "own_memory": _interval("mean", means[-1], draws[:, -1]) if all(one.compared for one in strata) else None,
    }


def by_episode(values: Sequence[NDArray[np.float64]], rng: np.random.Generator) -> list[dict[str, float]]:
    """Return the mean of a figure in each episode, with its 95% interval over trials; every opponent counts as much.

    values: one [T, E] for each opponent.
    """
    means = np.mean([each.mean(axis=0) for each in values], axis=0)
    draws = np.mean([resampled_sums(each, rng) / len(each) for each in values], axis=0)
    n = sum(len(each) for each in values)
    return [
        {"episode": number + 1, "n": n, **_interval("mean", means[number], draws[:, number])}
        for number in range(len(means))
    ]


def _interval(name: str, value: float, draws: NDArray[np.float64]) -> dict[str, float]:
    got = percentile_interval(value, draws)
    return {name: got.value, "ci_low": got.low, "ci_high": got.high}
