"""What `mage games` and `mage opponents` list: games by kind, games tried, families with what is known of them exactly.

Left out: drawing (`mage.views.catalog`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games.errors import RequestError

if TYPE_CHECKING:
    from rich.console import Console

    from games.families import Family
    from games.random_play import Attempt

EVERY = "all"
QUICK = 50_000  # histories of a game with hidden information whose values take some two seconds


def print_games(screen: Console) -> None:
    """Print the games that have a name, those that packages register, and how to name any other."""
    from games.descriptions import HEADINGS
    from games.own import registered
    from games.registry import describe
    from mage.views.catalog import games_list

    entries = {name: entry.value for name, entry in registered().items()}
    screen.print(games_list(describe(), HEADINGS, entries))


def print_attempts(screen: Console, names: Sequence[str] | None, markdown: Path | None) -> None:
    """Play random episodes of the games, all of OpenSpiel's if None, and print line by line which can be played."""
    from games.openspiel.try_all import as_markdown
    from mage.views.catalog import attempt_line, attempts_total

    attempts = []
    for attempt in _attempts(names):
        attempts.append(attempt)
        screen.print(attempt_line(attempt), soft_wrap=True)  # a game a line, through a pipe too
    screen.print(attempts_total(attempts))
    if markdown is not None:
        markdown.write_text(as_markdown(attempts), encoding="utf-8")


def _attempts(names: Sequence[str] | None) -> Iterator[Attempt]:
    from games.openspiel.try_all import try_all
    from games.random_play import try_game
    from games.registry import OPENSPIEL_PREFIX

    if names is None:
        yield from try_all()
        return
    for name in names:
        if name.startswith(OPENSPIEL_PREFIX):
            yield from try_all([name])
        else:
            yield try_game(name)


def print_opponents(screen: Console, name: str) -> None:
    """Print the families that can be met in a game, what is known exactly of it and them, and how it can be changed."""
    from games import describe_variants, load
    from games.descriptions import CUSTOM_MATRIX
    from games.families import fitting
    from mage.views.catalog import opponents_table, values_lines, variants_table

    if name == CUSTOM_MATRIX:  # there is none to take values from; what fits some matrix only shows in those games
        game = load("stag_hunt")
        screen.print(opponents_table(fitting(game), {}))
        screen.print(variants_table(describe_variants(game)))
        return
    game = load(name)
    families = fitting(game)
    screen.print(values_lines(_values(game)))
    screen.print(opponents_table(families, _best_responses(game, families)))
    screen.print("\nChanged games, for mage evaluate --variant", style="bold")
    screen.print(variants_table(describe_variants(game)))


def _values(game: Any) -> tuple[tuple[float | None, float | None], ...]:
    """Of each seat: the value of the game and what the seat can secure, None where they aren't to be had quickly."""
    from games import exact

    if not _is_quick(game):
        return ((None, None),) * game.seats
    return tuple(
        (_known(exact.nash_value, game, seat), _known(exact.security_value, game, seat)) for seat in range(game.seats)
    )


def _is_quick(game: Any) -> bool:
    """Whether exact values take a moment, where there are any: all but large games with hidden information."""
    from games.fits import OPEN, TREE, load_solver

    if not TREE.test(game) or OPEN.test(game):
        return True
    from games.trees.walk import walk

    return _known(walk, load_solver(game.solver), QUICK) is not None


def _best_responses(game: Any, families: Sequence[Family]) -> dict[str, tuple[float | None, ...]]:
    """By family, what a best response earns on each seat; of repeated matrix games alone, where it takes no time."""
    from games import exact
    from games.matrix_text import MatrixGame
    from games.naming import named

    if not isinstance(game, MatrixGame):
        return {}
    found = {}
    for family in families:
        opponent = _known(named, game, family.name, {})
        if opponent is not None:
            found[family.name] = tuple(exact.best_response_value(game, opponent, seat) for seat in range(game.seats))
    return found


def _known(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function returns, None for what it refuses."""
    try:
        return function(*arguments)
    except RequestError:
        return None
