"""From the returns of an evaluation's trials to the JSON object of `mage evaluate --json`.

Pure: arrays in, plain dictionaries, lists and numbers out. Every interval is the 95% bootstrap over trials,
stratified by agent, opponent and seat, and every level (one opponent, one agent, one distance, everything)
pools the same resampled trials. Left out: playing the trials, the exact values (see games.exact), tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from mage.statistics import RESAMPLES, percentile_interval, resampled_sums

SCHEMA = "mage.evaluation/1"
DISTANCES = ("training", "near", "far", "game")
SMALLEST_GAP = 0.01  # share of the utility range under which b - v says nothing about exploitation


@dataclass(frozen=True, slots=True, eq=False)
class OpponentSample:
    """The trials of one agent against one named opponent in one seat; T trials of E episodes.

    Raises ValueError where shapes disagree, there is no trial, or `distance` is not one of DISTANCES.
    """

    agent: str
    name: str
    family: str
    distance: str
    seat: int
    security_value: float | None  # v: what this seat can be sure of, per episode, in game units; None: unknown
    nash_value: float | None
    best_response_value: float | None  # b: the most that can be had from this opponent, per episode
    returns: NDArray[np.float64]  # [T, E] the agent's own
    others: NDArray[np.float64]  # [T, E] the best return among the other seats
    forfeits: NDArray[np.bool_]  # [T, E] True where the agent forfeited the episode
    bayes_returns: NDArray[np.float64] | None = None  # [E] expected, of the Bayes-optimal player

    def __post_init__(self) -> None:
        """Refuse arrays that do not describe the same trials."""
        if self.distance not in DISTANCES:
            raise ValueError(f"distance must be one of {', '.join(DISTANCES)}, got {self.distance!r}")
        if self.returns.ndim != 2 or 0 in self.returns.shape:
            raise ValueError(f"returns must be [trials, episodes] and not empty, got {self.returns.shape}")
        if not self.returns.shape == self.others.shape == self.forfeits.shape:
            raise ValueError(f"returns, others and forfeits must all have the shape {self.returns.shape}")
        if self.bayes_returns is not None and self.bayes_returns.shape != self.returns.shape[1:]:
            raise ValueError(f"bayes_returns must be [episodes], got {self.bayes_returns.shape}")


class EpisodeRow(TypedDict):
    """One episode of a pool of trials; returns in game units per episode, rates in [0, 1]."""

    episode: int  # from 1
    n: int  # trials
    mean_return: float
    ci_low: float
    ci_high: float
    win_rate: float
    draw_rate: float
    forfeit_rate: float
    exploitation: float | None  # null where no opponent of the pool has a known, wide enough b - v
    exploitation_ci_low: float | None
    exploitation_ci_high: float | None
    bayes_exploitation: float | None  # the ceiling; null unless known for all that exploitation counts


@dataclass(frozen=True, slots=True, eq=False)
class _Stratum:
    """A sample with what pooling adds up; E episodes."""

    sample: OpponentSample
    trials: int
    counts: NDArray[np.int64]  # [3, E] wins, draws, forfeits
    total: NDArray[np.float64]  # [E] sum of returns over trials
    draws: NDArray[np.float64]  # [resamples, E] the same sum, over resampled trials
    gap: float | None  # b - v; None where exploitation is not defined


def evaluation_report(
    samples: Sequence[OpponentSample],
    *,
    run: str,
    game: str,
    memory: str,
    utility_range: tuple[float, float],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """Build the object that `mage evaluate --json` writes; its fields are those of docs and design.

    samples: one for each agent, opponent and seat, all with the same number of episodes; agents and
    opponents keep the order in which they first appear. An opponent met in several seats is one entry, whose
    values are means over its trials. Exploitation is (return - v) / (b - v), as a ratio of sums over trials
    where pooled; seats whose b is unknown or whose b - v is under 1% of the utility range do not count.
    utility_range: least and greatest return of one episode. The same samples in the same order and the same
    generator give the same object. Raises ValueError where there is no sample, one is given twice, numbers of
    episodes differ, or one opponent is given two families or distances.
    """
    _check(samples, utility_range)
    strata = [_stratum(sample, utility_range, rng, resamples) for sample in samples]
    return {
        "schema": SCHEMA,
        "run": run,
        "game": game,
        "memory": memory,
        "held_out": all(sample.distance != "training" for sample in samples),
        "agents": [
            {
                "agent": agent,
                "opponents": [_opponent(of_one) for of_one in _split(of_agent, "name").values()],
                **_pooled(of_agent),
            }
            for agent, of_agent in _split(strata, "agent").items()
        ],
        **_pooled(strata),
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


def _stratum(
    sample: OpponentSample, utility_range: tuple[float, float], rng: np.random.Generator, resamples: int
) -> _Stratum:
    trials, episodes = sample.returns.shape
    if trials > 1:
        draws = resampled_sums(sample.returns, rng, resamples)
    else:  # one trial shows no spread, which is not certainty: take the widest that the game allows
        draws = rng.choice(np.array(utility_range), size=(resamples, episodes))
    counts = [sample.returns > sample.others, sample.returns == sample.others, sample.forfeits]
    gap = None
    if sample.best_response_value is not None and sample.security_value is not None:
        difference = sample.best_response_value - sample.security_value
        if difference >= SMALLEST_GAP * (utility_range[1] - utility_range[0]):
            gap = difference
    return _Stratum(sample, trials, np.array(counts).sum(axis=1), sample.returns.sum(axis=0), draws, gap)


def _split(strata: Sequence[_Stratum], field: str) -> dict[str, list[_Stratum]]:
    """Part strata by a field of their samples, in order of first appearance."""
    parts: dict[str, list[_Stratum]] = {}
    for stratum in strata:
        parts.setdefault(getattr(stratum.sample, field), []).append(stratum)
    return parts


def _opponent(strata: Sequence[_Stratum]) -> dict[str, Any]:
    """Describe one agent's trials against one opponent, over the seats it was met in."""
    sample = strata[0].sample

    def mean_over_trials(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        trials = [stratum.trials for stratum in strata]
        return float(np.average(known, weights=trials)) if len(known) == len(values) else None

    return {
        "name": sample.name,
        "family": sample.family,
        "distance": sample.distance,
        "security_value": mean_over_trials([s.sample.security_value for s in strata]),
        "nash_value": mean_over_trials([s.sample.nash_value for s in strata]),
        "best_response_value": mean_over_trials([s.sample.best_response_value for s in strata]),
        "episodes": _rows(strata),
    }


def _pooled(strata: Sequence[_Stratum]) -> dict[str, Any]:
    """Give `overall`, `gain`, and `by_distance` with both again for each distance that was met."""
    parts = _split(strata, "distance")
    by_distance = {
        distance: {"overall": _rows(parts[distance]), "gain": _gain(parts[distance])}
        for distance in DISTANCES
        if distance in parts
    }
    return {"overall": _rows(strata), "gain": _gain(strata), "by_distance": by_distance}


def _gain(strata: Sequence[_Stratum]) -> dict[str, float]:
    """Give the last episode's return minus the first's, paired by trial, in game units."""
    n = sum(stratum.trials for stratum in strata)
    mean = sum(float(stratum.total[-1] - stratum.total[0]) for stratum in strata) / n
    draws = np.sum([stratum.draws[:, -1] - stratum.draws[:, 0] for stratum in strata], axis=0) / n
    got = percentile_interval(mean, draws)
    return {"mean": got.value, "ci_low": got.low, "ci_high": got.high}


def _rows(strata: Sequence[_Stratum]) -> list[EpisodeRow]:
    n = sum(stratum.trials for stratum in strata)
    total = np.sum([stratum.total for stratum in strata], axis=0)
    draws = np.sum([stratum.draws for stratum in strata], axis=0)
    rates = np.sum([stratum.counts for stratum in strata], axis=0) / n
    rows = []
    for index, (share, low, high, ceiling) in enumerate(_exploitation(strata)):
        got = percentile_interval(total[index] / n, draws[:, index] / n)
        win, draw, forfeit = rates[:, index].tolist()
        rows.append(
            EpisodeRow(
                episode=index + 1,
                n=n,
                mean_return=got.value,
                ci_low=got.low,
                ci_high=got.high,
                win_rate=win,
                draw_rate=draw,
                forfeit_rate=forfeit,
                exploitation=share,
                exploitation_ci_low=low,
                exploitation_ci_high=high,
                bayes_exploitation=ceiling,
            )
        )
    return rows


def _exploitation(strata: Sequence[_Stratum]) -> list[tuple[float | None, ...]]:
    """Give exploitation, the ends of its interval, and the Bayes-optimal player's, for each episode."""
    episodes = len(strata[0].total)
    if not (counted := [(stratum, stratum.gap) for stratum in strata if stratum.gap is not None]):
        return [(None,) * 4] * episodes
    possible = sum(stratum.trials * gap for stratum, gap in counted)
    safe = sum(s.trials * (s.sample.security_value or 0.0) for s, _ in counted)  # known where there is a gap
    taken = (np.sum([stratum.total for stratum, _ in counted], axis=0) - safe) / possible
    draws = (np.sum([stratum.draws for stratum, _ in counted], axis=0) - safe) / possible
    ceilings = [(s.trials, s.sample.bayes_returns) for s, _ in counted if s.sample.bayes_returns is not None]
    bayes = [None] * episodes
    if len(ceilings) == len(counted):
        bayes = ((np.sum([n * returns for n, returns in ceilings], axis=0) - safe) / possible).tolist()
    got = [percentile_interval(taken[index], draws[:, index]) for index in range(episodes)]
    return [(each.value, each.low, each.high, ceiling) for each, ceiling in zip(got, bayes, strict=True)]
