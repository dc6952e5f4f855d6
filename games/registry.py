"""The table of games: load one by name, list them, describe them.

A game is one row of `GAMES`, comes from one of `SOURCES` by the form of its name, or is registered by an installed
package (`own`). Libraries are imported when one of their games is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from numpy.typing import ArrayLike

from games import classics, public_goods
from games.errors import RequestError, unknown
from games.matrix import PAYOFFS, MatrixSpec, make_spec
from games.matrix_text import MatrixGame
from games.openspiel import names as openspiel_names
from games.text import TextGame

DEFAULT_ROUNDS = 6
CUSTOM_MATRIX = "matrix"
OPENSPIEL_PREFIX = "openspiel:"


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may set about a game; the fields are `load`'s arguments."""

    rounds: int | None
    rendering: str
    moves: Sequence[Sequence[str]] | None
    payoffs: ArrayLike | None


# The kinds of games in the table, with the headings that `mage games` puts over them.
REPEATED, CLASSIC, OPENSPIEL = "repeated", "classic", "openspiel"
HEADINGS = {REPEATED: "repeated matrix games", CLASSIC: "PettingZoo classics", OPENSPIEL: "OpenSpiel"}

Build = Callable[[Options], TextGame]


@dataclass(frozen=True, slots=True)
class GameDescription:
    """What `mage games` shows of a game. None: it depends on the matrix that is given, or rounds pay nothing."""

    name: str
    summary: str  # one line
    kind: str  # a key of HEADINGS
    seats: int = 2
    moves: tuple[tuple[str, ...], ...] | None = None  # of a repeated game, by seat
    zero_sum: bool | None = None
    payoff_range: tuple[float, float] | None = None  # of one round, over all seats


@dataclass(frozen=True, slots=True)
class GameEntry:
    """One row of the table of games."""

    description: GameDescription
    build: Build


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
        raise unknown("game", name, [*GAMES, *_registered()])
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
        return GAMES[name].build
    for prefix, source in SOURCES.items():
        if name.startswith(prefix):
            return partial(source, name)
    if is_own_code(name):
        return partial(_own, name)
    return partial(_own_registered, name) if name in _registered() else None


def _registered() -> tuple[str, ...]:
    from games import own  # PettingZoo takes a while to import

    return tuple(own.registered())


def _rendering_alone(name: str, options: Options) -> str:
    """Return the rendering. Raises RequestError where options of matrix games are set for another game."""
    for option in ("rounds", "moves", "payoffs"):
        if getattr(options, option) is not None:
            raise RequestError(
                f"{option}: got it for {name!r}, expected it for repeated matrix games only; leave it out"
            )
    return options.rendering


def names() -> tuple[str, ...]:
    """The names that `load` knows, in the table's order."""
    return tuple(GAMES)


def describe() -> tuple[GameDescription, ...]:
    """Every game of the table, in its order."""
    return tuple(row.description for row in GAMES.values())


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

    return openspiel.load(openspiel.NAMED.get(name, name), _rendering_alone(name, options))


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


_SUMMARIES = {
    "rock_paper_scissors": "rock beats scissors, scissors beat paper, paper beats rock; win 1, lose -1",
    "matching_pennies": "seat 0 wins 1 when the two match, seat 1 when they differ",
    "prisoners_dilemma": "D pays more whatever the other plays; C, C pays 3 each and D, D 1 each",
    "stag_hunt": "a stag (S), worth 4, takes both; a hare (H), worth 3, is safe",
}


def _describe_matrix(name: str, spec: MatrixSpec) -> GameDescription:
    span = (float(spec.payoffs.min()), float(spec.payoffs.max()))
    return GameDescription(name, _SUMMARIES[name], REPEATED, 2, spec.moves, spec.zero_sum, span)


def _describe_public_goods(rules: public_goods.PublicGoods) -> GameDescription:
    summary = "each keeps or gives 3 units a round; what is given doubles and is shared by all"
    moves = (rules.moves,) * rules.seats
    return GameDescription(rules.name, summary, REPEATED, rules.seats, moves, False, rules.payoff_range)


_CUSTOM = GameDescription(CUSTOM_MATRIX, "any two-seat matrix, with the moves and payoffs that you give", REPEATED)

GAMES: dict[str, GameEntry] = {
    row.description.name: row
    for row in (
        *(GameEntry(_describe_matrix(name, spec), partial(_named_matrix, spec)) for name, spec in PAYOFFS.items()),
        GameEntry(_CUSTOM, _custom_matrix),
        GameEntry(_describe_public_goods(public_goods.PublicGoods()), partial(_public_goods, public_goods.NAME)),
        *(
            GameEntry(GameDescription(name, row.summary, CLASSIC, row.seats), partial(_classic, name))
            for name, row in classics.CLASSICS.items()
        ),
        *(
            GameEntry(GameDescription(name, row.summary, OPENSPIEL, row.seats), partial(_openspiel, name))
            for name, row in openspiel_names.NAMES.items()
        ),
    )
}

# Games that are not listed, by how their names begin: (name, options) -> game.
SOURCES: dict[str, Callable[[str, Options], TextGame]] = {
    OPENSPIEL_PREFIX: _openspiel,
    f"{public_goods.NAME}(": _public_goods,
}
