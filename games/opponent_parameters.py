"""Parameters of opponents that are built from other things: another opponent, a policy file, an order of cells.

Left out: numbers and moves (`parameters`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from games.errors import RequestError
from games.parameters import one_of, values_of

Check = Callable[[Any, str], str]  # (game, what a person wrote) -> the canonical text


@dataclass(frozen=True)
class Text:
    """A text that `checked` makes canonical, such as a file's path. `usual` is the default, None for none."""

    name: str
    doc: str
    checked: Check
    example: str
    usual: str | None = None

    @property
    def range_names(self) -> tuple[str, ...]:
        """Its own name: a text fixes it, a list is a choice."""
        return (self.name,)

    def check(self, game: Any, value: Any) -> str:
        """The canonical text."""
        return self.checked(game, str(value))

    def default(self, game: Any) -> str:
        """The usual one. Raises RequestError where there is none."""
        if self.usual is None:
            raise RequestError(f"got no {self.name}, expected {self.doc}: give {self.name}={self.example}")
        return self.check(game, self.usual)

    def draw(self, game: Any, rng: np.random.Generator, ranges: Mapping[str, Any]) -> str:
        """One of those given."""
        return self.check(game, one_of(ranges[self.name], rng)) if self.name in ranges else self.default(game)

    def span(self, game: Any, ranges: Mapping[str, Any]) -> frozenset[Any] | None:
        """Those given."""
        if self.name not in ranges:
            return frozenset([self.default(game)])
        return frozenset(self.check(game, value) for value in values_of(ranges[self.name]))


@dataclass(frozen=True)
class Order:
    """An order of all cells or columns by OpenSpiel's numbers, written 4/0/2/...; drawn at random.

    usual: the default order in a game.
    """

    name: str
    doc: str
    usual: Callable[[Any], tuple[int, ...]]

    @property
    def range_names(self) -> tuple[str, ...]:
        """Its own name: an order fixes it, a list of orders is a choice. `first`: the cells that may come first."""
        return (self.name, "first")

    def check(self, game: Any, value: Any) -> tuple[int, ...]:
        """Every number once."""
        known = sorted(self.usual(game))
        parts = value.split("/") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple) or not all(str(part).strip().isdecimal() for part in parts):
            raise RequestError(f"got {self.name}={value}, expected numbers in an order such as {_text(known)}")
        numbers = tuple(int(part) for part in parts)
        if sorted(numbers) != known:
            raise RequestError(f"got {self.name}={value}, expected each number from 0 to {known[-1]} once")
        return numbers

    def default(self, game: Any) -> tuple[int, ...]:
        """The usual order."""
        return self.usual(game)

    def draw(self, game: Any, rng: np.random.Generator, ranges: Mapping[str, Any]) -> tuple[int, ...]:
        """A random order, or one of those given."""
        if self.name in ranges:
            return self.check(game, one_of(self._orders(ranges), rng))
        cells = self.usual(game)
        first = one_of(self._firsts(game, ranges), rng)
        keyed = sorted((float(rng.random()), cell) for cell in sorted(cells) if cell != first)
        return (first, *(cell for _, cell in keyed))

    def span(self, game: Any, ranges: Mapping[str, Any]) -> frozenset[tuple[int, ...]]:
        """How the orders begin: those given in full, else the cells that may come first, each on its own."""
        if self.name in ranges:
            return frozenset(self.check(game, order) for order in self._orders(ranges))
        return frozenset((first,) for first in self._firsts(game, ranges))

    def _orders(self, ranges: Mapping[str, Any]) -> list[Any]:
        """The orders that are given: one, as text or as a list of numbers, or a list of such."""
        given = ranges[self.name]
        several = isinstance(given, list | tuple) and given and not isinstance(given[0], int)
        return list(given) if several else [given]

    def _firsts(self, game: Any, ranges: Mapping[str, Any]) -> list[int]:
        cells = sorted(self.usual(game))
        given = ranges.get("first", cells)
        firsts = values_of(given)
        if not firsts or any(first not in cells for first in firsts):
            raise RequestError(f"got first={given}, expected cells from 0 to {cells[-1]}")
        return firsts


def _text(numbers: list[int]) -> str:
    return "/".join(map(str, numbers))


def opponent_text(game: Any, text: str) -> str:
    """An opponent's name as it is written; `naming`, which knows all families, makes it canonical."""
    return text.strip()
