"""What an evaluation of a run is to play: which of its agents, whom they meet, in which games, with what memory.

Left out: playing (`mage.evaluation`, `mage.exact_evaluation`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from games.errors import RequestError, unknown
from games.families import known_names
from games.opponents import NamedOpponent, parse
from games.variants import Variant, variant
from mage.guests import Guest, Opponent, guests
from mage.session import Session, reopen

MEMORIES = ("transcript", "none")
TRIAL_BITS = 20  # of a trial's number; the bits above say who meets whom


@dataclass(frozen=True, slots=True)
class Arena:
    """A game that is played, and whom the agents meet in it."""

    session: Session  # open in that game
    opponents: tuple[Opponent, ...]
    variant: str = ""  # how the game differs from the run's own
    left_out: tuple[str, ...] = ()  # opponents that the changed game doesn't know


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """An open run and what to do with it."""

    agents: tuple[str, ...]  # members, all in the bank; or the untrained base
    arenas: tuple[Arena, ...]  # the run's own game first
    trials: int  # of each agent against each opponent, split over seats
    seed: int
    memory: str  # one of MEMORIES

    @property
    def session(self) -> Session:
        """The run in its own game."""
        return self.arenas[0].session

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """Whom the agents meet in the run's own game."""
        return self.arenas[0].opponents


def plan(
    run: str | Path,
    *,
    agent: str | Sequence[str] | None,
    opponents: str | Sequence[str],
    memory: str | None,
    trials: int | None,
    seed: int | None,
    variants: Sequence[str] = (),
) -> EvaluationPlan:
    """Open a run and fill in what was left open, as the run's config has it.

    agent: a member's name, a group of them (`GROUPS`), "base" for the untrained model, or several of these; None is
    every learner. opponents: any of a set's name, an opponent's name, RUN (the learners of a run) and RUN:MEMBER.
    variants: changed games to be played, too (`games.variants`). Raises RequestError for unknown names.
    """
    if trials is not None and not 1 <= trials < 1 << TRIAL_BITS:
        raise RequestError(f"got trials = {trials}, expected 1 to {(1 << TRIAL_BITS) - 1}")
    session = reopen(Path(run))
    config = session.config
    if memory is not None and memory not in MEMORIES:
        raise unknown("memory", memory, MEMORIES)
    agents = choose_agents(session, "learners" if agent is None else agent)
    for name in agents:
        session.admit(name)
    met = choose_opponents(session, opponents)
    changed = (variant(session.setting.game, text) for text in dict.fromkeys(variants))
    return EvaluationPlan(
        agents,
        (Arena(session, met), *(_changed(session, met, other) for other in changed)),
        trials=trials or config.evaluation.trials,
        seed=config.evaluation.seed if seed is None else seed,
        memory=memory or config.trial.memory,
    )


def _learners(session: Session) -> tuple[str, ...]:
    return tuple(f"learner_{i}" for i in range(session.config.league.learners))


def _snapshots(session: Session) -> tuple[str, ...]:
    found = [name.rpartition("@") for name in session.members if "@" in name]
    return tuple("".join(parts) for parts in sorted(found, key=lambda parts: (parts[0], int(parts[2]))))


GROUPS = {
    "learners": _learners,
    "snapshots": _snapshots,
    "members": lambda session: _learners(session) + _snapshots(session),
}


def choose_agents(session: Session, wanted: str | Sequence[str]) -> tuple[str, ...]:
    """Return the members of groups, and those named one by one, each once."""
    found: dict[str, None] = {}
    for name in [wanted] if isinstance(wanted, str) else wanted:
        members = GROUPS[name](session) if name in GROUPS else (name,)
        if not members:
            raise RequestError(f"this run has no {name}; name members, or choose another group")
        found |= dict.fromkeys(members)
    if not found:
        raise RequestError("got an empty list of agents; name some, or leave it out for every learner")
    return tuple(found)


def choose_opponents(session: Session, wanted: str | Sequence[str]) -> tuple[Opponent, ...]:
    """Return the opponents of sets, of runs, and those named one by one, each once."""
    items = [wanted] if isinstance(wanted, str) else list(wanted)
    if not items:
        raise RequestError("got an empty list of opponents; name some, or a set of the run")
    found: dict[str, Opponent] = {}
    for opponent in (one for item in items for one in _opponents(session, item)):
        other = found.setdefault(opponent.name, opponent)
        if isinstance(other, Guest) and isinstance(opponent, Guest) and other.run != opponent.run:
            raise RequestError(
                f"got the runs {other.run} and {opponent.run}, whose folders have one name, expected different names; "
                "rename one of them"
            )
    return tuple(found.values())


def _opponents(session: Session, wanted: str) -> tuple[Opponent, ...]:
    sets = session.setting.opponents
    known = {"held_out": sets.held_out, "validation": sets.validation, "training": sets.training}
    if wanted in known:
        if not known[wanted]:
            raise RequestError(f"this run has no {wanted} opponents; name some, or choose another set")
        return known[wanted]
    invited = guests(wanted, session)
    if invited is not None:
        return invited
    if "(" not in wanted and wanted not in known_names():
        raise unknown("set of opponents, run or family", wanted, [*known, *known_names()])
    return (parse(session.setting.game, wanted),)


def _changed(session: Session, met: Sequence[Opponent], other: Variant) -> Arena:
    """Return the changed game with those opponents that know it; RequestError where none does."""
    playing = session.playing(other.game)
    carried = {one.name: one.playing(other.game) if isinstance(one, Guest) else other.opponent(one) for one in met}
    known = tuple(opponent for opponent in carried.values() if opponent is not None)
    if not known:
        raise RequestError(
            f"{other.name}: none of {', '.join(carried)} can play the changed game; name opponents that can"
        )
    return Arena(playing, known, other.name, tuple(name for name, one in carried.items() if one is None))


def scripted_only(opponents: Sequence[Opponent], why: str) -> tuple[NamedOpponent, ...]:
    """Return the opponents. Raises RequestError, ending in `why`, where one is a member of a run."""
    for opponent in opponents:
        if isinstance(opponent, Guest):
            raise RequestError(f"got opponent {opponent.name}, a member of a run, expected a scripted one; {why}")
    return tuple(opponent for opponent in opponents if isinstance(opponent, NamedOpponent))
