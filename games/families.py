"""The table of all families of scripted opponents, and which of them fit a game.

Left out: the rules themselves (`matrix_families`, `any_families`, ...), names (`naming`), sets of opponents
(`opponents`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.any_families import ANY_FAMILIES
from games.board_families import BOARD_FAMILIES
from games.errors import RequestError, unknown
from games.family import Family
from games.learned_families import LEARNED_FAMILIES
from games.matrix_families import MATRIX_FAMILIES
from games.search import SEARCH_FAMILIES
from games.solved import SOLVED_FAMILIES
from games.trees.families import PRESETS, TREE_FAMILIES

__all__ = ["FAMILIES", "PRESETS", "Family", "family_of", "fitting", "known_names", "settle"]

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        *MATRIX_FAMILIES,
        *TREE_FAMILIES,
        *BOARD_FAMILIES,
        *ANY_FAMILIES,
        *SEARCH_FAMILIES,
        *SOLVED_FAMILIES,
        *LEARNED_FAMILIES,
    )
}


def fitting(game: Any) -> tuple[Family, ...]:
    """The families that make sense in a game, in the table's order."""
    return tuple(family for family in FAMILIES.values() if family.fits(game))


def known_names() -> tuple[str, ...]:
    """Everything that may stand before the parentheses of an opponent's name: families and presets."""
    return (*FAMILIES, *dict.fromkeys(preset.name for preset in PRESETS))


def family_of(game: Any, name: str) -> Family:
    """The family of this name. Raises RequestError for an unknown one, and for one that doesn't fit the game."""
    if name not in FAMILIES:
        raise unknown("opponent family", name, FAMILIES)
    family = FAMILIES[name]
    if not family.fits(game):
        raise _misfit(game, name, family)
    return family


def settle(game: Any, name: str, parameters: Mapping[str, Any]) -> tuple[Family, Mapping[str, Any]]:
    """The family and parameters that a name stands for: a preset is its family's, with its parameters filled in."""
    rows = [preset for preset in PRESETS if preset.name == name]
    for preset in rows:
        if FAMILIES[preset.family].fits(game):
            return FAMILIES[preset.family], {**preset.parameters, **parameters}
    if rows:
        raise _misfit(game, name, FAMILIES[rows[0].family])
    if name not in FAMILIES:
        raise unknown("opponent family", name, known_names())
    return family_of(game, name), parameters


def _misfit(game: Any, name: str, family: Family) -> RequestError:
    lacking = " and ".join(way.fit.lacking for way in family.ways)
    where = getattr(game, "name", game)
    fit = ", ".join(other.name for other in fitting(game))
    return RequestError(
        f"got {name} in {where!r}, {lacking}, expected an opponent that fits the game: choose one of {fit}"
    )
