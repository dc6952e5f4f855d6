"""Intervals for what an evaluation measures (means, ratios of sums, rates), and tests of whether two sides differ.

Means and ratios use the bootstrap: trials are drawn again with replacement, within each stratum, and the
spread of the recomputed figure is its interval. Normality is assumed by the score interval for rates, by
Welch's t and by `stratified_p`, whose p-value may therefore lie on the other side of 0.05 than the interval that
stands beside it. With few trials the bootstrap is a little too sure of itself: at 32 trials a 95% interval
holds the truth about 94 times in 100, at 10 about 92 times.
Left out: what the figures mean (see evaluation_report, comparison_report), and any source of randomness of
its own: every function that draws takes a numpy Generator.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
SIGNIFICANT = 0.05  # a corrected p-value below it is called a difference
RESAMPLES = 2000
_INDICES_AT_ONCE = 1 << 15  # resampled trials held in memory at a time: 256 KiB of indices stays in cache


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval, all three in the figure's own unit; low <= value <= high."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference with its interval, and the two-sided p-value of there being none."""

    estimate: Estimate
    p: float  # in [0, 1]
    degrees: float  # of freedom; infinite where nothing varies


def percentile_interval(value: float, draws: NDArray[np.float64], level: float = LEVEL) -> Estimate:
    """Give `value` the central interval that holds the share `level` of its resampled `draws`.

    draws: [resamples]. The interval is stretched to hold `value` itself, which matters only for rounding
    and for very few trials. Raises ValueError where `level` is not between 0 and 1.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    low, high = np.quantile(draws, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Estimate(float(value), min(float(low), float(value)), max(float(high), float(value)))


def resampled_sums(
    values: NDArray[np.float64], rng: np.random.Generator, resamples: int = RESAMPLES
) -> NDArray[np.float64]:
    """Sum the rows of one stratum, over and over, on rows drawn with replacement.

    values: [n, columns], one row a trial; the columns of a trial stay together, so paired figures may be
    formed from the result. Returns [resamples, columns]. Deviations from the observed sum are widened by
    sqrt(n / (n - 1)), without which a stratum of n rows shows too little variance by (n - 1) / n and many
    small strata add up to intervals that are too narrow (Rao and Wu 1988, Resampling inference with
    complex survey data). A single row shows no spread at all: its own sum comes back every time.
    Raises ValueError unless `values` is two-dimensional with a row, or where `resamples` is under 1.
    """
    if values.ndim != 2 or len(values) == 0:
        raise ValueError(f"values must be [n, columns] with n >= 1, got shape {values.shape}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    n, columns = values.shape
    deviations = values - values[0]  # equal rows leave exact zeros, and so an exact interval
    sums = np.empty((resamples, columns))
    step = max(1, _INDICES_AT_ONCE // n)
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        drawn = rng.integers(0, n, size=(count, n)) + n * np.arange(count)[:, None]
        times_drawn = np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n)
        sums[start : start + count] = times_drawn.astype(np.float64) @ deviations
    observed = deviations.sum(axis=0)
    widening = np.sqrt(n / (n - 1)) if n > 1 else 1.0
    return n * values[0] + observed + widening * (sums - observed)


def mean_interval(
    values: NDArray[np.float64],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """Give the mean of `values` [n] with its bootstrap interval; raises ValueError where n is 0."""
    column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
    draws = resampled_sums(column, rng, resamples)[:, 0] / len(column)
    return percentile_interval(float(column.mean()), draws, level)


def ratio_of_sums_interval(
    strata: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """Give sum(numerators) / sum(denominators) over all strata, with its stratified bootstrap interval.

    strata: pairs of numerators [n] and denominators [n], one entry a trial; n may differ between strata,
    each of which is resampled to its own size. Raises ValueError where there is no stratum, the two
    lengths differ, or the denominators do not sum to more than 0.
    """
    if not strata:
        raise ValueError("a ratio of sums needs at least one stratum, got none")
    for numerators, denominators in strata:
        if numerators.shape != denominators.shape:
            raise ValueError(f"got {numerators.shape} numerators for {denominators.shape} denominators")
    observed = np.sum([[top.sum(), bottom.sum()] for top, bottom in strata], axis=0)
    if not observed[1] > 0.0:
        raise ValueError(f"the denominators must sum to more than 0, got {observed[1]}")
    draws = np.sum([resampled_sums(np.stack(pair, axis=1), rng, resamples) for pair in strata], axis=0)
    return percentile_interval(observed[0] / observed[1], draws[:, 0] / draws[:, 1], level)


def wilson_interval(successes: float, n: int, level: float = LEVEL) -> Estimate:
    """Give the rate successes / n with Wilson's score interval, which never leaves [0, 1].

    A fraction may stand for half a success (a draw): no variable in [0, 1] spreads more than a coin of the
    same mean, so the interval then errs on the wide side. Source: Wilson 1927, Probable inference.
    Raises ValueError unless 0 <= successes <= n, n >= 1 and 0 < level < 1.
    """
    if n < 1 or not 0.0 <= successes <= n:
        raise ValueError(f"a rate needs 0 <= successes <= n and n >= 1, got {successes} of {n}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    rate = successes / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return Estimate(rate, max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half)))


def welch(a: NDArray[np.float64], b: NDArray[np.float64], level: float = LEVEL, least_error: float = 0.0) -> Difference:
    """Test whether two sets of independent, normal values have one mean, whatever their variances; b less a.

    a: [n], b: [m], n and m at least 2, ValueError below. t = (mean b - mean a) / sqrt(s_a^2 / n + s_b^2 / m), with the
    degrees of freedom of Welch and Satterthwaite. least_error: what the standard error is known to be at least, from
    what the values were measured by: few values may agree by chance. Without that, where no side varies, p is 1 for
    equal means, 0 for others, and the interval is a point. Source: Welch 1947, The generalization of "Student's"
    problem, Biometrika 34.
    """
    if min(len(a), len(b)) < 2:
        raise ValueError(f"Welch's t needs two values on each side, got {len(a)} and {len(b)}")
    from scipy.special import stdtr, stdtrit  # half a second to import, and needed by one command

    a, b = a - a[0], b - a[0]  # equal values leave exact zeros
    difference = float(b.mean() - a.mean())
    of_a, of_b = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    error = max((of_a + of_b) ** 0.5, least_error)
    if error == 0.0:
        return Difference(Estimate(difference, difference, difference), float(difference == 0.0), float("inf"))
    degrees = float(len(a) + len(b) - 2)
    if of_a + of_b > 0.0:
        degrees = (of_a + of_b) ** 2 / (of_a**2 / (len(a) - 1) + of_b**2 / (len(b) - 1))
    half = float(stdtrit(degrees, (1.0 + level) / 2.0)) * error
    p = 2.0 * float(stdtr(degrees, -abs(difference) / error))
    return Difference(Estimate(difference, difference - half, difference + half), p, degrees)


def resampled_p(draws: NDArray[np.float64]) -> float:
    """Give the two-sided p-value of a figure being 0, from its resampled `draws` [resamples].

    Twice the share of draws on the far side of 0, the observed figure counted as one more draw on either side:
    it inverts the percentile interval, and is never below 2 / (resamples + 1).
    Source: Davison and Hinkley 1997, Bootstrap methods and their application, section 4.2.
    """
    beyond = min(int((draws <= 0.0).sum()), int((draws >= 0.0).sum()))
    return min(1.0, 2.0 * (1 + beyond) / (1 + len(draws)))


def stratified_p(value: float, variances: Sequence[float], counts: Sequence[int]) -> float:
    """Give the two-sided p-value of a sum over strata being 0, by Student's law.

    value: the sum. variances: of what each stratum adds to it; 0 where it can't vary, or didn't. counts: [strata] the
    trials that each variance was estimated from. The degrees of freedom are Satterthwaite's, each stratum giving one
    less than its trials and at least one. It has no least value, as `resampled_p` has, so that many can be corrected
    together. Where nothing varied, one more trial that made no difference is imagined in the smallest stratum, of n
    trials: t = n with n - 1 degrees of freedom; it is 1 for a value of 0. Source: Satterthwaite 1946, An approximate
    distribution of estimates of variance components.
    """
    from scipy.special import stdtr  # half a second to import

    total = float(sum(variances))
    if total == 0.0:
        least = min(counts)
        return 1.0 if value == 0.0 else 2.0 * float(stdtr(max(least - 1, 1), -least))
    spread = sum(variance**2 / max(count - 1, 1) for variance, count in zip(variances, counts, strict=True))
    return 2.0 * float(stdtr(total**2 / spread, -abs(value) / math.sqrt(total)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for there being several: the chance that any true null falls below 0.05 is at most 0.05.

    The least of m is multiplied by m, the next by m - 1, and so on; none gets below one before it, none above 1. It
    holds however the tests depend on each other. Returns them in the order given; ValueError outside [0, 1].
    Source: Holm 1979, A simple sequentially rejective multiple test procedure.
    """
    if not all(0.0 <= p <= 1.0 for p in p_values):
        raise ValueError(f"p-values must lie in [0, 1], got {list(p_values)}")
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected, least = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = least
    return corrected
