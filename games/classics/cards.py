"""PettingZoo's three poker games in words: cards, chips, and the adapter that they share.

rlcard plays the hand behind PettingZoo. What is said is what a table shows: one's own cards, the chips that both put
in, the public cards, both hands at a showdown and none after a fold. Left out: what differs between the games (their
modules have it), more than two seats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from games.matrix_text import plain_number

if TYPE_CHECKING:
    from pettingzoo.utils.env import AECEnv

FOLD = "fold"
PIPS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def count(amount: float, noun: str) -> str:
    """Write an amount: "1 chip", "2 chips"."""
    return f"{plain_number(amount)} {noun}" if amount == 1 else f"{plain_number(amount)} {noun}s"


def short_card(card: Any) -> str:
    """Write one of rlcard's cards as "Ks"; T is the ten."""
    return f"{card.rank}{card.suit.lower()}"


def pip_card(card: Any) -> str:
    """Write one of rlcard's cards as "K♠"; T is the ten."""
    return f"{card.rank}{PIPS[card.suit]}"


def compact_opening(hand: Sequence[str], own: int, theirs: int) -> str:
    """Write the own hand and blind: "Ks small"."""
    return f"{' '.join(hand)} {'small' if own < theirs else 'big'}\n"


def compact_move(move: str, own: int, theirs: int, paid: bool) -> str:
    """Write the other's move and, when it cost chips, all that it has put in: "they raise 4"."""
    return f"they {move} {theirs}\n" if paid else f"they {move}\n"


def compact_paid(own: int, theirs: int) -> str:
    """Write what the reader has put in, after a move that cost it chips: "in 4"."""
    return f"in {own}\n"


def compact_public(cards: Sequence[str], first: bool | None) -> str:
    """Write the public cards that were dealt: "public Qs"; who opens the round is for the rules to say."""
    return f"public {' '.join(cards)}\n"


def compact_shown(hand: Sequence[str]) -> str:
    """Write the other's hand at a showdown: "they show Qh"."""
    return f"they show {' '.join(hand)}\n"


def compact_result(chips: float, payoff: float) -> str:
    """Write the return of the episode: "you get -1.5"."""
    return f"you get {plain_number(payoff)}\n"


def full_opening(hand: Sequence[str], own: int, theirs: int) -> str:
    """Write the own hand, both blinds and who acts first."""
    blind, first = ("small", "You") if own < theirs else ("big", "They")
    return (
        f"Your {'card' if len(hand) == 1 else 'cards'}: {' '.join(hand)}. You have the {blind} blind: you put in "
        f"{count(own, 'chip')}, they put in {theirs}; the pot is {count(own + theirs, 'chip')}. {first} act first.\n"
    )


def full_move(move: str, own: int, theirs: int, paid: bool) -> str:
    """Write the other's move and, when it cost chips, what both have put in."""
    if not paid:
        return f"They play {move}.\n"
    return (
        f"They play {move}: they now have {count(theirs, 'chip')} in, you have {own}; "
        f"the pot is {count(own + theirs, 'chip')}.\n"
    )


def full_paid(own: int, theirs: int) -> str:
    """Write what both have put in, after the reader's move that cost it chips."""
    return f"You now have {count(own, 'chip')} in, they have {theirs}; the pot is {count(own + theirs, 'chip')}.\n"


def full_public(cards: Sequence[str], first: bool | None) -> str:
    """Write the public cards that were dealt and who opens the new round; first: None when there is none."""
    opener = {True: " You act first.", False: " They act first.", None: ""}[first]
    return f"Dealt face up: {' '.join(cards)}.{opener}\n"


def full_shown(hand: Sequence[str]) -> str:
    """Write the other's hand at a showdown."""
    return f"They show {' '.join(hand)}.\n"


def full_result(chips: float, payoff: float) -> str:
    """Write the chips won or lost and the return of the episode."""
    outcome = f"{'win' if chips > 0 else 'lose'} {count(abs(chips), 'chip')}" if chips else "win nothing"
    return f"You {outcome}: your return is {plain_number(payoff)}.\n"


@dataclass(frozen=True, slots=True)
class Words:
    """One rendering. own, theirs: the chips that the reader and the other have put in; paid: the move cost chips."""

    card: Callable[[Any], str]
    opening: Callable[[Sequence[str], int, int], str]  # hand, own, theirs
    move: Callable[[str, int, int, bool], str]  # the other's move, own, theirs, paid
    paid: Callable[[int, int], str]  # own, theirs
    public: Callable[[Sequence[str], bool | None], str]  # new cards, whether the reader opens the round
    shown: Callable[[Sequence[str]], str]  # the other's hand
    result: Callable[[float, float], str]  # chips won (negative: lost), return


WORDS: dict[str, Words] = {
    "compact": Words(
        short_card,
        compact_opening,
        compact_move,
        compact_paid,
        compact_public,
        compact_shown,
        compact_result,
    ),
    "full": Words(pip_card, full_opening, full_move, full_paid, full_public, full_shown, full_result),
}


@dataclass(frozen=True, slots=True)
class Poker:
    """Where one of rlcard's games keeps what the adapter reads."""

    moves: Callable[[Any], Sequence[str]]  # game -> each action's name in this position
    hand: Callable[[Any], Sequence[Any]]  # player -> its cards
    public: Callable[[Any], Sequence[Any]]  # game -> the public cards, oldest first
    chips_per_unit: int  # how many chips a return of 1 is


@dataclass(frozen=True, slots=True)
class Turn:
    """A move and what it brought about."""

    seat: int  # who moved
    move: str
    paid: bool  # it cost chips
    public: Sequence[Any]  # cards dealt face up after it
    over: bool  # it ended the episode


class PokerAdapter:
    """The `games.text.TextAdapter` of PettingZoo's poker games; seat i is rlcard's player i."""

    def __init__(self, poker: Poker, words: Words) -> None:
        """poker: the game; words: the rendering."""
        self._poker = poker
        self._words = words
        self._chips: tuple[int, int] = (0, 0)  # that each seat has put in
        self._told = 0  # public cards that both seats have read

    def opening(self, env: AECEnv[Any, Any, Any]) -> Sequence[str]:
        """To each seat its hand and the blinds."""
        game = env.env.game
        self._chips = _chips(game)
        return [
            self._words.opening(self._hand(game, seat), self._chips[seat], self._chips[1 - seat]) for seat in (0, 1)
        ]

    def legal_moves(self, env: AECEnv[Any, Any, Any], seat: int) -> tuple[str, ...]:
        """The moves in the order of the environment's actions."""
        names = self._poker.moves(env.env.game)
        return tuple(names[action] for action in sorted(env.next_legal_moves))

    def action(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> int:
        """The environment's action of a legal move."""
        return self._poker.moves(env.env.game).index(move)

    def news(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Sequence[str]:
        """The move to the other, then to both the chips that it cost, public cards, the showdown and the return."""
        game = env.env.game
        before, self._chips = self._chips, _chips(game)
        # rlcard's no-limit game goes on dealing after a fold; nobody at a table sees those cards.
        public = () if move == FOLD else self._poker.public(game)[self._told :]
        self._told += len(public)
        turn = Turn(seat, move, self._chips != before, public, all(env.terminations.values()))
        return [self._news_to(reader, turn, env) for reader in (0, 1)]

    def history(self, env: AECEnv[Any, Any, Any]) -> Sequence[tuple[int, ...]]:
        """(): there are no joint moves."""
        return ()

    def state(self, env: AECEnv[Any, Any, Any]) -> Any:
        """None: OpenSpiel has no game with these blinds, raises and payoffs."""
        return None

    def _news_to(self, reader: int, turn: Turn, env: AECEnv[Any, Any, Any]) -> str:
        words, own, theirs = self._words, self._chips[reader], self._chips[1 - reader]
        agent = env.possible_agents[reader]
        text = ""
        if reader != turn.seat:
            text += words.move(turn.move, own, theirs, turn.paid)
        elif turn.paid:
            text += words.paid(own, theirs)
        if turn.public:
            first = None if turn.over else env.agent_selection == agent
            text += words.public([words.card(card) for card in turn.public], first)
        if turn.over:
            if turn.move != FOLD:
                text += words.shown(self._hand(env.env.game, 1 - reader))
            payoff = float(env.rewards[agent])
            text += words.result(payoff * self._poker.chips_per_unit, payoff)
        return text

    def _hand(self, game: Any, seat: int) -> list[str]:
        return [self._words.card(card) for card in self._poker.hand(game.players[seat])]


def _chips(game: Any) -> tuple[int, int]:
    first, second = (int(player.in_chips) for player in game.players)
    return first, second
