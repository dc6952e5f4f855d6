"""PettingZoo's go on a board of 9 x 9 as text.

The environment forbids suicide and retaking a ko at once, and nothing else, so that a game could go on for ever: after
`MOST_MOVES` moves only passing is left here, which ends it by the environment's own rule.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pettingzoo.classic.go import go_base

from games.aec import AECGame
from games.classics.boards import Board, board_game, grid
from games.classics.environments import import_quietly

SIZE = 9
KOMI = 7.5  # points that White is given
MOST_MOVES = 2 * SIZE * SIZE  # of both seats together, passes included; OpenSpiel's limit too
MAX_TURNS = MOST_MOVES // 2 + 1
_COLUMNS = "ABCDEFGHJ"
_ROWS = "987654321"
PASS = "pass"
MOVES = (*(column + row for row in _ROWS for column in _COLUMNS), PASS)  # by the environment's number
_ACTIONS = {move: action for action, move in enumerate(MOVES)}
_MARKS = {1: "X", 0: ".", -1: "O"}  # by what the environment's board holds
_GRID = grid(_COLUMNS, _ROWS)


def _legal_moves(env: Any) -> tuple[str, ...]:
    if env._go.n >= MOST_MOVES:
        return (PASS,)
    return tuple([MOVES[action] for action in env.next_legal_moves])


def _action(env: Any, move: str) -> int:
    if go_base.N != SIZE:
        # The size is a global of PettingZoo's, which every new environment of any size sets.
        env._overwrite_go_global_variables(board_size=SIZE)
    return _ACTIONS[move]


def _taken(env: Any) -> str:
    """Name the points where stones were taken: all that the last move changed, but for its own."""
    (_, played), changed = env._go.recent[-1], env._go.board_deltas[0]
    rows, columns = changed.nonzero()
    points = zip(rows.tolist(), columns.tolist(), strict=True)
    return " ".join([MOVES[row * SIZE + column] for row, column in points if (row, column) != played])


def _drawing(env: Any) -> str:
    return _GRID.format(*[_MARKS[stone] for stone in env._go.board.ravel().tolist()])


def _ending(env: Any) -> str:
    score = env._go.score()
    return f"Both passed, and {'Black' if score > 0 else 'White'} is ahead by {abs(score):g} points"


GO = Board(
    name="go",
    sides=("Black", "White"),
    moves=f"points A1 to J9 without I, or {PASS}, area scoring, komi {KOMI}, only {PASS} after {MOST_MOVES} moves",
    explanation=(
        f"The rules are those of go on a board of {SIZE} x {SIZE}. A move puts a stone of one's colour on an empty "
        "point; stones of the other colour that are left without a free point beside their group are taken.",
        "Suicide is not allowed, nor is retaking a single stone at once in a ko; other repetitions are.",
        f"Two passes in a row end the game, and after {MOST_MOVES} moves only {PASS} is left. All stones on the board "
        f"count as alive; a side has a point for each of its stones and for each empty point that only its stones "
        f"surround, and White {KOMI} points more (the komi).",
        "Whoever has more points wins; there are no draws. A win pays 1, a loss -1.",
        "A move is written as a column (A to J from the left, without I) and a row (1 to 9 from the bottom), as C3, or "
        f"as {PASS}. Black's stones are drawn as X, White's as O, each empty point as a dot. The empty board:",
        _GRID.format(*"." * SIZE * SIZE).removesuffix("\n"),
    ),
    opening="The board is empty.",
    legal_moves=_legal_moves,
    action=_action,
    drawing=_drawing,
    ending=_ending,
    taken=_taken,
)


def load(rendering: str) -> AECGame:
    """Return go as text; rendering: "compact" or "full"."""
    environment = import_quietly("pettingzoo.classic.go.go")
    return board_game(GO, rendering, partial(environment.raw_env, board_size=SIZE, komi=KOMI), MAX_TURNS)
