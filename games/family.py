"""What a family of scripted opponents is: a rule with parameters, and the games that it fits.

Left out: the families themselves (`families` has the table).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from games.errors import unknown
from games.fits import Fit
from games.parameters import Parameter

Builder = Callable[..., Any]  # (game, seat, **parameters) -> games.strategies.Strategy


@dataclass(frozen=True)
class Way:
    """How a family becomes a strategy in one kind of game."""

    fit: Fit
    builder: Builder


@dataclass(frozen=True)
class Family:
    """Scripted opponents of one rule.

    rule: families that share it are parameterisations of one idea ("near" each other); others are "far".
    parameters: in the order in which names show them.
    ways: by kind of game; the first that fits is taken.
    inner: the parameter that is another opponent, by name; `ways` are given that opponent itself. None for none.
    takes_rule: whether the rule is the inner opponent's instead of its own.
    """

    name: str
    rule: str
    doc: str
    parameters: tuple[Parameter, ...]
    ways: tuple[Way, ...]
    inner: str | None = None
    takes_rule: bool = False

    def fits(self, game: Any) -> bool:
        """Whether the rule makes sense in this kind of game."""
        return any(way.fit.test(game) for way in self.ways)

    def build(self, game: Any, seat: int, **parameters: Any) -> Any:
        """The strategy of `seat` in `game`. Raises RequestError where the rule makes no sense in the game."""
        builder = next(way.builder for way in self.ways if way.fit.test(game))
        return builder(game, seat, **parameters)

    def resolve(self, game: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters in order, checked, with defaults for those not given."""
        self._refuse_unknown(given, [parameter.name for parameter in self.parameters])
        return {
            parameter.name: parameter.check(game, given[parameter.name])
            if parameter.name in given
            else parameter.default(game)
            for parameter in self.parameters
        }

    def sample(self, game: Any, rng: np.random.Generator, ranges: Mapping[str, Any]) -> dict[str, Any]:
        """Draw parameters from `ranges` (a value fixes a parameter; unnamed ones have their own ranges)."""
        self.refuse_unknown_ranges(ranges)
        drawn = {parameter.name: parameter.draw(game, rng, ranges) for parameter in self.parameters}
        return self.resolve(game, drawn)

    def refuse_unknown_ranges(self, ranges: Mapping[str, Any]) -> None:
        """Raise RequestError for a setting that no parameter is drawn by."""
        self._refuse_unknown(ranges, [name for parameter in self.parameters for name in parameter.range_names])

    def _refuse_unknown(self, given: Mapping[str, Any], known: list[str]) -> None:
        for name in given:
            if name not in known:
                raise unknown(f"parameter of {self.name}", name, known)
