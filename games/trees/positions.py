"""The positions of a game in which nothing is hidden: histories that lead to the same position are one.

Tic-tac-toe has 549,946 histories and 5,478 positions. Positions serve where everyone's moves depend on the position
alone: for what play without a mistake is worth, and for policies that say so by an attribute `positional = True`.
Everything is backward induction. Left out: games that hide something, and policies that remember how a position came
about (`sequence`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, overload

import pyspiel

from games.errors import RequestError
from games.fits import load_solver
from games.trees.sequence import TIE
from games.trees.walk import is_sequential, require_explicit_chance, too_large

POSITIONS = 100_000  # the most positions that are visited, in some 3 s
COINCIDENCES = 12  # expected; none at all has a probability below e^-12
DEPTH = 16  # moves of the random plays by which a game that is far too large is recognised at once

CHANCE = -1  # OpenSpiel's number of chance as a mover; every number below it is of a finished play
Rule = Callable[[int, list[float]], float]  # (number of the position, values of what follows) -> its value
Rows = Mapping[int, Sequence[float]]  # number of a position -> probabilities of its moves


@dataclass(frozen=True, eq=False, slots=True)
class Histories(Sequence[tuple[int, ...]]):
    """For each position one history, as the actions that lead there from the start.

    origins: [P], the position before and the action there; the last position is the start.
    """

    origins: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        """P."""
        return len(self.origins)

    @overload
    def __getitem__(self, number: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, number: slice) -> list[tuple[int, ...]]: ...
    def __getitem__(self, number: int | slice) -> tuple[int, ...] | list[tuple[int, ...]]:
        """The history of a position."""
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        actions: list[int] = []
        while number not in (-1, len(self.origins) - 1):
            number, action = self.origins[number]
            actions.append(action)
        return tuple(reversed(actions))


@dataclass(frozen=True, eq=False, slots=True)
class Positions:
    """P positions, each after all that can follow it; the last is the start.

    game: the OpenSpiel game. movers: the seat to move, or `CHANCE`, or less at the end. following: numbers of the
    positions after each legal action, in their order. chance: probabilities of those, () unless chance moves.
    returns: of every seat, () before the end. histories: one for each position.
    numbers: `position_key` -> number.
    """

    game: Any
    movers: tuple[int, ...]
    following: tuple[tuple[int, ...], ...]
    chance: tuple[tuple[float, ...], ...]
    returns: tuple[tuple[float, ...], ...]
    histories: Histories
    numbers: dict[Hashable, int]

    def of_seat(self, seat: int) -> list[int]:
        """The positions in which the seat is to move."""
        return [number for number, mover in enumerate(self.movers) if mover == seat]

    def values(self, seat: int, rules: Mapping[int, Rule]) -> list[float]:
        """What each position is worth to `seat`, each mover choosing by the rule of its own; chance needs none."""
        worth: list[float] = []
        for number, mover in enumerate(self.movers):
            after = [worth[follower] for follower in self.following[number]]
            if mover < CHANCE:
                worth.append(self.returns[number][seat])
            elif mover == CHANCE:
                worth.append(_average(self.chance[number], after))
            else:
                worth.append(rules[mover](number, after))
        return worth

    def maximin(self, seat: int) -> float:
        """The most that the seat can secure against all others together."""
        rules = {other: _worst if other != seat else _best for other in range(self.game.num_players())}
        return self.values(seat, rules)[-1]

    def expected(self, plans: Mapping[int, Rows]) -> tuple[float, ...]:
        """The expected return of every seat, all playing by their plans: move probabilities by position."""
        rules = {seat: _mixed(plan) for seat, plan in plans.items()}
        return tuple(self.values(seat, rules)[-1] for seat in range(self.game.num_players()))

    def best_response(self, plans: Mapping[int, Rows], seat: int) -> tuple[float, dict[int, int]]:
        """The best expected return of `seat` against the plans of all others, and its move in each position."""
        chosen: dict[int, int] = {}

        def choose(number: int, after: list[float]) -> float:
            best = max(after)
            chosen[number] = next(move for move, worth in enumerate(after) if worth >= best - TIE * (1 + abs(best)))
            return best

        rules = {other: _mixed(plan) for other, plan in plans.items()} | {seat: choose}
        return self.values(seat, rules)[-1], chosen


def _best(_: int, after: list[float]) -> float:
    return max(after)


def _worst(_: int, after: list[float]) -> float:
    return min(after)


def _mixed(plan: Rows) -> Rule:
    return lambda number, after: _average(plan[number], after)


def _average(shares: Sequence[float], values: Sequence[float]) -> float:
    return sum(share * value for share, value in zip(shares, values, strict=True))


def hides_nothing(game: Any) -> bool:
    """Whether every seat knows the position whenever it moves."""
    return bool(game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION) and is_sequential(game)


def position_key(state: Any) -> Hashable:
    """What makes two histories one position: OpenSpiel's picture of it, the mover, the moves made, what was paid."""
    return state.move_number(), state.current_player(), str(state), tuple(state.returns())


def positions(solver: str) -> Positions:
    """The positions of the OpenSpiel game of this name, made once. Raises RequestError for too many of them."""
    outcome = _positions(solver)
    if isinstance(outcome, str):
        raise RequestError(outcome)
    return outcome


@lru_cache(maxsize=8)
def _positions(solver: str) -> Positions | str:
    """The positions, or the sentence that says why there are none."""
    try:
        return visit(load_solver(solver), POSITIONS)
    except RequestError as error:
        return str(error)


def visit(game: Any, limit: int) -> Positions:
    """Visit every position of the game, those after fewer moves first. Raises RequestError for more than `limit`."""
    require_explicit_chance(game)
    if _surely_more(game, limit):
        raise too_large(game, limit, "positions")
    found: dict[Hashable, int] = {position_key(root := game.new_initial_state()): 0}
    origins = [(-1, -1)]
    columns: tuple[list[Any], ...] = ([], [], [], [])
    level = [root]
    while level:
        deeper = []
        for state in level:
            following = []
            for action in [] if state.is_terminal() else state.legal_actions():
                child = state.child(action)
                key = position_key(child)
                if key not in found:
                    found[key] = len(found)
                    origins.append((len(columns[0]), action))
                    deeper.append(child)
                following.append(found[key])
            if len(found) > limit:
                raise too_large(game, limit, "positions")
            for column, entry in zip(columns, _entries(state, following), strict=True):
                column.append(entry)
        level = deeper
    return _reversed(game, found, origins, *columns)


def _entries(state: Any, following: list[int]) -> tuple[Any, ...]:
    """What is kept of a position: the mover, the numbers of what follows, chance, returns."""
    chance = tuple(share for _, share in state.chance_outcomes()) if state.is_chance_node() else ()
    return state.current_player(), following, chance, tuple(state.returns()) if state.is_terminal() else ()


def _reversed(game: Any, found: dict[Hashable, int], origins: list[tuple[int, int]], *columns: Any) -> Positions:
    """Number the positions from the last one found, so that each comes after all that can follow it."""
    last = len(found) - 1
    movers, following, chance, returns = (tuple(reversed(column)) for column in columns)
    return Positions(
        game,
        movers,
        tuple(tuple(last - follower for follower in followers) for followers in following),
        chance,
        returns,
        Histories(tuple((last - before, action) for before, action in reversed(origins))),
        {key: last - number for key, number in found.items()},
    )


def _surely_more(game: Any, limit: int) -> bool:
    """Whether there are more positions than `limit`, told from short random plays of which no two meet.

    Were there no more, so many plays would be expected to meet `COINCIDENCES` times or more after any number of moves.
    A game for which this says False may be too large all the same.
    """
    rng = random.Random(0)
    plays = [game.new_initial_state() for _ in range(math.isqrt(3 * COINCIDENCES * limit))]  # some end early
    for _ in range(DEPTH):
        plays = [state for state in plays if not state.is_terminal()]
        for state in plays:
            state.apply_action(rng.choice(state.legal_actions()))
        enough = len(plays) ** 2 > 2 * COINCIDENCES * limit
        if enough and len({position_key(state) for state in plays}) == len(plays):
            return True
    return False
