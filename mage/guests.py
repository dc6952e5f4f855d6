"""Members of other runs as opponents: each plays with the base, the codec and the memory of its own run.

Left out: scripted opponents (`games.opponents`), whom the evaluated agents meet (`mage.evaluation_plan`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from games.errors import RequestError
from games.opponents import NamedOpponent
from games.text import TextGame
from mage.adapters import BASE
from mage.paths import RunPaths
from mage.scheduler import Lane, Sampler
from mage.seats import Reading
from mage.session import Session, reopen
from mage.settings import NO_KEYS


@dataclass(frozen=True, slots=True, eq=False)
class Guest:
    """A member of a run, met as an opponent."""

    name: str  # RUN:MEMBER with the run's folder name
    family: str  # the run, which its members have in common
    member: str
    session: Session  # its own run's, opened in the game that is played
    at_home: bool  # whether its run is the evaluated one

    @property
    def met(self) -> bool:
        """Whether the evaluated agents met it in training, as all members of their own run but the untrained base."""
        return self.at_home and self.member != BASE

    @property
    def run(self) -> Path:
        """Where its run lies."""
        return self.session.paths.root.resolve()

    @property
    def reading(self) -> Reading:
        """How it reads."""
        own = self.session.conditions(NO_KEYS)
        return Reading(str(self.run), own.codec, own.memory, own.acting, own.prompt)

    def playing(self, game: TextGame) -> "Guest":
        """Return it in another game, for trials as long as before."""
        return replace(self, session=self.session.playing(game))


Opponent = NamedOpponent | Guest


class RoutedSampler:
    """Sends lanes of guests to the samplers of their own runs, and all others to the home one."""

    def __init__(self, home: Sampler, guests: Sequence[Guest]) -> None:
        """home: of the evaluated run."""
        self._home = home
        self._guests: Mapping[str, Guest] = {guest.name: guest for guest in guests}

    def open(self, agents: Sequence[str]) -> Lane:
        """Return a lane; agents of two runs never share one (`trials.Reading.base`)."""
        first = self._guests.get(agents[0])
        if first is None:
            return self._home.open(agents)
        return first.session.sampler.open([self._guests[name].member for name in agents])


class Guests:
    """Invites members of runs to the host's game; each run is opened once, whoever of it is asked for."""

    def __init__(self, host: Session) -> None:
        """host: the evaluated run."""
        self._host = host
        self._opened: dict[Path, Session] = {}

    def invite(self, text: str) -> tuple[Guest, ...] | None:
        """Return the members that `RUN` (its learners) or `RUN:MEMBER` stands for; None for a text that names no run.

        Their sessions are open in the host's game, for trials as long as the host's. Raises RequestError for a run that
        can't be opened or can't read the game, for unknown members, and for two runs of one folder name.
        """
        run, member = _parts(text)
        if run is None:
            return None
        session = self._session(run.resolve())
        names = (member,) if member else session.config.league.names
        for name in names:
            session.admit(name)
        title, at_home = run.resolve().name, run.resolve() == self._host.paths.root.resolve()
        return tuple(Guest(f"{title}:{name}", title, name, session, at_home) for name in names)

    def _session(self, run: Path) -> Session:
        if run not in self._opened:
            for other in self._opened:
                if other.name == run.name:
                    raise RequestError(
                        f"got the runs {other} and {run}, whose folders have one name, expected different names; "
                        "rename one of them"
                    )
            host = self._host
            self._opened[run] = reopen(run).playing(host.setting.game, host.config.trial.episodes)
            torch.set_num_threads(host.config.run.threads)  # opening took the other run's
        return self._opened[run]


def _parts(text: str) -> tuple[Path | None, str | None]:
    """Return the run and the member that a text names; (None, None) where it names no run."""
    if _is_run(text):
        return Path(text), None
    run, colon, member = text.rpartition(":")
    if colon and _is_run(run):
        return Path(run), member or BASE
    if "/" in text.partition("(")[0]:
        raise RequestError(f'got opponent "{text}", a path without a run; give RUN or RUN:MEMBER of a trained one')
    return None, None


def _is_run(text: str) -> bool:
    try:
        return RunPaths(Path(text)).config.exists()
    except OSError:  # no path at all: too long a name, say
        return False
