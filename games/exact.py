"""Exact values of games: what play without a mistake is worth, and what there is to gain from a given opponent.

All values are expected returns of one episode in game units. Repeated matrix games are solved by `matrix_exact`, games
that OpenSpiel knows by `trees.exact`; `SOLVERS` says which is which. A value that there isn't is None; a game that is
too large, or known to neither, is a RequestError (`refusal` asks beforehand).

An opponent is a named opponent or a policy. In a matrix game that is a `FiniteStatePolicy`. In a tree game it is a
function (state, seat) of the OpenSpiel state; or one of the text of the seat's information state and the legal moves,
both in OpenSpiel's words; or a table {information state: probabilities}; each gives probabilities of the legal moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from games.errors import RequestError
from games.fits import MATRIX, TREE

if TYPE_CHECKING:
    from games.aec import AECGame
    from games.trees.sequence import Floats
    from games.trees.states import InformationState, TablePolicy, TreeGame
    from games.trees.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Solver:
    """Who knows the exact values of a kind of game."""

    fits: Callable[[Any], bool]
    module: str  # imported when it is needed: OpenSpiel takes a while


SOLVERS = (Solver(MATRIX.test, "games.matrix_exact"), Solver(TREE.test, "games.trees.exact"))


def _solver(game: Any) -> Any:
    for solver in SOLVERS:
        if solver.fits(game):
            return import_module(solver.module)
    raise RequestError(
        f"got {getattr(game, 'name', game)!r}, a game without a payoff matrix that OpenSpiel doesn't know either, "
        "expected one of the two: choose one such as rock_paper_scissors or kuhn_poker for exact values"
    )


def refusal(game: Any) -> str | None:
    """Why the game has no exact values at all, in one sentence; None where it has."""
    try:
        reason: str | None = _solver(game).refusal(game)
    except RequestError as error:
        return str(error)
    return reason


def security_value(game: Any, seat: int) -> float | None:
    """The most that `seat` can secure whatever all others do; None with hidden information and three or more seats."""
    value: float | None = _solver(game).security_value(game, seat)
    return value


def nash_value(game: Any, seat: int = 0) -> float | None:
    """The value of an episode for `seat` where two seats share a constant sum, else None."""
    value: float | None = _solver(game).nash_value(game, seat)
    return value


def best_response_value(game: Any, opponent: Any, seat: int) -> float | None:
    """The highest expected return of `seat` against an opponent on all other seats; None for one without a policy."""
    value: float | None = _solver(game).best_response_value(game, opponent, seat)
    return value


def best_response_policy(game: Any, opponent: Any, seat: int) -> Any:
    """A deterministic policy of `seat` that reaches `best_response_value`; of equally good moves it plays the first.

    A `FiniteStatePolicy` in a matrix game, else a tree policy; None for an opponent without a policy.
    """
    return _solver(game).best_response_policy(game, opponent, seat)


def expected_return(game: Any, first: Any, second: Any, *others: Any) -> tuple[float, ...] | None:
    """The expected return of every seat, played by the players in order; None if one of them has no policy."""
    values: tuple[float, ...] | None = _solver(game).expected_return(game, first, second, *others)
    return values


def nash_conv(game: Any, policies: Sequence[Any]) -> float | None:
    """What the seats could gain, added up, each by a best response to all others; 0 exactly in an equilibrium.

    policies: one for each seat. None if one of them has no policy.
    """
    value: float | None = _solver(game).nash_conv(game, policies)
    return value


def best_fixed_value(
    game: TreeGame, opponents: Sequence[Any], seat: int, weights: Sequence[float] | None = None
) -> float | None:
    """The highest expected return of one policy of `seat` that isn't told which of the opponents it meets.

    For tree games. weights: how often each is met, all equal unless given. None if one of them has no policy.
    """
    from games.trees import exact as trees  # OpenSpiel takes a while

    return trees.best_fixed_value(game, opponents, seat, weights)


def greedy_bayes_returns(
    game: TreeGame, opponents: Sequence[Any], seat: int, episodes: int, weights: Sequence[float] | None = None
) -> Floats | None:
    """What a player of `seat` that learns whom it faces gets in each episode from each opponent, [O, episodes].

    For tree games. One of the opponents plays a whole trial; in every episode the player makes the best response to
    what it then believes (`trees.bayes`). The first episode's mean is `best_fixed_value`; the total over the trial is
    at most that of the Bayes-optimal player, which explores on purpose, and that is at most the mean of
    `best_response_value` times `episodes`. weights: as there. None if one of them has no policy.
    """
    from games.trees import bayes

    return bayes.greedy_bayes_returns(game, opponents, seat, episodes, weights)


def information_states(game: TreeGame, seat: int) -> tuple[InformationState, ...]:
    """Every information state of the seat of a tree game, in a fixed order: what to ask a policy for, in one batch."""
    from games.trees import states  # OpenSpiel takes a while

    return states.information_states(game, seat)


def state_count(game: TreeGame, seat: int, most: int) -> int:
    """How many information states the seat of a tree game has; any number above `most` where there are more."""
    from games.trees import states  # OpenSpiel takes a while

    return states.state_count(game, seat, most)


def transcript(game: AECGame, where: InformationState) -> Transcript:
    """What the seat of an information state has read, in the game's words, when it is to move there."""
    from games.trees import transcript as transcripts

    return transcripts.transcript(game, where)


def from_table(game: TreeGame, table: Mapping[str, Sequence[float]]) -> TablePolicy:
    """The tree policy with these probabilities of the legal moves, by `InformationState.key`."""
    from games.trees import states

    return states.from_table(game, table)
