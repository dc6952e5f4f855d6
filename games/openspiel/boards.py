"""The words of OpenSpiel's board games that everything is seen in, one row each; boards are drawn with coordinates."""

from __future__ import annotations

from functools import partial
from typing import Any

from games.openspiel.text import Facts, Lines, Views, Words, counted, plain_word

_HEX = str.maketrans("yzXpqO", "xxxooo")  # OpenSpiel marks stones that touch an edge, and the winner's


def letters(count: int) -> str:
    """The names of the first columns: 3 -> "abc"."""
    return "abcdefghijklmnopqrstuvwxyz"[:count]


def _rows(state: Any) -> Lines:
    return str(state).strip("\n").split("\n")


def _tic_tac_toe_board(state: Any, seat: int) -> Lines:
    return ["  a b c", *(f"{number} {' '.join(row)}" for number, row in enumerate(_rows(state), 1))]


def _tic_tac_toe_move(facts: Facts, action: int, text: str) -> str:
    return f"{letters(3)[action % 3]}{action // 3 + 1}"


def _tic_tac_toe_rules(facts: Facts, seat: int) -> Lines:
    return [
        f"Seat 0 puts an x and seat 1 an o on the board in turn, seat 0 first; you are {'xo'[seat]}.",
        "Three of your marks in a row, a column or a diagonal win; a full board without them is a draw.",
        "A cell is its column's letter, a to c from the left, and its row's number, 1 to 3 from the top.",
    ]


def _connect_four_board(state: Any, seat: int) -> Lines:
    rows = _rows(state)
    return [" ".join(str(column + 1) for column in range(len(rows[0]))), *(" ".join(row) for row in rows)]


def _connect_four_rules(facts: Facts, seat: int) -> Lines:
    rows, columns, line = (facts.parameters[key] for key in ("rows", "columns", "x_in_row"))
    return [
        f"The board has {rows} rows and {columns} columns; seat 0 drops an x and seat 1 an o in turn, seat 0 first; "
        f"you are {'xo'[seat]}.",
        "A piece falls to the lowest free cell of its column.",
        f"{line} of your pieces in a line, across, up or diagonally, win; a full board without them is a draw.",
        f"A move is the number of a column, 1 to {columns} from the left.",
    ]


def _hex_board(state: Any, seat: int) -> Lines:
    rows = [row.strip().translate(_HEX) for row in _rows(state)]
    drawn = [f"{' ' * number}{number} {row}" for number, row in enumerate(rows, 1)]
    return ["  " + " ".join(letters(len(rows[0].split()))), *drawn]


def _hex_size(facts: Facts) -> str:
    columns, rows = facts.parameters["num_cols"], facts.parameters["num_rows"]
    return f"a1 to {letters(columns)[-1]}{rows}"


def _hex_goal(seat: int) -> str:
    return ("top to bottom", "left to right")[seat]


def _hex_rules(facts: Facts, seat: int) -> Lines:
    return [
        "Seat 0 puts an x and seat 1 an o on the board in turn, seat 0 first; stones never move.",
        "Seat 0 wins with a chain of x from the top row to the bottom row, "
        "seat 1 with a chain of o from the left column to the right column; there are no draws.",
        f"You are {'xo'[seat]} and connect {_hex_goal(seat)}.",
        "Each row is shifted by half a cell against the one above: b2 touches b1, c1, a2, c2, a3 and b3.",
        f"The cells are {_hex_size(facts)}: a column's letter from the left, a row's number from the top.",
    ]


def _breakthrough_board(state: Any, seat: int) -> Lines:
    return _rows(state)


def _filled(facts: Facts) -> int:
    """How many rows of pieces each side starts with."""
    return 2 if facts.parameters["rows"] >= 6 else 1


def _breakthrough_rules(facts: Facts, seat: int) -> Lines:
    filled = ("row", "two rows")[_filled(facts) - 1]
    return [
        f"Seat 0 plays the black pieces (b), which fill the {filled} at the top and move down, "
        f"seat 1 the white ones (w), which fill the {filled} at the bottom and move up; "
        f"you are {('black', 'white')[seat]}, and black moves first.",
        "A piece moves one row forward, straight or diagonally, to a free cell; it captures diagonally only.",
        "Who first reaches the other's first row, or captures every piece, wins; there are no draws.",
        "A move is the cell it leaves and the cell it enters, with * for a capture; a cell is its column's letter from "
        "the left and its row's number from the bottom.",
    ]


BOARDS: dict[str, Words] = {
    "tic_tac_toe": Words(
        partial(Views, view=_tic_tac_toe_board, start_known=True),
        move=_tic_tac_toe_move,
        gist=lambda facts, seat: f"{'xo'[seat]}, cells a1 to c3",
        rules=_tic_tac_toe_rules,
        unit="point",
        even_seats=2,
    ),
    "connect_four": Words(
        partial(Views, view=_connect_four_board, start_known=True),
        move=lambda facts, action, text: str(action + 1),
        gist=lambda facts, seat: f"{'xo'[seat]}, columns 1 to {facts.parameters['columns']}",
        rules=_connect_four_rules,
        unit="point",
        even_seats=2,
    ),
    "hex": Words(
        partial(Views, view=_hex_board, start_known=True),
        move=lambda facts, action, text: (
            f"{letters(26)[action % facts.parameters['num_cols']]}{action // facts.parameters['num_cols'] + 1}"
        ),
        gist=lambda facts, seat: f"{'xo'[seat]}, cells {_hex_size(facts)}, connect {_hex_goal(seat)}",
        rules=_hex_rules,
        unit="point",
        even_seats=2,
        defaults=("swap", "string_rep"),
    ),
    "breakthrough": Words(
        partial(Views, view=_breakthrough_board, start_known=True),
        move=plain_word,
        gist=lambda facts, seat: (
            f"{'bw'[seat]}, {facts.parameters['columns']} x {facts.parameters['rows']} cells, "
            f"{counted(_filled(facts), 'row')} each, b starts on top"
        ),
        rules=_breakthrough_rules,
        unit="point",
        even_seats=2,
    ),
}
