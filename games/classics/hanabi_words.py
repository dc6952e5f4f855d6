"""PettingZoo's Hanabi in words: what a move and its consequences read like for either player.

Pure text, from two readings of OpenSpiel's state. Left out: the environment and what it is asked (`hanabi`), what can
be inferred from hints (a reader does that itself).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from games.classics.cards import count

COLOURS = {"red": "R", "yellow": "Y", "green": "G", "white": "W", "blue": "B"}
HAND = 5
LIVES = 3
TOKENS = 8  # of information
POINTS = 25


@dataclass(frozen=True, slots=True)
class Table:
    """What lies on the table, and both hands."""

    lives: int
    tokens: int
    fireworks: tuple[str, ...]  # ("R0", "Y2", ..): the highest card of each colour
    hands: tuple[tuple[str, ...], ...]  # [seat]: cards such as "R1", the oldest first
    deck: int  # cards left to draw

    @property
    def points(self) -> int:
        """The return that both get when the episode ends here."""
        return sum(int(top[1]) for top in self.fireworks) if self.lives else 0


def read_table(state: Any) -> Table:
    """Read OpenSpiel's description of a position, both hands included."""
    facts: dict[str, str] = {}
    hands: list[list[str]] = [[]]
    for line in str(state).splitlines():
        if "||" in line:
            hands[-1].append(line[:2])
        elif line == "-----":
            hands.append([])
        elif ":" in line:
            key, _, value = line.partition(":")
            facts[key] = value.strip()
    return Table(
        lives=int(facts["Life tokens"]),
        tokens=int(facts["Info tokens"]),
        fireworks=tuple(facts["Fireworks"].split()),
        hands=tuple(map(tuple, hands)),
        deck=int(facts["Deck size"]),
    )


@dataclass(frozen=True, slots=True)
class Turn:
    """A move and what came of it."""

    move: str
    before: Table
    after: Table
    seat: int  # who moved

    @property
    def kind(self) -> str:
        """The move's first word: play, discard or hint."""
        return self.move.partition(" ")[0]

    @property
    def card(self) -> str:
        """The card that was played or discarded."""
        return self.before.hands[self.seat][int(self.move.partition(" ")[2]) - 1]

    @property
    def places(self) -> tuple[int, ...]:
        """The places in the other's hand, from 1, that a hint points at."""
        hint = self.move.partition(" ")[2]
        mark = COLOURS.get(hint, hint)
        return tuple(place for place, card in enumerate(self.after.hands[1 - self.seat], 1) if mark in card)

    @property
    def fits(self) -> bool:
        """Whether the card that was played joined a firework."""
        return self.after.fireworks != self.before.fireworks

    @property
    def drew(self) -> str:
        """The card that was drawn, "" for none."""
        return self.after.hands[self.seat][-1] if self.after.deck < self.before.deck else ""


def compact_opening(hand: Sequence[str], first: bool) -> str:
    """Write the other's hand: "they hold R1 G3 W2 B1 Y4"."""
    return f"they hold {' '.join(hand)}\n"


def compact_news(turn: Turn, own: bool) -> str:
    """Write a move and what it changed: "they play 2: R1 ok, draw G3, deck 39"; own: for the one who made it."""
    before, after = turn.before, turn.after
    facts = []
    if turn.kind == "play":
        facts.append(f"{turn.card} {'ok' if turn.fits else 'miss'}")
    elif turn.kind == "discard":
        facts.append(turn.card)
    elif not own:
        facts.append(" ".join(map(str, turn.places)))
    if after.lives != before.lives:
        facts.append(f"lives {after.lives}")
    if after.tokens != before.tokens:
        facts.append(f"info {after.tokens}")
    if turn.drew:
        facts += [f"deck {after.deck}"] if own else [f"draw {turn.drew}", f"deck {after.deck}"]
    return f"{'' if own else f'they {turn.move}: '}{', '.join(facts)}\n"


def compact_result(table: Table) -> str:
    """Write the return: "you get 12"."""
    return f"you get {table.points}\n"


def full_opening(hand: Sequence[str], first: bool) -> str:
    """Write the other's hand and who moves first."""
    return (
        f"Their hand, oldest card first: {' '.join(hand)}. You hold {HAND} cards that only they see. "
        f"{'You' if first else 'They'} move first.\n"
    )


def full_news(turn: Turn, own: bool) -> str:
    """Write a move and what it changed in sentences; own: for the one who made it."""
    before, after = turn.before, turn.after
    facts = []
    if turn.kind == "play":
        effect = "fits" if turn.fits else "doesn't fit and is discarded"
        facts.append(f"{'Your card was' if own else f'They {turn.move}:'} {turn.card}; it {effect}.")
    elif turn.kind == "discard":
        facts.append(f"{'Your card was' if own else f'They {turn.move}:'} {turn.card}.")
    elif not own:
        few = len(turn.places) == 1
        places = " and ".join(map(str, turn.places))
        facts.append(f"They {turn.move}: that is your {'card' if few else 'cards'} {places} only.")
    if turn.fits:
        facts.append(f"Fireworks: {' '.join(after.fireworks)}.")
    if after.lives != before.lives:
        facts.append(f"Lives left: {after.lives}.")
    if after.tokens != before.tokens:
        facts.append(f"Information tokens: {after.tokens}.")
    if turn.drew:
        hand = " ".join(after.hands[turn.seat])
        facts.append(f"You draw card {HAND}." if own else f"They draw {turn.drew}; their hand is {hand}.")
        facts.append(f"Cards in the deck: {after.deck}.")
        if not after.deck:
            facts.append("Each player has one more turn.")
    return " ".join(facts) + "\n"


def full_result(table: Table) -> str:
    """Write why the episode ended, and the return."""
    reason = "The episode is over."
    if not table.lives:
        reason = "The last life is lost, and with it the points."
    elif table.points == POINTS:
        reason = "All fireworks are complete."
    return f"{reason} Your return, and theirs, is {table.points}.\n"


def compact_rules(seat: int, episodes: int) -> str:
    """Write two lines: moves, cards, stakes, length."""
    return (
        f"hanabi seat {seat}: play 1-5, discard 1-5, hint {' '.join(COLOURS)} 1-5; card 1 is the oldest, a drawn one "
        f"goes last\n{TOKENS} info, {LIVES} lives, 50 cards, 5 each; you and they get the points, 0 without lives; "
        f"{count(episodes, 'episode')}\n"
    )


def full_rules(seat: int, episodes: int) -> str:
    """Write the rules in sentences."""
    return f"""You are seat {seat} of Hanabi, played together with one partner for {count(episodes, "episode")}; \
seat 0 moves first.
There are 50 cards in five colours, R red, Y yellow, G green, W white, B blue; of each colour three 1s, two 2s, two \
3s, two 4s and one 5. R3 is the red 3. Each player holds {HAND} cards and sees only the other's.
Together you build a firework of each colour, from 1 up to 5. There are {TOKENS} information tokens and {LIVES} lives.
Moves: play 1 to play {HAND} (put that card of yours on its firework; one that isn't next there is discarded and costs \
a life), discard 1 to discard {HAND} (give up that card and regain an information token; not with all {TOKENS} there), \
hint red, yellow, green, white or blue, or hint 1 to hint 5 (spend an information token to tell your partner which \
cards of theirs have that colour or rank, at least one).
Card 1 is the oldest of a hand. When a card leaves it, the later ones move up and a card that is drawn goes last. \
Completing a firework regains an information token.
An episode ends when the last life is lost, when all fireworks are complete, or when each player has had one more turn \
after the last card was drawn. It also ends when it gets too long: a move that draws a card counts 2 and any other 1, \
and the move that brings the sum to 108 is the last.
Your return, and your partner's, is the sum of the highest cards of the fireworks, from 0 to {POINTS}; it is 0 when \
all lives are lost.
On your turn write one move, such as: hint 1
"""


@dataclass(frozen=True, slots=True)
class Words:
    """One rendering."""

    rules: Callable[[int, int], str]  # seat, episodes
    opening: Callable[[Sequence[str], bool], str]  # the other's hand, whether the reader moves first
    news: Callable[[Turn, bool], str]  # whether the reader made the move
    result: Callable[[Table], str]  # the last position


WORDS = {
    "compact": Words(compact_rules, compact_opening, compact_news, compact_result),
    "full": Words(full_rules, full_opening, full_news, full_result),
}
