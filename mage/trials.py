"""A trial as a generator: it yields what it needs decided and receives the reply (design, decision 9).

The same loop drives language agents and scripted players, in any seat. Left out: who sits where (`mage.seats`), what
a seat has in front of it (`mage.reader`), how an agent comes to a move (`mage.decisions`), how what it doesn't write
itself is written (`mage.transcribing`), batching (`mage.scheduler`).
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from games.habits import HABITS
from games.players import Player
from games.text import Episode, TextGame
from mage.codec import Codec
from mage.contexts import Context, Memory, Reply, Request
from mage.decisions import DECIDERS, Acting, Asked, Decision, clipped
from mage.keys import PlayKeys
from mage.memories import NO_MEMORY
from mage.reader import Reader
from mage.records import EpisodeRecord, TrialRecord, Turn
from mage.renderers import Prompt
from mage.replies import FORMATS
from mage.seats import SeatPlan, TrialPlan
from mage.transcribing import Note, note, transcribe_move


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all trials of a batch share."""

    game: TextGame
    codec: Codec
    keys: PlayKeys
    episodes: int
    memory: str  # "transcript", "reflection", "both" or "none"
    acting: Acting = Acting()
    prompt: Prompt = Prompt()
    habit: str = "counts"  # what a transcribed player writes down after an episode: a key of HABITS


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
_Exact = tuple[str, str, int, tuple[str, ...], bool]  # those from `prompt` on
_AS_IT_READS: _Exact = ("", "", 0, (), False)


def opening(conditions: Conditions, seat: int) -> tuple[int, ...]:
    """Return the ids that every context of a seat begins with, up to the header of its first episode."""
    reader = _reader(SeatPlan("", None, 0), seat, conditions)
    reader.open_episode(1, ())
    reader.close()
    return tuple(reader.context.ids[: reader.context.openings[0]])


def _reader(plan: SeatPlan, seat: int, conditions: Conditions) -> Reader:
    own = plan.reading or conditions
    game = conditions.game
    free = own.acting.move == "free"
    instruction = FORMATS[own.acting.reply_format].state(game.spoken[seat].moves) + "\n" if free else ""
    rules = own.prompt.rules_text(game, seat, conditions.episodes, instruction)
    return Reader(plan.member, seat, own.codec, own.memory, own.prompt, rules, game.episode_header)


def play(plan: TrialPlan, conditions: Conditions) -> Generator[Request, Reply, PlayedTrial]:
    """Play one trial: yields what the language agents have to write, is sent it, returns what was played."""
    readers = {
        seat: _reader(who, seat, conditions)
        for seat, who in enumerate(plan.seats)
        if who.opponent is None or who.transcribed
    }
    episodes: list[EpisodeRecord] = []
    earlier: list[Sequence[tuple[int, ...]]] = []  # the joint moves of each episode that an expert may remember
    written: dict[int, list[str]] = {seat: [] for seat in readers}  # reflections so far
    for number in range(conditions.episodes):
        for seat, reader in readers.items():
            reader.open_episode(number + 1, written[seat])
        episode = conditions.game.start(conditions.keys.deal(plan.pairing.group, number))
        players = {
            seat: who.opponent.player(conditions.game, seat, earlier)
            for seat, who in enumerate(plan.seats)
            if who.opponent is not None
        }
        turns = yield from _play_episode(plan, conditions, readers, players, number, episode)
        if conditions.memory != NO_MEMORY:  # an expert knows no more than the agent whose seat it sits in
            earlier.append(episode.history)
        notes: dict[int, Note] = {}
        if number < conditions.episodes - 1:
            notes = yield from _reflect(plan, conditions, readers, number, episode)
        for seat, noted in notes.items():
            written[seat].append(noted.text)
        episodes.append(_recorded(episode, turns, notes))
    for reader in readers.values():
        reader.close()
    record = TrialRecord(
        plan.pairing,
        conditions.game.name,
        conditions.memory,
        tuple(w.member for w in plan.seats),
        tuple(episodes),
    )
    return PlayedTrial(record, tuple(context for reader in readers.values() for context in reader.contexts))


def _play_episode(
    plan: TrialPlan,
    conditions: Conditions,
    readers: dict[int, Reader],
    players: dict[int, Player],
    number: int,
    episode: Episode,
) -> Generator[Request, Reply, tuple[Turn, ...]]:
    """Play one episode to its end; returns what was decided, in order of play."""
    draw, seats = conditions.keys.move, plan.seats
    counts, latest = [0] * len(seats), [-1] * len(seats)  # by seat: its decisions so far, where its last one stands
    made: list[_Made] = []
    exact: dict[int, _Exact] = {}
    rewards: list[float] = []  # of each decision, known when its seat moves again or the episode ends
    while (seat := episode.seat_to_move) is not None:
        if counts[seat]:
            rewards[latest[seat]] = episode.rewards_since(seat)
        turn, stream, legal = counts[seat], seats[seat].stream, episode.legal_moves()
        reader, player, news = readers.get(seat), players.get(seat), ""
        probabilities: tuple[float, ...] | None = None
        if reader is not None:
            reader.tell(episode.news(seat))
            told = reader.write(reader.prompt.question(legal))
            news = told.news
        if player is not None:
            move = player.act(episode, seat, draw(stream, seat, number, turn))
            if reader is not None:
                said = transcribe_move(reader, conditions.acting, move, legal, number, turn)
                if told.prompt or said:
                    exact[len(made)] = (told.prompt, said, 0, (), False)
        else:
            assert reader is not None
            acting = _acting(seats[seat], conditions)
            asked = Asked(legal, stream, number, turn, acting, conditions.keys)
            decision = yield from DECIDERS[acting.move](reader, asked)
            move, probabilities = decision.move, decision.probabilities
            if told.prompt or decision.said:
                exact[len(made)] = _exact(told.prompt, decision)
        counts[seat], latest[seat] = turn + 1, len(made)
        made.append((turn, seat, news, legal, move, probabilities))
        rewards.append(0.0)
        if move:
            episode.play(move)
        else:
            episode.forfeit()
    for seat, place in enumerate(latest):
        if place >= 0:
            rewards[place] = episode.rewards_since(seat)
    for seat, reader in readers.items():
        reader.tell(episode.news(seat))
    return tuple(
        Turn(number, *decision, reward, not decision[4], *exact.get(place, _AS_IT_READS))
        for place, (decision, reward) in enumerate(zip(made, rewards, strict=True))
    )


def _acting(who: SeatPlan, conditions: Conditions) -> Acting:
    return (who.reading or conditions).acting


def _exact(prompt: str, decision: Decision) -> _Exact:
    return prompt, decision.said, decision.thinking, decision.illegal, decision.randomised


def _reflect(
    plan: TrialPlan, conditions: Conditions, readers: dict[int, Reader], number: int, episode: Episode
) -> Generator[Request, Reply, dict[int, Note]]:
    """Let every seat that reflects write down what the episode has taught; returns that by seat."""
    notes: dict[int, Note] = {}
    for seat, reader in readers.items():
        if reader.reflects:
            who = plan.seats[seat]
            budget = _acting(who, conditions).reflection_tokens
            given = _given(who, conditions, number, episode, seat)
            notes[seat] = yield from note(reader, number, who.stream, budget, given, who.opponent is not None)
    return notes


def _given(who: SeatPlan, conditions: Conditions, number: int, episode: Episode, seat: int) -> str | None:
    """Return what is written in the place of a seat's own reflection, None for nothing."""
    if who.reflections is not None:
        return who.reflections[number]
    if who.opponent is None:
        return None
    moves = [spoken.moves for spoken in conditions.game.spoken]
    text = HABITS[conditions.habit](episode.played, seat, moves)
    return clipped(conditions.codec, text, conditions.acting.reflection_tokens)


def _recorded(episode: Episode, turns: tuple[Turn, ...], notes: dict[int, Note]) -> EpisodeRecord:
    """Return the record of an episode that has ended."""
    by_seat = [notes.get(seat) for seat in range(len(episode.returns))] if notes else []
    return EpisodeRecord(
        tuple(episode.returns),
        tuple(episode.forfeits),
        turns,
        reflections=tuple(None if one is None else one.text for one in by_seat),
        reflection_prompts=tuple(None if one is None else one.prompt for one in by_seat),
        reflections_said=tuple(None if one is None else one.said for one in by_seat),
        reflections_drawn=tuple(one is not None and one.drawn for one in by_seat),
    )
