"""Matches as a viewer needs them: read from `match` events, checked, and made harmless to print.

Leaves out drawing. A log may come from a stranger, so every text is cleaned of control characters here, once,
and a match that lacks something is refused in one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games.errors import RequestError
from mage.events import Event
from mage.views.replay_fields import Fields, anything, index, items, number
from mage.views.safe_text import clean

NAMES_LISTED = 8


@dataclass(frozen=True, slots=True)
class Move:
    """One decision of one seat, cleaned for display."""

    number: int  # the seat's decision within the episode, from 0
    seat: int
    news: str  # what the seat was given to read since its last move; may hold newlines
    legal: tuple[str, ...]
    move: str  # "" when forfeited
    probabilities: tuple[float, ...] | None  # of each legal move; None when none were logged
    reward: float  # the seat's own, game units, until its next move
    forfeit: bool
    said: str = ""  # all that the seat wrote, as it wrote it; "" where that is the move and a newline
    prompt: str = ""  # the exact text put before the seat since it last wrote; "" where that is `news`
    thinking: int = 0  # tokens of thinking in `said`
    illegal: tuple[str, ...] = ()  # why each failed try was none
    randomised: bool = False  # whether the move was drawn, since no try was legal

    @property
    def read(self) -> str:
        """What was put before the seat since it last wrote."""
        return self.prompt or self.news

    @property
    def wrote(self) -> str:
        """What the seat wrote."""
        return self.said or self.move + "\n"


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a seat wrote after an episode for its own later use, cleaned for display."""

    text: str
    prompt: str = ""  # the exact text put before the seat since its last move; "" where that was not logged
    said: str = ""  # as it wrote it; "" where that is the text and a newline

    @property
    def wrote(self) -> str:
        """What the seat wrote."""
        return self.said or self.text + "\n"


@dataclass(frozen=True, slots=True)
class Episode:
    """One play of the game."""

    returns: tuple[float, ...]  # by seat, game units
    moves: tuple[Move, ...]
    reflections: tuple[Reflection | None, ...]  # by seat; None for one that writes none


@dataclass(frozen=True, slots=True)
class Match:
    """A logged trial."""

    id: str
    iteration: int
    game: str
    memory: str
    members: tuple[str, ...]  # by seat
    episodes: tuple[Episode, ...]

    def steps(self) -> list[tuple[int, int]]:
        """Where a viewer can stand: (episode, move), from 0; one past the last move is the episode's end."""
        return [(e, m) for e, episode in enumerate(self.episodes) for m in range(len(episode.moves) + 1)]

    def reads_text(self, seat: int) -> bool:
        """Whether a language agent sits there: scripted players are given nothing to read, and write their move."""
        moves = [move for episode in self.episodes for move in episode.moves if move.seat == seat]
        return any(move.read or move.said or move.illegal for move in moves)

    def scores(self, step: tuple[int, int]) -> list[tuple[float, ...]]:
        """Scores by episode, then seat, as known at `step`: finished episodes, then the one being played.

        A reward counts once its round is over: when some seat makes a later-numbered decision, or at the end.
        """
        number, at = step
        finished = [episode.returns for episode in self.episodes[:number]]
        episode = self.episodes[number]
        if at >= len(episode.moves):
            return [*finished, episode.returns]
        now = [0.0] * len(self.members)
        for earlier in episode.moves[:at]:
            if earlier.number < episode.moves[at].number:
                now[earlier.seat] += earlier.reward
        return [*finished, tuple(now)]


def parse_match(event: Event, unicode: bool = True) -> Match:
    """A `match` event as a Match, its texts cleaned (see `clean`). Raises RequestError when malformed."""
    fields = Fields(f"match {clean(str(event.get('id')), False)[:40]!r}", event, unicode)
    members = fields.many("members", fields.line)
    episodes = tuple(_episode(fields, value, len(members)) for value in fields.take("episodes", items))
    if not members or not episodes:
        raise fields.error("no members or no episodes")
    return Match(
        fields.take("id", fields.line),
        fields.take("iteration", index),
        fields.take("game", fields.line),
        fields.take("memory", fields.line),
        members,
        episodes,
    )


def _episode(match: Fields, value: Any, seats: int) -> Episode:
    fields = Fields(match.owner, value, match.unicode)
    returns = fields.many("returns", number)
    moves = tuple(_move(fields, move, seats) for move in fields.take("turns", items))
    if len(returns) != seats:
        raise fields.error(f"{len(returns)} returns for {seats} seats")
    return Episode(returns, moves, _reflections(fields, seats))


def _reflections(fields: Fields, seats: int) -> tuple[Reflection | None, ...]:
    columns = []
    for name in ("reflections", "reflection_prompts", "reflections_said"):
        column = fields.many_or_none(name, lambda item: None if item is None else fields.lines(item)) or (None,) * seats
        if len(column) != seats:
            raise fields.error(f"{len(column)} {name} for {seats} seats")
        columns.append(column)
    return tuple(
        None if text is None else Reflection(text, prompt or "", said or "")
        for text, prompt, said in zip(*columns, strict=True)
    )


def _move(match: Fields, value: Any, seats: int) -> Move:
    fields = Fields(match.owner, value, match.unicode)
    legal = fields.many("legal", fields.line)
    probabilities = None
    if fields.take("probabilities", anything) is not None:
        probabilities = fields.many("probabilities", number)
        if len(probabilities) != len(legal) or not all(0.0 <= p <= 1.0 + 1e-6 for p in probabilities):
            raise fields.error("probabilities that are not one in [0, 1] for each legal move")
    seat = fields.take("seat", index)
    if seat >= seats:
        raise fields.error(f"a move of seat {seat} among {seats} seats")
    return Move(
        number=fields.take("turn", index),
        seat=seat,
        news=fields.take("news", fields.lines),
        legal=legal,
        move=fields.take("move", fields.line),
        probabilities=probabilities,
        reward=fields.take("reward", number),
        forfeit=bool(fields.take("forfeit", anything)),
        said=fields.take_or("said", fields.lines, ""),
        prompt=fields.take_or("prompt", fields.lines, ""),
        thinking=fields.take_or("thinking", index, 0),
        illegal=fields.many_or_none("illegal", fields.line),
        randomised=bool(fields.take_or("randomised", anything, False)),
    )


class Replays:
    """The matches of a log, by id and in order, as far as it has been read."""

    def __init__(self, unicode: bool = True) -> None:
        """Start empty. unicode: False when the screen can show ASCII only."""
        self.ended = False  # whether the log's last event is `end`
        self.ids: list[str] = []
        self._unicode = unicode
        self._events: dict[str, Event] = {}
        self._learners: set[str] = set()

    def add(self, event: Event) -> None:
        """Take in one event of the log; a match with a known id replaces it, as after a resume."""
        self.ended = event["type"] == "end"
        if event["type"] == "match":
            identity = clean(str(event.get("id")))
            if identity not in self._events:
                self.ids.append(identity)
            self._events[identity] = event
        elif event["type"] == "run":
            members = event.get("members")
            self._learners |= {
                str(member.get("name"))
                for member in (members if isinstance(members, list) else [])
                if isinstance(member, dict) and member.get("kind") == "learner"
            }
        elif event["type"] == "member" and event.get("kind") == "learner":
            self._learners.add(str(event.get("name")))

    def find(self, identity: str) -> str:
        """The id as it is listed. Raises RequestError, listing some ids, when there is no such match."""
        if identity not in self._events:
            latest = ", ".join(clean(name) for name in self.ids[-NAMES_LISTED:])
            raise RequestError(f"unknown match {clean(identity)!r}: the latest of {len(self.ids)} are {latest}")
        return identity

    def match(self, identity: str) -> Match:
        """The match of that listed id. Raises RequestError when it is malformed."""
        return parse_match(self._events[identity], self._unicode)

    def default(self) -> str | None:
        """The last match with a learner in it, else the last match, else None."""
        for identity in reversed(self.ids):
            members = self._events[identity].get("members")
            if isinstance(members, list) and self._learners & {str(member) for member in members}:
                return identity
        return self.ids[-1] if self.ids else None
