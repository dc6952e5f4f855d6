"""What a comparison compares: figures that are linear in a trial's returns, over the opponents at each distance.

Pure functions of arrays. Left out: the two sides, intervals, tests (`mage.comparison_report`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mage.evaluation_pools import DISTANCES, SMALLEST_GAP, OpponentSample

ALL = "all"  # distances together


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a trial.

    weights: of its episodes [E], given E. exploitation: whether it is divided by what opponents offer over the security
    value. repeated: whether it says something new only where a trial has several episodes.
    """

    weights: Callable[[int], NDArray[np.float64]]
    exploitation: bool = False
    repeated: bool = False


def _last(episodes: int) -> NDArray[np.float64]:
    return np.eye(episodes)[-1]


FIGURES = {  # the first one, over all opponents, is the headline
    "last_return": Figure(_last),
    "gain": Figure(lambda episodes: np.eye(episodes)[-1] - np.eye(episodes)[0], repeated=True),
    "mean_return": Figure(lambda episodes: np.full(episodes, 1.0 / episodes), repeated=True),
    "last_exploitation": Figure(_last, exploitation=True),
}


@dataclass(frozen=True, slots=True)
class SeatedOpponent:
    """One opponent in one seat of the agent, which every learner met equally often."""

    opponent: str
    seat: int
    trials: int
    distance: str  # one of DISTANCES
    security_value: float  # v; 0 where unknown
    gap: float | None  # b - v; None where exploitation is not defined


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """A figure over the opponents at one distance; S seated opponents, trials of E episodes."""

    figure: str
    distance: str
    weights: NDArray[np.float64]  # [E]
    counted: NDArray[np.bool_]  # [S]
    divisor: float  # trials of one learner, or what they offer over the security value
    safe: float  # what is taken off the sum of a learner's returns first

    @property
    def hypothesis(self) -> tuple[bytes, bytes]:
        """What a test of it is a test of: figures alike in this are multiples of one another, but for a constant."""
        return self.weights.tobytes(), self.counted.tobytes()

    def of(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return [learners], the figure of each, from sums over trials of the returns, [learners, S, E]."""
        total: NDArray[np.float64] = (sums[:, self.counted] @ self.weights).sum(axis=1)
        return (total - self.safe) / self.divisor


def seated(samples: Sequence[OpponentSample], utility_range: tuple[float, float]) -> list[SeatedOpponent]:
    """Return whom the samples of all runs met in which seat, in order of first appearance.

    An opponent is as far as it is from the run that it is closest to. utility_range: least and greatest return of one
    episode; exploitation is defined where b - v is at least 1% of it.
    """
    distances: dict[str, str] = {}
    for sample in samples:
        distances[sample.name] = min(distances.get(sample.name, sample.distance), sample.distance, key=DISTANCES.index)
    found: dict[tuple[str, int], SeatedOpponent] = {}
    least = SMALLEST_GAP * (utility_range[1] - utility_range[0])
    for sample in samples:
        if (sample.name, sample.seat) in found:
            continue
        best, safe = sample.best_response_value, sample.security_value
        gap = None if best is None or safe is None or best - safe < least else best - safe
        found[sample.name, sample.seat] = SeatedOpponent(
            sample.name, sample.seat, sample.played, distances[sample.name], safe or 0.0, gap
        )
    return list(found.values())


def pools(met: Sequence[SeatedOpponent], episodes: int) -> list[Pool]:
    """Return every figure over all opponents, then over those of each distance, where several distances were met.

    Left out are figures that say nothing new of trials of one episode, and exploitation where no opponent has any.
    """
    distances = [distance for distance in DISTANCES if any(one.distance == distance for one in met)]
    trials = np.array([one.trials for one in met])
    gaps = np.array([one.gap or 0.0 for one in met])
    safe = np.array([one.security_value for one in met])
    found = []
    for distance in (ALL, *(distances if len(distances) > 1 else ())):
        there = np.array([distance in (ALL, one.distance) for one in met])
        for name, figure in FIGURES.items():
            counted = there & (gaps > 0.0) if figure.exploitation else there
            if (figure.repeated and episodes == 1) or not counted.any():
                continue
            scale, offset = (gaps, safe) if figure.exploitation else (np.ones_like(gaps), np.zeros_like(safe))
            divisor, taken_off = (float((trials * values)[counted].sum()) for values in (scale, offset))
            found.append(Pool(name, distance, figure.weights(episodes), counted, divisor, taken_off))
    return found
