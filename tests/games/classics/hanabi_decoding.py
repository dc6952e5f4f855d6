"""What a reader can know from one seat's transcript of Hanabi, read from the text alone and told as OpenSpiel tells it.

The decoder knows what the rules say and nothing of the environment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

COLOURS = {"red": "R", "yellow": "Y", "green": "G", "white": "W", "blue": "B"}
MOVE = r"(?:play|discard|hint) \w+"
FACTS = {
    "compact": {
        "opening": r"^they hold ([\w ]+)$",
        "move": rf"^they ({MOVE}):",
        "card": r"(?:^|: )([RYGWB]\d)\b",
        "fits": r"\b(ok|miss)\b",
        "places": r"^they hint \w+: ([\d ]+)",
        "lives": r"\blives (\d)",
        "tokens": r"\binfo (\d)",
        "drew": r"\bdraw ([RYGWB]\d)",
        "deck": r"\bdeck (\d+)",
        "result": r"^you get (\d+)$",
    },
    "full": {
        "opening": r"^Their hand, oldest card first: ([\w ]+)\. You hold 5 cards",
        "move": rf"^They ({MOVE}):",
        "card": r"(?:^Your card was|^They \w+ \d:) ([RYGWB]\d)",
        "fits": r"; it (fits|doesn't fit)",
        "places": r"that is your cards? ([\d and]+) only",
        "lives": r"Lives left: (\d)\.",
        "tokens": r"Information tokens: (\d)\.",
        "drew": r"They draw ([RYGWB]\d);",
        "deck": r"Cards in the deck: (\d+)\.",
        "result": r"Your return, and theirs, is (\d+)\.",
        "hand": r"their hand is ([\w ]+)\.",
        "fireworks": r"Fireworks: ([\w ]+)\.",
    },
}


@dataclass
class Held:
    """A card as its holder knows it: "XX" for the own ones, what hints said, what they leave open."""

    card: str
    hinted: list[str] = field(default_factory=lambda: ["X", "X"])  # colour, rank
    colours: str = "RYGWB"
    ranks: str = "12345"

    def hint(self, mark: str, pointed_at: bool) -> None:
        if pointed_at:
            self.hinted[mark.isdigit()] = mark
        kept = {True: mark, False: (self.ranks if mark.isdigit() else self.colours).replace(mark, "")}[pointed_at]
        if mark.isdigit():
            self.ranks = kept
        else:
            self.colours = kept

    def __str__(self) -> str:
        return f"{self.card} || {''.join(self.hinted)}|{self.colours}{self.ranks}"


@dataclass
class Seen:
    """What one seat knows; hands[True] is its own."""

    hands: dict[bool, list[Held]]
    lives: int = 3
    tokens: int = 8
    deck: int = 40
    fireworks: dict[str, int] = field(default_factory=lambda: dict.fromkeys("RYGWB", 0))
    discards: list[str] = field(default_factory=list)
    to_act: bool | None = None
    result: int | None = None

    def observation(self) -> list[str]:
        """In OpenSpiel's words, one by one."""
        hands = ["\n".join(map(str, self.hands[own])) for own in (True, False)]
        if self.to_act is not None:
            hands[not self.to_act] = "Cur player\n" + hands[not self.to_act]
        tops = " ".join(f"{colour}{rank}" for colour, rank in self.fireworks.items())
        return (
            f"Life tokens: {self.lives} Info tokens: {self.tokens} Fireworks: {tops} "
            f"Hands: {hands[0]} ----- {hands[1]} Deck size: {self.deck} Discards: {' '.join(self.discards)}"
        ).split()

    def open_moves(self) -> tuple[str, ...]:
        """As the rules say, on the reader's turn."""
        places = range(1, len(self.hands[True]) + 1)
        theirs = "".join(held.card for held in self.hands[False])
        hints = [*COLOURS, *"12345"] if self.tokens else []
        return (
            *(f"discard {place}" for place in places if self.tokens < 8),
            *(f"play {place}" for place in places),
            *(f"hint {hint}" for hint in hints if COLOURS.get(hint, hint) in theirs),
        )


def decode(text: str, rendering: str, first: bool) -> Seen:
    """Read an episode's transcript of one seat."""
    opening, *lines = text.splitlines()
    hand = facts_of(opening, rendering)["opening"].split()
    seen = Seen({True: [Held("XX") for _ in range(5)], False: [Held(card) for card in hand]}, to_act=first)
    own_move = ""
    for line in lines:
        if re.fullmatch(MOVE, line):
            own_move = line
            continue
        facts = facts_of(line, rendering)
        if "result" in facts:
            seen.result, seen.to_act = int(facts["result"]), None
        else:
            follow(seen, own_move or facts["move"], bool(own_move), facts)
            own_move = ""
    return seen


def facts_of(line: str, rendering: str) -> dict[str, str]:
    found = {fact: re.search(pattern, line) for fact, pattern in FACTS[rendering].items()}
    return {fact: match[1] for fact, match in found.items() if match}


def follow(seen: Seen, move: str, own: bool, facts: dict[str, str]) -> None:
    """Apply a move and what was said of it."""
    assert seen.to_act is own
    seen.to_act = not own
    kind, where = move.split()
    seen.lives, seen.tokens = int(facts.get("lives", seen.lives)), int(facts.get("tokens", seen.tokens))
    if kind == "hint":
        mark, told = COLOURS.get(where, where), seen.hands[not own]
        said = [int(place) for place in facts.get("places", "").replace("and", "").split()]
        for place, held in enumerate(told, 1):
            held.hint(mark, mark in held.card if own else place in said)
        return
    hand = seen.hands[own]
    left = hand.pop(int(where) - 1)
    assert left.card in ("XX", facts["card"])
    if facts.get("fits") in ("ok", "fits"):
        seen.fireworks[facts["card"][0]] = int(facts["card"][1])
    else:
        seen.discards.append(facts["card"])
    if "deck" in facts:
        seen.deck = int(facts["deck"])
        hand.append(Held("XX" if own else facts["drew"]))
    if "hand" in facts:
        assert facts["hand"].split() == [held.card for held in hand]
    if "fireworks" in facts:
        assert facts["fireworks"].split() == [f"{colour}{rank}" for colour, rank in seen.fireworks.items()]
