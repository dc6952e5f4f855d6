"""What an evaluation of a run is to play: which of its agents, whom they meet, how often and with what memory.

Left out: playing (`mage.evaluation`, `mage.exact_evaluation`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from games.errors import RequestError, unknown
from games.families import known_names
from games.opponents import NamedOpponent, parse
from mage import checkpoint
from mage.adapters import BASE
from mage.session import Session, reopen

MEMORIES = ("transcript", "none")
TRIAL_BITS = 20  # of a trial's number; the bits above say who meets whom


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """An open run and what to do with it."""

    session: Session
    agents: tuple[str, ...]  # members, all in the bank; or the untrained base
    opponents: tuple[NamedOpponent, ...]
    trials: int  # of each agent against each opponent, split over seats
    seed: int
    memory: str  # one of MEMORIES


def plan(
    run: str | Path,
    *,
    agent: str | None,
    opponents: str | Sequence[str],
    memory: str | None,
    trials: int | None,
    seed: int | None,
) -> EvaluationPlan:
    """Open a run and fill in what was left open, as the run's config has it.

    agent: a member's name or "base" for the untrained model; None is every learner. opponents: a set's name or
    opponents' names. Raises RequestError for unknown names.
    """
    if trials is not None and not 1 <= trials < 1 << TRIAL_BITS:
        raise RequestError(f"got trials = {trials}, expected 1 to {(1 << TRIAL_BITS) - 1}")
    session = reopen(Path(run))
    config = session.config
    if memory is not None and memory not in MEMORIES:
        raise unknown("memory", memory, MEMORIES)
    agents = tuple(f"learner_{i}" for i in range(config.league.learners)) if agent is None else (agent,)
    for name in agents:
        admit(session, name)
    return EvaluationPlan(
        session,
        agents,
        choose_opponents(session, opponents),
        trials=trials or config.evaluation.trials,
        seed=config.evaluation.seed if seed is None else seed,
        memory=memory or config.trial.memory,
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


def admit(session: Session, name: str) -> None:
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
