"""PettingZoo's `hanabi_v5` as text: two players build fireworks together, each seeing only the other's cards.

PettingZoo plays it with OpenSpiel through Shimmy. Left out: the words (`hanabi_words`), tables for more than two
players, smaller decks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from games.aec import AECGame
from games.classics.hanabi_words import COLOURS, HAND, POINTS, WORDS, Turn, Words, read_table
from games.errors import RequestError

if TYPE_CHECKING:
    from pettingzoo.utils.env import AECEnv

MOVES = (  # in the order of the environment's actions
    *(f"discard {place}" for place in range(1, HAND + 1)),
    *(f"play {place}" for place in range(1, HAND + 1)),
    *(f"hint {colour}" for colour in COLOURS),
    *(f"hint {rank}" for rank in range(1, 6)),
)
NEEDED = {"pyspiel": "open_spiel", "shimmy": "shimmy"}  # module -> the package that has it


class HanabiAdapter:
    """The `games.text.TextAdapter` of PettingZoo's environment."""

    def __init__(self, words: Words) -> None:
        """words: the rendering."""
        self._words = words

    def opening(self, env: AECEnv[Any, Any, Any]) -> Sequence[str]:
        """To each seat the other's hand."""
        self._table = read_table(self.state(env))
        return [self._words.opening(self._table.hands[1 - seat], seat == 0) for seat in (0, 1)]

    def legal_moves(self, env: AECEnv[Any, Any, Any], seat: int) -> tuple[str, ...]:
        """The moves in the order of the environment's actions, which are OpenSpiel's."""
        return tuple(MOVES[action] for action in self.state(env).legal_actions(seat))

    def action(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> int:
        """The move's index."""
        return MOVES.index(move)

    def news(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Sequence[str]:
        """To both the card that left a hand and what it did, to the other the move and the card drawn."""
        before, self._table = self._table, read_table(self.state(env))
        turn = Turn(move, before, self._table, seat)
        ended = any(env.terminations.values()) or any(env.truncations.values())
        result = self._words.result(self._table) if ended else ""
        return [self._words.news(turn, reader == seat) + result for reader in (0, 1)]

    def history(self, env: AECEnv[Any, Any, Any]) -> Sequence[tuple[int, ...]]:
        """(): there are no joint moves."""
        return ()

    def state(self, env: AECEnv[Any, Any, Any]) -> Any:
        """OpenSpiel's state, which the environment plays on; it doesn't know that long episodes are cut off."""
        return env.hanabi_env.game_state


def load(rendering: str) -> AECGame:
    """Load the game in one of the renderings; RequestError where OpenSpiel or Shimmy isn't installed.

    Seeds of episodes are OpenSpiel's: from 0 to 2**31 - 1. max_turns: Shimmy cuts an episode off when draws * 2 and
    other moves come to 108. Hints spend 8 tokens and one for each draw at most, so the longest has 33 draws, 41 hints
    and one move more: 75 moves, 38 of them seat 0's.
    """
    for module, package in NEEDED.items():
        if find_spec(module) is None:
            raise RequestError(f"hanabi: got no package {package}, expected it to be there; pip install {package}")
    from pettingzoo.classic.hanabi.hanabi import raw_env

    words = WORDS[rendering]
    return AECGame(
        name="hanabi",
        rendering=rendering,
        seats=2,
        max_turns=38,
        utility_range=(0.0, float(POINTS)),
        zero_sum=False,
        make_env=raw_env,
        make_adapter=partial(HanabiAdapter, words),
        make_rules=words.rules,
    )
