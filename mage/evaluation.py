"""Plays a run's agents against opponents and says how well they adapt, episode by episode.

Held-out opponents are met here and nowhere else (design, decision 11). Every draw is keyed by the evaluation's own
seed and stream, so evaluating changes no training and training no evaluation. Left out: intervals and tables
(`mage.evaluation_report`, `mage.views.tables`).
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from games import bayes, exact
from games.errors import RequestError, unknown
from games.opponents import NamedOpponent, parse
from mage import checkpoint, keys
from mage.adapters import BASE
from mage.config import Draw
from mage.evaluation_report import OpponentSample, evaluation_report
from mage.keys import PlayKeys
from mage.scheduler import play_all
from mage.session import Session, reopen
from mage.trials import PlayedTrial, SeatPlan, TrialPlan
from populations.matchmaking import Pairing

MEMORIES = ("transcript", "none")


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
    opponents' names. trials: per agent and opponent, split over seats. Raises RequestError for unknown names.
    """
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
        run=session.paths.root.name,
        game=game.name,
        memory=memory or session.config.trial.memory,
        utility_range=game.utility_range,
        rng=keys.generator(session.config.evaluation.seed, "bootstrap"),
    )


def choose_opponents(session: Session, wanted: str | Sequence[str]) -> tuple[NamedOpponent, ...]:
    """Return the opponents of a set, or those named one by one."""
    sets = session.setting.opponents
    if not isinstance(wanted, str):
        return tuple(parse(session.setting.game, name) for name in wanted)
    known = {"held_out": sets.held_out, "validation": sets.validation, "training": sets.training}
    if wanted not in known:
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
    samples: list[OpponentSample] = []
    total = len(agents) * len(opponents)
    for number, opponent in enumerate(opponents):
        for place, agent in enumerate(agents):
            played = _play(session, agent, opponent, trials, seed, memory, stream)
            samples.extend(_samples(session, agent, opponent, played))
            progress(number * len(agents) + place + 1, total)
    return samples


def _play(
    session: Session, agent: str, opponent: NamedOpponent, trials: int, seed: int, memory: str | None, stream: str
) -> list[PlayedTrial]:
    """Play one agent against one opponent; every trial is a group of its own, with its own draws."""
    code = hashlib.blake2b(f"{agent}\n{opponent.name}".encode(), digest_size=4).digest()
    play_keys = PlayKeys(seed, stream, int.from_bytes(code, "little"))
    plans = []
    for trial in range(trials):
        seat = trial % session.setting.game.seats
        pairing = Pairing(agent, opponent.name, seat, trial, trial, "scripted")
        own, other = SeatPlan(agent, None, trial), SeatPlan(opponent.name, opponent, trial)
        plans.append(TrialPlan(pairing, (own, other) if seat == 0 else (other, own)))
    rows = session.config.learning.batch_rows
    return play_all(plans, session.conditions(play_keys, memory), session.sampler, lane_rows=rows)


def _samples(
    session: Session, agent: str, opponent: NamedOpponent, played: Sequence[PlayedTrial]
) -> list[OpponentSample]:
    """Return one sample per seat, with the exact values that the seat has against this opponent."""
    game, sets = session.setting.game, session.setting.opponents
    samples = []
    for seat in range(game.seats):
        records = [trial.record for trial in played if trial.record.pairing.seat == seat]
        if not records:
            continue
        samples.append(
            OpponentSample(
                agent=agent,
                name=opponent.name,
                family=opponent.family,
                distance=sets.distance(opponent),
                seat=seat,
                security_value=exact.security_value(game, seat),
                nash_value=exact.nash_value(game, seat),
                best_response_value=exact.best_response_value(game, opponent, seat),
                returns=np.array([record.returns(seat) for record in records]),
                others=np.array([record.returns(1 - seat) for record in records]),
                forfeits=np.array([[episode.forfeits[seat] > 0 for episode in r.episodes] for r in records]),
                bayes_returns=_ceiling(session, opponent, seat),
            )
        )
    return samples


def _ceiling(session: Session, opponent: NamedOpponent, seat: int) -> np.ndarray | None:
    """Return what the Bayes-optimal player gets by episode, where the prior that drew the opponent is known."""
    game, config = session.setting.game, session.config
    prior: bayes.Prior | None = None
    if opponent.family == "dirichlet_habit":
        declared = (*config.opponents.training, *config.opponents.validation, *config.opponents.held_out)
        alphas = {
            float(draw.parameters.get("alpha", 1.0))  # type: ignore[arg-type]
            for draw in declared
            if isinstance(draw, Draw) and draw.family == opponent.family
        }
        if len(alphas) == 1:
            prior = bayes.DirichletPrior((alphas.pop(),) * len(game.moves[1 - seat]))
    elif opponent in session.setting.opponents.training:
        prior = bayes.habit_prior(game, session.setting.opponents.training, seat)
    return None if prior is None else bayes.ceiling(game, opponent, prior, config.trial.episodes, seat)


def _admit(session: Session, name: str) -> None:
    """Bring a member's adapter into the bank, from its folder or, while a run goes on, from its checkpoint."""
    if name == BASE or name in session.bank.adapters:
        return
    folder = session.paths.member(name)
    if not folder.exists() and checkpoint.exists(session.paths.checkpoint):
        folder = checkpoint.learner_folder(session.paths.checkpoint, name)
    if not folder.exists():
        raise unknown("member", name, [BASE, *_members(session)])
    session.bank.load(name, folder, trainable=False)


def _members(session: Session) -> list[str]:
    learners = [f"learner_{i}" for i in range(session.config.league.learners)]
    folder = session.paths.member("x").parent
    frozen = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    return list(dict.fromkeys([*learners, *frozen]))
