"""What is known about a played trial, in frozen records; the event log and the tables are made from these.

Left out: token ids and log-probabilities, which live in `mage.contexts` and end with the update that uses them.
"""

from dataclasses import dataclass

from populations.matchmaking import Pairing


@dataclass(frozen=True, slots=True)
class Turn:
    """One decision of one seat."""

    episode: int  # from 0
    turn: int  # this seat's decision number within the episode, from 0
    seat: int
    news: str  # the text this seat was given since its last move; "" for scripted players, who read no text
    legal: tuple[str, ...]
    move: str  # "" when forfeited
    probabilities: tuple[float, ...] | None  # of each legal move; None for scripted players
    reward: float  # the seat's own reward between this move and its next one, game units
    forfeit: bool
    prompt: str = ""  # what stood there to read, exactly, with control tokens; "" where that is `news`
    said: str = ""  # what was written, exactly: thinking and failed tries too; "" where that is the move and a newline
    thinking: int = 0  # tokens
    illegal: tuple[str, ...] = ()  # of free replies that were not legal moves: why, one for each try
    randomised: bool = False  # the move was drawn, since no try was legal


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One play of the game from reset to the end."""

    returns: tuple[float, ...]  # per seat, game units
    forfeits: tuple[int, ...]  # per seat
    turns: tuple[Turn, ...]  # in order of play
    reflections: tuple[str | None, ...] = ()  # per seat, written after it; None or left out: none was asked for
    reflection_prompts: tuple[str | None, ...] = ()  # what stood there to read before it, exactly, as in `Turn.prompt`
    reflections_said: tuple[str | None, ...] = ()  # as written; "" where that is the reflection and a newline
    reflections_drawn: tuple[bool, ...] = ()  # per seat, whether its agent wrote it, token by token

    def moves(self, seat: int) -> tuple[int, int, int]:
        """Return how many decisions a seat made, in how many its first try was illegal, in how many one was drawn."""
        own = [turn for turn in self.turns if turn.seat == seat]
        return len(own), sum(bool(turn.illegal) for turn in own), sum(turn.randomised for turn in own)

    def notes_vary(self, seat: int) -> bool:
        """Whether what a language agent read on could be another text next time: its own, or one of another trial."""
        return bool(self.reflections) and (self.reflections_drawn[seat] or bool(self.reflections[seat]))


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """`episodes` consecutive episodes of one pairing."""

    pairing: Pairing
    game: str
    memory: str
    members: tuple[str, ...]  # by seat
    episodes: tuple[EpisodeRecord, ...]

    def returns(self, seat: int) -> tuple[float, ...]:
        """Return the seat's return of each episode, game units."""
        return tuple(episode.returns[seat] for episode in self.episodes)

    def best_of_others(self, seat: int) -> tuple[float, ...]:
        """Return the best return of each episode among the other seats, game units."""
        return tuple(max(e.returns[:seat] + e.returns[seat + 1 :]) for e in self.episodes)
