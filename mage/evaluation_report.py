"""From the returns of an evaluation's trials to the JSON object of `mage evaluate --json`.

Pure: arrays in, plain dictionaries, lists and numbers out. Left out: playing the trials, the exact values (see
games.exact), what pools show (`mage.evaluation_pools`), tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mage.evaluation_comparisons import comparisons, memorised
from mage.evaluation_pools import Floats, OpponentSample, Stratum, computed, pooled, rows, split, stratum
from mage.statistics import RESAMPLES

SCHEMA = "mage.evaluation/1"


@dataclass(frozen=True, slots=True, eq=False)
class BaselineSample:
    """Who stands beside the agents: what was played, or what its returns are known to be."""

    name: str
    memory: str | None  # null for players that read nothing
    played: Sequence[OpponentSample] = ()
    returns: Mapping[tuple[str, int], Floats] = field(default_factory=dict)  # [E] by opponent and seat, in expectation


def evaluation_report(
    samples: Sequence[OpponentSample],
    *,
    run: str,
    game: str,
    memory: str,
    utility_range: tuple[float, float],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    baselines: Sequence[BaselineSample] = (),
) -> dict[str, Any]:
    """Build the object that `mage evaluate --json` writes; its fields are those of docs and design.

    samples: one for each agent, opponent and seat, all with the same number of episodes; agents and
    opponents keep the order in which they first appear. An opponent met in several seats is one entry, whose
    values are means over its trials. Exploitation is (return - v) / (b - v), as a ratio of sums over trials
    where pooled; seats whose b is unknown or whose b - v is under 1% of the utility range do not count.
    utility_range: least and greatest return of one episode. baselines: against the same opponents, in the order in
    which they are to stand. The same samples in the same order and the same generator give the same object. Raises
    ValueError where there is no sample, one is given twice, numbers of episodes differ, or one opponent is given two
    families or distances.
    """
    _check(samples, utility_range)
    strata = [stratum(sample, utility_range, rng, resamples) for sample in samples]
    beside = {
        one.name: [stratum(sample, utility_range, rng, resamples) for sample in one.played]
        for one in baselines
        if one.played
    }
    return {
        "schema": SCHEMA,
        "run": run,
        "game": game,
        "memory": memory,
        "held_out": all(sample.distance != "training" for sample in samples),
        "agents": [
            {
                "agent": agent,
                "opponents": [_opponent(of_one) for of_one in split(of_agent, "name").values()],
                **pooled(of_agent),
            }
            for agent, of_agent in split(strata, "agent").items()
        ],
        **pooled(strata),
        "baselines": [_baseline(one, strata, beside.get(one.name)) for one in baselines],
        "comparisons": comparisons(strata, beside, rng, resamples),
        "memorised": memorised(strata),
    }


def _check(samples: Sequence[OpponentSample], utility_range: tuple[float, float]) -> None:
    if not samples:
        raise ValueError("an evaluation report needs at least one sample, got none")
    if utility_range[0] >= utility_range[1]:
        raise ValueError(f"utility_range must be (least, greatest), got {utility_range}")
    seen: set[tuple[str, str, int]] = set()
    kinds: dict[str, tuple[str, str]] = {}
    for sample in samples:
        key, kind = (sample.agent, sample.name, sample.seat), (sample.family, sample.distance)
        if key in seen:
            raise ValueError(f"agent, opponent and seat {key} were given twice; join their trials first")
        seen.add(key)
        if kinds.setdefault(sample.name, kind) != kind:
            raise ValueError(f"opponent {sample.name} was given as {kinds[sample.name]} and as {kind}")
        if sample.returns.shape[1] != samples[0].returns.shape[1]:
            raise ValueError(f"{key} has {sample.returns.shape[1]} episodes, unlike the first sample")


def _opponent(strata: Sequence[Stratum]) -> dict[str, Any]:
    """Describe one agent's trials against one opponent, over the seats it was met in."""
    sample = strata[0].sample

    def mean_over_trials(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        trials = [one.trials for one in strata]
        return float(np.average(known, weights=trials)) if len(known) == len(values) else None

    return {
        "name": sample.name,
        "family": sample.family,
        "distance": sample.distance,
        "security_value": mean_over_trials([s.sample.security_value for s in strata]),
        "nash_value": mean_over_trials([s.sample.nash_value for s in strata]),
        "best_response_value": mean_over_trials([s.sample.best_response_value for s in strata]),
        "repeats": sum(one.sample.repeats for one in strata),
        "episodes": rows(strata),
    }


def _baseline(baseline: BaselineSample, met: Sequence[Stratum], played: Sequence[Stratum] | None) -> dict[str, Any]:
    """Describe a baseline; one whose returns are known for some opponents only, at distances that are known whole."""
    repeats = sum(one.sample.repeats for one in played or ())
    told: dict[str, Any] = {"baseline": baseline.name, "memory": baseline.memory, "computed": played is None}
    told["repeats"] = repeats
    if played is not None:
        return {**told, **pooled(played)}
    known: list[Stratum] = []
    for of_distance in split(met, "distance").values():
        found = [(one, baseline.returns.get((one.sample.name, one.sample.seat))) for one in of_distance]
        if all(returns is not None for _, returns in found):
            known += [computed(one, returns) for one, returns in found if returns is not None]
    whole = len(known) == len(met)
    if not known:
        return {**told, "overall": None, "gain": None, "by_distance": {}}
    pool = pooled(known)
    return {**told, **(pool if whole else {**pool, "overall": None, "gain": None})}
