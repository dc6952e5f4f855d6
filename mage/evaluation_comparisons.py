"""What training and memory brought: the agents' last episode less each baseline's, with intervals and p-values.

Trials are paired where the two sides met the same draws: the same agent with and without memory did. Everything that is
compared in one table is one family of hypotheses, whose p-values `adjust` corrects (Holm 1979). Left out: two runs
against each other (`mage.comparison`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mage.evaluation_pools import Floats, Stratum, chances, split, summed
from mage.statistics import holm, percentile_interval, resampled_sums, stratified_p

SEEN, UNSEEN = "training", "near"


def comparisons(
    agents: Sequence[Stratum], baselines: Mapping[str, Sequence[Stratum]], rng: np.random.Generator, resamples: int
) -> list[dict[str, Any]]:
    """Compare the last episode's mean return with each baseline's, distance by distance.

    Returns for each `baseline` and `distance`: `difference` with `ci_low` and `ci_high` in game units, `paired`, the
    two-sided `p` and `p_holm`, which is null until `adjust` has seen the whole table.
    """
    found = []
    for name, strata in baselines.items():
        theirs = split(strata, "distance")
        for distance, ours in split(agents, "distance").items():
            if distance in theirs:
                pair = _pairs(ours, theirs[distance])
                contrast = _paired(pair, rng, resamples) if pair else _less(_mean(ours), _mean(theirs[distance]))
                found.append({"baseline": name, "distance": distance, "paired": bool(pair), **contrast.told()})
    return found


def memorised(agents: Sequence[Stratum]) -> dict[str, Any] | None:
    """Compare the last episode's exploitation of opponents met in training with that of near ones; None without both.

    An agent that learned whom it meets by heart exploits the former only: same rule, other parameters.
    """
    parts = split(agents, "distance")
    seen, unseen = (_share(parts.get(distance, ())) for distance in (SEEN, UNSEEN))
    return None if seen is None or unseen is None else _less(seen, unseen).told()


def adjust(tables: Sequence[Mapping[str, Any]]) -> None:
    """Fill in `p_holm` of everything that is compared in these reports, as one family."""
    family = [entry for table in tables for entry in (*table["comparisons"], table["memorised"]) if entry is not None]
    for entry, p in zip(family, holm([entry["p"] for entry in family]), strict=True):
        entry["p_holm"] = float(p)


@dataclass(frozen=True, slots=True, eq=False)
class _Contrast:
    """A difference, and what it varies by."""

    value: float
    draws: Floats  # [resamples]
    variances: tuple[float, ...]  # of what each stratum adds to it
    counts: tuple[int, ...]  # the trials that each of them rests on

    def told(self) -> dict[str, Any]:
        got = percentile_interval(self.value, self.draws)
        told = {"difference": got.value, "ci_low": got.low, "ci_high": got.high}
        return {**told, "p": stratified_p(self.value, self.variances, self.counts), "p_holm": None}


def _less(one: _Contrast, other: _Contrast) -> _Contrast:
    """Subtract what varies independently."""
    variances, counts = one.variances + other.variances, one.counts + other.counts
    return _Contrast(one.value - other.value, one.draws - other.draws, variances, counts)


def _pairs(ours: Sequence[Stratum], theirs: Sequence[Stratum]) -> list[tuple[Stratum, Stratum]] | None:
    """Match strata of the same agent, opponent and seat, trial by trial; None unless all of both sides match.

    A single trial has no spread to go by, so such strata are not matched.
    """

    def key(one: Stratum) -> tuple[str, str, int, int]:
        return one.sample.agent, one.sample.name, one.sample.seat, one.trials

    others = {key(one): one for one in theirs}
    if {key(one) for one in ours} != set(others) or any(one.trials < 2 for one in ours):
        return None
    return [(one, others[key(one)]) for one in ours]


def _paired(pairs: Sequence[tuple[Stratum, Stratum]], rng: np.random.Generator, resamples: int) -> _Contrast:
    """Return the mean difference of the last episodes."""
    last = [[side.sample.every_return()[:, -1:] for side in pair] for pair in pairs]
    differences = [own - other for own, other in last]
    n = sum(len(each) for each in differences)
    draws = summed([resampled_sums(each, rng, resamples) for each in differences])[:, 0] / n
    variances = tuple(len(each) * float(each.var(ddof=1)) / n**2 for each in differences)
    value = float(sum(each.sum() for each in differences) / n)
    return _Contrast(value, draws, variances, tuple(len(each) for each in differences))


def _mean(strata: Sequence[Stratum]) -> _Contrast:
    """Return the last episodes' mean."""
    return _scaled(strata, 0.0, float(sum(one.trials for one in strata)))


def _share(strata: Sequence[Stratum]) -> _Contrast | None:
    """Return exploitation in the last episode; None where it is not defined."""
    had = chances(strata)
    return None if had is None else _scaled(had.counted, had.safe, had.possible)


def _scaled(strata: Sequence[Stratum], less: float, unit: float) -> _Contrast:
    """Return the last episodes' returns summed over trials, less something, in a unit."""
    total, draws = sum(float(one.total[-1]) for one in strata), summed([one.draws[:, -1] for one in strata])
    variances = tuple(_variance(one) / unit**2 for one in strata)
    counts = tuple(one.trials for one in strata)
    return _Contrast((total - less) / unit, (draws - less) / unit, variances, counts)


def _variance(one: Stratum) -> float:
    """Return the variance of the last episode's sum over trials; of a single one that of its draws."""
    last = one.sample.returns[:, -1]
    if one.sample.determined:
        return 0.0
    if len(last) == 1:
        return float(np.var(one.draws[:, -1]))
    return one.trials**2 / len(last) * float(last.var(ddof=1))
