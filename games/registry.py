"""The table of games: load one by name, list them, describe them.

A game is one row of `GAMES`. Left out for now: PettingZoo's classics, OpenSpiel, and a person's own
environments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from numpy.typing import ArrayLike

from games.errors import RequestError, unknown
from games.matrix import PAYOFFS, MatrixSpec, make_spec
from games.matrix_text import MatrixGame

DEFAULT_ROUNDS = 6
CUSTOM_MATRIX = "matrix"


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may set about a game; the fields are `load`'s arguments."""

    rounds: int
    rendering: str
    moves: Sequence[Sequence[str]] | None
    payoffs: ArrayLike | None


@dataclass(frozen=True, slots=True)
class GameEntry:
    """One row of the table of games."""

    summary: str  # one line
    build: Callable[[Options], MatrixGame]
    spec: MatrixSpec | None  # None when the person gives the matrix


@dataclass(frozen=True, slots=True)
class GameDescription:
    """What `mage games` shows of a game. None: it depends on the matrix that is given."""

    name: str
    summary: str
    seats: int
    moves: tuple[tuple[str, ...], ...] | None  # by seat
    zero_sum: bool | None
    payoff_range: tuple[float, float] | None  # of one round, over both seats


def load(
    name: str,
    *,
    rounds: int = DEFAULT_ROUNDS,
    rendering: str = "compact",
    moves: Sequence[Sequence[str]] | None = None,
    payoffs: ArrayLike | None = None,
) -> MatrixGame:
    """Load a game (a `games.text.TextGame`) by name.

    rounds: joint rounds in an episode, at least 1. rendering: "compact" or "full" text.
    moves, payoffs: for the name "matrix" only; the moves of both seats, and the payoffs [2, M0, M1] by seat,
    or [M0, M1] of seat 0 in a zero-sum game.
    Raises RequestError for an unknown name and for options that don't fit.
    """
    if name not in GAMES:
        raise unknown("game", name, GAMES)
    return GAMES[name].build(Options(rounds, rendering, moves, payoffs))


def names() -> tuple[str, ...]:
    """The names that `load` knows, in the table's order."""
    return tuple(GAMES)


def describe() -> tuple[GameDescription, ...]:
    """Every game of the table, in its order."""
    return tuple(_describe(name, entry) for name, entry in GAMES.items())


def _describe(name: str, entry: GameEntry) -> GameDescription:
    spec = entry.spec
    if spec is None:
        return GameDescription(name, entry.summary, 2, None, None, None)
    payoff_range = (float(spec.payoffs.min()), float(spec.payoffs.max()))
    return GameDescription(name, entry.summary, 2, spec.moves, spec.zero_sum, payoff_range)


def _named_matrix(spec: MatrixSpec, options: Options) -> MatrixGame:
    if options.moves is not None or options.payoffs is not None:
        raise RequestError(
            f"game {spec.name!r} has its own moves and payoffs: leave yours out, or load {CUSTOM_MATRIX!r}"
        )
    return MatrixGame(spec, options.rounds, options.rendering)


def _custom_matrix(options: Options) -> MatrixGame:
    if options.moves is None or options.payoffs is None:
        raise RequestError(f"game {CUSTOM_MATRIX!r} needs both moves and payoffs: give moves=[[..], [..]] and payoffs")
    if isinstance(options.moves, str) or len(options.moves) != 2:
        raise RequestError(
            f"moves: got {options.moves!r}, expected two lists, one a seat; write [['C', 'D'], ['C', 'D']]"
        )
    spec = make_spec(CUSTOM_MATRIX, options.moves[0], options.moves[1], options.payoffs)
    return MatrixGame(spec, options.rounds, options.rendering)


_SUMMARIES = {
    "rock_paper_scissors": "rock beats scissors, scissors beat paper, paper beats rock; win 1, lose -1",
    "matching_pennies": "seat 0 wins 1 when the two match, seat 1 when they differ",
    "prisoners_dilemma": "D pays more whatever the other plays; C, C pays 3 each and D, D 1 each",
    "stag_hunt": "a stag (S), worth 4, takes both; a hare (H), worth 3, is safe",
}

GAMES: dict[str, GameEntry] = {
    **{name: GameEntry(_SUMMARIES[name], partial(_named_matrix, spec), spec) for name, spec in PAYOFFS.items()},
    CUSTOM_MATRIX: GameEntry("any two-seat matrix, with the moves and payoffs that you give", _custom_matrix, None),
}
