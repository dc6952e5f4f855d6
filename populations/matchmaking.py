"""Who meets whom in one iteration: a table of matchmakers, and the split of each learner's groups among them.

Only members of the population can be drawn, and it holds training opponents alone: held-out and validation
opponents cannot be met here by construction. Leaves out seeds (drawn elsewhere, keyed by iteration, group and
trial) and all state: the same population, payoffs and generator give the same pairings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from populations.members import Kind, Member, Population, unknown_name
from populations.payoffs import PayoffTable

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNPLAYED_WIN_RATE = 0.5  # what is assumed about an opponent not met so far


@dataclass(frozen=True, slots=True)
class Pairing:
    """One trial to be played."""

    learner: str
    opponent: str
    seat: int  # the learner's; 0 moves first
    group: int  # unique within the iteration; its trials differ by the learner's sampling only
    trial: int  # unique within the iteration
    opponent_kind: Kind


def pfsp_weights(win_rate: Floats, power: float = 2.0) -> Floats:
    """Prefer the opponents we lose to (prioritised fictitious self-play, AlphaStar: (1 - win rate) ** power).

    win_rate: [N] in [0, 1], the learner's rate against each opponent; power >= 0.
    Returns [N] summing to 1; uniform when every opponent is beaten. ValueError when empty or out of range.
    """
    if win_rate.size == 0 or not np.all((win_rate >= 0.0) & (win_rate <= 1.0)) or power < 0.0:
        raise ValueError(f"got win rates {win_rate} and power {power}, expected rates in [0, 1], power >= 0")
    weight = (1.0 - win_rate) ** power
    total = weight.sum()
    return weight / total if total > 0 else np.full(len(weight), 1.0 / len(weight))


def apportion(weights: Floats, groups: int, rng: np.random.Generator) -> Integers:
    """Split `groups` in proportion to `weights`, each part rounded down or up with an exact expectation.

    weights: [N] >= 0, not all zero. Returns [N] summing to `groups`; a zero weight gets 0. Systematic
    rounding: the running sums of the exact shares, all shifted by one uniform number, are rounded down and
    differenced.
    """
    running = np.cumsum(weights)
    # Rounding to 1e-9 keeps whole shares whole; their sum in floating point may lie a hair below.
    bounds = np.floor(np.round(running / running[-1] * groups, 9) + rng.random())
    counts: Integers = np.diff(bounds, prepend=0.0).astype(np.int64)
    return counts


def shuffled_passes(win_rate: Floats, count: int, power: float, rng: np.random.Generator) -> Integers:
    """Draw `count` of N indices without replacement, starting a newly shuffled pass when all were drawn."""
    size = len(win_rate)
    passes = [rng.permutation(size) for _ in range(-(-count // size))]
    return np.concatenate(passes)[:count]


def uniform_draws(win_rate: Floats, count: int, power: float, rng: np.random.Generator) -> Integers:
    """Draw `count` of N indices independently, all equally likely."""
    return rng.integers(len(win_rate), size=count)


def pfsp_draws(win_rate: Floats, count: int, power: float, rng: np.random.Generator) -> Integers:
    """Draw `count` of N indices independently with `pfsp_weights`."""
    return rng.choice(len(win_rate), size=count, p=pfsp_weights(win_rate, power))


@dataclass(frozen=True, slots=True)
class Matchmaker:
    """One way to find opponents: whom it may offer, and how it draws among them."""

    candidates: Callable[[Population, str], tuple[Member, ...]]  # of a learner, by name
    draw: Callable[[Floats, int, float, np.random.Generator], Integers]  # win rates [N], count, power, rng
    by_win_rate: bool = False  # whether `draw` looks at the rates and not only at how many there are


MATCHMAKERS: dict[str, Matchmaker] = {
    "scripted": Matchmaker(lambda population, learner: population.scripted, shuffled_passes),
    "self_play": Matchmaker(
        lambda population, learner: tuple(m for m in population.learners if m.name != learner),
        shuffled_passes,
    ),
    "uniform": Matchmaker(lambda population, learner: population.snapshots, uniform_draws),
    "pfsp": Matchmaker(lambda population, learner: population.snapshots, pfsp_draws, by_win_rate=True),
}


def check_weights(weights: Mapping[str, float]) -> None:
    """Raise ValueError for an unknown matchmaker, a negative or infinite weight, or no weight at all."""
    for name, weight in weights.items():
        if name not in MATCHMAKERS:
            raise unknown_name("matchmaker", name, MATCHMAKERS)
        if not 0.0 <= weight < float("inf"):
            raise ValueError(f"matchmaker {name!r} got weight {weight}, expected a finite number >= 0")
    if not sum(weights.values()) > 0.0:
        raise ValueError(f"got no positive matchmaking weight, expected one among {', '.join(MATCHMAKERS)}")


def choose_opponents(
    learner: str,
    population: Population,
    payoffs: PayoffTable,
    weights: Mapping[str, float],
    groups: int,
    rng: np.random.Generator,
    power: float = 2.0,
) -> list[Member]:
    """Choose the opponents of one learner's `groups` groups, matchmaker by matchmaker.

    A matchmaker without candidates (no snapshot yet, a single learner) leaves its share to the others in
    proportion to their weights. ValueError when none of those with weight has a candidate.
    """
    wanted = [name for name in MATCHMAKERS if weights.get(name, 0.0) > 0.0]
    offers = {name: MATCHMAKERS[name].candidates(population, learner) for name in wanted}
    usable = [name for name in wanted if offers[name]]
    if not usable:
        weighted = ", ".join(name for name in weights if weights[name] > 0.0)
        raise ValueError(
            f"learner {learner!r} has nobody to meet by {weighted}; add scripted opponents or a second "
            "learner, or give weight to another matchmaker"
        )
    counts = apportion(np.array([weights[name] for name in usable]), groups, rng)
    chosen: list[Member] = []
    for name, count in zip(usable, counts, strict=True):
        matchmaker, known = MATCHMAKERS[name], np.full(len(offers[name]), UNPLAYED_WIN_RATE)
        if count and matchmaker.by_win_rate:
            rates = (payoffs.win_rate(learner, member.name) for member in offers[name])
            known = np.array([UNPLAYED_WIN_RATE if rate is None else rate for rate in rates])
        if count:
            chosen += [offers[name][index] for index in matchmaker.draw(known, int(count), power, rng)]
    return chosen


def pair(
    population: Population,
    payoffs: PayoffTable,
    weights: Mapping[str, float],
    groups: int,
    num_generations: int,
    rng: np.random.Generator,
    power: float = 2.0,
    iteration: int = 0,
    seats: int = 2,
) -> list[Pairing]:
    """Draw the pairings of one iteration: `groups` groups of `num_generations` trials for each learner.

    weights: matchmaker -> weight, see MATCHMAKERS. The learner's seat, of `seats`, alternates over its groups; which
    comes first alternates over learners and iterations, so that an odd number of groups is fair too. Trials are
    numbered group * num_generations + position. ValueError for bad weights or counts, no learner, or nobody
    to meet.
    """
    check_weights(weights)
    if groups < 1 or num_generations < 1:
        raise ValueError(f"got groups={groups} and num_generations={num_generations}, expected both at least 1")
    if not population.learners:
        raise ValueError("the population has no learner to pair; add one")
    pairings: list[Pairing] = []
    for index, learner in enumerate(population.learners):
        opponents = choose_opponents(learner.name, population, payoffs, weights, groups, rng, power)
        for position, opponent in enumerate(opponents):
            group = index * groups + position
            seat = (iteration + index + position) % seats
            pairings += [
                Pairing(learner.name, opponent.name, seat, group, group * num_generations + i, opponent.kind)
                for i in range(num_generations)
            ]
    return pairings
