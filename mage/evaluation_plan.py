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
from mage.guests import Guest, Guests, Opponent
from mage.memories import MEMORIES
from mage.session import Session, reopen

MOST_SEED = 2**31 - 1
MOST_NAMES = 3  # of opponents, in a message
SETS = ("held_out", "validation", "training")  # of opponents, that a config declares
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
    variants: str | Sequence[str] = (),
) -> EvaluationPlan:
    """Open a run and fill in what was left open, as the run's config has it.

    agent: a member's name, a group of them (`GROUPS`), "base" for the untrained model, or several of these; None is
    every learner. opponents: any of a set's name, an opponent's name, RUN (the learners of a run) and RUN:MEMBER.
    variants: changed games to be played, too (`games.variants`). Raises RequestError for unknown names.
    """
    _whole("trials", trials, 1, (1 << TRIAL_BITS) - 1)
    _whole("seed", seed, 0, MOST_SEED)
    session = reopen(Path(run))
    config = session.config
    if memory is not None and memory not in MEMORIES:
        raise unknown("memory", memory, MEMORIES)
    session.require_memory(memory or config.trial.memory)
    agents = choose_agents(session, "learners" if agent is None else agent)
    for name in agents:
        session.admit(name)
    met = choose_opponents(session, opponents)
    texts = [variants] if isinstance(variants, str) else variants
    changed = (variant(session.setting.game, text) for text in dict.fromkeys(texts))
    return EvaluationPlan(
        agents,
        (Arena(session, met), *(_changed(session, met, other) for other in changed)),
        trials=trials or config.evaluation.trials,
        seed=config.evaluation.seed if seed is None else seed,
        memory=memory or config.trial.memory,
    )


def _whole(name: str, value: int | None, low: int, high: int) -> None:
    """Refuse what is no whole number in that range; None is left open."""
    if value is not None and not (type(value) is int and low <= value <= high):
        raise RequestError(f"got {name} = {value!r}, expected a whole number from {low} to {high}")


def _learners(session: Session) -> tuple[str, ...]:
    return session.config.league.names


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
    guests = Guests(session)
    found = {opponent.name: opponent for item in items for opponent in _opponents(session, guests, item)}
    return tuple(found.values())


def _opponents(session: Session, guests: Guests, wanted: str) -> tuple[Opponent, ...]:
    known: dict[str, tuple[NamedOpponent, ...]] = {name: getattr(session.setting.opponents, name) for name in SETS}
    if wanted in known:
        if not known[wanted]:
            raise RequestError(f"this run has no {wanted} opponents; name some, or choose another set")
        return known[wanted]
    if wanted.partition("(")[0].strip() in known_names():  # before folders of that name: ./NAME is the run
        return (parse(session.setting.game, wanted),)
    invited = guests.invite(wanted)
    if invited is None:
        raise unknown("set of opponents, run or family", wanted, [*known, *known_names()])
    return invited


def _changed(session: Session, met: Sequence[Opponent], other: Variant) -> Arena:
    """Return the changed game with those opponents that know it; RequestError where none does."""
    playing = session.playing(other.game)
    carried = {one.name: one.playing(other.game) if isinstance(one, Guest) else other.opponent(one) for one in met}
    known = tuple(opponent for opponent in carried.values() if opponent is not None)
    if not known:
        names = list(carried)
        asked = ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if names[MOST_NAMES:] else "")
        raise RequestError(f"{other.name}: none of {asked} can play the changed game; name opponents that can")
    return Arena(playing, known, other.name, tuple(name for name, one in carried.items() if one is None))


def scripted_only(opponents: Sequence[Opponent], why: str) -> tuple[NamedOpponent, ...]:
    """Return the opponents. Raises RequestError, ending in `why`, where one is a member of a run."""
    for opponent in opponents:
        if isinstance(opponent, Guest):
            raise RequestError(f"got opponent {opponent.name}, a member of a run, expected a scripted one; {why}")
    return tuple(opponent for opponent in opponents if isinstance(opponent, NamedOpponent))
