"""Runs many trials at once: collects the decisions that are ready and has them sampled together.

A lane holds the contexts that tend to ask at the same time, sorted by agent; the trials' generators decide what is
asked next. Left out: anything that knows about models; any `Sampler` serves.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from mage.collector import collector_paused
from mage.contexts import Reply, Request
from mage.keys import PlayKeys
from mage.seats import TrialPlan
from mage.timings import Stopwatch
from mage.trials import Conditions, PlayedTrial, play

Row = tuple[int, int]  # a trial's index in the wave, a seat


class Lane(Protocol):
    """Contexts that are sampled together, one per row."""

    def choose(self, requests: Mapping[int, Request], keys: PlayKeys) -> dict[int, Reply]:
        """Sample what each requesting row asks for; extends its context by those tokens."""
        ...


class Sampler(Protocol):
    """Opens lanes; another engine can take this one's place."""

    def open(self, agents: Sequence[str]) -> Lane:
        """Return a lane with a row per agent; equal agents are adjacent."""
        ...


def play_waves(
    plans: Sequence[TrialPlan],
    conditions: Conditions,
    sampler: Sampler,
    *,
    lane_rows: int,
    stopwatch: Stopwatch | None = None,
) -> Iterator[list[PlayedTrial]]:
    """Play the plans in waves of two lanes' rows, so that no more than a wave is held; yields each, in order.

    stopwatch: told the seconds of `sampling` (the sampler's) and of `games` (everything else).
    """
    stopwatch = stopwatch or Stopwatch()
    for start in range(0, len(plans), 2 * lane_rows):
        with stopwatch.part("games"), collector_paused():
            wave = _play_wave(plans[start : start + 2 * lane_rows], conditions, sampler, lane_rows, stopwatch)
        yield wave


def play_all(
    plans: Sequence[TrialPlan],
    conditions: Conditions,
    sampler: Sampler,
    *,
    lane_rows: int,
    stopwatch: Stopwatch | None = None,
) -> list[PlayedTrial]:
    """Play every plan and return the trials in the plans' order; the rest as in `play_waves`."""
    waves = play_waves(plans, conditions, sampler, lane_rows=lane_rows, stopwatch=stopwatch)
    return [trial for wave in waves for trial in wave]


def _play_wave(
    plans: Sequence[TrialPlan], conditions: Conditions, sampler: Sampler, lane_rows: int, stopwatch: Stopwatch
) -> list[PlayedTrial]:
    seated = _seat(plans, lane_rows)
    place = {seat: (lane, row) for lane, rows in enumerate(seated) for row, seat in enumerate(rows)}
    with stopwatch.part("sampling"):
        lanes = [sampler.open([plans[index].seats[seat].member for index, seat in rows]) for rows in seated]
    live = [play(plan, conditions) for plan in plans]
    done: dict[int, PlayedTrial] = {}
    waiting: dict[int, Request] = {}
    _advance(((i, trial, None) for i, trial in enumerate(live)), waiting, done)
    while waiting:
        batches: list[dict[int, Request]] = [{} for _ in lanes]
        for index, request in waiting.items():
            lane, row = place[index, request.context.seat]
            batches[lane][row] = request
        waiting = {}
        for lane, batch in enumerate(batches):
            if batch:
                with stopwatch.part("sampling"):
                    replies = lanes[lane].choose(batch, conditions.keys)
                owners = ((seated[lane][row][0], reply) for row, reply in replies.items())
                _advance(((i, live[i], reply) for i, reply in owners), waiting, done)
    return [done[index] for index in range(len(plans))]


def _advance(
    steps: Iterable[tuple[int, Generator[Request, Reply, PlayedTrial], Reply | None]],
    waiting: dict[int, Request],
    done: dict[int, PlayedTrial],
) -> None:
    """Send each trial its reply, and book what it asks next or that it ended."""
    for index, trial, reply in steps:
        try:
            waiting[index] = next(trial) if reply is None else trial.send(reply)
        except StopIteration as stop:
            done[index] = stop.value


def _seat(plans: Sequence[TrialPlan], lane_rows: int) -> list[list[Row]]:
    """Share the reading seats out to lanes by how many a trial has and which of these it is: they move in step.

    Agents on different bases share no lane. Returns the rows of each lane, those of an agent adjacent.
    """
    kinds: dict[tuple[int, int, str], list[tuple[str, Row]]] = defaultdict(list)
    for index, plan in enumerate(plans):
        readers = [seat for seat, who in enumerate(plan.seats) if who.opponent is None]
        for ordinal, seat in enumerate(readers):
            who = plan.seats[seat]
            kinds[len(readers), ordinal, who.reading.base if who.reading else ""].append((who.member, (index, seat)))
    lanes: list[list[Row]] = []
    for _, members in sorted(kinds.items()):
        rows = [row for _, row in sorted(members)]
        lanes += [rows[start : start + lane_rows] for start in range(0, len(rows), lane_rows)]
    return lanes
