"""Regions that opponents are drawn from, and whether sets of opponents that must be kept apart share one.

A region is a box: an interval for each real parameter, a set for each other one; a single opponent is a point. What
takes its rule from another opponent, such as a mixture of it with random moves, lies where that one does as well. A
parameter that hardly ever comes out the same twice, such as a seed, makes no region: its draws are kept apart one by
one. Left out: drawing, and whether two opponents behave alike (`opponents`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from games.errors import RequestError
from games.families import Family, family_of
from games.naming import NamedOpponent, parse
from games.parameters import Span, values_of

APART = (  # the sets of a config whose regions may not overlap: what is tested on, and what is trained on or chosen by
    ("held_out", "training"),
    ("held_out", "corpus"),
    ("held_out", "validation"),
    ("validation", "training"),
    ("validation", "corpus"),
)

Box = dict[str, tuple[float, float] | frozenset[Any]]


@dataclass(frozen=True, slots=True)
class Area:
    """Where the opponents of one declaration lie."""

    family: str
    box: Box
    text: str  # the opponent's name, or the ranges that are drawn from
    drawn: bool


def draws(declaration: Any) -> bool:
    """Whether a declaration, as `opponents.expand` takes it, stands for opponents that are drawn."""
    return isinstance(declaration, Mapping) and "count" in declaration


def refuse_shared_regions(game: Any, sets: Mapping[str, Iterable[NamedOpponent | Mapping[str, Any]]]) -> None:
    """Raise RequestError where a draw for one set could equal an opponent of another, as `APART` pairs them.

    sets: by name; of each, single opponents and declarations that draw. Two single opponents are not looked at: they
    are compared by how they behave.
    """
    areas = {name: _areas(game, members) for name, members in sets.items()}
    for here, there in APART:
        for own, other in product(areas.get(here, ()), areas.get(there, ())):
            if own.family == other.family and (own.drawn or other.drawn) and overlap(own.box, other.box):
                raise _shared(own, here, other, there)


def _areas(game: Any, members: Iterable[NamedOpponent | Mapping[str, Any]]) -> list[Area]:
    found = []
    for member in members:
        if isinstance(member, NamedOpponent):
            family, ranges, text = member.family, dict(member.parameters), member.name
        else:
            family, ranges = str(member.get("family")), member.get("parameters", {})
            text = ", ".join(f"{name}={given}" for name, given in ranges.items()) or "the family's own ranges"
        known = family_of(game, family)
        box = region(game, known, ranges)
        if box is not None:
            found.append(Area(family, box, text, draws(member)))
        if known.inner is not None and known.takes_rule and known.inner in ranges:
            inner = [parse(game, str(name)) for name in values_of(ranges[known.inner])]
            found += [replace(area, text=text) for area in _areas(game, inner)]
    return found


def _shared(own: Area, here: str, other: Area, there: str) -> RequestError:
    if own.drawn and other.drawn:
        return RequestError(
            f"got {own.family} drawn for {here} from {own.text} and for {there} from {other.text}, expected regions "
            "without overlap: set ranges of one parameter apart"
        )
    (point, where), (area, drawer) = ((other, there), (own, here)) if own.drawn else ((own, here), (other, there))
    return RequestError(
        f"got {point.text} in {where}, which lies where {drawer} draws from ({area.text}), expected one from "
        "elsewhere: choose other parameters, or another family"
    )


def region(game: Any, family: Family, ranges: Mapping[str, Any]) -> Box | None:
    """The box that a family's parameters are drawn from by `ranges`; None where it has none."""
    family.refuse_unknown_ranges(ranges)
    spans = {parameter.name: parameter.span(game, ranges) for parameter in family.parameters}
    box: Box = {name: span for name, span in spans.items() if span is not None}
    if family.inner is not None:
        box[family.inner] = frozenset(parse(game, str(text)).name for text in box[family.inner])
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
    return any(_agree(own, other) for own, other in product(first, second))


def _agree(first: Any, second: Any) -> bool:
    """Whether two values are one; a tuple stands for all that begin with it."""
    if isinstance(first, tuple) and isinstance(second, tuple):
        known = min(len(first), len(second))
        return first[:known] == second[:known]
    return bool(first == second)
