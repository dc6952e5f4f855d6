"""PettingZoo's connect four as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from games.aec import AECGame
from games.classics.boards import MARKS, PAYOFFS, Board, Twin, board_game, grid
from games.classics.environments import copies_of, import_quietly

LABELS = tuple("1234567")  # of the columns, from the left
MOVES = {"compact": "{}", "full": "column {}"}  # by rendering


def _legal_moves(moves: Sequence[str], env: Any) -> tuple[str, ...]:
    return tuple([move for move, top in zip(moves, env.board, strict=False) if not top])


def _action(moves: Sequence[str], env: Any, move: str) -> int:
    return moves.index(move)


def _drawing(template: str, env: Any) -> str:
    return template.format(*[MARKS[piece] for piece in env.board])  # it goes along the rows, from the top


def _ending(env: Any) -> str:
    return "Four in a line" if any(env.rewards.values()) else "The board is full"


def _board(labels: tuple[str, ...], rendering: str) -> Board:
    moves = tuple(MOVES[rendering].format(label) for label in labels)
    template = grid(labels, [""] * 6)
    number = "number, 1 to 7 from the left" if labels == LABELS else f"name, from the left {' '.join(labels)}"
    return Board(
        name="connect_four",
        sides=("X", "O"),
        moves=f"columns {' '.join(labels)}, 6 high, four in a line win",
        explanation=(
            "A move drops one's piece, X or O, into a column of a board with 7 columns and 6 rows; it falls to the "
            "lowest free row of that column.",
            "Whoever has four pieces in a line (along a row, a column or a diagonal) wins; a full board without that "
            "is a draw.",
            PAYOFFS,
            f'A move is written as "column" and the column\'s {number}: {MOVES["full"].format(labels[2])}. The empty '
            "board, each free place a dot:",
            template.format(*"." * 42).removesuffix("\n"),
        ),
        opening="The board is empty.",
        legal_moves=partial(_legal_moves, moves),
        action=partial(_action, moves),
        drawing=partial(_drawing, template),
        ending=_ending,
        twin=Twin("connect_four", moves.index),
    )


def load(rendering: str, labels: tuple[str, ...] = LABELS) -> AECGame:
    """Return connect four as text; rendering: "compact" or "full"; labels: the columns' names."""
    environment = import_quietly("pettingzoo.classic.connect_four.connect_four")
    return board_game(_board(labels, rendering), rendering, copies_of(environment.raw_env()), max_turns=21)
