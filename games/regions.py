"""Regions that opponents are drawn from, and whether two of them overlap.

A region is a box: an interval for each real parameter, a set for each other one. A parameter that hardly ever comes out
the same twice, such as a seed, makes no region: its draws are kept apart one by one. Left out: drawing (`opponents`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from games.errors import RequestError
from games.families import Family, family_of
from games.naming import NamedOpponent
from games.parameters import Span


def refuse_overlaps(game: Any, here: Iterable[Any], there: Iterable[Any], here_name: str, there_name: str) -> None:
    """Raise RequestError where a draw declared in one set could equal a draw declared in the other.

    here, there: declarations as `opponents.expand` takes them, of the sets of these names.
    """
    others = [(declared, region(game, declared)) for declared in there if _draws(declared)]
    for declared in here:
        own = region(game, declared) if _draws(declared) else None
        for other, known in others:
            if own is not None and known is not None and declared["family"] == other["family"] and overlap(own, known):
                raise RequestError(
                    f"got {declared['family']} drawn for {here_name} from {_written(declared)} and for {there_name} "
                    f"from {_written(other)}, expected regions without overlap: set ranges of one parameter apart"
                )


def refuse_inside(game: Any, fixed: Iterable[NamedOpponent], there: Iterable[Any], there_name: str) -> None:
    """Raise RequestError where an opponent lies in a region that the set `there` declares draws from."""
    boxes = [(declared, region(game, declared)) for declared in there if _draws(declared)]
    for opponent in fixed:
        point = _box(game, family_of(game, opponent.family), dict(opponent.parameters))
        for declared, box in boxes:
            if point and box and declared["family"] == opponent.family and overlap(point, box):
                raise RequestError(
                    f"got {opponent.name} in held_out, which lies where {there_name} draws from "
                    f"({_written(declared)}), expected one from elsewhere: choose other parameters, or another family"
                )


def region(game: Any, declaration: Mapping[str, Any]) -> dict[str, tuple[float, float] | frozenset[Any]] | None:
    """The box that a declaration with `count` draws from; None where there is none."""
    family = family_of(game, str(declaration.get("family")))
    ranges = declaration.get("parameters", {})
    family.refuse_unknown_ranges(ranges)
    return _box(game, family, ranges)


def _box(
    game: Any, family: Family, ranges: Mapping[str, Any]
) -> dict[str, tuple[float, float] | frozenset[Any]] | None:
    spans = {parameter.name: parameter.span(game, ranges) for parameter in family.parameters}
    box = {name: span for name, span in spans.items() if span is not None}
    return box if box and len(box) == len(spans) else None


def overlap(first: Mapping[str, Span], second: Mapping[str, Span]) -> bool:
    """Whether two boxes of one family share more than a border."""
    return all(_meet(first[name], second[name]) for name in first)


def _meet(first: Span, second: Span) -> bool:
    """Whether two sets share a value, or two intervals more than an end; a single number is no end."""
    if isinstance(first, tuple) and isinstance(second, tuple):
        low, high = max(first[0], second[0]), min(first[1], second[1])
        return low < high or (low == high and (first[0] == first[1] or second[0] == second[1]))
    assert isinstance(first, frozenset) and isinstance(second, frozenset)
    return bool(first & second)


def _draws(declaration: Any) -> bool:
    return isinstance(declaration, Mapping) and "count" in declaration


def _written(declaration: Mapping[str, Any]) -> str:
    ranges = declaration.get("parameters", {})
    return ", ".join(f"{name}={given}" for name, given in ranges.items()) or "the family's own ranges"
