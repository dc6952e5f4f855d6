"""The table of games: load one by name, list them.

A game is one row of `GAMES`, comes from one of `SOURCES` by the form of its name, or is registered by an installed
package (`own`). Libraries are imported when one of their games is loaded. Left out: what lists say (`descriptions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from numpy.typing import ArrayLike

from games import classics, public_goods
from games.descriptions import CUSTOM_MATRIX, DESCRIPTIONS, GameDescription
from games.errors import RequestError, unknown
from games.matrix import PAYOFFS, MatrixSpec, make_spec
from games.matrix_text import MatrixGame
from games.openspiel.names import NAMED
from games.text import TextGame

DEFAULT_ROUNDS = 6
OPENSPIEL_PREFIX = "openspiel:"

# What not every game takes, with the games that do.
TAKEN_BY = {
    "rounds": f"repeated games (matrix games and {public_goods.NAME})",
    "moves": f"the game {CUSTOM_MATRIX!r}",
    "payoffs": f"the game {CUSTOM_MATRIX!r}",
}


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may set about a game; the fields are `load`'s arguments."""

    rounds: int | None
    rendering: str
    moves: Sequence[Sequence[str]] | None
    payoffs: ArrayLike | None


Build = Callable[[Options], TextGame]


def load(
    name: str,
    *,
    rounds: int | None = None,
    rendering: str = "compact",
    moves: Sequence[Sequence[str]] | None = None,
    payoffs: ArrayLike | None = None,
    own_code: bool = True,
) -> TextGame:
    """Load a game by name: one of `names()`, `openspiel:NAME(params)`, a registered one, or `package.module:function`.

    rounds: joint rounds in an episode of a repeated game, at least 1, 6 unless given. rendering: "compact" or "full".
    moves, payoffs: for the name "matrix" only; the moves of both seats, and the payoffs [2, M0, M1] by seat,
    or [M0, M1] of seat 0 in a zero-sum game.
    own_code: False where the name comes from a file that somebody else may have written, such as a run's config; then
    `package.module:function`, which runs the code that it names, is refused.
    Raises RequestError for an unknown name and for options that don't fit.
    """
    build = _find(name)
    if build is None:
        raise _not_found(name)
    if not own_code and is_own_code(name):
        raise RequestError(
            f"game {name!r}: it runs code of its own and was named by a file, expected you to name it; "
            "register it under the entry point mage.games (docs/games.md) to have it loaded from there"
        )
    return build(Options(rounds, rendering, moves, payoffs))


def load_matrix(
    name: str,
    *,
    rounds: int | None = None,
    rendering: str = "compact",
    moves: Sequence[Sequence[str]] | None = None,
    payoffs: ArrayLike | None = None,
) -> MatrixGame:
    """Load a repeated matrix game, as `load` does; RequestError for a game of another kind."""
    if name not in (*PAYOFFS, CUSTOM_MATRIX) and _find(name) is not None:
        raise RequestError(f"got game {name!r}, expected a repeated matrix game such as rock_paper_scissors")
    game = load(name, rounds=rounds, rendering=rendering, moves=moves, payoffs=payoffs)
    assert isinstance(game, MatrixGame)
    return game


def is_own_code(name: str) -> bool:
    """Whether loading the name runs code that the name itself points to: `package.module:function`."""
    return name not in GAMES and not name.startswith(tuple(SOURCES)) and ":" in name


def _find(name: str) -> Build | None:
    """What builds the game of this name, or None. Imports nothing of the game."""
    if name in GAMES:
        return GAMES[name]
    for prefix, source in SOURCES.items():
        if name.startswith(prefix):
            return partial(source, name)
    if is_own_code(name):
        return partial(_own, name)
    return partial(_own_registered, name) if name in _registered() else None


def _not_found(name: str) -> RequestError:
    listed = name.partition("(")[0]
    if listed not in GAMES:
        return unknown("game", name, [*GAMES, *_registered()])
    written = f"{OPENSPIEL_PREFIX}{name}" if listed in NAMED else listed
    return RequestError(f"got the game {name!r}, expected {listed!r} without parameters; write {written}")


def _registered() -> tuple[str, ...]:
    from games import own  # PettingZoo takes a while to import

    return tuple(own.registered())


def _rendering_alone(name: str, options: Options) -> str:
    """Return the rendering. Raises RequestError where an option is set that other games have."""
    for option, games in TAKEN_BY.items():
        if getattr(options, option) is not None:
            raise RequestError(f"{option}: got it for {name!r}, expected it for {games} only; leave it out")
    return options.rendering


def names() -> tuple[str, ...]:
    """The names that `load` knows, in the table's order."""
    return tuple(GAMES)


def describe() -> tuple[GameDescription, ...]:
    """Every game of the table, in its order."""
    return DESCRIPTIONS


def _named_matrix(spec: MatrixSpec, options: Options) -> MatrixGame:
    if options.moves is not None or options.payoffs is not None:
        raise RequestError(
            f"game {spec.name!r} has its own moves and payoffs: leave yours out, or load {CUSTOM_MATRIX!r}"
        )
    return MatrixGame(spec, _rounds(options), options.rendering)


def _rounds(options: Options) -> int:
    return DEFAULT_ROUNDS if options.rounds is None else options.rounds


def _classic(name: str, options: Options) -> TextGame:
    return classics.load(name, _rendering_alone(name, options))


def _openspiel(name: str, options: Options) -> TextGame:
    from games.openspiel import game as openspiel  # pyspiel takes a while to import

    return openspiel.load(NAMED[name].game if name in NAMED else name, _rendering_alone(name, options))


def _public_goods(name: str, options: Options) -> TextGame:
    from games import public_goods_text

    rendering = _rendering_alone(name, replace(options, rounds=None))
    return public_goods_text.load(public_goods.parse(name, options.rounds), rendering)


def _own(name: str, options: Options) -> TextGame:
    from games import own

    return own.load(name, _rendering_alone(name, options))


def _own_registered(name: str, options: Options) -> TextGame:
    from games import own

    return own.load_registered(name, own.registered()[name], _rendering_alone(name, options))


def _custom_matrix(options: Options) -> MatrixGame:
    if options.moves is None or options.payoffs is None:
        raise RequestError(f"game {CUSTOM_MATRIX!r} needs both moves and payoffs: give moves=[[..], [..]] and payoffs")
    if isinstance(options.moves, str) or len(options.moves) != 2:
        raise RequestError(
            f"moves: got {options.moves!r}, expected two lists, one a seat; write [['C', 'D'], ['C', 'D']]"
        )
    spec = make_spec(CUSTOM_MATRIX, options.moves[0], options.moves[1], options.payoffs)
    return MatrixGame(spec, _rounds(options), options.rendering)


GAMES: dict[str, Build] = {
    **{name: partial(_named_matrix, spec) for name, spec in PAYOFFS.items()},
    CUSTOM_MATRIX: _custom_matrix,
    public_goods.NAME: partial(_public_goods, public_goods.NAME),
    **{name: partial(_classic, name) for name in classics.CLASSICS},
    **{name: partial(_openspiel, name) for name in NAMED},
}

# Games that are not listed, by how their names begin: (name, options) -> game.
SOURCES: dict[str, Callable[[str, Options], TextGame]] = {
    OPENSPIEL_PREFIX: _openspiel,
    f"{public_goods.NAME}(": _public_goods,
}
