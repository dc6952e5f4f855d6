"""PettingZoo's connect four as text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from games.aec import AECGame
from games.classics.boards import PAYOFFS, Board, Twin, board_game, grid
from games.classics.environments import copies_of, import_quietly

_DIGITS = "1234567"
MOVES = {  # by rendering: the columns from the left
    "compact": tuple(_DIGITS),
    "full": tuple(f"column {digit}" for digit in _DIGITS),
}
_MARKS = (".", "X", "O")  # by what a place of `env.board` holds; it goes along the rows, from the top
_GRID = grid(_DIGITS, [""] * 6)


def _column(move: str) -> int:
    return int(move[-1]) - 1


def _action(env: Any, move: str) -> int:
    return _column(move)


def _compact_moves(env: Any) -> tuple[str, ...]:
    return tuple([move for move, top in zip(MOVES["compact"], env.board, strict=False) if not top])


def _full_moves(env: Any) -> tuple[str, ...]:
    return tuple([move for move, top in zip(MOVES["full"], env.board, strict=False) if not top])


def _drawing(env: Any) -> str:
    return _GRID.format(*[_MARKS[piece] for piece in env.board])


def _ending(env: Any) -> str:
    return "Four in a line" if any(env.rewards.values()) else "The board is full"


CONNECT_FOUR = Board(
    name="connect_four",
    sides=("X", "O"),
    moves="columns 1 2 3 4 5 6 7, 6 high, four in a line win",
    explanation=(
        "A move drops one's piece, X or O, into a column of a board with 7 columns and 6 rows; it falls to the lowest "
        "free row of that column.",
        "Whoever has four pieces in a line (along a row, a column or a diagonal) wins; a full board without that is a "
        "draw.",
        PAYOFFS,
        'A move is written as "column" and the column\'s number, 1 to 7 from the left: column 3. The empty board, each '
        "free place a dot:",
        _GRID.format(*"." * 42).removesuffix("\n"),
    ),
    opening="The board is empty.",
    legal_moves=_compact_moves,
    action=_action,
    drawing=_drawing,
    ending=_ending,
    twin=Twin("connect_four", _column),
)
BOARDS = {"compact": CONNECT_FOUR, "full": replace(CONNECT_FOUR, legal_moves=_full_moves)}


def load(rendering: str) -> AECGame:
    """Return connect four as text; rendering: "compact" or "full"."""
    environment = import_quietly("pettingzoo.classic.connect_four.connect_four")
    return board_game(BOARDS[rendering], rendering, copies_of(environment.raw_env()), max_turns=21)
