"""How a game can be changed: the table of variants, one row each.

Left out: how a variant is written, and how opponents are taken over (`variants`); games whose returns are turned round
in a tree (`misere`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from games import public_goods, relabelled
from games.fits import ANY, MATRIX, TREE, Fit, load_solver
from games.matrix import PAYOFFS, make_spec
from games.matrix_text import MatrixGame
from games.naming import NamedOpponent
from games.opponent_parameters import Text
from games.parameters import Move, Parameter, Real, Whole
from games.registry import load
from games.text import TextGame

Naming = Callable[[NamedOpponent], str]  # an opponent of the game as it was -> its name in the changed game

DECIMALS = 9  # of payoffs that are computed, so that 3 x 0.1 is written as 0.3


def same_name(named: NamedOpponent) -> str:
    """The opponent's own name: most variants leave moves and parameters as they are."""
    return named.name


@dataclass(frozen=True, slots=True)
class Way:
    """How a variant changes one kind of game: (game, **parameters) -> the changed game.

    naming: (game, changed game) -> how opponents are named there.
    """

    fit: Fit
    change: Callable[..., TextGame]
    naming: Callable[[Any, Any], Naming] = lambda game, changed: same_name


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the table."""

    name: str
    doc: str
    parameters: tuple[Parameter, ...]
    ways: tuple[Way, ...]

    def way(self, game: Any) -> Way | None:
        """How it changes this game; None where it doesn't."""
        return next((way for way in self.ways if way.fit.test(game)), None)


def _matrix_rounds(game: MatrixGame, *, count: int) -> MatrixGame:
    return replace(game, rounds=count)


def _public_goods_rounds(game: Any, *, count: int) -> TextGame:
    from games import public_goods_text

    return public_goods_text.load(replace(public_goods.parse(game.name), rounds=count), game.rendering)


def _matrix_misere(game: MatrixGame) -> MatrixGame:
    return _paying(game, "misere", 0.0 - game.payoffs)


def _tree_misere(game: Any) -> TextGame:
    from games import misere  # PettingZoo takes a while to import

    return misere.misere(game)


def _weighted(game: MatrixGame, *, move: str, factor: float) -> MatrixGame:
    first, second = game.payoffs
    won = (np.array(game.moves[0]) == move)[:, None] & (first > second)
    won |= (np.array(game.moves[1]) == move)[None, :] & (second > first)
    return _paying(game, f"weighted(move={move},factor={factor})", np.where(won, factor, 1.0) * game.payoffs)


def _scaled(game: MatrixGame, *, factor: float) -> MatrixGame:
    return _paying(game, f"scaled(factor={factor})", factor * game.payoffs)


def _paying(game: MatrixGame, suffix: str, payoffs: Any) -> MatrixGame:
    """The game with other payoffs, [2, M0, M1], under a name that says so."""
    first, second = game.moves
    return replace(game, spec=make_spec(f"{game.name}/{suffix}", first, second, np.round(payoffs, DECIMALS) + 0.0))


def _another(game: Any, *, name: str) -> TextGame:
    """Matrix games are as many rounds long as the game was."""
    rounds = game.rounds if MATRIX.test(game) and name in PAYOFFS else None
    return load(name, rounds=rounds, rendering=getattr(game, "rendering", "compact"))


def _is_public_goods(game: Any) -> bool:
    return str(getattr(game, "name", "")).partition("(")[0] == public_goods.NAME


def _lists_its_chance(game: Any) -> bool:
    return TREE.test(game) and load_solver(game.solver).get_type().chance_mode.name != "SAMPLED_STOCHASTIC"


PUBLIC_GOODS = Fit(f"not {public_goods.NAME}", _is_public_goods)
LISTED_TREE = Fit("not a game that OpenSpiel knows and whose chance moves it lists", _lists_its_chance)


def _factor(doc: str, least: float) -> Real:
    return Real("factor", doc, least, 1000.0, 2.0, 2.0, 2.0)


VARIANTS: dict[str, Change] = {
    change.name: change
    for change in (
        Change(
            "rounds",
            "as many rounds in an episode",
            (Whole("count", "rounds, at least 1", low=1, usual=12),),
            (Way(MATRIX, _matrix_rounds), Way(PUBLIC_GOODS, _public_goods_rounds)),
        ),
        Change(
            "misere",
            "every payoff has the opposite sign: what would win loses",
            (),
            (Way(MATRIX, _matrix_misere), Way(LISTED_TREE, _tree_misere)),
        ),
        Change(
            "relabelled",
            "the moves have other names and the same payoffs; opponents make the same moves under the new names",
            (
                Text(
                    "to",
                    "the new names, as A/B/C in the order of the moves, cells along the rows; the first free capitals",
                    relabelled.checked_names,
                    "A/B/C",
                    relabelled.FREE,
                ),
            ),
            (
                Way(MATRIX, relabelled.matrix, relabelled.matrix_naming),
                Way(relabelled.LABELLED, relabelled.classic),  # opponents know cells and columns by number
            ),
        ),
        Change(
            "weighted",
            "where one move gets its seat more than the other gets, both payoffs are multiplied",
            (Move("move", "the move"), _factor("by how much, 0 to 1000", 0.0)),
            (Way(MATRIX, _weighted),),
        ),
        Change(
            "scaled",
            "all payoffs are multiplied: the same game in larger or smaller numbers",
            (_factor("by how much, 0.001 to 1000", 0.001),),
            (Way(MATRIX, _scaled),),
        ),
        Change(
            "game",
            "another game altogether; opponents are those that it knows by the same name and parameters",
            (
                Text(
                    "name", "the other game, named as a config names one", lambda game, text: text.strip(), "kuhn_poker"
                ),
            ),
            (Way(ANY, _another),),
        ),
    )
}
