"""OpenSpiel's games as text: what every game's adapter does, and how a seat's view becomes news.

A game says what it says through a `Teller`, fresh for every episode. `Views` serves any game, since OpenSpiel's states
describe themselves to each seat. Left out: the words of single games (`boards`, `cards`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from games.matrix_text import plain_number

Lines = list[str]
Moved = Sequence[tuple[int, str]]  # (seat, move): one, or one of every seat that moved at the same time
View = Callable[[Any, int], Lines]  # (OpenSpiel state, seat) -> what the seat sees

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
# How OpenSpiel says whose move it is, which the reader knows.
_WHOSE = re.compile(r"^(\[P\d+\]|P\d(?=\()|Pl\d+:|p\d+:|Player \d+ bid:|Player: \d+ Action:|player=\d+ move=|,)\s*")
FEW = 12  # moves of a game that the full rules list, whatever the position
EXAMPLES = 8  # of more moves, how many the full rules show


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a loaded game before it is played."""

    name: str  # OpenSpiel's short name, as "leduc_poker"
    title: str  # with parameters, as "leduc_poker(players=3)"
    seats: int
    parameters: Mapping[str, Any]  # all of them, defaults included
    perfect: bool  # all is seen by all, except moves that are made at the same time until all are made
    chance: bool
    simultaneous: bool
    zero_sum: bool
    utility_range: tuple[float, float]  # of an episode, over all seats


class Teller(Protocol):
    """Says what each seat reads, as lines; one list of lines for each seat."""

    def opening(self, env: Any) -> list[Lines]:
        """After the reset."""

    def after(self, env: Any, moved: Moved) -> list[Lines]:
        """After a move, or after the moves that all made at the same time."""


@dataclass(frozen=True, slots=True)
class Words:
    """How one game is put into words: a row of a table."""

    teller: Callable[[Facts, str], Teller]  # facts, rendering
    move: Callable[[Facts, int, str], str]  # facts, action, OpenSpiel's words for it -> the move
    gist: Callable[[Facts, int], str]  # for the seat, the middle of the compact rules
    rules: Callable[[Facts, int], Lines]  # for the seat, what the full rules say of this game
    unit: str = ""  # of payoffs
    even_seats: int = 0  # up to so many seats, none has more than its share of the decisions, rounded up
    defaults: tuple[str, ...] = ()  # parameters that these words don't know; they must be as they are by default


def plain_word(facts: Facts, action: int, text: str) -> str:
    """OpenSpiel's words for an action as a move: one line, without saying whose it is."""
    word = _WHOSE.sub("", " ".join(_ANSI.sub("", text).split())).rstrip(";")
    return word or f"move {action}"


def distinct(moves: Sequence[str], actions: Sequence[int]) -> tuple[str, ...]:
    """The moves; those that look alike get their action's number."""
    count = Counter(moves)
    return tuple(move if count[move] == 1 else f"{move} #{action}" for move, action in zip(moves, actions, strict=True))


def amount(value: float) -> str:
    """A payoff, to six decimals."""
    return plain_number(round(value, 6))


def counted(number: int, noun: str) -> str:
    """A number of things: "1 episode", "3 episodes"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def others_moves(facts: Facts, rendering: str, moved: Moved, reader: int) -> Lines:
    """What the others played, a line each."""
    said = [(seat, move) for seat, move in moved if seat != reader]
    if rendering == "full":
        return [f"seat {seat} plays {move}" for seat, move in said]
    return [move if facts.seats == 2 else f"seat {seat}: {move}" for seat, move in said]


def view_lines(text: str) -> Lines:
    """OpenSpiel's text as lines without colours, trailing spaces and empty lines at the end."""
    lines = [line.rstrip() for line in _ANSI.sub("", text).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def changes(old: Lines, new: Lines) -> Lines:
    """What turns `old` into `new`: "3: text" for a new line 3, "3+text" for one that goes on, "2 lines" for an end."""
    said = []
    for number, line in enumerate(new, 1):
        before = old[number - 1] if number <= len(old) else None
        if line == before:
            continue
        goes_on = before and line.startswith(before)
        said.append(f"{number}+{line[len(before) :]}" if before and goes_on else f"{number}: {line}".rstrip())
    return said if len(new) >= len(old) else [*said, f"{len(new)} lines"]


def is_due(state: Any, seat: int) -> bool:
    """Whether the seat reads now: its decision is due, or the episode is over."""
    return state.is_terminal() or bool(state.legal_actions(seat))


class Views:
    """Tells each seat what it sees, and in games that hide nothing also the others' moves.

    compact: what changed in the view; where moves alone decide what it becomes, the moves alone. full: the whole view,
    whenever it changed; where nothing is hidden, only when the seat is due.
    """

    def __init__(self, facts: Facts, rendering: str, view: View, start_known: bool = False) -> None:
        """start_known: whether the rules say how the game starts, so that compact needn't."""
        self._facts = facts
        self._rendering = rendering
        self._view = view
        self._start_known = start_known
        self._seen: list[Lines] = [[] for _ in range(facts.seats)]

    def opening(self, env: Any) -> list[Lines]:
        """The view after the reset."""
        self._seen = [self._view(env.game_state, seat) for seat in range(self._facts.seats)]
        if self._rendering == "compact":
            return [[] if self._start_known else lines for lines in self._seen]
        return [_whole(lines) for lines in self._seen]

    def after(self, env: Any, moved: Moved) -> list[Lines]:
        """The others' moves where nothing is hidden, and the view."""
        told = []
        for seat in range(self._facts.seats):
            moves = others_moves(self._facts, self._rendering, moved, seat) if self._facts.perfect else []
            told.append(moves + self._news(env.game_state, seat))
        return told

    def _news(self, state: Any, seat: int) -> Lines:
        perfect = self._facts.perfect
        if self._rendering == "compact" and perfect and not self._facts.chance:
            return []
        if self._rendering == "full" and perfect and not is_due(state, seat):
            return []
        old, new = self._seen[seat], self._view(state, seat)
        self._seen[seat] = new
        if self._rendering == "compact":
            return changes(old, new)
        return [] if old == new else _whole(new)


def _whole(lines: Lines) -> Lines:
    return ["you see:", *lines] if lines else []


class OpenSpielAdapter:
    """The `games.text.TextAdapter` of `OpenSpielEnv`."""

    def __init__(self, facts: Facts, words: Words, rendering: str) -> None:
        """For one episode."""
        self._facts = facts
        self._words = words
        self._rendering = rendering
        self._teller = words.teller(facts, rendering)
        self._actions: dict[str, int] = {}  # of the moves that were asked for last
        self._moved: list[tuple[int, str]] = []  # moves of a round that others have yet to move in

    def opening(self, env: Any) -> Sequence[str]:
        """What was dealt, and how the game starts."""
        return [_text(lines) for lines in self._teller.opening(env)]

    def legal_moves(self, env: Any, seat: int) -> tuple[str, ...]:
        """In the order of OpenSpiel's `legal_actions`."""
        state, facts = env.game_state, self._facts
        actions = state.legal_actions(seat)
        moves = [self._words.move(facts, action, state.action_to_string(seat, action)) for action in actions]
        legal = distinct(moves, actions)
        self._actions = dict(zip(legal, actions, strict=True))
        return legal

    def action(self, env: Any, seat: int, move: str) -> int:
        """OpenSpiel's action, of the moves that `legal_moves` listed last."""
        return self._actions[move]

    def news(self, env: Any, seat: int, move: str) -> Sequence[str]:
        """Nothing while others move at the same time; at the end also what the seat gets."""
        self._moved.append((seat, move))
        if env.waiting:
            return [""] * self._facts.seats
        moved, self._moved = self._moved, []
        told = self._teller.after(env, moved)
        if env.game_state.is_terminal():
            for lines, value in zip(told, env.game_state.returns(), strict=True):
                lines.append(self._result(value))
        return [_text(lines) for lines in told]

    def history(self, env: Any) -> Sequence[tuple[int, ...]]:
        """None is kept."""
        return ()

    def state(self, env: Any) -> Any:
        """The OpenSpiel state; a move made at the same time as others isn't in it before all have moved."""
        return env.game_state

    def _result(self, value: float) -> str:
        if self._rendering == "compact":
            return f"return {amount(value)}"
        unit = self._words.unit
        plural = "" if abs(value) == 1 else "s"
        return f"the episode is over: you get {amount(value)}" + (f" {unit}{plural}" if unit else "")


def _text(lines: Lines) -> str:
    return "".join(f"{line}\n" for line in lines)


def compact_rules(facts: Facts, words: Words, seat: int, episodes: int) -> str:
    """One line: the game, the seat, what is special, how long it goes on."""
    gist = words.gist(facts, seat)
    return f"{facts.title} seat {seat} of {facts.seats}{f': {gist}' if gist else ''}, {counted(episodes, 'episode')}\n"


def full_rules(facts: Facts, words: Words, seat: int, episodes: int, moves: Sequence[str]) -> str:
    """The rules in sentences; moves: all that the game has, or more than FEW of them."""
    least, most = (amount(value) for value in facts.utility_range)
    how = "as it is written here" if len(moves) <= FEW else "the way these are written"
    shown = moves if len(moves) <= FEW else moves[:EXAMPLES]
    unit = f" {words.unit}s" if words.unit else ""
    lines = [
        f"You are seat {seat} of the {facts.seats} seats of {facts.title}, numbered from 0, "
        f"for {counted(episodes, 'episode')}.",
        *words.rules(facts, seat),
        f"An episode pays each seat between {least} and {most}{unit}; your result is what you are paid"
        + (", and what all seats are paid sums to 0." if facts.zero_sum else "."),
        f"Write a move {how}: {', '.join(shown)}.",
    ]
    return _text(lines)
