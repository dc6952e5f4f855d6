"""From pairings to trial plans, and from trial records to results.

Left out: playing (`mage.scheduler`) and who is paired with whom (`populations.matchmaking`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TypeVar

import numpy as np

from games.opponents import NamedOpponent
from mage.events import Event
from mage.keys import PlayKeys
from mage.records import TrialRecord
from mage.seats import SeatPlan, TrialPlan
from populations.matchmaking import Pairing
from populations.payoffs import Result, tally

T = TypeVar("T")


def plan_trials(
    pairings: Sequence[Pairing], scripted: Mapping[str, NamedOpponent], play_keys: PlayKeys, seats: int = 2
) -> list[TrialPlan]:
    """Seat each pairing in a game of so many seats.

    A frozen opponent draws from its group's stream, a learner from the trial's own.
    """
    plans = []
    for pairing in pairings:
        own = SeatPlan(pairing.learner, None, pairing.trial)
        trains = pairing.opponent_kind == "learner"
        stream = pairing.trial if trains else play_keys.shared(pairing.group)
        other = SeatPlan(pairing.opponent, scripted.get(pairing.opponent), stream)
        plans.append(TrialPlan.of(pairing, own, other, seats))
    return plans


def mirrored(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """Return the records, and each match between learners a second time from the other side."""
    both = list(records)
    for record in records:
        pairing = record.pairing
        if pairing.opponent_kind == "learner":
            others = (seat for seat in range(len(record.members)) if seat != pairing.seat)
            swapped = replace(pairing, learner=pairing.opponent, opponent=pairing.learner)
            both += [replace(record, pairing=replace(swapped, seat=seat)) for seat in others]
    return both


def results(iteration: int, records: Sequence[TrialRecord]) -> tuple[list[Event], list[Result]]:
    """Return one result for each pairing group, in order of first appearance: as `result` events and as payoffs.

    The events add `episode_returns`, the learner's mean return of each episode in game units. Raises ValueError for a
    trial without episodes.
    """
    groups: dict[tuple[str, str, int, int], list[TrialRecord]] = {}
    for record in records:
        pairing = record.pairing
        groups.setdefault((pairing.learner, pairing.opponent, pairing.seat, pairing.group), []).append(record)
    events, tallies = [], []
    for (row, column, seat, _), members in groups.items():
        returns = np.array([[episode.returns for episode in record.episodes] for record in members])
        forfeits = np.array([[episode.forfeits for episode in record.episodes] for record in members])
        tallies.append(tally(row, column, seat, returns, forfeits))
        by_episode = returns[:, :, seat].mean(axis=0).tolist()
        events.append({"type": "result", "iteration": iteration, **asdict(tallies[-1]), "episode_returns": by_episode})
    return events, tallies


def spread(items: Sequence[T], count: int, first: int = 0) -> list[T]:
    """Return `count` of the items, evenly spread from number `first` on, around the end; all where there are fewer."""
    count = min(count, len(items))
    return [items[(first + i * len(items) // count) % len(items)] for i in range(count)]
