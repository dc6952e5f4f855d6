"""Parameters of opponent families: what values they take, how they are written, how they are drawn.

A kind of parameter is a small class; a family lists instances. Left out: what a parameter does (`families`).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from games.errors import RequestError, unknown
from games.finite_state import RepeatedGame

UNIFORM = "uniform"  # a start that is a uniformly random move
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

    def check(self, game: RepeatedGame, value: Any) -> Any:
        """The value as it is kept, also from text. Raises RequestError for one that doesn't fit."""

    def default(self, game: RepeatedGame) -> Any:
        """The value where none is given. Raises RequestError where one must be."""

    def draw(self, game: RepeatedGame, rng: np.random.Generator, ranges: Mapping[str, Any]) -> Any:
        """A random value from the range that `ranges` gives, or from the parameter's own."""


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

    def check(self, game: RepeatedGame, value: Any) -> float:
        """A float in [low, high]."""
        number = _number(self.name, value)
        if not self.low <= number <= self.high:
            raise RequestError(f"got {self.name}={value}, expected a number from {self.low} to {self.high}")
        return number

    def default(self, game: RepeatedGame) -> float:
        """The usual value."""
        return self.usual

    def draw(self, game: RepeatedGame, rng: np.random.Generator, ranges: Mapping[str, Any]) -> float:
        """Uniform over the range, rounded to three decimals; both ends belong to it."""
        given = ranges.get(self.name, [self.draw_low, self.draw_high])
        if not isinstance(given, list | tuple):
            return self.check(game, given)
        if len(given) != 2 or self.check(game, given[0]) > self.check(game, given[1]):
            raise RequestError(f"got {self.name}={given}, expected one number or a range [low, high]")
        low, high = (self.check(game, end) for end in given)
        return min(max(round(low + (high - low) * rng.random(), 3), low), high)


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

    def check(self, game: RepeatedGame, value: Any) -> int:
        """An int of at least `low`."""
        number = _number(self.name, value)
        if not number.is_integer() or number < self.low:
            raise RequestError(f"got {self.name}={value}, expected a whole number of at least {self.low}")
        return int(number)

    def default(self, game: RepeatedGame) -> int:
        """The usual value."""
        return self.usual

    def draw(self, game: RepeatedGame, rng: np.random.Generator, ranges: Mapping[str, Any]) -> int:
        """One of the choices."""
        if self.name not in ranges and not self.choices:
            return int(rng.integers(SEEDS))
        return self.check(game, _one_of(ranges.get(self.name, self.choices), rng))


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

    def check(self, game: RepeatedGame, value: Any) -> str:
        """A move of either seat."""
        known = [move for moves in game.moves for move in moves] + [UNIFORM] * self.random_too
        if value not in known:
            raise unknown(f"{self.name} in {game.name}", str(value), dict.fromkeys(known))
        return str(value)

    def default(self, game: RepeatedGame) -> str:
        """The first move."""
        return game.moves[0][0]

    def draw(self, game: RepeatedGame, rng: np.random.Generator, ranges: Mapping[str, Any]) -> str:
        """One of the moves given, or of all moves of seat 0."""
        return self.check(game, _one_of(ranges.get(self.name, list(game.moves[0])), rng))


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

    def check(self, game: RepeatedGame, value: Any) -> tuple[float, ...]:
        """Probabilities that sum to 1 within a thousandth."""
        parts = value.split("/") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise RequestError(f"got {self.name}={value}, expected probabilities such as 0.2/0.3/0.5")
        numbers = tuple(_number(self.name, part) for part in parts)
        if min(numbers) < 0 or abs(sum(numbers) - 1) > 1e-3:
            raise RequestError(f"got {self.name}={value}, expected probabilities that sum to 1")
        return numbers

    def default(self, game: RepeatedGame) -> tuple[float, ...]:
        """There is none."""
        raise RequestError(f"got no {self.name}, expected probabilities: give {self.name}=0.2/0.3/0.5")

    def draw(self, game: RepeatedGame, rng: np.random.Generator, ranges: Mapping[str, Any]) -> Any:
        """Dirichlet(alpha) over the moves of seat 0."""
        if self.name in ranges:
            return ranges[self.name]
        alpha = _number("alpha", ranges.get("alpha", self.alpha))
        if not 0.01 <= alpha <= 100:
            raise RequestError(f"got alpha={alpha}, expected a number from 0.01 to 100")
        return tuple(dirichlet(rng.random, alpha, len(game.moves[0]), decimals=3))


def uniforms(seed: int) -> Callable[[], float]:
    """Numbers in [0, 1) that depend on nothing but the seed: numpy keeps PCG64's raw bits the same."""
    bits = np.random.PCG64(seed)
    return lambda: (int(bits.random_raw()) >> 11) * 2.0**-53


def dirichlet(source: Callable[[], float], alpha: float, size: int, decimals: int = 6) -> list[float]:
    """Draw from the symmetric Dirichlet(alpha), rounded so that the `size` numbers still sum to 1.

    source: uniform numbers in [0, 1). Normalised gamma variates, kept as logarithms, since small alphas
    underflow; the rounding (largest remainders) takes away what differs between platforms.
    """
    logarithms = [_log_gamma_variate(source, alpha) for _ in range(size)]
    weights = [math.exp(logarithm - max(logarithms)) for logarithm in logarithms]
    scaled = [weight / sum(weights) * 10**decimals for weight in weights]
    whole = [math.floor(part) for part in scaled]
    by_remainder = sorted(range(size), key=lambda index: whole[index] - scaled[index])
    for index in by_remainder[: 10**decimals - sum(whole)]:
        whole[index] += 1
    return [part / 10**decimals for part in whole]


def _log_gamma_variate(source: Callable[[], float], shape: float) -> float:
    """Logarithm of a Gamma(shape, 1) variate (Marsaglia and Tsang 2000, with their boost by U^(1/shape))."""
    d = shape + 1.0 - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    boost = math.log(1.0 - source()) / shape
    while True:
        radius = math.sqrt(-2.0 * math.log(1.0 - source()))
        normal = radius * math.cos(2.0 * math.pi * source())
        cube = (1.0 + c * normal) ** 3
        if cube > 0 and math.log(1.0 - source()) < 0.5 * normal**2 + d - d * cube + d * math.log(cube):
            return math.log(d * cube) + boost


def _one_of(given: Any, rng: np.random.Generator) -> Any:
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
