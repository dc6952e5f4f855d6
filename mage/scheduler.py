"""Runs many trials at once: collects the decisions that are ready and has them sampled together.

A lane holds the contexts that tend to ask at the same time, sorted by agent; the trials' generators decide what is
asked next. Left out: anything that knows about models; any `Sampler` serves.
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Protocol

from mage.contexts import MoveReply, MoveRequest
from mage.keys import PlayKeys
from mage.trials import Conditions, PlayedTrial, TrialPlan, play

Row = tuple[int, int]  # a trial's index in the wave, a seat


class Lane(Protocol):
    """Contexts that are sampled together, one per row."""

    def choose(self, requests: Mapping[int, MoveRequest], keys: PlayKeys) -> dict[int, MoveReply]:
        """Sample a move for each requesting row; extends its context by the move's tokens."""
        ...


class Sampler(Protocol):
    """Opens lanes; another engine can take this one's place."""

    def open(self, agents: Sequence[str]) -> Lane:
        """Return a lane with a row per agent; equal agents are adjacent."""
        ...


def play_all(
    plans: Sequence[TrialPlan],
    conditions: Conditions,
    sampler: Sampler,
    *,
    lane_rows: int,
    progress: Callable[[int], None] | None = None,
) -> list[PlayedTrial]:
    """Play every plan and return the trials in the plans' order; `progress` is told how many more are done."""
    played: list[PlayedTrial] = []
    for start in range(0, len(plans), 2 * lane_rows):
        wave = plans[start : start + 2 * lane_rows]
        played.extend(_play_wave(wave, conditions, sampler, lane_rows))
        if progress is not None:
            progress(len(wave))
    return played


def _play_wave(
    plans: Sequence[TrialPlan], conditions: Conditions, sampler: Sampler, lane_rows: int
) -> list[PlayedTrial]:
    lanes, place = _open_lanes(plans, sampler, lane_rows)
    live = [play(plan, conditions) for plan in plans]
    done: dict[int, PlayedTrial] = {}
    waiting: dict[int, MoveRequest] = {}
    _advance(((i, trial, None) for i, trial in enumerate(live)), waiting, done)
    while waiting:
        batches: dict[int, dict[int, MoveRequest]] = defaultdict(dict)
        owner: dict[tuple[int, int], int] = {}
        for index, request in waiting.items():
            lane, row = place[index, request.context.seat]
            batches[lane][row] = request
            owner[lane, row] = index
        replies = {
            owner[lane, row]: reply
            for lane, batch in sorted(batches.items())
            for row, reply in lanes[lane].choose(batch, conditions.keys).items()
        }
        waiting = {}
        _advance(((i, live[i], reply) for i, reply in replies.items()), waiting, done)
    return [done[index] for index in range(len(plans))]


def _advance(
    steps: Iterable[tuple[int, Generator[MoveRequest, MoveReply, PlayedTrial], MoveReply | None]],
    waiting: dict[int, MoveRequest],
    done: dict[int, PlayedTrial],
) -> None:
    for index, trial, reply in steps:
        try:
            waiting[index] = next(trial) if reply is None else trial.send(reply)
        except StopIteration as stop:
            done[index] = stop.value


def _open_lanes(
    plans: Sequence[TrialPlan], sampler: Sampler, lane_rows: int
) -> tuple[list[Lane], dict[Row, tuple[int, int]]]:
    """Group the reading seats by how many of them a trial has and which of these it is: they move in step."""
    groups: dict[tuple[int, int], list[tuple[str, Row]]] = defaultdict(list)
    for index, plan in enumerate(plans):
        readers = [seat for seat, who in enumerate(plan.seats) if who.opponent is None]
        for ordinal, seat in enumerate(readers):
            groups[len(readers), ordinal].append((plan.seats[seat].member, (index, seat)))
    lanes: list[Lane] = []
    place: dict[Row, tuple[int, int]] = {}
    for _, members in sorted(groups.items()):
        members.sort()
        for start in range(0, len(members), lane_rows):
            chunk = members[start : start + lane_rows]
            for row, (_, key) in enumerate(chunk):
                place[key] = (len(lanes), row)
            lanes.append(sampler.open([agent for agent, _ in chunk]))
    return lanes, place
