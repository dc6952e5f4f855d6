"""Trials of an evaluation as strata, and what pools of strata show, episode by episode.

Pure: arrays in, plain dictionaries, lists and numbers out. Every interval is the 95% bootstrap over trials, stratified
by agent, opponent and seat; every level (one opponent, one agent, one distance, everything) pools the same resampled
trials. Left out: which pools there are (`mage.evaluation_report`), playing the trials, the exact values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from mage.statistics import percentile_interval, resampled_sums

DISTANCES = ("training", "near", "far", "member", "game")
SMALLEST_GAP = 0.01  # share of the utility range under which b - v says nothing about exploitation

Floats = NDArray[np.float64]


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
    returns: Floats  # [T, E] the agent's own
    others: Floats  # [T, E] the best return among the other seats
    forfeits: NDArray[np.bool_]  # [T, E] True where the agent forfeited the episode
    moves: NDArray[np.int64] | None = None  # [T, E, 3] decisions, with an illegal first try, drawn; None: not counted
    bayes_returns: Floats | None = None  # [E] expected, of the Bayes-optimal player
    determined: bool = False  # nothing in these trials was drawn, so that one of them says all
    repeats: int = 0  # further trials, each the same game as the last one once more

    def __post_init__(self) -> None:
        """Refuse arrays that do not describe the same trials."""
        if self.distance not in DISTANCES:
            raise ValueError(f"distance must be one of {', '.join(DISTANCES)}, got {self.distance!r}")
        if self.returns.ndim != 2 or 0 in self.returns.shape:
            raise ValueError(f"returns must be [trials, episodes] and not empty, got {self.returns.shape}")
        if not self.returns.shape == self.others.shape == self.forfeits.shape:
            raise ValueError(f"returns, others and forfeits must all have the shape {self.returns.shape}")
        if self.moves is not None and self.moves.shape != (*self.returns.shape, 3):
            raise ValueError(f"moves must be [trials, episodes, 3], got {self.moves.shape}")
        if self.bayes_returns is not None and self.bayes_returns.shape != self.returns.shape[1:]:
            raise ValueError(f"bayes_returns must be [episodes], got {self.bayes_returns.shape}")

    @property
    def played(self) -> int:
        """How many trials were played, repeats included."""
        return len(self.returns) + self.repeats

    def every_return(self) -> Floats:
        """Return what was got in every trial that was played, [played, E]."""
        return np.concatenate([self.returns, np.repeat(self.returns[-1:], self.repeats, axis=0)])


class EpisodeRow(TypedDict):
    """One episode of a pool of trials; returns in game units per episode, rates in [0, 1]."""

    episode: int  # from 1
    n: int  # trials, the same game over again counted once
    mean_return: float
    ci_low: float
    ci_high: float
    win_rate: float | None  # rates are null where returns were computed and nothing was played
    draw_rate: float | None
    forfeit_rate: float | None
    valid_move_rate: float | None  # of the decisions; 1 where there was none
    random_move_rate: float | None
    exploitation: float | None  # null where no opponent of the pool has a known, wide enough b - v
    exploitation_ci_low: float | None
    exploitation_ci_high: float | None
    bayes_exploitation: float | None  # the ceiling; null unless known for all that exploitation counts


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """A sample with what pooling adds up; E episodes."""

    sample: OpponentSample
    trials: int  # that were played: what the stratum weighs
    counts: Floats | None  # [6, E] wins, draws, forfeits and the three of `moves`; None where nothing was played
    total: Floats  # [E] sum of returns over trials
    draws: Floats  # [resamples, E] the same sum, over resampled trials; [1, E] where there is nothing to resample
    gap: float | None  # b - v; None where exploitation is not defined


def stratum(
    sample: OpponentSample, utility_range: tuple[float, float], rng: np.random.Generator, resamples: int
) -> Stratum:
    """Resample the trials of a sample; utility_range: least and greatest return of one episode."""
    distinct, episodes = sample.returns.shape
    often = sample.played / distinct  # a game that could not come out otherwise weighs as often as it was played
    if distinct > 1 or sample.determined:
        draws = often * resampled_sums(sample.returns, rng, resamples)
    else:  # one trial shows no spread, which is not certainty: take the widest that the game allows
        half = (utility_range[1] - utility_range[0]) / 2.0
        draws = sample.returns[0] + rng.choice(np.array([-half, half]), size=(resamples, episodes))
    moves = np.zeros((distinct, episodes, 3)) if sample.moves is None else sample.moves
    counts = [
        sample.returns > sample.others,
        sample.returns == sample.others,
        sample.forfeits,
        *np.moveaxis(moves, 2, 0),
    ]
    gap = None
    if sample.best_response_value is not None and sample.security_value is not None:
        difference = sample.best_response_value - sample.security_value
        if difference >= SMALLEST_GAP * (utility_range[1] - utility_range[0]):
            gap = difference
    total = often * sample.returns.sum(axis=0)
    return Stratum(sample, sample.played, often * np.array(counts).sum(axis=1), total, draws, gap)


def computed(met: Stratum, returns: Floats) -> Stratum:
    """Return the stratum of a player whose expected returns [E] are known, as often as `met` was played."""
    total = met.trials * returns
    return Stratum(met.sample, met.trials, None, total, total[None], met.gap)


def split(strata: Sequence[Stratum], field: str) -> dict[str, list[Stratum]]:
    """Part strata by a field of their samples, in order of first appearance."""
    parts: dict[str, list[Stratum]] = {}
    for one in strata:
        parts.setdefault(getattr(one.sample, field), []).append(one)
    return parts


def pooled(strata: Sequence[Stratum]) -> dict[str, Any]:
    """Give `overall`, `gain`, and `by_distance` with both again for each distance that was met."""
    parts = split(strata, "distance")
    by_distance = {
        distance: {"overall": rows(parts[distance]), "gain": _gain(parts[distance])}
        for distance in DISTANCES
        if distance in parts
    }
    return {"overall": rows(strata), "gain": _gain(strata), "by_distance": by_distance}


def _gain(strata: Sequence[Stratum]) -> dict[str, float]:
    """Give the last episode's return minus the first's, paired by trial, in game units."""
    n = sum(one.trials for one in strata)
    mean = sum(float(one.total[-1] - one.total[0]) for one in strata) / n
    draws = summed([one.draws[:, -1] - one.draws[:, 0] for one in strata]) / n
    got = percentile_interval(mean, draws)
    return {"mean": got.value, "ci_low": got.low, "ci_high": got.high}


def summed(draws: Sequence[Floats]) -> Floats:
    """Add up resampled figures of several strata; computed ones have a single draw, which serves every time."""
    total: Floats = sum(draws[1:], start=draws[0])
    return total


def rows(strata: Sequence[Stratum]) -> list[EpisodeRow]:
    """Give a row for each episode of the pool."""
    weight = sum(one.trials for one in strata)
    total = np.sum([one.total for one in strata], axis=0)
    draws = summed([one.draws for one in strata])
    counts = [one.counts for one in strata if one.counts is not None]
    rates: list[list[float | None]] = [[None] * len(total)] * 5
    if len(counts) == len(strata):
        rates = _rates(np.sum(counts, axis=0), weight)
    found = []
    for index, (share, low, high, ceiling) in enumerate(_exploitation(strata)):
        got = percentile_interval(total[index] / weight, draws[:, index] / weight)
        found.append(
            EpisodeRow(
                episode=index + 1,
                n=sum(len(one.sample.returns) for one in strata),
                mean_return=got.value,
                ci_low=got.low,
                ci_high=got.high,
                win_rate=rates[0][index],
                draw_rate=rates[1][index],
                forfeit_rate=rates[2][index],
                valid_move_rate=rates[3][index],
                random_move_rate=rates[4][index],
                exploitation=share,
                exploitation_ci_low=low,
                exploitation_ci_high=high,
                bayes_exploitation=ceiling,
            )
        )
    return found


def _rates(counts: Floats, trials: int) -> list[list[float | None]]:
    """Return shares [5][E]: of the episodes three, of the decisions first tries that were legal, and drawn moves."""
    decisions = np.maximum(counts[3], 1.0)
    shares = [*(counts[:3] / trials), 1.0 - counts[4] / decisions, counts[5] / decisions]
    return [share.tolist() for share in shares]


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """The strata of a pool in which something is to be had, and how much, summed over trials in game units."""

    counted: tuple[Stratum, ...]
    possible: float  # b - v
    safe: float  # v

    def shares(self, sums: Floats) -> Floats:
        """Return exploitation, (sum of returns - v) / (b - v), of sums of any shape."""
        return (sums - self.safe) / self.possible


def chances(strata: Sequence[Stratum]) -> Chances | None:
    """Return what is to be had in a pool; None where no stratum has a known, wide enough b - v."""
    counted = tuple(one for one in strata if one.gap is not None)
    if not counted:
        return None
    possible = sum(one.trials * (one.gap or 0.0) for one in counted)
    safe = sum(one.trials * (one.sample.security_value or 0.0) for one in counted)  # known where there is a gap
    return Chances(counted, possible, safe)


def _exploitation(strata: Sequence[Stratum]) -> list[tuple[float | None, ...]]:
    """Give exploitation, the ends of its interval, and the Bayes-optimal player's, for each episode."""
    episodes, had = len(strata[0].total), chances(strata)
    if had is None:
        return [(None,) * 4] * episodes
    taken = had.shares(np.sum([one.total for one in had.counted], axis=0))
    draws = had.shares(summed([one.draws for one in had.counted]))
    ceilings = [one.trials * one.sample.bayes_returns for one in had.counted if one.sample.bayes_returns is not None]
    bayes = [None] * episodes
    if len(ceilings) == len(had.counted):
        bayes = had.shares(np.sum(ceilings, axis=0)).tolist()
    got = [percentile_interval(taken[index], draws[:, index]) for index in range(episodes)]
    return [(each.value, each.low, each.high, ceiling) for each, ceiling in zip(got, bayes, strict=True)]
