"""From pairings to trial plans, and from trial records to results.

Left out: playing (`mage.scheduler`) and who is paired with whom (`populations.matchmaking`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TypeVar

from games.opponents import NamedOpponent
from mage.events import Event, result_events
from mage.keys import PlayKeys
from mage.records import TrialRecord
from mage.trials import SeatPlan, TrialPlan
from populations.matchmaking import Pairing
from populations.payoffs import Result

T = TypeVar("T")


def plan_trials(
    pairings: Sequence[Pairing], scripted: Mapping[str, NamedOpponent], play_keys: PlayKeys
) -> list[TrialPlan]:
    """Seat each pairing. A frozen opponent draws from its group's stream, a learner from the trial's own."""
    plans = []
    for pairing in pairings:
        own = SeatPlan(pairing.learner, None, pairing.trial)
        trains = pairing.opponent_kind == "learner"
        stream = pairing.trial if trains else play_keys.shared(pairing.group)
        other = SeatPlan(pairing.opponent, scripted.get(pairing.opponent), stream)
        plans.append(TrialPlan(pairing, (own, other) if pairing.seat == 0 else (other, own)))
    return plans


def mirrored(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """Return the records, and each match between learners a second time from the other side."""
    both = list(records)
    for record in records:
        pairing = record.pairing
        if pairing.opponent_kind == "learner":
            other = replace(pairing, learner=pairing.opponent, opponent=pairing.learner, seat=1 - pairing.seat)
            both.append(replace(record, pairing=other))
    return both


def results(iteration: int, records: Sequence[TrialRecord]) -> tuple[list[Event], list[Result]]:
    """Return the `result` events of an iteration, and the same as payoff results."""
    events = result_events(iteration, records)
    names = [field.name for field in fields(Result)]
    return events, [Result(**{name: event[name] for name in names}) for event in events]


def spread(items: Sequence[T], count: int) -> list[T]:
    """Return `count` of the items, evenly spread from the first on; all where there are fewer."""
    count = min(count, len(items))
    return [items[i * len(items) // count] for i in range(count)]
