"""PettingZoo's tic-tac-toe as text.

PettingZoo numbers the cells down the columns, OpenSpiel along the rows; the moves here go along the rows.
"""

from __future__ import annotations

from typing import Any

from games.aec import AECGame
from games.classics.boards import PAYOFFS, Board, Twin, board_game, grid
from games.classics.environments import copies_of, import_quietly

CELLS = tuple(column + row for row in "123" for column in "abc")  # along the rows, from the top
_SQUARES = tuple(3 * column + row for row in range(3) for column in range(3))  # where each is in `env.board.squares`
_ACTIONS = dict(zip(CELLS, _SQUARES, strict=True))
_BY_SQUARE = tuple(zip(CELLS, _SQUARES, strict=True))
_MARKS = (".", "X", "O")  # by what a square holds
_GRID = grid("abc", "123")


def _legal_moves(env: Any) -> tuple[str, ...]:
    squares = env.board.squares
    return tuple([cell for cell, square in _BY_SQUARE if not squares[square]])


def _action(env: Any, move: str) -> int:
    return _ACTIONS[move]


def _drawing(env: Any) -> str:
    squares = env.board.squares
    return _GRID.format(*[_MARKS[squares[square]] for square in _SQUARES])


def _ending(env: Any) -> str:
    return "Three in a line" if any(env.rewards.values()) else "The board is full"


TICTACTOE = Board(
    name="tictactoe",
    sides=("X", "O"),
    moves="cells a1 b1 c1 a2 b2 c2 a3 b3 c3, three in a line win",
    explanation=(
        "A move puts one's mark, X or O, into an empty cell of a board with 3 columns and 3 rows.",
        "Whoever has three marks in a row, a column or a diagonal wins; a full board without that is a draw.",
        PAYOFFS,
        "A move is written as a column (a, b, c from the left) and a row (1, 2, 3 from the top): a1 is the cell at the "
        "top left, b2 the one in the middle. The empty board, each empty cell a dot:",
        _GRID.format(*"." * 9).removesuffix("\n"),
    ),
    opening="The board is empty.",
    legal_moves=_legal_moves,
    action=_action,
    drawing=_drawing,
    ending=_ending,
    twin=Twin("tic_tac_toe", CELLS.index),
)


def load(rendering: str) -> AECGame:
    """Return tic-tac-toe as text; rendering: "compact" or "full"."""
    environment = import_quietly("pettingzoo.classic.tictactoe.tictactoe")
    return board_game(TICTACTOE, rendering, copies_of(environment.raw_env()), max_turns=5)
