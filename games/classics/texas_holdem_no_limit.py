"""PettingZoo's `texas_holdem_no_limit_v6` as text: no-limit hold'em for two, 100 chips each.

PettingZoo's page says that it pays half the chips; the environment pays the chips. Left out: cards and chips in words
(`cards`), more than two players.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from pettingzoo.classic.rlcard_envs.texas_holdem_no_limit import raw_env

from games.aec import AECGame
from games.classics.cards import WORDS, Poker, PokerAdapter, count

BEHIND = ("fold", "call", "raise half pot", "raise pot", "all in")  # in the order of the environment's actions
LEVEL = ("fold", "check", "raise half pot", "raise pot", "all in")


def moves(game: Any) -> tuple[str, ...]:
    """The actions' names: rlcard's CHECK_CALL is a call for the one who is behind, and a check otherwise."""
    raised = game.round.raised
    return BEHIND if raised[game.game_pointer] < max(raised) else LEVEL


POKER = Poker(
    moves=moves,
    hand=lambda player: player.hand,
    public=lambda game: game.public_cards,
    chips_per_unit=1,
)


def make_env() -> Any:
    """Make PettingZoo's environment, without what Gymnasium says about its observation space's precision."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*precision lowered by casting to float32", module="gymnasium")
        return raw_env()


def compact_rules(seat: int, episodes: int) -> str:
    """Write two lines: moves, stakes, length."""
    return (
        f"texas_holdem_no_limit seat {seat}: fold, call or check, raise half pot, raise pot, all in; a raise puts in "
        "half the pot or the pot\n100 chips each; two cards each, public 3 1 1; blinds 1 2, small opens each round; "
        f"best five of seven; you get chips; {count(episodes, 'episode')}\n"
    )


def full_rules(seat: int, episodes: int) -> str:
    """Write the rules in sentences."""
    return f"""You are seat {seat} of no-limit Texas hold'em for two, against one opponent for \
{count(episodes, "episode")}.
The deck has 52 cards (ranks 2 to 9, T for ten, J, Q, K, A; suits ♠ ♥ ♦ ♣). Each player gets two cards that the other \
can't see, and has 100 chips in each episode.
Chance decides in each episode who has the small blind of 1 chip; the other, who is the dealer, has the big blind of \
2 chips.
There are four rounds of betting, and the small blind acts first in each; before the second, third and fourth, 3, 1 \
and 1 cards are dealt face up.
Moves: fold (give up the pot); call (put in what you are behind); check (put nothing in when you are not behind); \
raise half pot (put in half of the chips in the pot, rounded down); raise pot (put in as many chips as are in the \
pot); all in (put in all the chips that you have left). What you are behind is part of a raise, not added to it; a \
move that would not put you ahead, or that you can't afford, is not open to you.
When both are all in, the rest of the public cards are dealt at once. In the end both hands are shown, and the best \
five of the own two and the five public cards win, as usual in poker; equal hands share the pot. After a fold the \
other wins the pot and no hand is shown.
Your return is the chips that you win or lose, from -100 to 100; a big blind is 2 chips.
On your turn write one move, such as: call
"""


RULES = {"compact": compact_rules, "full": full_rules}


def load(rendering: str) -> AECGame:
    """Load the game in one of the renderings.

    max_turns: a search of all lines finds that the small blind can act 10 times and the big blind 9 times, since
    every raise multiplies the pot by about 1.5 or more.
    """
    return AECGame(
        name="texas_holdem_no_limit",
        rendering=rendering,
        seats=2,
        max_turns=10,
        utility_range=(-100.0, 100.0),
        zero_sum=True,
        make_env=make_env,
        make_adapter=partial(PokerAdapter, POKER, WORDS[rendering]),
        make_rules=RULES[rendering],
    )
