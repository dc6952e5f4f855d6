"""Matches as a viewer needs them: read from `match` events, checked, and made harmless to print.

Leaves out drawing. A log may come from a stranger, so every text is cleaned of control characters here, once,
and a match that lacks something is refused in one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from games.errors import RequestError
from mage.events import Event
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


@dataclass(frozen=True, slots=True)
class Episode:
    """One play of the game."""

    returns: tuple[float, ...]  # by seat, game units
    moves: tuple[Move, ...]


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


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("a number")
    return float(value)


def _index(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("a count from 0")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("a list")
    return value


class _Fields:
    """The fields of one JSON object of a match, each taken with a check; errors name the match and field."""

    def __init__(self, owner: str, value: Any, unicode: bool) -> None:
        self.owner, self.unicode = owner, unicode
        if not isinstance(value, Mapping):
            raise self.error("an entry that is not an object")
        self.value = value

    def error(self, what: str) -> RequestError:
        return RequestError(f"{self.owner} has {what}: the log is damaged or not ours; write it again with mage")

    def take(self, name: str, convert: Callable[[Any], Any]) -> Any:
        if name not in self.value:
            raise self.error(f"no field {name!r}")
        try:
            return convert(self.value[name])
        except (ValueError, OverflowError) as error:
            raise self.error(f"a field {name!r} that is not {error}") from error

    def text(self, name: str, keep: str = "") -> str:
        return clean(self.take(name, _text), self.unicode, keep)

    def many(self, name: str, convert: Callable[[Any], Any]) -> tuple[Any, ...]:
        return tuple(self.take(name, lambda value: [convert(item) for item in _list(value)]))


def parse_match(event: Event, unicode: bool = True) -> Match:
    """A `match` event as a Match, its texts cleaned (see `clean`). Raises RequestError when malformed."""
    fields = _Fields(f"match {clean(str(event.get('id')), False)[:40]!r}", event, unicode)

    def name(value: Any) -> str:
        return clean(_text(value), unicode)

    members = fields.many("members", name)
    episodes = tuple(_episode(fields, value, len(members)) for value in fields.take("episodes", _list))
    if not members or not episodes:
        raise fields.error("no members or no episodes")
    return Match(
        fields.text("id"),
        fields.take("iteration", _index),
        fields.text("game"),
        fields.text("memory"),
        members,
        episodes,
    )


def _episode(match: _Fields, value: Any, seats: int) -> Episode:
    fields = _Fields(match.owner, value, match.unicode)
    returns = fields.many("returns", _number)
    moves = tuple(_move(fields, move, seats) for move in fields.take("turns", _list))
    if len(returns) != seats:
        raise fields.error(f"{len(returns)} returns for {seats} seats")
    return Episode(returns, moves)


def _move(match: _Fields, value: Any, seats: int) -> Move:
    fields = _Fields(match.owner, value, match.unicode)
    legal = fields.many("legal", lambda item: clean(_text(item), match.unicode))
    probabilities = None
    if fields.take("probabilities", lambda item: item) is not None:
        probabilities = fields.many("probabilities", _number)
        if len(probabilities) != len(legal) or not all(0.0 <= p <= 1.0 + 1e-6 for p in probabilities):
            raise fields.error("probabilities that are not one in [0, 1] for each legal move")
    seat = fields.take("seat", _index)
    if seat >= seats:
        raise fields.error(f"a move of seat {seat} among {seats} seats")
    return Move(
        number=fields.take("turn", _index),
        seat=seat,
        news=fields.text("news", keep="\n"),
        legal=legal,
        move=fields.text("move"),
        probabilities=probabilities,
        reward=fields.take("reward", _number),
        forfeit=bool(fields.take("forfeit", lambda item: item)),
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
