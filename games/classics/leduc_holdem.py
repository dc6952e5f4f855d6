"""PettingZoo's `leduc_holdem_v4` as text.

It is rlcard's game, with blinds and a random opener: not OpenSpiel's `leduc_poker`, which has antes. Left out: cards
and chips in words (`cards`).
"""

from __future__ import annotations

from functools import partial

from pettingzoo.classic.rlcard_envs.leduc_holdem import raw_env

from games.aec import AECGame
from games.classics.cards import WORDS, Poker, PokerAdapter, count

MOVES = ("call", "raise", "fold", "check")  # in the order of the environment's actions
POKER = Poker(
    moves=lambda game: MOVES,
    hand=lambda player: [player.hand],
    public=lambda game: [] if game.public_card is None else [game.public_card],
    chips_per_unit=2,
)


def compact_rules(seat: int, episodes: int) -> str:
    """Write one line: moves, deck, stakes, length."""
    return (
        f"leduc_holdem seat {seat}: call raise fold check; deck Js Jh Qs Qh Ks Kh, one card each, one public; blinds "
        "1 2, small opens, then who didn't close; raise 2, then 4, two a round; pair, else high card; you get chips/2; "
        f"{count(episodes, 'episode')}\n"
    )


def full_rules(seat: int, episodes: int) -> str:
    """Write the rules in sentences."""
    return f"""You are seat {seat} of Leduc hold'em, poker for two, against one opponent for \
{count(episodes, "episode")}.
The deck has six cards: J, Q and K of spades (♠) and of hearts (♥). Each player gets one card that the other can't see.
Chance decides in each episode who has the small blind of 1 chip; the other has the big blind of 2 chips.
There are two rounds of betting. The small blind acts first; after the first round one card is dealt face up, and the \
player who didn't make the last move of the first round acts first in the second.
Moves: call (put in what you are behind), raise (put in what you are behind and 2 chips more in the first round, 4 in \
the second), fold (give up the pot), check (put nothing in when you are not behind).
The two of you together may raise twice in a round.
After the second round both cards are shown: a card of the same rank as the public card wins, else the higher rank \
does (K, then Q, then J); equal ranks share the pot. After a fold the other wins the pot and no card is shown.
Your return is the chips that you win or lose divided by 2 (in big blinds), from -7 to 7.
On your turn write one move, such as: call
"""


RULES = {"compact": compact_rules, "full": full_rules}


def load(rendering: str) -> AECGame:
    """Load the game in one of the renderings.

    Each puts in at most 2 + 2 * 2 + 2 * 4 = 14 chips, and acts at most twice in each of the two rounds: check, raise,
    raise, call.
    """
    return AECGame(
        name="leduc_holdem",
        rendering=rendering,
        seats=2,
        max_turns=4,
        utility_range=(-7.0, 7.0),
        zero_sum=True,
        make_env=raw_env,
        make_adapter=partial(PokerAdapter, POKER, WORDS[rendering]),
        make_rules=RULES[rendering],
    )
