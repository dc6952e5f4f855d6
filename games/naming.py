"""Named opponents: a family with fixed parameters, its name, strategy and player.

A name is canonical text such as `peaked_habit(move=R,peak=0.8)` or `mixture(of=cycle(start=R,step=1),epsilon=0.1)`,
which `parse` turns back into the same opponent. One that is made of another, its inner one, keeps that by name, and its
family's builder is given the inner opponent itself, so that no family has to look for others. Left out: the rules
themselves (`families`), drawing many (`opponents`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from games import strategies
from games.errors import RequestError
from games.families import FAMILIES, settle
from games.finite_state import FiniteStatePolicy, RepeatedGame
from games.fits import MATRIX, TREE
from games.players import Player
from games.stage import is_symmetric, require_matrix
from games.strategies import Strategy
from games.trees.policy import TreePolicy


@dataclass(frozen=True)
class NamedOpponent:
    """A family with fixed parameters, in the family's order. Equal exactly when the names are equal."""

    family: str
    parameters: tuple[tuple[str, Any], ...]

    @property
    def rule(self) -> str:
        """The idea behind the family; opponents of one rule are near each other."""
        family = FAMILIES[self.family]
        if family.inner is None or not family.takes_rule:
            return family.rule
        inner, arguments = _parts(dict(self.parameters)[family.inner])
        return NamedOpponent(inner, tuple(arguments.items())).rule

    @property
    def name(self) -> str:
        """Canonical text: family(parameter=value,...), all parameters written out."""
        if not self.parameters:
            return self.family
        return f"{self.family}({','.join(f'{key}={_text(value)}' for key, value in self.parameters)})"

    def strategy(self, game: Any, seat: int) -> Strategy:
        """What it plays by on its own `seat`. Raises RequestError where the rule makes no sense in the game."""
        cached = MATRIX.test(game) or TREE.test(game)  # other games need not be hashable, and cost nothing to build
        return _strategy(self, game, seat) if cached else _build(self, game, seat)

    def policy(self, game: RepeatedGame, seat: int) -> FiniteStatePolicy:
        """Its policy on its own `seat` of a repeated matrix game. Raises RequestError in any other game."""
        require_matrix(game)
        strategy = self.strategy(game, seat)
        assert isinstance(strategy, FiniteStatePolicy)
        return strategy

    def tree_policy(self, game: Any, seat: int) -> TreePolicy | None:
        """Its move probabilities on its own `seat` of a game that OpenSpiel knows; None where it has none to give."""
        strategy = self.strategy(game, seat)
        return strategy if isinstance(strategy, TreePolicy) else None

    def player(self, game: Any, seat: int, earlier: Sequence[Sequence[tuple[int, ...]]] = ()) -> Player:
        """A fresh player for one episode on `seat`, who forgets what was played earlier in the trial."""
        return strategies.make_player(self.strategy(game, seat), game, seat)


@lru_cache(maxsize=4096)
def _strategy(opponent: NamedOpponent, game: Any, seat: int) -> Strategy:
    if seat == 1 and MATRIX.test(game) and is_symmetric(game):
        return _strategy(opponent, game, 0)
    return _build(opponent, game, seat)


def _build(opponent: NamedOpponent, game: Any, seat: int) -> Strategy:
    family, values = FAMILIES[opponent.family], dict(opponent.parameters)
    if family.inner is not None:
        values[family.inner] = parse(game, values[family.inner])
    built: Strategy = family.build(game, seat, **values)
    return built


def named(game: Any, family: str, parameters: Mapping[str, Any]) -> NamedOpponent:
    """The opponent of a family, or preset, with these parameters, defaults filled in, checked on every seat.

    Raises RequestError for an unknown family or parameter, a value out of range, or a rule that makes no
    sense in the game.
    """
    settled, given = settle(game, family, parameters)
    values = settled.resolve(game, given)
    if settled.inner is not None:
        values[settled.inner] = parse(game, values[settled.inner]).name
    result = NamedOpponent(settled.name, tuple(values.items()))
    for seat in _seats(game):
        result.strategy(game, seat)
    return result


def parse(game: Any, text: str) -> NamedOpponent:
    """The opponent written as `family` or `family(parameter=value,...)`; `parse(game, o.name) == o`.

    A value may be an opponent's name itself, with parentheses and commas of its own.
    """
    return named(game, *_parts(text))


def inner_opponents(game: Any, opponent: NamedOpponent) -> tuple[NamedOpponent, ...]:
    """The opponents that it is made of, outermost first: what it mixes, answers best or has learned against."""
    inner = FAMILIES[opponent.family].inner
    if inner is None:
        return ()
    found = parse(game, dict(opponent.parameters)[inner])
    return (found, *inner_opponents(game, found))


def _parts(text: str) -> tuple[str, dict[str, str]]:
    """The family and the parameters of a name as they are written. RequestError for text that is not of that form."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if match is None or not _is_balanced(match[2] or ""):
        raise RequestError(f"got the opponent {text!r}, expected family or family(parameter=value,...)")
    given: dict[str, str] = {}
    for part in split_names(match[2] or ""):
        key, equals, value = part.partition("=")
        if not equals or key.strip() in given:
            raise RequestError(f"got {part!r} in the opponent {text!r}, expected each parameter once, as name=value")
        given[key.strip()] = value.strip()
    return match[1], given


def _is_balanced(text: str) -> bool:
    """Whether every parenthesis closes one that is open."""
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def split_names(text: str) -> list[str]:
    """The parts of a list such as `cycle(start=R,step=1),tit_for_tat`: commas in parentheses don't count."""
    names, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return [name.strip() for name in names if name.strip()]


def behaviour(game: Any, opponent: NamedOpponent) -> tuple[bytes, ...]:
    """The fingerprint on each seat (`strategies.fingerprint`); a single one where both seats are the same."""
    return tuple(strategies.fingerprint(opponent.strategy(game, seat), game, seat) for seat in _seats(game))


def opponent_distance(game: Any, first: NamedOpponent, second: NamedOpponent) -> float:
    """`strategies.distance` of two opponents, in [0, 1]; the smallest where the seats differ."""
    return min(
        strategies.distance(first.strategy(game, seat), second.strategy(game, seat), game, seat)
        for seat in _seats(game)
    )


def _seats(game: Any) -> tuple[int, ...]:
    """The seats on which an opponent may differ."""
    if MATRIX.test(game):
        return (0,) if is_symmetric(game) else (0, 1)
    return tuple(range(game.seats))


def _text(value: Any) -> str:
    """A parameter as it stands in a name."""
    return "/".join(map(repr, value)) if isinstance(value, tuple) else str(value)
