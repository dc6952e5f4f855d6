"""Who sits where in a trial, and how they read, remember and draw.

Left out: playing it (`mage.trials`), who is paired with whom (`populations.matchmaking`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from games.players import Player
from mage.codec import Codec
from mage.decisions import Acting
from mage.renderers import Prompt
from populations.matchmaking import Pairing


@dataclass(frozen=True, slots=True)
class Reading:
    """How a language agent reads and writes that stands on another base than the rest, or remembers otherwise."""

    base: str  # agents of equal bases can be sampled together
    codec: Codec
    memory: str
    acting: Acting
    prompt: Prompt


class Scripted(Protocol):
    """Who plays a seat without a model: an opponent, or an expert that is imitated."""

    @property
    def name(self) -> str:
        """What it is called in records."""

    def player(self, game: Any, seat: int, earlier: Sequence[Sequence[tuple[int, ...]]] = ()) -> Player:
        """A player for one episode on `seat`; earlier: the joint moves of the trial's episodes so far."""


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """Who sits in a seat, and whose random stream it draws from."""

    member: str
    opponent: Scripted | None  # None for a language agent
    stream: int  # the trial number in the keys of its draws; negative where a group shares them
    transcribed: bool = False  # keep a scripted seat's text as a context, for a corpus
    reading: Reading | None = None  # None: as the conditions say
    reflections: tuple[str, ...] | None = None  # put in the place of those that it would write, one an episode


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """One trial to be played."""

    pairing: Pairing
    seats: tuple[SeatPlan, ...]

    @classmethod
    def of(cls, pairing: Pairing, own: SeatPlan, other: SeatPlan, seats: int) -> "TrialPlan":
        """Put the pairing's learner into its seat and the opponent into all others."""
        return cls(pairing, tuple(own if seat == pairing.seat else other for seat in range(seats)))
