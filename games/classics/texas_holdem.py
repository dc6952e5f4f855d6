"""PettingZoo's `texas_holdem_v4` as text: limit hold'em for two.

Left out: cards and chips in words (`cards`), more than two players.
"""

from __future__ import annotations

from functools import partial

from pettingzoo.classic.rlcard_envs.texas_holdem import raw_env

from games.aec import AECGame
from games.classics.cards import WORDS, Poker, PokerAdapter, count

MOVES = ("call", "raise", "fold", "check")  # in the order of the environment's actions
POKER = Poker(
    moves=lambda game: MOVES,
    hand=lambda player: player.hand,
    public=lambda game: game.public_cards,
    chips_per_unit=2,
)


def compact_rules(seat: int, episodes: int) -> str:
    """Write one line: moves, stakes, length."""
    return (
        f"texas_holdem seat {seat}: call raise fold check; two cards each, public 3 1 1; blinds 1 2, small opens, then "
        "who didn't close; raise 2 2 4 4, four a round; best five of seven; you get chips/2; "
        f"{count(episodes, 'episode')}\n"
    )


def full_rules(seat: int, episodes: int) -> str:
    """Write the rules in sentences."""
    return f"""You are seat {seat} of limit Texas hold'em for two, against one opponent for \
{count(episodes, "episode")}.
The deck has 52 cards (ranks 2 to 9, T for ten, J, Q, K, A; suits ♠ ♥ ♦ ♣). Each player gets two cards that the other \
can't see.
Chance decides in each episode who has the small blind of 1 chip; the other has the big blind of 2 chips.
There are four rounds of betting; before the second, third and fourth, 3, 1 and 1 cards are dealt face up. The small \
blind acts first; each later round is opened by the player who didn't make the last move of the round before.
Moves: call (put in what you are behind), raise (put in what you are behind and 2 chips more in the first two rounds, \
4 in the last two), fold (give up the pot), check (put nothing in when you are not behind).
The two of you together may raise four times in a round.
After the fourth round both hands are shown, and the best five of the own two and the five public cards win, as usual \
in poker; equal hands share the pot. After a fold the other wins the pot and no hand is shown.
Your return is the chips that you win or lose divided by 2 (in big blinds), from -25 to 25.
On your turn write one move, such as: call
"""


RULES = {"compact": compact_rules, "full": full_rules}


def load(rendering: str) -> AECGame:
    """Load the game in one of the renderings.

    Each puts in at most 2 + 4 * (2 + 2 + 4 + 4) = 50 chips, and acts at most three times in each of the four rounds:
    check, four raises, call.
    """
    return AECGame(
        name="texas_holdem",
        rendering=rendering,
        seats=2,
        max_turns=12,
        utility_range=(-25.0, 25.0),
        zero_sum=True,
        make_env=raw_env,
        make_adapter=partial(PokerAdapter, POKER, WORDS[rendering]),
        make_rules=RULES[rendering],
    )
