"""New names for a game's moves: the same game in other words.

The environment, OpenSpiel's states and all values are what they were; rules, boards, news and moves have the new names.
Repeated matrix games are made again with other moves, `CLASSICS` are loaded with other labels, so that no text is
searched for names. Left out: games whose moves are more than a fixed list of names.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from games.classics.boards import MARKS
from games.errors import RequestError
from games.families import FAMILIES
from games.fits import Fit
from games.matrix import WORD, make_spec
from games.matrix_text import MatrixGame
from games.naming import NamedOpponent, parse
from games.parameters import Move

# PettingZoo's games whose modules load with other labels (LABELS; load(rendering, labels)), with what can't be a label.
CLASSICS: dict[str, tuple[str, ...]] = {"tictactoe": MARKS, "connect_four": MARKS, "rps": ()}
FREE = "free"  # names: the first capitals that are no moves yet, and no marks on a board

LABELLED = Fit(f"none of {', '.join(CLASSICS)} of PettingZoo's", lambda game: getattr(game, "name", None) in CLASSICS)


def _module(game: Any) -> Any:
    return import_module(f"games.classics.{game.name}")


def _names(game: Any) -> list[str]:
    """What can have other names: a classic's labels; or the moves of both seats, seat 0's first, each once."""
    if LABELLED.test(game):
        return list(_module(game).LABELS)
    return list(dict.fromkeys(move for own in game.moves for move in own))


def checked_names(game: Any, text: str) -> str:
    """New names in the order of the old ones, written A/B/C. Raises RequestError for another number of them, or none.

    text: the same, with spaces around names; or FREE.
    """
    old = _names(game)
    free = [letter for letter in string.ascii_uppercase if letter not in (*old, *CLASSICS.get(game.name, ()))]
    new = free[: len(old)] if text == FREE else [name.strip() for name in text.split("/")]
    if len(set(new)) != len(old) or len(new) != len(old):
        raise RequestError(
            f"got {len(new)} names in to={text} for the {len(old)} moves of {game.name}, expected a new name for "
            f"each of {' '.join(old)}, all different: write to=A/B/... in their order"
        )
    return "/".join(new)


def matrix(game: MatrixGame, *, to: str) -> MatrixGame:
    """The repeated matrix game in which the moves have these names. Raises RequestError for names that are no words."""
    new = dict(zip(_names(game), to.split("/"), strict=True))
    first, second = ([new[move] for move in own] for own in game.moves)
    return replace(game, spec=make_spec(game.name, first, second, game.payoffs))


def classic(game: Any, *, to: str) -> Any:
    """The classic in which cells, columns or moves have these names; itself where those are its own.

    Raises RequestError for names that are no words, or mean something else on its board.
    """
    labels, marks = tuple(to.split("/")), CLASSICS[game.name]
    for label in labels:
        if not WORD.fullmatch(label) or label.upper() in marks:
            among = f", and none of {' '.join(marks)}, which stand on the board" if marks else ""
            raise RequestError(
                f"got the name {label!r} in to={to}, expected words without spaces or any of (),={among}: write another"
            )
    module = _module(game)
    if labels == module.LABELS:
        return game
    return replace(module.load(game.rendering, labels), name=f"{game.name}/relabelled(to={to})")


def matrix_naming(game: Any, changed: Any) -> Callable[[NamedOpponent], str]:
    """Gives opponents of the matrix game their names in the relabelled one."""
    new = {move: changed.moves[seat][at] for seat, own in enumerate(game.moves) for at, move in enumerate(own)}
    return partial(_renamed, game, new)


def _renamed(game: Any, new: dict[str, str], named: NamedOpponent) -> str:
    """The name with other names for moves, those of an opponent within it too."""
    family, given = FAMILIES[named.family], dict(named.parameters)
    for parameter in family.parameters:
        value = given[parameter.name]
        if isinstance(parameter, Move):
            given[parameter.name] = new.get(value, value)
        elif parameter.name == family.inner:
            given[parameter.name] = _renamed(game, new, parse(game, value))
    return NamedOpponent(named.family, tuple(given.items())).name
