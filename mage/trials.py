"""A trial as a generator: it yields what it needs decided and receives the move (design, decision 9).

The same loop drives language agents and scripted players, in any seat, and owns what each seat has read. Left out:
batching (`mage.scheduler`) and sampling (`mage.sampler`).
"""

from collections.abc import Generator
from dataclasses import dataclass

from games.opponents import NamedOpponent
from games.text import TextGame
from mage.codec import Codec
from mage.contexts import Context, Memory, MoveReply, MoveRequest
from mage.keys import PlayKeys
from mage.records import EpisodeRecord, TrialRecord, Turn
from populations.matchmaking import Pairing


@dataclass(frozen=True, slots=True)
class Reading:
    """How a language agent reads that stands on another base than the rest, or remembers otherwise."""

    base: str  # agents of equal bases can be sampled together
    codec: Codec
    memory: str  # "transcript" or "none"


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """Who sits in a seat, and whose random stream it draws from."""

    member: str
    opponent: NamedOpponent | None  # the scripted player; None for a language agent
    stream: int  # the trial number in the keys of its draws; negative where a group shares them
    transcribed: bool = False  # keep a scripted seat's text as a context, for a corpus
    reading: Reading | None = None  # None: as the conditions say


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """One trial to be played."""

    pairing: Pairing
    seats: tuple[SeatPlan, ...]

    @classmethod
    def of(cls, pairing: Pairing, own: SeatPlan, other: SeatPlan, seats: int) -> "TrialPlan":
        """Put the pairing's learner into its seat and the opponent into all others."""
        return cls(pairing, tuple(own if seat == pairing.seat else other for seat in range(seats)))


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all trials of a batch share."""

    game: TextGame
    codec: Codec
    keys: PlayKeys
    episodes: int
    memory: str  # "transcript" or "none"


@dataclass(frozen=True, slots=True)
class PlayedTrial:
    """A record and the contexts of the seats that read text."""

    record: TrialRecord
    contexts: tuple[Context, ...]

    def memories(self, seat: int) -> list[Memory]:
        """Return what a seat that reads text had in front of it when each episode began."""
        return [
            Memory(tuple(context.ids[:place]), number)
            for context in self.contexts
            if context.seat == seat
            for number, place in enumerate(context.openings, start=1)
        ]


# The fields of a `Turn` from `turn` to `probabilities`, whose reward comes later. A record instead would cost as much
# again as the `Turn` that is made of it, twice a round.
_Made = tuple[int, int, str, tuple[str, ...], str, tuple[float, ...] | None]


def opening(game: TextGame, codec: Codec, seat: int, episodes: int) -> tuple[int, ...]:
    """Return the ids that every context of a seat begins with, up to the header of its first episode."""
    return codec.start + codec.encode(game.rules(seat, episodes))


class _Reader:
    """What one seat that reads text has in front of it."""

    def __init__(self, plan: SeatPlan, seat: int, conditions: Conditions) -> None:
        self._plan, self._seat, self._conditions = plan, seat, conditions
        reading = plan.reading
        self._codec = reading.codec if reading else conditions.codec
        self._memory = reading.memory if reading else conditions.memory
        self._encode = self._codec.encode
        self._unwritten: list[str] = []
        self.contexts: list[Context] = []

    def open_episode(self, number: int) -> None:
        """Continue the context, or open a fresh one that knows of no earlier episode."""
        game = self._conditions.game
        if not self.contexts or self._memory == "none":
            self.context = Context(self._plan.member, self._seat, list(self._codec.start))
            self.contexts.append(self.context)
            self._unwritten, number = [game.rules(self._seat, self._conditions.episodes)], 1
        pending = sum(len(self._encode(segment)) for segment in self._unwritten)
        self.context.openings.append(len(self.context.ids) + pending)
        self._unwritten.append(game.episode_header(number))

    def tell(self, news: str) -> None:
        if news:
            self._unwritten.append(news)

    def write(self, news: str) -> str:
        """Put `news` and what was told before into the context, segment by segment, and return it as text."""
        self.tell(news)
        ids, segments, encode = self.context.ids, self._unwritten, self._encode
        for segment in segments:
            ids += encode(segment)
        self._unwritten = []
        return segments[0] if len(segments) == 1 else "".join(segments)

    def write_move(self, move: str) -> None:
        self.context.ids += self._codec.encode_move(move)


def play(plan: TrialPlan, conditions: Conditions) -> Generator[MoveRequest, MoveReply, PlayedTrial]:
    """Play one trial: yields the language agents' decisions, is sent the replies, returns what was played."""
    readers = {
        seat: _Reader(who, seat, conditions)
        for seat, who in enumerate(plan.seats)
        if who.opponent is None or who.transcribed
    }
    episodes: list[EpisodeRecord] = []
    for number in range(conditions.episodes):
        for reader in readers.values():
            reader.open_episode(number + 1)
        episodes.append((yield from _play_episode(plan, conditions, readers, number)))
    for reader in readers.values():
        reader.write("")
    record = TrialRecord(
        plan.pairing,
        conditions.game.name,
        conditions.memory,
        tuple(w.member for w in plan.seats),
        tuple(episodes),
    )
    return PlayedTrial(record, tuple(context for reader in readers.values() for context in reader.contexts))


def _play_episode(
    plan: TrialPlan, conditions: Conditions, readers: dict[int, _Reader], number: int
) -> Generator[MoveRequest, MoveReply, EpisodeRecord]:
    game, draw = conditions.game, conditions.keys.move
    episode = game.start(conditions.keys.deal(plan.pairing.group, number))
    seats = plan.seats
    players = {s: who.opponent.player(game, s) for s, who in enumerate(seats) if who.opponent is not None}
    counts, latest = [0] * len(seats), [-1] * len(seats)  # by seat: its decisions so far, where its last one stands
    made: list[_Made] = []
    rewards: list[float] = []  # of each decision, known when its seat moves again or the episode ends
    while (seat := episode.seat_to_move) is not None:
        if counts[seat]:
            rewards[latest[seat]] = episode.rewards_since(seat)
        turn, stream, legal = counts[seat], seats[seat].stream, episode.legal_moves()
        reader, player = readers.get(seat), players.get(seat)
        text = reader.write(episode.news(seat)) if reader is not None else ""
        probabilities: tuple[float, ...] | None = None
        if player is not None:
            move = player.act(episode, seat, draw(stream, seat, number, turn))
            if reader is not None:
                reader.write_move(move)
        else:
            assert reader is not None
            reply = yield MoveRequest(reader.context, legal, stream, number, turn)
            move, probabilities = reply.move, reply.probabilities
        counts[seat], latest[seat] = turn + 1, len(made)
        made.append((turn, seat, text, legal, move, probabilities))
        rewards.append(0.0)
        episode.play(move)
    for seat, place in enumerate(latest):
        if place >= 0:
            rewards[place] = episode.rewards_since(seat)
    for seat, reader in readers.items():
        reader.tell(episode.news(seat))
    turns = tuple(Turn(number, *decision, reward, False) for decision, reward in zip(made, rewards, strict=True))
    return EpisodeRecord(tuple(episode.returns), tuple(episode.forfeits), turns)
