"""Named opponents: a family with fixed parameters, its name, policy and player.

A name is canonical text such as `peaked_habit(move=R,peak=0.8)`, which `parse` turns back into the same
opponent. Left out: the rules themselves (`families`), drawing many (`opponents`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from games.errors import RequestError, unknown
from games.families import FAMILIES
from games.finite_state import FiniteStatePolicy, RepeatedGame, distance
from games.players import FiniteStatePlayer, Player
from games.stage import is_symmetric, require_matrix


@dataclass(frozen=True)
class NamedOpponent:
    """A family with fixed parameters, in the family's order. Equal exactly when the names are equal."""

    family: str
    parameters: tuple[tuple[str, Any], ...]

    @property
    def rule(self) -> str:
        """The idea behind the family; opponents of one rule are near each other."""
        return FAMILIES[self.family].rule

    @property
    def name(self) -> str:
        """Canonical text: family(parameter=value,...), all parameters written out."""
        if not self.parameters:
            return self.family
        return f"{self.family}({','.join(f'{key}={_text(value)}' for key, value in self.parameters)})"

    def policy(self, game: RepeatedGame, seat: int) -> FiniteStatePolicy:
        """Its policy on its own `seat`. Raises RequestError where the rule makes no sense in the game."""
        require_matrix(game)
        return _policy(self, game, seat)

    def player(self, game: RepeatedGame, seat: int) -> Player:
        """A fresh player for one episode on `seat`."""
        return FiniteStatePlayer(self.policy(game, seat), tuple(game.moves[seat]))


@lru_cache(maxsize=4096)
def _policy(opponent: NamedOpponent, game: RepeatedGame, seat: int) -> FiniteStatePolicy:
    if seat == 1 and is_symmetric(game):
        return _policy(opponent, game, 0)
    return FAMILIES[opponent.family].build(game, seat, **dict(opponent.parameters))


def named(game: RepeatedGame, family: str, parameters: Mapping[str, Any]) -> NamedOpponent:
    """The opponent of a family with these parameters, defaults filled in, checked on both seats.

    Raises RequestError for an unknown family or parameter, a value out of range, or a rule that makes no
    sense in the game.
    """
    require_matrix(game)
    if family not in FAMILIES:
        raise unknown("opponent family", family, FAMILIES)
    result = NamedOpponent(family, tuple(FAMILIES[family].resolve(game, parameters).items()))
    for seat in (0, 1):
        result.policy(game, seat)
    return result


def parse(game: RepeatedGame, text: str) -> NamedOpponent:
    """The opponent written as `family` or `family(parameter=value,...)`; `parse(game, o.name) == o`."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if match is None:
        raise RequestError(f"got the opponent {text!r}, expected family or family(parameter=value,...)")
    given: dict[str, str] = {}
    for part in filter(None, (match[2] or "").split(",")):
        key, equals, value = part.partition("=")
        if not equals or key.strip() in given:
            raise RequestError(f"got {part!r} in the opponent {text!r}, expected each parameter once, as name=value")
        given[key.strip()] = value.strip()
    return named(game, match[1], given)


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


def behaviour(game: RepeatedGame, opponent: NamedOpponent) -> tuple[bytes, ...]:
    """The fingerprint on each seat; a single one where both seats are the same."""
    return tuple(opponent.policy(game, seat).fingerprint() for seat in _seats(game))


def opponent_distance(game: RepeatedGame, first: NamedOpponent, second: NamedOpponent) -> float:
    """`finite_state.distance` of two opponents, in [0, 1]; the smaller one where the seats differ."""
    return min(distance(first.policy(game, seat), second.policy(game, seat), game.rounds) for seat in _seats(game))


def _seats(game: RepeatedGame) -> tuple[int, ...]:
    return (0,) if is_symmetric(game) else (0, 1)


def _text(value: Any) -> str:
    """A parameter as it stands in a name."""
    return "/".join(map(repr, value)) if isinstance(value, tuple) else str(value)
