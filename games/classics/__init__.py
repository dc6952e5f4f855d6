"""PettingZoo's classic games as text: the table, one module for each game.

A module has `load(rendering) -> AECGame`. It is imported when its game is loaded, since some bring pygame, rlcard or
python-chess. Left out: what PettingZoo's classics leave out themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from games.aec import RENDERINGS, AECGame
from games.errors import unknown


@dataclass(frozen=True, slots=True)
class Classic:
    """One row of the table."""

    summary: str  # one line
    seats: int


CLASSICS: dict[str, Classic] = {
    "tictactoe": Classic("three marks in a line on a 3 x 3 board; win 1, lose -1", 2),
    "connect_four": Classic("four in a line; a piece falls to the lowest free row of its column; win 1, lose -1", 2),
    "rps": Classic("rock, paper, scissors, as PettingZoo plays it; win 1, lose -1 a round", 2),
    "leduc_holdem": Classic("two-round poker with six cards and one public card; half the chips won or lost", 2),
    "texas_holdem": Classic("limit hold'em for two; half the chips won or lost", 2),
    "texas_holdem_no_limit": Classic("no-limit hold'em for two; the chips won or lost", 2),
    "chess": Classic("chess; win 1, lose -1, draw 0", 2),
    "go": Classic("go on a 9 x 9 board; win 1, lose -1", 2),
    "hanabi": Classic("hints about each other's cards, played together; all seats get the fireworks' points", 2),
}


def load(name: str, rendering: str) -> AECGame:
    """Load a classic; RequestError for a rendering that there is not."""
    if rendering not in RENDERINGS:
        raise unknown("rendering", rendering, RENDERINGS)
    game: AECGame = import_module(f"games.classics.{name}").load(rendering)
    return game
