"""PettingZoo's tic-tac-toe as text.

PettingZoo numbers the cells down the columns, OpenSpiel along the rows; the moves here go along the rows. Where cells
have other labels, these stand in the empty cells of a drawing, since they needn't be made of a column and a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from games.aec import AECGame
from games.classics.boards import MARKS, PAYOFFS, Board, Twin, board_game, grid
from games.classics.environments import copies_of, import_quietly

LABELS = tuple(column + row for row in "123" for column in "abc")  # of the cells, along the rows, from the top
_SQUARES = tuple(3 * column + row for row in range(3) for column in range(3))  # where each is in `env.board.squares`
_GRID = grid("abc", "123")
_PLAY = (
    "A move puts one's mark, X or O, into an empty cell of a board with 3 columns and 3 rows.",
    "Whoever has three marks in a row, a column or a diagonal wins; a full board without that is a draw.",
    PAYOFFS,
)


def _legal_moves(by_square: Sequence[tuple[str, int]], env: Any) -> tuple[str, ...]:
    squares = env.board.squares
    return tuple([cell for cell, square in by_square if not squares[square]])


def _action(actions: Mapping[str, int], env: Any, move: str) -> int:
    return actions[move]


def _drawing(env: Any) -> str:
    squares = env.board.squares
    return _GRID.format(*[MARKS[squares[square]] for square in _SQUARES])


def _named_drawing(labels: Sequence[str], env: Any) -> str:
    squares = env.board.squares
    return _named_board(labels, [squares[square] for square in _SQUARES])


def _named_board(labels: Sequence[str], held: Sequence[int]) -> str:
    """The board with a mark where a cell holds one (1 or 2), else with the cell's label."""
    width = max(map(len, labels))
    cells = [f"{MARKS[mark] if mark else label:>{width}}" for label, mark in zip(labels, held, strict=True)]
    return "".join(" ".join(cells[first : first + 3]) + "\n" for first in (0, 3, 6))


def _ending(env: Any) -> str:
    return "Three in a line" if any(env.rewards.values()) else "The board is full"


def _board(labels: tuple[str, ...]) -> Board:
    by_square = tuple(zip(labels, _SQUARES, strict=True))
    return Board(
        name="tictactoe",
        sides=("X", "O"),
        moves=f"cells {' '.join(labels)}, three in a line win",
        explanation=(
            *_PLAY,
            "A move is written as a column (a, b, c from the left) and a row (1, 2, 3 from the top): a1 is the cell at "
            "the top left, b2 the one in the middle. The empty board, each empty cell a dot:",
            _GRID.format(*"." * 9).removesuffix("\n"),
        ),
        opening="The board is empty.",
        legal_moves=partial(_legal_moves, by_square),
        action=partial(_action, dict(by_square)),
        drawing=_drawing,
        ending=_ending,
        twin=Twin("tic_tac_toe", labels.index),
    )


def _named(labels: tuple[str, ...]) -> Board:
    return replace(
        _board(labels),
        explanation=(
            *_PLAY,
            "A move is written as the name of a cell. The empty board, each empty cell its name:",
            _named_board(labels, [0] * 9).removesuffix("\n"),
        ),
        drawing=partial(_named_drawing, labels),
    )


def load(rendering: str, labels: tuple[str, ...] = LABELS) -> AECGame:
    """Return tic-tac-toe as text; rendering: "compact" or "full"; labels: the cells' names, distinct words."""
    environment = import_quietly("pettingzoo.classic.tictactoe.tictactoe")
    board = _board(labels) if labels == LABELS else _named(labels)
    return board_game(board, rendering, copies_of(environment.raw_env()), max_turns=5)
