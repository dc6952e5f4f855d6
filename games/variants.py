"""Changed games: what an agent that was trained on a game meets when the game isn't quite that game any more.

A variant is written as opponents are, `rounds(count=12)`; `changes` has the table. Its game's rules say what is true of
it, and opponents are taken over: the same rule in the changed game, or nobody where the rule makes no sense there.
Left out: how each variant changes a game (`changes`), playing (`text`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.changes import VARIANTS, Change, Naming
from games.errors import RequestError, unknown
from games.matrix_text import MatrixGame
from games.naming import NamedOpponent, parse, split_names
from games.text import TextGame


@dataclass(frozen=True)
class Variant:
    """A changed game. `variant(game, v.name)` makes it again."""

    name: str  # canonical text: all parameters written out
    game: TextGame
    naming: Naming  # an opponent of the game as it was -> its name in this one

    def opponent(self, named: NamedOpponent) -> NamedOpponent | None:
        """The opponent of the same rule and parameters in the changed game; None where there is none.

        Rules that look at payoffs, such as a best response, look at those of the changed game.
        """
        try:
            return parse(self.game, self.naming(named))
        except RequestError:
            return None


@dataclass(frozen=True, slots=True)
class VariantDescription:
    """What lists say of a variant."""

    name: str
    parameters: tuple[tuple[str, str], ...]  # name, what it means
    doc: str


def describe_variants(game: Any = None) -> tuple[VariantDescription, ...]:
    """Every variant of the table, in its order; only those that a game has, where one is given."""
    return tuple(
        VariantDescription(
            change.name, tuple((parameter.name, parameter.doc) for parameter in change.parameters), change.doc
        )
        for change in VARIANTS.values()
        if game is None or change.way(game) is not None
    )


def variant(game: Any, text: str) -> Variant:
    """The variant of a game that is written as `name` or `name(parameter=value,...)`.

    Raises RequestError for a text of another form, a variant or parameter that isn't known, one that the game doesn't
    have, a value that doesn't fit, and a variant that changes nothing.
    """
    name, given = _parts(text)
    if name not in VARIANTS:
        raise unknown("variant", name, VARIANTS)
    change = VARIANTS[name]
    way = change.way(game)
    if way is None:
        raise _misfit(game, change)
    values = _resolved(game, change, given)
    written = ",".join(f"{key}={value}" for key, value in values.items())
    canonical = f"{name}({written})" if written else name
    changed = way.change(game, **values)
    if _same(game, changed):
        raise RequestError(
            f"got the variant {canonical} of {game.name}, which changes nothing, expected one that does: choose other "
            "parameters"
        )
    return Variant(canonical, changed, way.naming(game, changed))


def _parts(text: str) -> tuple[str, dict[str, str]]:
    """The name and the parameters as they are written. RequestError for text that is not of that form."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if match is None:
        raise RequestError(f"got the variant {text!r}, expected name or name(parameter=value,...)")
    given: dict[str, str] = {}
    for part in split_names(match[2] or ""):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key in given:
            raise RequestError(f"got {part!r} in the variant {text!r}, expected each parameter once, as name=value")
        given[key] = value
    return match[1], given


def _resolved(game: Any, change: Change, given: Mapping[str, str]) -> dict[str, Any]:
    """All parameters in order, checked, with defaults for those not given."""
    known = {parameter.name: parameter for parameter in change.parameters}
    for name in given:
        if name not in known:
            raise unknown(f"parameter of {change.name}", name, known)
    return {
        name: parameter.check(game, given[name]) if name in given else parameter.default(game)
        for name, parameter in known.items()
    }


def _misfit(game: Any, change: Change) -> RequestError:
    fit = ", ".join(described.name for described in describe_variants(game))
    lacking = " and ".join(way.fit.lacking for way in change.ways)
    return RequestError(
        f"got the variant {change.name} of {game.name}, {lacking}, expected one that the game has: choose one of {fit}"
    )


def _same(game: Any, changed: Any) -> bool:
    """Whether two games are one, whatever they are called."""
    if isinstance(game, MatrixGame) and isinstance(changed, MatrixGame):
        kept = replace(changed, spec=replace(changed.spec, name=game.spec.name))
        return kept == game
    return bool(game == changed)
