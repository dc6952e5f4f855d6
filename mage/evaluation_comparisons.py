"""What training and memory brought: the agents' last episode less each baseline's, with intervals and p-values.

Trials are paired where the two sides met the same draws: the same agent with and without memory did. Everything that is
compared in one table is one family of hypotheses, whose p-values `adjust` corrects (Holm 1979). Left out: two runs
against each other (`mage.comparison`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mage.evaluation_pools import Floats, Stratum, split, summed
from mage.statistics import holm, normal_p, percentile_interval, resampled_sums

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
                difference, draws = _paired(pair, rng, resamples) if pair else _apart(ours, theirs[distance])
                found.append({"baseline": name, "distance": distance, "paired": bool(pair), **_told(difference, draws)})
    return found


def memorised(agents: Sequence[Stratum]) -> dict[str, Any] | None:
    """Compare the last episode's exploitation of opponents met in training with that of near ones; None without both.

    An agent that learned whom it meets by heart exploits the former only: same rule, other parameters.
    """
    parts = split(agents, "distance")
    shares = [_share(parts.get(distance, ())) for distance in (SEEN, UNSEEN)]
    if shares[0] is None or shares[1] is None:
        return None
    (seen, seen_draws), (unseen, unseen_draws) = shares[0], shares[1]
    return _told(seen - unseen, seen_draws - unseen_draws)


def adjust(tables: Sequence[Mapping[str, Any]]) -> None:
    """Fill in `p_holm` of everything that is compared in these reports, as one family."""
    family = [entry for table in tables for entry in (*table["comparisons"], table["memorised"]) if entry is not None]
    for entry, p in zip(family, holm([entry["p"] for entry in family]), strict=True):
        entry["p_holm"] = float(p)


def _told(difference: float, draws: Floats) -> dict[str, Any]:
    got = percentile_interval(difference, draws)
    told = {"difference": got.value, "ci_low": got.low, "ci_high": got.high, "p": normal_p(difference, draws)}
    return {**told, "p_holm": None}


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


def _paired(pairs: Sequence[tuple[Stratum, Stratum]], rng: np.random.Generator, resamples: int) -> tuple[float, Floats]:
    """Return the mean difference of the last episodes, and resampled ones [resamples]."""
    differences = [own.sample.returns[:, -1:] - other.sample.returns[:, -1:] for own, other in pairs]
    n = sum(len(each) for each in differences)
    draws = summed([resampled_sums(each, rng, resamples) for each in differences])[:, 0] / n
    return float(sum(each.sum() for each in differences) / n), draws


def _apart(ours: Sequence[Stratum], theirs: Sequence[Stratum]) -> tuple[float, Floats]:
    """Return the difference of the last episodes' means, and resampled ones [resamples]."""
    (own, own_draws), (other, other_draws) = (_mean(side) for side in (ours, theirs))
    return own - other, own_draws - other_draws


def _mean(strata: Sequence[Stratum]) -> tuple[float, Floats]:
    n = sum(one.trials for one in strata)
    return sum(float(one.total[-1]) for one in strata) / n, summed([one.draws[:, -1] for one in strata]) / n


def _share(strata: Sequence[Stratum]) -> tuple[float, Floats] | None:
    """Return exploitation in the last episode, and resampled ones [resamples]; None where it is not defined."""
    counted = [one for one in strata if one.gap is not None]
    if not counted:
        return None
    possible = sum(one.trials * (one.gap or 0.0) for one in counted)
    safe = sum(one.trials * (one.sample.security_value or 0.0) for one in counted)
    total = sum(float(one.total[-1]) for one in counted)
    return (total - safe) / possible, (summed([one.draws[:, -1] for one in counted]) - safe) / possible
