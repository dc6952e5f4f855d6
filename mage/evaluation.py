"""Plays a run's agents against opponents and says how well they adapt, episode by episode.

Held-out opponents are met here and nowhere else (design, decision 11). Every draw is keyed by the evaluation's own
seed and stream, so evaluating changes no training and training no evaluation. Left out: intervals and tables
(`mage.evaluation_report`, `mage.views.evaluation_table`).
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from games.opponents import NamedOpponent
from mage import evaluation_plan, keys
from mage.baselines import COMPUTED, PLAYED, Played
from mage.evaluation_comparisons import adjust
from mage.evaluation_plan import TRIAL_BITS, Arena, EvaluationPlan
from mage.evaluation_pools import OpponentSample
from mage.evaluation_report import BaselineSample, evaluation_report
from mage.evaluation_samples import Met
from mage.foreign_reflections import Written, given, numbered, require_reflecting
from mage.guests import Guest, Opponent, RoutedSampler
from mage.keys import EVALUATION, PlayKeys
from mage.scheduler import play_waves
from mage.seats import SeatPlan, TrialPlan
from mage.session import Session
from mage.trials import Conditions, PlayedTrial
from populations.matchmaking import Pairing

Progress = Callable[[int, int], None]


def evaluate(
    run: str | Path,
    *,
    agent: str | Sequence[str] | None = None,
    opponents: str | Sequence[str] = "held_out",
    memory: str | None = None,
    trials: int | None = None,
    seed: int | None = None,
    variants: str | Sequence[str] = (),
    baselines: bool = False,
    reflections: str = "own",
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Play an evaluation and return the object of `mage evaluate --json` (docs/evaluation.md).

    agent, opponents, variants: see `evaluation_plan.plan`. memory, trials (per agent and opponent, split over seats)
    and seed: as the run's config has them unless given. baselines: those of `mage.baselines` stand beside the agents.
    reflections: what agents read of earlier episodes where they reflect, a key of `foreign_reflections.REFLECTIONS`.
    progress: called with (trials done, trials in all). Raises RequestError for unknown names.
    """
    asked = evaluation_plan.plan(
        run, agent=agent, opponents=opponents, memory=memory, trials=trials, seed=seed, variants=variants
    )
    require_reflecting(reflections, asked.memory, min(len(arena.opponents) for arena in asked.arenas))
    beside = [_played(asked, arena) if baselines else {} for arena in asked.arenas]
    agents = [len(asked.agents) + sum(len(each.agents) for each in played.values()) for played in beside]
    counter = SummedProgress(
        progress,
        asked.trials * sum(n * len(arena.opponents) for n, arena in zip(agents, asked.arenas, strict=True)),
    )
    tables = [
        _table(asked, arena, played, counter, computed=baselines, reflections=reflections)
        for arena, played in zip(asked.arenas, beside, strict=True)
    ]
    return whole(tables)


def held_out_table(session: Session, agents: Sequence[str], progress: Progress) -> dict[str, Any]:
    """Return what `evaluate` would of a run that is open, all as its config has it."""
    asked = session.config.evaluation
    arena = Arena(session, session.setting.opponents.held_out)
    samples = measure(arena, agents, trials=asked.trials, seed=asked.seed, progress=progress)
    return whole([report(session, samples, trials=asked.trials, seed=asked.seed)])


class SummedProgress:
    """Adds up the trials of several measurements."""

    def __init__(self, progress: Progress, total: int) -> None:
        """progress: told the trials done so far of `total`, those of all measurements."""
        self._progress, self._total, self._before = progress, total, 0

    def __call__(self, done: int, total: int) -> None:
        """Take the progress of the measurement that is under way."""
        self._progress(self._before + done, self._total)
        self._before += total if done == total else 0


def _played(asked: EvaluationPlan, arena: Arena) -> dict[str, Played]:
    """Return the baselines that make sense in an arena, by name."""
    made = {name: make(arena.session, asked.agents, asked.memory) for name, make in PLAYED.items()}
    return {name: played for name, played in made.items() if played is not None}


def _table(
    asked: EvaluationPlan,
    arena: Arena,
    beside: Mapping[str, Played],
    progress: Progress,
    *,
    computed: bool,
    reflections: str,
) -> dict[str, Any]:
    """Play one arena: the agents, then the baselines, and report on it; computed: with those that aren't played."""

    def measured(agents: Sequence[str], memory: str, **others: Any) -> list[OpponentSample]:
        return measure(arena, agents, trials=asked.trials, seed=asked.seed, memory=memory, progress=progress, **others)

    samples = measured(asked.agents, asked.memory, reflections=reflections)
    found = [
        BaselineSample(name, None if one.player else one.memory, measured(one.agents, one.memory, player=one.player))
        for name, one in beside.items()
    ]
    if computed:
        known = {name: returns(arena.session, arena.opponents, arena.variant) for name, returns in COMPUTED.items()}
        found += [BaselineSample(name, None, returns=returns) for name, returns in known.items() if returns]
    table = report(arena.session, samples, trials=asked.trials, seed=asked.seed, memory=asked.memory, baselines=found)
    about = {"reflections": reflections, "variant": arena.variant or None, "left_out": list(arena.left_out)}
    return {**table, **about}


def whole(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the object that is written: the report of the run's own game, which holds those of its variants.

    Everything that is compared in them is corrected as one family.
    """
    adjust(tables)
    return {**tables[0], "variants": list(tables[1:])}


def report(
    session: Session,
    samples: Sequence[OpponentSample],
    *,
    trials: int,
    seed: int,
    memory: str | None = None,
    baselines: Sequence[BaselineSample] = (),
) -> dict[str, Any]:
    """Return the JSON object of the samples; its resampling is keyed, so equal samples give equal intervals."""
    game = session.setting.game
    table = evaluation_report(
        samples,
        run=session.paths.root.resolve().name,
        game=game.name,
        memory=memory or session.config.trial.memory,
        utility_range=game.utility_range,
        rng=keys.generator(session.config.evaluation.seed, "bootstrap"),
        baselines=baselines,
    )
    return {**table, "reflections": "own", "trials": trials, "seed": seed, "variant": None, "left_out": []}


def measure(
    arena: Arena,
    agents: Sequence[str],
    *,
    trials: int,
    seed: int,
    memory: str | None = None,
    stream: str = EVALUATION,
    player: NamedOpponent | None = None,
    reflections: str = "own",
    progress: Progress = lambda done, total: None,
) -> list[OpponentSample]:
    """Play `trials` trials of every agent against every opponent, split over seats, and return the samples.

    player: a scripted player that stands in for the agents. reflections: as in `evaluate`; those of other trials are
    written in the same trials, played before.
    """
    opponents = arena.opponents
    met = {(agent, one.name): Met(arena, agent, one, player) for one in opponents for agent in agents}
    conditions = arena.session.conditions(PlayKeys(seed, stream, 0), memory)
    written: Written = {}
    if reflections == "other":
        written = numbered(trial.record for trial in play_trials(arena, agents, trials, conditions))
    change = partial(
        given,
        reflections=reflections,
        written=written,
        opponents=[one.name for one in opponents],
        episodes=conditions.episodes,
    )
    for trial in play_trials(arena, agents, trials, conditions, progress, player, change):
        pairing = trial.record.pairing
        met[pairing.learner, pairing.opponent].add(trial.record)
    return [sample for one in opponents for agent in agents for sample in met[agent, one.name].samples()]


def play_trials(
    arena: Arena,
    agents: Sequence[str],
    trials: int,
    conditions: Conditions,
    progress: Progress = lambda done, total: None,
    player: NamedOpponent | None = None,
    change: Callable[[list[TrialPlan]], list[TrialPlan]] = lambda plans: plans,
) -> Iterator[PlayedTrial]:
    """Play every agent against every opponent; yields the trials of one pair after the other, in order.

    change: what is done to the plans before they are played.
    """
    session, opponents = arena.session, arena.opponents
    plans = change(
        [plan for one in opponents for agent in agents for plan in _plans(arena, agent, one, trials, player)]
    )
    guests = [one for one in opponents if isinstance(one, Guest)]
    sampler = RoutedSampler(session.sampler, guests)
    done = 0
    progress(done, len(plans))
    for wave in play_waves(plans, conditions, sampler, lane_rows=session.config.learning.batch_rows):
        yield from wave
        done += len(wave)
        for one in (session, *(guest.session for guest in guests)):
            one.sampler.work.take()  # only training's rollouts are profiled
        progress(done, len(plans))


def code(agent: str, opponent: str) -> int:
    """Return the number, of 32 bits, by which draws are keyed of this agent against this opponent."""
    return int.from_bytes(hashlib.blake2b(f"{agent}\n{opponent}".encode(), digest_size=4).digest(), "little")


def _plans(arena: Arena, agent: str, opponent: Opponent, trials: int, player: NamedOpponent | None) -> list[TrialPlan]:
    """Plan one agent against one opponent. Every trial is a group of its own, its draws keyed by who meets whom."""
    seats = arena.session.setting.game.seats
    met = f"{opponent.name}\n{arena.variant}" if arena.variant else opponent.name
    first = code(agent, met) << TRIAL_BITS
    guest = opponent if isinstance(opponent, Guest) else None
    scripted = opponent if isinstance(opponent, NamedOpponent) else None
    plans = []
    for number in range(first, first + trials):
        seat = number % seats
        pairing = Pairing(agent, opponent.name, seat, number, number, "snapshot" if guest else "scripted")
        other = SeatPlan(opponent.name, scripted, number, reading=guest.reading if guest else None)
        plans.append(TrialPlan.of(pairing, SeatPlan(agent, player, number), other, seats))
    return plans
