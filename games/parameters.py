"""Parameters of opponent families: what values they take, how they are written, how they are drawn.

A kind of parameter is a small class; a family lists instances. Left out: what a parameter does (`families`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from games.draws import dirichlet, uniforms
from games.errors import RequestError, unknown

__all__ = [
    "UNIFORM",
    "Move",
    "Parameter",
    "Probabilities",
    "Real",
    "Span",
    "Whole",
    "dirichlet",
    "one_of",
    "uniforms",
    "values_of",
]

UNIFORM = "uniform"  # a start that is a uniformly random move
Span = tuple[float, float] | frozenset[Any] | None  # [low, high], or the values one by one

SEEDS = 1_000_000_000  # drawn seeds are below this: short in names, unlikely to repeat


class Parameter(Protocol):
    """One parameter of a family. A value given by a person is checked and made canonical by `check`."""

    @property
    def name(self) -> str:
        """The name in `family(name=value)`."""

    @property
    def doc(self) -> str:
        """What it means, its range."""

    @property
    def range_names(self) -> tuple[str, ...]:
        """The settings that `draw` looks for in `ranges`."""

    def check(self, game: Any, value: Any) -> Any:
        """The value as it is kept, also from text. Raises RequestError for one that doesn't fit."""

    def default(self, game: Any) -> Any:
        """The value where none is given. Raises RequestError where one must be."""

    def draw(self, game: Any, rng: np.random.Generator, ranges: Mapping[str, Any]) -> Any:
        """A random value from the range that `ranges` gives, or from the parameter's own."""

    def span(self, game: Any, ranges: Mapping[str, Any]) -> Span:
        """What `draw` draws from; None where it hardly ever draws the same twice, as for seeds."""


@dataclass(frozen=True)
class Real:
    """A real number in [low, high]; drawn uniformly from [draw_low, draw_high], to three decimals."""

    name: str
    doc: str
    low: float
    high: float
    usual: float
    draw_low: float
    draw_high: float

    @property
    def range_names(self) -> tuple[str, ...]:
        """Its own name: a number fixes it, [low, high] is a range."""
        return (self.name,)

    def check(self, game: Any, value: Any) -> float:
        """A float in [low, high]."""
        number = _number(self.name, value)
        if not self.low <= number <= self.high:
            raise RequestError(f"got {self.name}={value}, expected a number from {self.low} to {self.high}")
        return number

    def default(self, game: Any) -> float:
        """The usual value."""
        return self.usual

    def draw(self, game: Any, rng: np.random.Generator, ranges: Mapping[str, Any]) -> float:
        """Uniform over the range, rounded to three decimals; both ends belong to it."""
        low, high = self.span(game, ranges)
        if not isinstance(ranges.get(self.name, []), list | tuple):
            return low
        return min(max(round(low + (high - low) * rng.random(), 3), low), high)

    def span(self, game: Any, ranges: Mapping[str, Any]) -> tuple[float, float]:
        """Both ends of the range."""
        given = ranges.get(self.name, [self.draw_low, self.draw_high])
        ends = given if isinstance(given, list | tuple) else [given, given]
        if len(ends) != 2 or self.check(game, ends[0]) > self.check(game, ends[1]):
            raise RequestError(f"got {self.name}={given}, expected one number or a range [low, high]")
        return self.check(game, ends[0]), self.check(game, ends[1])


@dataclass(frozen=True)
class Whole:
    """A whole number of at least `low`; drawn from `choices`, or, where there are none, a seed below `SEEDS`.

    usual: the default.
    """

    name: str
    doc: str
    low: int
    usual: int
    choices: tuple[int, ...] = ()

    @property
    def range_names(self) -> tuple[str, ...]:
        """Its own name: a number fixes it, a list is a choice."""
        return (self.name,)

    def check(self, game: Any, value: Any) -> int:
        """An int of at least `low`."""
        number = _number(self.name, value)
        if not number.is_integer() or number < self.low:
            raise RequestError(f"got {self.name}={value}, expected a whole number of at least {self.low}")
        return int(number)

    def default(self, game: Any) -> int:
        """The usual value."""
        return self.usual

    def draw(self, game: Any, rng: np.random.Generator, ranges: Mapping[str, Any]) -> int:
        """One of the choices."""
        if self.name not in ranges and not self.choices:
            return int(rng.integers(SEEDS))
        return self.check(game, one_of(ranges.get(self.name, self.choices), rng))

    def span(self, game: Any, ranges: Mapping[str, Any]) -> frozenset[Any] | None:
        """The choices, None for seeds."""
        if self.name not in ranges and not self.choices:
            return None
        return frozenset(self.check(game, value) for value in values_of(ranges.get(self.name, self.choices)))


@dataclass(frozen=True)
class Move:
    """A move of the game by name, the first one where none is given; `uniform` where `random_too`."""

    name: str
    doc: str
    random_too: bool = False

    @property
    def range_names(self) -> tuple[str, ...]:
        """Its own name: a move fixes it, a list is a choice."""
        return (self.name,)

    def check(self, game: Any, value: Any) -> str:
        """A move of either seat."""
        known = [move for moves in game.moves for move in moves] + [UNIFORM] * self.random_too
        if value not in known:
            raise unknown(f"{self.name} in {game.name}", str(value), dict.fromkeys(known))
        return str(value)

    def default(self, game: Any) -> str:
        """The first move."""
        return game.moves[0][0]

    def draw(self, game: Any, rng: np.random.Generator, ranges: Mapping[str, Any]) -> str:
        """One of the moves given, or of all moves of seat 0."""
        return self.check(game, one_of(ranges.get(self.name, list(game.moves[0])), rng))

    def span(self, game: Any, ranges: Mapping[str, Any]) -> frozenset[Any]:
        """The moves it is drawn from."""
        return frozenset(self.check(game, move) for move in values_of(ranges.get(self.name, list(game.moves[0]))))


@dataclass(frozen=True)
class Probabilities:
    """A probability for each move, written 0.2/0.3/0.5; drawn from a Dirichlet, to three decimals."""

    name: str
    doc: str
    alpha: float  # of the Dirichlet, where `ranges` gives none

    @property
    def range_names(self) -> tuple[str, ...]:
        """Its own name fixes it; `alpha` is the concentration it is drawn with."""
        return (self.name, "alpha")

    def check(self, game: Any, value: Any) -> tuple[float, ...]:
        """Probabilities that sum to 1 within a thousandth."""
        parts = value.split("/") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise RequestError(f"got {self.name}={value}, expected probabilities such as 0.2/0.3/0.5")
        numbers = tuple(_number(self.name, part) for part in parts)
        if min(numbers) < 0 or abs(sum(numbers) - 1) > 1e-3:
            raise RequestError(f"got {self.name}={value}, expected probabilities that sum to 1")
        return numbers

    def default(self, game: Any) -> tuple[float, ...]:
        """There is none."""
        raise RequestError(f"got no {self.name}, expected probabilities: give {self.name}=0.2/0.3/0.5")

    def draw(self, game: Any, rng: np.random.Generator, ranges: Mapping[str, Any]) -> Any:
        """Dirichlet(alpha) over the moves of seat 0."""
        if self.name in ranges:
            return ranges[self.name]
        alpha = _number("alpha", ranges.get("alpha", self.alpha))
        if not 0.01 <= alpha <= 100:
            raise RequestError(f"got alpha={alpha}, expected a number from 0.01 to 100")
        return tuple(dirichlet(rng.random, alpha, len(game.moves[0]), decimals=3))

    def span(self, game: Any, ranges: Mapping[str, Any]) -> None:
        """None: two draws hardly ever agree."""


def values_of(given: Any) -> list[Any]:
    """The entries of a list, or the one value."""
    return list(given) if isinstance(given, list | tuple) else [given]


def one_of(given: Any, rng: np.random.Generator) -> Any:
    """`given` itself, or a random entry where it is a list."""
    if not isinstance(given, list | tuple):
        return given
    if not given:
        raise RequestError("got an empty list of values to draw from, expected at least one")
    return given[int(rng.integers(len(given)))]


def _number(name: str, value: Any) -> float:
    """A finite number from a number or its text."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise RequestError(f"got {name}={value}, expected a number") from None
    if not math.isfinite(number):
        raise RequestError(f"got {name}={value}, expected a finite number")
    return number
