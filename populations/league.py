"""The league: one population, its payoffs, and the settings by which it pairs learners and freezes snapshots.

Owns no step counter and no randomness; both are arguments. Leaves out weights: `freeze` records a snapshot
whose weights the language side has copied and hashed, and `retire` names those whose weights may be dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from populations.matchmaking import Pairing, check_weights, pair
from populations.members import Member, Population, snapshot_name
from populations.payoffs import PayoffTable, Result


@dataclass(frozen=True, slots=True)
class LeagueSettings:
    """How the league pairs and freezes. Raises ValueError out of range."""

    matchmaking: Mapping[str, float]  # weight of each of populations.matchmaking.MATCHMAKERS
    groups: int = 8  # per learner and iteration
    num_generations: int = 16  # trials per group
    snapshot_every: int = 10  # updates between snapshots; 0 = never
    snapshots_kept: int = 8  # in the whole league; older ones are retired
    pfsp_power: float = 2.0
    seats: int = 2  # of the game

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_weights(self.matchmaking)
        lowest = {
            "groups": 1,
            "num_generations": 1,
            "snapshot_every": 0,
            "snapshots_kept": 0,
            "pfsp_power": 0,
            "seats": 2,
        }
        for name, low in lowest.items():
            if not getattr(self, name) >= low:
                raise ValueError(f"league.{name} got {getattr(self, name)}, expected at least {low}")


class League:
    """Pairs, records, freezes and retires."""

    def __init__(self, population: Population, payoffs: PayoffTable, settings: LeagueSettings) -> None:
        """Hold the three; population and payoffs are changed in place."""
        self.population = population
        self.payoffs = payoffs
        self.settings = settings

    def pair(self, iteration: int, rng: np.random.Generator) -> list[Pairing]:
        """Draw the pairings of `iteration`; `rng` comes keyed by seed and iteration. See `pair`."""
        settings = self.settings
        return pair(
            self.population,
            self.payoffs,
            settings.matchmaking,
            settings.groups,
            settings.num_generations,
            rng,
            settings.pfsp_power,
            iteration,
            settings.seats,
        )

    def record(self, results: Iterable[Result]) -> None:
        """Add results to the payoffs; ValueError, with nothing recorded, when one names a stranger."""
        checked = list(results)
        for result in checked:
            self.population.get(result.row)
            self.population.get(result.column)
        for result in checked:
            self.payoffs.record(result)

    def snapshots_due(self, iteration: int) -> tuple[str, ...]:
        """Name the learners to freeze once `iteration` updates are done, without those already frozen."""
        every = self.settings.snapshot_every
        if every == 0 or self.settings.snapshots_kept == 0 or iteration == 0 or iteration % every:
            return ()
        names = (learner.name for learner in self.population.learners)
        return tuple(name for name in names if snapshot_name(name, iteration) not in self.population)

    def freeze(self, learner: str, iteration: int, digest: str) -> Member:
        """Record the snapshot `learner@iteration` and return it. See Population.freeze."""
        return self.population.freeze(learner, iteration, digest)

    def retire(self) -> tuple[str, ...]:
        """Retire the oldest snapshots beyond `snapshots_kept` and return their names; call after freezing."""
        oldest_first = sorted(self.population.snapshots, key=lambda member: member.born)
        excess = len(oldest_first) - self.settings.snapshots_kept
        names = tuple(member.name for member in oldest_first[: max(excess, 0)])
        for name in names:
            self.population.retire(name)
        return names

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values for a checkpoint, without settings: the config holds those."""
        return {"population": self.population.to_json(), "payoffs": self.payoffs.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any], settings: LeagueSettings) -> League:
        """Rebuild what `to_json` wrote under `settings`."""
        population = Population.from_json(data["population"])
        return cls(population, PayoffTable.from_json(data["payoffs"]), settings)
