"""What a reader can know from one seat's transcript of a poker game, read from the text alone.

The decoder knows what the rules say and nothing of the environment. Left out: playing (`cards_contract`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

SUITS = {"s": "S", "h": "H", "d": "D", "c": "C", "♠": "S", "♥": "H", "♦": "D", "♣": "C"}
CARDS = r"(?:[2-9TJQKA][shdc♠♥♦♣] ?)+"
PATTERNS = {  # by what a line says; own moves are the lines that match nothing
    "compact": {
        "opening": rf"(?P<cards>{CARDS}) (?P<blind>small|big)",
        "move": r"they (?P<move>call|raise|check|fold|raise half pot|raise pot|all in)(?: (?P<theirs>\d+))?",
        "paid": r"in (?P<own>\d+)",
        "public": rf"public (?P<cards>{CARDS})",
        "shown": rf"they show (?P<cards>{CARDS})",
        "result": r"you get (?P<payoff>-?[\d.]+)",
    },
    "full": {
        "opening": rf"Your cards?: (?P<cards>{CARDS})\. You have the (?P<blind>small|big) blind: "
        r"you put in (?P<own>\d+) chips?, they put in (?P<theirs>\d+); the pot is (?P<pot>\d+) chips\. "
        r"(?P<first>You|They) act first\.",
        "move": r"They play (?P<move>[a-z ]+)(?:: they now have (?P<theirs>\d+) chips? in, you have (?P<own>\d+); "
        r"the pot is (?P<pot>\d+) chips)?\.",
        "paid": r"You now have (?P<own>\d+) chips? in, they have (?P<theirs>\d+); the pot is (?P<pot>\d+) chips\.",
        "public": rf"Dealt face up: (?P<cards>{CARDS})\.(?: (?P<first>You|They) act first\.)?",
        "shown": rf"They show (?P<cards>{CARDS})\.",
        "result": r"You (?:(?P<way>win|lose) (?P<chips>\d+) chips?|win nothing): your return is (?P<payoff>-?[\d.]+)\.",
    },
}


@dataclass
class Seen:
    """What one seat knows: cards as rlcard writes them ("SK"), chips put in, moves so far, who is to act."""

    hand: list[str] = field(default_factory=list)
    small: bool = False  # whether the reader has the small blind
    own: int = 0
    theirs: int = 0
    public: list[str] = field(default_factory=list)
    moves: list[tuple[bool, str]] = field(default_factory=list)  # (the reader's own, move)
    raises: int = 0  # of both in this round of betting
    to_act: bool | None = None  # the reader, the other, nobody
    shown: list[str] = field(default_factory=list)
    payoff: float | None = None


def cards(text: str) -> list[str]:
    return [SUITS[card[1]] + card[0] for card in text.split()]


def decode(text: str, rendering: str, small_opens: bool) -> Seen:
    """Read an episode's transcript of one seat; small_opens: the rules say that the small blind opens every round."""
    seen = Seen()
    for line in text.splitlines():
        kind, found = classify(line, rendering)
        if "own" in found:
            seen.own = int(found["own"])
        if "theirs" in found:
            seen.theirs = int(found["theirs"])
        READ[kind](seen, found, line)
        if kind == "public" and small_opens:
            seen.to_act = seen.small
        if "first" in found:
            assert seen.to_act == (found["first"] == "You")
        if "pot" in found:
            assert int(found["pot"]) == seen.own + seen.theirs
    return seen


def classify(line: str, rendering: str) -> tuple[str, dict[str, str]]:
    for kind, pattern in PATTERNS[rendering].items():
        match = re.fullmatch(pattern, line)
        if match:
            return kind, {key: value for key, value in match.groupdict().items() if value is not None}
    return "own move", {}


def read_opening(seen: Seen, found: dict[str, str], line: str) -> None:
    seen.hand = cards(found["cards"])
    seen.small = found["blind"] == "small"
    blinds = (1, 2) if seen.small else (2, 1)
    assert (seen.own or blinds[0], seen.theirs or blinds[1]) == blinds
    seen.own, seen.theirs = blinds
    seen.to_act = seen.small


def note(seen: Seen, own: bool, move: str) -> None:
    assert seen.to_act is own
    seen.moves.append((own, move))
    seen.raises += move == "raise"
    seen.to_act = not own


def read_own_move(seen: Seen, found: dict[str, str], line: str) -> None:
    note(seen, True, line)


def read_move(seen: Seen, found: dict[str, str], line: str) -> None:
    note(seen, False, found["move"])


def read_public(seen: Seen, found: dict[str, str], line: str) -> None:
    seen.public += cards(found["cards"])
    seen.raises = 0


def read_result(seen: Seen, found: dict[str, str], line: str) -> None:
    seen.payoff = float(found["payoff"])
    seen.to_act = None


READ: dict[str, Callable[[Seen, dict[str, str], str], None]] = {
    "opening": read_opening,
    "own move": read_own_move,
    "move": read_move,
    "paid": lambda seen, found, line: None,
    "public": read_public,
    "shown": lambda seen, found, line: seen.shown.extend(cards(found["cards"])),
    "result": read_result,
}
