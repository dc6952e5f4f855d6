"""PettingZoo's classic games as text: the table, one module for each game.

A module has `load(rendering) -> AECGame`. It is imported when its game is loaded, since some bring pygame, rlcard or
python-chess. Left out: what PettingZoo's classics leave out themselves.
"""

from __future__ import annotations

from importlib import import_module

from games.aec import RENDERINGS, AECGame
from games.errors import unknown

# By name, in one line; all are for two seats.
CLASSICS: dict[str, str] = {
    "tictactoe": "three marks in a line on a 3 x 3 board; win 1, lose -1",
    "connect_four": "four in a line; a piece falls to the lowest free row of its column; win 1, lose -1",
    "rps": "rock, paper, scissors, as PettingZoo plays it; win 1, lose -1 a round",
    "leduc_holdem": "two-round poker with six cards and one public card; half the chips won or lost",
    "texas_holdem": "limit hold'em for two; half the chips won or lost",
    "texas_holdem_no_limit": "no-limit hold'em for two; the chips won or lost",
    "chess": "chess; win 1, lose -1, draw 0",
    "go": "go on a 9 x 9 board; win 1, lose -1",
    "hanabi": "hints about each other's cards, played together; all seats get the fireworks' points",
}


def load(name: str, rendering: str) -> AECGame:
    """Load a classic; RequestError for a rendering that there is not."""
    if rendering not in RENDERINGS:
        raise unknown("rendering", rendering, RENDERINGS)
    game: AECGame = import_module(f"games.classics.{name}").load(rendering)
    return game
