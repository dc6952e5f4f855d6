"""A trial as a generator: it yields what it needs decided and receives the move (design, decision 9).

The same loop drives language agents and scripted players, in any seat, and owns what each seat has read. Left out:
batching (`mage.scheduler`) and sampling (`mage.sampler`).
"""

from collections.abc import Generator
from dataclasses import dataclass

from games.matrix_text import MatrixGame
from games.opponents import NamedOpponent, Player
from games.text import Episode
from mage.codec import Codec
from mage.contexts import Context, MoveReply, MoveRequest
from mage.keys import PlayKeys
from mage.records import EpisodeRecord, TrialRecord, Turn
from populations.matchmaking import Pairing


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """Who sits in a seat, and whose random stream it draws from."""

    member: str
    opponent: NamedOpponent | None  # the scripted player; None for a language agent
    stream: int  # the trial number in the keys of its draws; negative where a group shares them
    transcribed: bool = False  # keep a scripted seat's text as a context, for a corpus


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """One trial to be played."""

    pairing: Pairing
    seats: tuple[SeatPlan, ...]


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all trials of a batch share."""

    game: MatrixGame
    codec: Codec
    keys: PlayKeys
    episodes: int
    memory: str  # "transcript" or "none"


@dataclass(frozen=True, slots=True)
class PlayedTrial:
    """A record and the contexts of the seats that read text."""

    record: TrialRecord
    contexts: tuple[Context, ...]


class _Draft:
    """A turn whose reward is not known yet."""

    __slots__ = ("reply", "request", "text")

    def __init__(self, text: str, request: tuple[int, int, int, tuple[str, ...]], reply: MoveReply) -> None:
        self.text, self.request, self.reply = text, request, reply

    def close(self, reward: float) -> Turn:
        episode, turn, seat, legal = self.request
        return Turn(episode, turn, seat, self.text, legal, self.reply.move, self.reply.probabilities, reward, False)


class _Reader:
    """What one seat that reads text has in front of it."""

    def __init__(self, plan: SeatPlan, seat: int, conditions: Conditions) -> None:
        self._plan, self._seat, self._conditions = plan, seat, conditions
        self._unwritten: list[str] = []
        self.contexts: list[Context] = []

    def open_episode(self, number: int) -> None:
        """Continue the context, or open a fresh one that knows of no earlier episode."""
        game = self._conditions.game
        if not self.contexts or self._conditions.memory == "none":
            self.contexts.append(Context(self._plan.member, self._seat, list(self._conditions.codec.start)))
            self._unwritten = [game.rules(self._seat, self._conditions.episodes), game.episode_header(1)]
        else:
            self._unwritten.append(game.episode_header(number))

    def tell(self, news: str) -> None:
        if news:
            self._unwritten.append(news)

    def write(self) -> str:
        """Put what was told into the context, segment by segment, and return it as text."""
        ids, encode = self.contexts[-1].ids, self._conditions.codec.encode
        for segment in self._unwritten:
            ids.extend(encode(segment))
        text = "".join(self._unwritten)
        self._unwritten.clear()
        return text

    def write_move(self, move: str) -> None:
        self.contexts[-1].ids.extend(self._conditions.codec.encode_move(move))


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
        reader.write()
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
    game = conditions.game
    episode = game.start(conditions.keys.deal(plan.pairing.group, number))
    players = {s: who.opponent.player(game, s) for s, who in enumerate(plan.seats) if who.opponent is not None}
    drafts: dict[int, _Draft] = {}
    slots: list[Turn | None] = []
    where: dict[int, int] = {}
    counts = [0] * len(plan.seats)
    while (seat := episode.seat_to_move) is not None:
        if seat in drafts:
            slots[where[seat]] = drafts[seat].close(episode.rewards_since(seat))
        turn = counts[seat]
        counts[seat] += 1
        text, legal = "", episode.legal_moves()
        reader = readers.get(seat)
        if reader is not None:
            reader.tell(episode.news(seat))
            text = reader.write()
        stream = plan.seats[seat].stream
        if seat in players:
            reply = _scripted(players[seat], episode, seat, conditions.keys.move(stream, seat, number, turn))
            if reader is not None:
                reader.write_move(reply.move)
        else:
            assert reader is not None
            reply = yield MoveRequest(reader.contexts[-1], legal, stream, number, turn)
        drafts[seat] = _Draft(text, (number, turn, seat, legal), reply)
        where[seat] = len(slots)
        slots.append(None)
        episode.play(reply.move)
    for seat, draft in drafts.items():
        slots[where[seat]] = draft.close(episode.rewards_since(seat))
    for seat, reader in readers.items():
        reader.tell(episode.news(seat))
    turns = tuple(turn for turn in slots if turn is not None)
    return EpisodeRecord(tuple(episode.returns), tuple(episode.forfeits), turns)


def _scripted(player: Player, episode: Episode, seat: int, uniform: float) -> MoveReply:
    return MoveReply(player.act(episode, seat, uniform), None)
