"""From the returns of two sides' trials to what sets them apart, B less A, with intervals and p-values.

Pure: arrays in, plain dictionaries, lists and numbers out. Two questions are kept apart. What of these very runs: the
bootstrap over trials, paired by the draws that they share. What of the configs behind them: Welch's t on one mean for
each run (or, where a side is one run, each learner), since the trials of a run are no independent witnesses of its
config. Left out: playing the trials (`mage.comparison`), tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mage.comparison_figures import Pool, SeatedOpponent, pools, seated
from mage.evaluation_pools import OpponentSample
from mage.statistics import (
    RESAMPLES,
    SIGNIFICANT,
    Difference,
    holm,
    percentile_interval,
    resampled_p,
    resampled_sums,
    welch,
)

RUNS, LEARNERS = "runs", "learners"
LEAST_UNITS = 2  # of a side, under which nothing can be said of the variance between them
_JUDGED = ("ci_low", "ci_high", "p", "p_holm", "different")


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRun:
    """What a run's learners did: one sample for each learner, opponent and seat."""

    name: str
    samples: tuple[OpponentSample, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Learner:
    """What one learner got: returns [T, E] by opponent and seat."""

    name: str
    returns: dict[tuple[str, int], NDArray[np.float64]]


_Side = Sequence[Sequence[_Learner]]  # the learners of each run


def comparison_report(
    a: Sequence[MeasuredRun],
    b: Sequence[MeasuredRun],
    *,
    utility_range: tuple[float, float],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """Return `unit`, `units_a`, `units_b`, `different` and `figures` of the object of `mage compare --json`.

    a, b: runs, all against the same opponents in the same seats, equally often, in the same order of trials; trials of
    the same agent name, opponent, seat and number are paired. Runs of a side count alike, and so do a run's learners.
    utility_range: least and greatest return of one episode. `different`, in a figure as at the top, is a verdict on
    configs, which runs alone can bear out: null where learners are the unit. Over all figures the chance of calling
    any different that is not is at most 5% (see `_corrected`).
    Raises ValueError for an empty side and for runs that did not play the same trials.
    """
    sides = [[_learners(run) for run in side] for side in (a, b)]
    samples = [sample for run in (*a, *b) for sample in run.samples]
    met = seated(samples, utility_range)
    _check(sides, met)
    compared = pools(met, samples[0].returns.shape[1])
    by_run = [[_figures(run, met, compared) for run in side] for side in sides]
    mean_a, mean_b = (np.mean([run.mean(axis=0) for run in side], axis=0) for side in by_run)
    unit, units_a, units_b = _units(*by_run)
    draws, n = _resampled(sides, met, compared, rng, resamples)
    errors = draws.std(axis=1).tolist()  # no unit's mean is known better than its trials tell
    tests = [welch(units_a[:, i], units_b[:, i], least_error=error) for i, error in enumerate(errors)] if unit else []
    judged = _judged(tests, compared, verdicts=unit == RUNS) if unit else [dict.fromkeys(_JUDGED)] * len(compared)
    figures = [
        {
            "figure": pool.figure,
            "distance": pool.distance,
            "mean_a": float(mean_a[index]),
            "mean_b": float(mean_b[index]),
            "difference": float(mean_b[index] - mean_a[index]),
            **judged[index],
            "trials": _of_trials(float(mean_b[index] - mean_a[index]), draws[index], int(n[index])),
        }
        for index, pool in enumerate(compared)
    ]
    return {
        "unit": unit,
        "units_a": len(units_a) if unit else None,
        "units_b": len(units_b) if unit else None,
        "different": figures[0]["different"],
        "figures": figures,
    }


def _learners(run: MeasuredRun) -> list[_Learner]:
    found: dict[str, _Learner] = {}
    for sample in run.samples:
        learner = found.setdefault(sample.agent, _Learner(sample.agent, {}))
        learner.returns[sample.name, sample.seat] = sample.every_return()
    return list(found.values())


def _check(sides: Sequence[_Side], met: Sequence[SeatedOpponent]) -> None:
    """Refuse runs that did not play the same trials."""
    if not all(side and all(side) for side in sides):
        raise ValueError("a comparison needs runs on both sides, each with a sample")
    if any(len({len(run) for run in side}) > 1 for side in sides):
        raise ValueError("the runs of one side must have as many learners")
    learners = [learner for side in sides for run in side for learner in run]
    episodes = {returns.shape[1] for learner in learners for returns in learner.returns.values()}
    if len(episodes) > 1:
        raise ValueError(f"all trials must have as many episodes, got {sorted(episodes)}")
    expected = {(one.opponent, one.seat): one.trials for one in met}
    for learner in learners:
        if {key: len(returns) for key, returns in learner.returns.items()} != expected:
            raise ValueError(f"{learner.name} played other trials than the other learners")


def _figures(run: Sequence[_Learner], met: Sequence[SeatedOpponent], compared: Sequence[Pool]) -> NDArray[np.float64]:
    """Return [learners, pools]."""
    sums = np.array([[learner.returns[one.opponent, one.seat].sum(axis=0) for one in met] for learner in run])
    return np.stack([pool.of(sums) for pool in compared], axis=1)


def _units(
    a: Sequence[NDArray[np.float64]], b: Sequence[NDArray[np.float64]]
) -> tuple[str | None, NDArray[np.float64], NDArray[np.float64]]:
    """Return what counts as one independent witness, and the figures [units, pools] of either side."""
    runs = [np.array([run.mean(axis=0) for run in side]) for side in (a, b)]
    learners = [np.concatenate(side) for side in (a, b)]
    for unit, (of_a, of_b) in ((RUNS, runs), (LEARNERS, learners)):
        if min(len(of_a), len(of_b)) >= LEAST_UNITS:
            return unit, of_a, of_b
    return None, learners[0], learners[1]


def _judged(tests: Sequence[Difference], compared: Sequence[Pool], *, verdicts: bool) -> list[dict[str, Any]]:
    """Return the fields that rest on the unit; verdicts: whether it can bear out any on configs."""
    return [
        dict(
            zip(
                _JUDGED,
                (test.estimate.low, test.estimate.high, test.p, p_holm, p_holm < SIGNIFICANT if verdicts else None),
                strict=True,
            )
        )
        for test, p_holm in zip(tests, _corrected(tests, compared), strict=True)
    ]


def _corrected(tests: Sequence[Difference], compared: Sequence[Pool]) -> list[float]:
    """Return p-values of which any true null's is below 0.05 with a chance of at most 0.05 in all.

    The first keeps its p and is a gate to the others, which are corrected together by Holm's method and then get no p
    below the first's. A hypothesis is counted once, whatever figures show it. Source: Westfall and Krishen 2001,
    Optimally weighted, fixed sequence and gatekeeper multiple testing procedures, J. Stat. Plan. Inference 99.
    """
    distinct: dict[tuple[bytes, bytes], float] = {}
    for test, pool in zip(tests, compared, strict=True):
        distinct.setdefault(pool.hypothesis, test.p)
    first, *others = distinct.values()
    corrected = dict(zip(distinct, [first, *(max(first, p) for p in holm(others))], strict=True))
    return [corrected[pool.hypothesis] for pool in compared]


def _resampled(
    sides: Sequence[_Side],
    met: Sequence[SeatedOpponent],
    compared: Sequence[Pool],
    rng: np.random.Generator,
    resamples: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the difference of every pool over resampled trials, [pools, resamples], and the pairs behind it, [pools].

    A pair is one trial number of one agent name, opponent and seat: what all runs of B made of it less what those of A
    did. A learner that only one side has is no pair of anything, and its trials stand for themselves.
    """
    weights = np.stack([pool.weights for pool in compared], axis=1)
    draws, n = np.zeros((len(compared), resamples)), np.zeros(len(compared), dtype=np.int64)
    for name in dict.fromkeys(learner.name for side in sides for run in side for learner in run):
        for index, one in enumerate(met):
            pairs = _pairs(sides, name, one) @ weights
            drawn = resampled_sums(pairs, rng, resamples)
            counted = [place for place, pool in enumerate(compared) if pool.counted[index]]
            draws[counted] += drawn[:, counted].T
            n[counted] += one.trials
    return draws / np.array([[pool.divisor] for pool in compared]), n


def _pairs(sides: Sequence[_Side], name: str, met: SeatedOpponent) -> NDArray[np.float64]:
    """Return [T, E], B less A, of the learners of this name, each weighing as it does in the mean of its side."""
    totals = []
    for side in sides:
        own = [learner for run in side for learner in run if learner.name == name]
        returns = np.array([learner.returns[met.opponent, met.seat] for learner in own])
        totals.append(returns.sum(axis=0) / sum(len(run) for run in side))  # a bare 0 where the side has none
    difference: NDArray[np.float64] = totals[1] - totals[0]
    return difference


def _of_trials(difference: float, draws: NDArray[np.float64], n: int) -> dict[str, float | int]:
    got = percentile_interval(difference, draws)
    return {"ci_low": got.low, "ci_high": got.high, "p": resampled_p(draws), "n": n}
