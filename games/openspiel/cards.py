"""The words of OpenSpiel's Kuhn poker, Leduc poker and liar's dice, one row each; hands that only one seat sees.

Whoever is still in at a showdown shows its cards to all, as at a table; a hand that was folded stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from games.openspiel.text import Facts, Lines, Moved, Words, counted, others_moves, plain_word

_RANKS = "23456789TJQKA"
FOLD = 0  # Leduc's action


def ranks(facts: Facts) -> str:
    """The ranks of the deck from low to high, one more than there are seats: JQK for two."""
    return "JQK" if facts.seats == 2 else _RANKS[-facts.seats - 1 :]


@dataclass(frozen=True, slots=True)
class Hands:
    """What is dealt in a game in which each seat holds something that the others don't see."""

    noun: str  # for a hand, as "card"
    hand: Callable[[Facts, Any, int, str], str]  # facts, env, seat, rendering -> in words
    public: Callable[[Facts, Any, str], Lines]  # facts, env, rendering -> what was dealt to all so far, a line each
    shown: Callable[[Facts, Any], tuple[int, ...]]  # facts, env at the end -> the seats that show their hands


class HandTeller:
    """Tells one's own hand, the others' moves, what is dealt to all, and at the end the hands that are shown."""

    def __init__(self, facts: Facts, rendering: str, hands: Hands) -> None:
        """For one episode."""
        self._facts = facts
        self._rendering = rendering
        self._hands = hands
        self._public = 0  # lines told so far

    def opening(self, env: Any) -> list[Lines]:
        """What all see, and one's own hand."""
        public = self._hands.public(self._facts, env, self._rendering)
        self._public = len(public)
        return [[*public, self._own(env, seat)] for seat in range(self._facts.seats)]

    def after(self, env: Any, moved: Moved) -> list[Lines]:
        """Moves and what they brought."""
        public = self._hands.public(self._facts, env, self._rendering)
        new, self._public = public[self._public :], len(public)
        shown = self._hands.shown(self._facts, env) if env.game_state.is_terminal() else ()
        return [
            others_moves(self._facts, self._rendering, moved, reader)
            + new
            + [self._other(env, seat) for seat in shown if seat != reader]
            for reader in range(self._facts.seats)
        ]

    def _own(self, env: Any, seat: int) -> str:
        hand = self._hands.hand(self._facts, env, seat, self._rendering)
        return f"{self._hands.noun} {hand}" if self._rendering == "compact" else f"your {self._hands.noun}: {hand}"

    def _other(self, env: Any, seat: int) -> str:
        hand = self._hands.hand(self._facts, env, seat, self._rendering)
        if self._rendering == "full":
            return f"seat {seat} shows its {self._hands.noun}: {hand}"
        whose = "their" if self._facts.seats == 2 else f"seat {seat}"
        return f"{whose} {self._hands.noun} {hand}"


def _kuhn_hand(facts: Facts, env: Any, seat: int, rendering: str) -> str:
    return ranks(facts)[env.chance[seat][0]]


def _kuhn_shown(facts: Facts, env: Any) -> tuple[int, ...]:
    moves = env.game_state.history()[facts.seats :]
    betting = sorted({number % facts.seats for number, action in enumerate(moves) if action})
    if not betting:
        return tuple(range(facts.seats))
    return tuple(betting) if len(betting) > 1 else ()


def _nothing(facts: Facts, env: Any, rendering: str) -> Lines:
    return []


def _kuhn_rules(facts: Facts, seat: int) -> Lines:
    return [
        f"The deck has one card of each of {counted(facts.seats + 1, 'rank')}, from low to high "
        f"{' '.join(ranks(facts))}; each seat puts 1 chip into the pot and is dealt one card, which it alone sees.",
        "From seat 0 on each in turn may pass or bet 1 chip, until someone bets or all have passed.",
        "After a bet the others in turn either bet 1 chip too, which is to call, or pass, which is to fold.",
        "The highest card of those who bet, or of all if nobody bet, takes the pot; if more than one seat is in, "
        "they show their cards.",
    ]


def _leduc_card(facts: Facts, card: int, rendering: str) -> str:
    if facts.parameters["suit_isomorphism"]:
        return ranks(facts)[card]
    suits = "♠♥" if rendering == "full" else "sh"
    return ranks(facts)[card // 2] + suits[card % 2]


def _leduc_hand(facts: Facts, env: Any, seat: int, rendering: str) -> str:
    return _leduc_card(facts, env.chance[seat][0], rendering)


def _leduc_public(facts: Facts, env: Any, rendering: str) -> Lines:
    cards = [_leduc_card(facts, card, rendering) for card, _ in env.chance[facts.seats :]]
    if rendering == "full":
        return [f"the second round begins; the public card: {card}" for card in cards]
    return [f"public {card}" for card in cards]


def _leduc_shown(facts: Facts, env: Any) -> tuple[int, ...]:
    played = [(entry.player, entry.action) for entry in env.game_state.full_history()]
    folded = {player for player, action in played if player >= 0 and action == FOLD}
    staying = tuple(seat for seat in range(facts.seats) if seat not in folded)
    return staying if len(staying) > 1 else ()


def _leduc_rules(facts: Facts, seat: int) -> Lines:
    suits = "" if facts.parameters["suit_isomorphism"] else ", one ♠ and one ♥"
    return [
        f"The deck has two cards of each of {counted(facts.seats + 1, 'rank')}{suits}, from low to high "
        f"{' '.join(ranks(facts))}; each seat puts 1 chip into the pot and is dealt one card, which it alone sees.",
        "There are two rounds of betting, in which the seats move in turn; after the first a public card is dealt.",
        "To fold gives up the pot; to call puts in what is missing, which may be nothing; to raise puts in what is "
        "missing and 2 chips more in the first round, 4 in the second. A round has at most two raises.",
        "At the end those who are still in show their cards: a pair with the public card wins, else the highest card; "
        "equal hands share the pot.",
    ]


def _dice(facts: Facts, env: Any, seat: int, rendering: str) -> str:
    count = facts.parameters["numdice"]
    faces = sorted(action + 1 for action, _ in env.chance[seat * count : (seat + 1) * count])
    return " ".join(map(str, faces))


def _dice_rules(facts: Facts, seat: int) -> Lines:
    sides, count = facts.parameters["dice_sides"], facts.parameters["numdice"]
    order = {
        "reset-face": "a higher count of any face, or the same count of a higher face",
        "reset-quantity": "a higher face with any count, or the same face with a higher count",
    }[facts.parameters["bidding_rule"]]
    return [
        f"Each seat rolls {'one die' if count == 1 else f'{count} dice'} with {counted(sides, 'side')}, "
        "which it alone sees.",
        "From seat 0 on each in turn bids on all dice together: the bid 2-5 says that at least 2 of them show a 5.",
        f"A {sides} counts as every face. Each bid must be higher than the one before: {order}.",
        "Instead of bidding one may say liar: the dice are shown, and if the last bid holds the bidder wins, "
        "else the one who said liar.",
    ]


POKER_DEFAULTS = ("action_mapping", "starting_player")
KUHN = Hands("card", _kuhn_hand, _nothing, _kuhn_shown)
LEDUC = Hands("card", _leduc_hand, _leduc_public, _leduc_shown)
DICE = Hands("dice", _dice, _nothing, lambda facts, env: tuple(range(facts.seats)))


def _lower(facts: Facts, action: int, text: str) -> str:
    return plain_word(facts, action, text).lower()


CARDS: dict[str, Words] = {
    "kuhn_poker": Words(
        partial(HandTeller, hands=KUHN),
        move=_lower,
        gist=lambda facts, seat: f"cards {' '.join(ranks(facts))}, pass or bet",
        rules=_kuhn_rules,
        unit="chip",
        even_seats=10,
    ),
    "leduc_poker": Words(
        partial(HandTeller, hands=LEDUC),
        move=_lower,
        gist=lambda facts, seat: f"cards {' '.join(ranks(facts))} twice, fold, call or raise",
        rules=_leduc_rules,
        unit="chip",
        even_seats=2,
        defaults=POKER_DEFAULTS,
    ),
    "liars_dice": Words(
        partial(HandTeller, hands=DICE),
        move=_lower,
        gist=lambda facts, seat: (
            f"{facts.seats * facts.parameters['numdice']} dice in all, {facts.parameters['dice_sides']} is wild"
        ),
        rules=_dice_rules,
        unit="point",
        even_seats=2,
    ),
}
