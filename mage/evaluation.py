"""Plays a run's agents against opponents and says how well they adapt, episode by episode.

Held-out opponents are met here and nowhere else (design, decision 11). Every draw is keyed by the evaluation's own
seed and stream, so evaluating changes no training and training no evaluation. Left out: intervals and tables
(`mage.evaluation_report`, `mage.views.tables`).
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from games import bayes, exact
from games.matrix_text import MatrixGame
from games.naming import behaviour
from games.opponents import NamedOpponent
from mage import evaluation_plan, keys
from mage.config import Draw
from mage.evaluation_plan import TRIAL_BITS
from mage.evaluation_report import OpponentSample, evaluation_report
from mage.keys import PlayKeys
from mage.records import TrialRecord
from mage.scheduler import play_waves
from mage.session import Session
from mage.trials import Conditions, PlayedTrial, SeatPlan, TrialPlan
from populations.matchmaking import Pairing


def evaluate(
    run: str | Path,
    *,
    agent: str | None = None,
    opponents: str | Sequence[str] = "held_out",
    memory: str | None = None,
    trials: int | None = None,
    seed: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Play an evaluation and return the object of `mage evaluate --json` (docs/evaluation.md).

    agent: a member's name or "base" for the untrained model; None is every learner. opponents: a set's name or
    opponents' names. memory, trials (per agent and opponent, split over seats) and seed: as the run's config has them
    unless given. progress: called with (trials done, trials in all). Raises RequestError for unknown names.
    """
    asked = evaluation_plan.plan(run, agent=agent, opponents=opponents, memory=memory, trials=trials, seed=seed)
    samples = measure(
        asked.session,
        asked.agents,
        asked.opponents,
        trials=asked.trials,
        seed=asked.seed,
        memory=asked.memory,
        progress=progress,
    )
    return report(asked.session, samples, asked.memory)


def report(session: Session, samples: Sequence[OpponentSample], memory: str | None = None) -> dict[str, Any]:
    """Return the JSON object of the samples; its resampling is keyed, so equal samples give equal intervals."""
    game = session.setting.game
    return evaluation_report(
        samples,
        run=session.paths.root.resolve().name,
        game=game.name,
        memory=memory or session.config.trial.memory,
        utility_range=game.utility_range,
        rng=keys.generator(session.config.evaluation.seed, "bootstrap"),
    )


def measure(
    session: Session,
    agents: Sequence[str],
    opponents: Sequence[NamedOpponent],
    *,
    trials: int,
    seed: int,
    memory: str | None = None,
    stream: str = "evaluate",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[OpponentSample]:
    """Play `trials` trials of every agent against every opponent, split over seats, and return the samples."""
    met = {(agent, opponent.name): _Met() for opponent in opponents for agent in agents}
    conditions = session.conditions(PlayKeys(seed, stream, 0), memory)
    for trial in play_trials(session, agents, opponents, trials, conditions, progress):
        pairing = trial.record.pairing
        met[pairing.learner, pairing.opponent].add(trial.record)
    return [
        sample
        for opponent in opponents
        for agent in agents
        for sample in _samples(session, agent, opponent, met[agent, opponent.name])
    ]


def play_trials(
    session: Session,
    agents: Sequence[str],
    opponents: Sequence[NamedOpponent],
    trials: int,
    conditions: Conditions,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[PlayedTrial]:
    """Play `trials` trials of every agent against every opponent, split over seats; no more than a wave is held."""
    plans = [plan for opponent in opponents for agent in agents for plan in _plans(session, agent, opponent, trials)]
    done = 0
    for wave in play_waves(plans, conditions, session.sampler, lane_rows=session.config.learning.batch_rows):
        yield from wave
        done += len(wave)
        session.sampler.work.take()  # only training's rollouts are profiled
        progress(done, len(plans))


def code(agent: str, opponent: str) -> int:
    """Return the number, of 32 bits, by which draws are keyed of this agent against this opponent."""
    return int.from_bytes(hashlib.blake2b(f"{agent}\n{opponent}".encode(), digest_size=4).digest(), "little")


def _plans(session: Session, agent: str, opponent: NamedOpponent, trials: int) -> list[TrialPlan]:
    """Plan one agent against one opponent. Every trial is a group of its own, its draws keyed by who meets whom."""
    first, seats = code(agent, opponent.name) << TRIAL_BITS, session.setting.game.seats
    plans = []
    for number in range(first, first + trials):
        seat = number % seats
        pairing = Pairing(agent, opponent.name, seat, number, number, "scripted")
        own, other = SeatPlan(agent, None, number), SeatPlan(opponent.name, opponent, number)
        plans.append(TrialPlan.of(pairing, own, other, seats))
    return plans


class _Met:
    """What is kept of the trials of one agent against one opponent, by the agent's seat."""

    def __init__(self) -> None:
        self.returns: dict[int, list[tuple[float, ...]]] = {}
        self.others: dict[int, list[tuple[float, ...]]] = {}
        self.forfeits: dict[int, list[tuple[bool, ...]]] = {}

    def add(self, record: TrialRecord) -> None:
        seat = record.pairing.seat
        self.returns.setdefault(seat, []).append(record.returns(seat))
        self.others.setdefault(seat, []).append(record.best_of_others(seat))
        self.forfeits.setdefault(seat, []).append(tuple(episode.forfeits[seat] > 0 for episode in record.episodes))


def _samples(session: Session, agent: str, opponent: NamedOpponent, met: _Met) -> list[OpponentSample]:
    """Return one sample per seat, with the exact values that the seat has against this opponent."""
    game = session.setting.game
    solved = exact.refusal(game) is None
    return [
        OpponentSample(
            agent=agent,
            name=opponent.name,
            family=opponent.family,
            distance=_distance(session, opponent),
            seat=seat,
            security_value=exact.security_value(game, seat) if solved else None,
            nash_value=exact.nash_value(game, seat) if solved else None,
            best_response_value=exact.best_response_value(game, opponent, seat) if solved else None,
            returns=np.array(met.returns[seat]),
            others=np.array(met.others[seat]),
            forfeits=np.array(met.forfeits[seat]),
            bayes_returns=_ceiling(session, opponent, seat),
        )
        for seat in sorted(met.returns)
    ]


def _distance(session: Session, opponent: NamedOpponent) -> str:
    """Return how far an opponent is from what the adapters or the base met, under whatever name they met it."""
    game, sets = session.setting.game, session.setting.opponents
    met = sets.training + session.setting.corpus
    if opponent not in sets.validation + sets.held_out:  # those are kept apart from what was met
        own = behaviour(game, opponent)
        others = (behaviour(game, other) for other in met)
        if any(here == there for other in others for here, there in zip(own, other, strict=True)):
            return "training"
    return replace(sets, training=met).distance(opponent)


def _ceiling(session: Session, opponent: NamedOpponent, seat: int) -> np.ndarray | None:
    """Return what the Bayes-optimal player gets by episode, where the prior that drew the opponent is known."""
    game, config = session.setting.game, session.config
    if not isinstance(game, MatrixGame):
        return None
    declared = (*config.opponents.training, *config.opponents.validation, *config.opponents.held_out)
    prior: bayes.Prior | None = None
    if opponent.family in bayes.PRIORS:
        of_draw = bayes.PRIORS[opponent.family]
        drawn = [draw for draw in declared if isinstance(draw, Draw) and draw.family == opponent.family]
        priors = {of_draw(game, seat, draw.parameters) for draw in drawn}
        prior = priors.pop() if len(priors) == 1 else None
    elif opponent in session.setting.opponents.training:
        prior = bayes.habit_prior(game, session.setting.opponents.training, seat)
    return None if prior is None else bayes.ceiling(game, opponent, prior, config.trial.episodes, seat)
