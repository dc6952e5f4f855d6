"""What families ask of a game: rows that say which games qualify, and what to call one that doesn't.

Everything is told from the game's kind, without playing or walking it. Left out: whether a game is small enough, which
whoever walks it finds out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Fit:
    """One demand on a game."""

    lacking: str  # what a game is that doesn't meet it
    test: Callable[[Any], bool]


@lru_cache(maxsize=64)
def load_solver(solver: str) -> Any:
    """The OpenSpiel game of this name."""
    import pyspiel  # takes a while, and a matrix game needs none of it

    return pyspiel.load_game(solver)


def _is_matrix(game: Any) -> bool:
    fields = all(hasattr(game, field) for field in ("payoffs", "rounds", "moves"))
    return fields and getattr(game, "seats", 2) == 2


def _has_states(game: Any) -> bool:
    return getattr(game, "solver", None) is not None


def _is(game: Any, dynamics: str, *information: str) -> bool:
    """Whether OpenSpiel knows the game, as one of these dynamics and kinds of information."""
    if not _has_states(game):
        return False
    kind = load_solver(game.solver).get_type()
    return kind.dynamics.name == dynamics and kind.information.name in information


def _is_open(game: Any) -> bool:
    if not _is(game, "SEQUENTIAL", "PERFECT_INFORMATION"):
        return False
    kind = load_solver(game.solver).get_type()
    return kind.reward_model.name == "TERMINAL" and kind.chance_mode.name != "SAMPLED_STOCHASTIC"


def _is_hidden(game: Any) -> bool:
    if not _is(game, "SEQUENTIAL", "IMPERFECT_INFORMATION"):
        return False
    kind = load_solver(game.solver).get_type()
    return bool(kind.provides_information_state_string) and kind.chance_mode.name != "SAMPLED_STOCHASTIC"


def load_rules(solver: str) -> Any:
    """The OpenSpiel game of this name, or the one whose payoffs it turns round: same moves, same information."""
    import pyspiel

    known = load_solver(solver)
    while known.get_type().short_name == "misere":
        known = load_solver(pyspiel.game_parameters_to_string(known.get_parameters()["game"]))
    return known


def of_kind(short_names: tuple[str, ...], seats: int | None = None) -> Callable[[Any], bool]:
    """The test for one of OpenSpiel's games, by their names without parameters, with that many seats.

    A game whose payoffs are turned round (`misere`) counts as what it was: families tell what they know of it by moves
    and information states.
    """

    def test(game: Any) -> bool:
        if not _has_states(game):
            return False
        known = load_rules(game.solver)
        return known.get_type().short_name in short_names and seats in (None, known.num_players())

    return test


MATRIX = Fit("a game without a payoff matrix", _is_matrix)
TREE = Fit("a game that OpenSpiel doesn't know", _has_states)
OPEN = Fit("not a game where everyone sees everything and seats move in turn", _is_open)
HIDDEN = Fit("not a game with hidden information where seats move in turn", _is_hidden)
ANY = Fit("no game", lambda game: True)
