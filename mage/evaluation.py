"""Plays a run's agents against opponents and says how well they adapt, episode by episode.

Held-out opponents are met here and nowhere else (design, decision 11). Every draw is keyed by the evaluation's own
seed and stream, so evaluating changes no training and training no evaluation. Left out: intervals and tables
(`mage.evaluation_report`, `mage.views.tables`).
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from games import bayes, exact
from games.errors import RequestError, unknown
from games.families import known_names
from games.matrix_text import MatrixGame
from games.naming import behaviour
from games.opponents import NamedOpponent, parse
from mage import checkpoint, keys
from mage.adapters import BASE
from mage.config import Draw
from mage.evaluation_report import OpponentSample, evaluation_report
from mage.keys import PlayKeys
from mage.records import TrialRecord
from mage.scheduler import play_waves
from mage.session import Session, reopen
from mage.trials import SeatPlan, TrialPlan
from populations.matchmaking import Pairing

MEMORIES = ("transcript", "none")
TRIAL_BITS = 20  # of a trial's number; the bits above say who meets whom


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
    if trials is not None and not 1 <= trials < 1 << TRIAL_BITS:
        raise RequestError(f"got trials = {trials}, expected 1 to {(1 << TRIAL_BITS) - 1}")
    session = reopen(Path(run))
    config = session.config
    if memory is not None and memory not in MEMORIES:
        raise unknown("memory", memory, MEMORIES)
    agents = [f"learner_{i}" for i in range(config.league.learners)] if agent is None else [agent]
    for name in agents:
        _admit(session, name)
    samples = measure(
        session,
        agents,
        choose_opponents(session, opponents),
        trials=trials or config.evaluation.trials,
        seed=config.evaluation.seed if seed is None else seed,
        memory=memory,
        progress=progress,
    )
    return report(session, samples, memory)


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


def choose_opponents(session: Session, wanted: str | Sequence[str]) -> tuple[NamedOpponent, ...]:
    """Return the opponents of a set, or those named one by one."""
    sets = session.setting.opponents
    if not isinstance(wanted, str) and len(wanted) == 1:
        (wanted,) = wanted
    if not isinstance(wanted, str):
        if not wanted:
            raise RequestError("got an empty list of opponents; name some, or a set of the run")
        return tuple(dict.fromkeys(parse(session.setting.game, name) for name in wanted))
    known = {"held_out": sets.held_out, "validation": sets.validation, "training": sets.training}
    if wanted not in known:
        if "(" not in wanted and wanted not in known_names():
            raise unknown("set of opponents or family", wanted, [*known, *known_names()])
        return (parse(session.setting.game, wanted),)
    if not known[wanted]:
        raise RequestError(f"this run has no {wanted} opponents; name some, or choose another set")
    return known[wanted]


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
    plans = [plan for opponent in opponents for agent in agents for plan in _plans(session, agent, opponent, trials)]
    conditions = session.conditions(PlayKeys(seed, stream, 0), memory)
    done = 0
    for wave in play_waves(plans, conditions, session.sampler, lane_rows=session.config.learning.batch_rows):
        for played in wave:
            pairing = played.record.pairing
            met[pairing.learner, pairing.opponent].add(played.record)
        done += len(wave)
        session.sampler.work.take()  # only training's rollouts are profiled
        progress(done, len(plans))
    return [
        sample
        for opponent in opponents
        for agent in agents
        for sample in _samples(session, agent, opponent, met[agent, opponent.name])
    ]


def _plans(session: Session, agent: str, opponent: NamedOpponent, trials: int) -> list[TrialPlan]:
    """Plan one agent against one opponent. Every trial is a group of its own, its draws keyed by who meets whom."""
    code = hashlib.blake2b(f"{agent}\n{opponent.name}".encode(), digest_size=4).digest()
    first, seats = int.from_bytes(code, "little") << TRIAL_BITS, session.setting.game.seats
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


def _admit(session: Session, name: str) -> None:
    """Bring a member's adapter into the bank, from its folder or, while a run goes on, from its checkpoint."""
    if name == BASE or name in session.bank.adapters:
        return
    folders = _folders(session)
    if name not in folders:
        raise unknown("member", name, [BASE, *folders])
    session.bank.load(name, folders[name], trainable=False)


def _folders(session: Session) -> dict[str, Path]:
    """Return the adapter folder of every member; a learner's in the checkpoint is the newest there is."""
    paths = session.paths
    roots = [paths.members]
    if checkpoint.exists(paths.checkpoint):
        roots.append(checkpoint.learners(paths.checkpoint))
    return {folder.name: folder for root in roots if root.is_dir() for folder in sorted(root.iterdir())}
