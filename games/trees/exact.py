"""Exact values of games that OpenSpiel knows and that are small enough to be enumerated.

All values are expected returns of one episode in game units. Where nothing is hidden and all policies go by position,
positions are enumerated, elsewhere histories, each once for a game. OpenSpiel walks its own trees; its solvers aren't
used, since they need a package that we don't install (the linear program), take no moves at the same time, or know no
game without information-state text, but the tests compare with them. Left out: games that are larger, and opponents
without probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from games.errors import RequestError
from games.fits import load_solver
from games.trees import positions, program, walk
from games.trees.policy import Probabilities
from games.trees.positions import Positions
from games.trees.sequence import SequenceForm
from games.trees.states import (
    Row,
    TablePolicy,
    TreeGame,
    is_fixed,
    plan_of_positions,
    plan_of_sequences,
    require_tree,
    resolve,
)
from games.trees.walk import information_key

TOLERANCE = 1e-9  # returns closer than this count as equal


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to enumerate a game."""

    tree: Callable[[str], Any]  # the OpenSpiel game -> `Positions` or `SequenceForm`
    plan: Callable[[str, Probabilities, int], Any]  # a seat's policy as that tree's methods take it
    maximin: Callable[[Any, int], float | None]
    sums: Callable[[Any], Iterable[float]]  # what all seats get together, at every end
    table: Callable[[Any, Any, int], TablePolicy]  # the tree, the choices of `best_response`, the seat


def refusal(game: TreeGame) -> str | None:
    """Why there are no exact values of the game, in one sentence; None where there are."""
    try:
        _kind(require_tree(game), ()).tree(require_tree(game))
    except RequestError as error:
        return str(error)
    return None


def security_value(game: TreeGame, seat: int) -> float | None:
    """The most that `seat` can secure whatever all others do, together.

    None with hidden information and three or more seats: what a team can do to a seat is no linear program.
    """
    return _security(require_tree(game), seat)


def nash_value(game: TreeGame, seat: int = 0) -> float | None:
    """The value of the game for `seat`, where there are two seats and what they get has a constant sum, else None."""
    solver = require_tree(game)
    return _security(solver, seat) if game.seats == 2 and _constant_sum(solver) is not None else None


def best_response_value(game: TreeGame, opponent: Any, seat: int) -> float | None:
    """The highest expected return of `seat` when `opponent` plays all other seats; None for one without a policy."""
    found = _best_response(game, [opponent] * game.seats, seat)
    return None if found is None else found[0]


def best_response_policy(game: TreeGame, opponent: Any, seat: int) -> TablePolicy | None:
    """A deterministic policy of `seat` that reaches `best_response_value`; of equally good moves it plays the first."""
    found = _best_response(game, [opponent] * game.seats, seat)
    return None if found is None else found[1]()


def best_fixed_value(
    game: TreeGame, opponents: Sequence[Any], seat: int, weights: Sequence[float] | None = None
) -> float | None:
    """The highest expected return of one policy of `seat` that isn't told which of the opponents plays all others.

    weights: how often each is met, all equal unless given. What a player that adapts gains is measured from here.
    None if one of them has no policy.
    """
    solver = require_tree(game)
    form = walk.sequence_form(solver)
    shares = np.full(len(opponents), 1.0) if weights is None else np.asarray(weights, dtype=np.float64)
    gains = np.zeros(int(form.decisions[seat].first[-1]))
    for opponent, share in zip(opponents, shares / shares.sum(), strict=True):
        policies = _resolved(game, [opponent] * game.seats, without=seat)
        if policies is None:
            return None
        gains += share * form.gains(_plans(HISTORIES, solver, policies), seat)
    return form.decisions[seat].best(gains)[0]


def expected_return(game: TreeGame, *players: Any) -> tuple[float, ...] | None:
    """The expected return of every seat, played by the players in order; None if one of them has no policy."""
    policies = _resolved(game, players)
    if policies is None:
        return None
    solver = require_tree(game)
    kind = _kind(solver, policies.values())
    expected: tuple[float, ...] = kind.tree(solver).expected(_plans(kind, solver, policies))
    return expected


def nash_conv(game: TreeGame, policies: Sequence[Any]) -> float | None:
    """What the seats could gain, added up, each by a best response to all others; 0 exactly in an equilibrium.

    policies: one for each seat. None if one of them has none.
    """
    returns = expected_return(game, *policies)
    if returns is None:
        return None
    found = [_best_response(game, policies, seat) for seat in range(game.seats)]
    return float(sum(best[0] - own for best, own in zip(found, returns, strict=True) if best is not None))


def _best_response(game: TreeGame, players: Sequence[Any], seat: int) -> tuple[float, Callable[[], TablePolicy]] | None:
    """The best value of `seat` against the players of all other seats, and what makes a policy that reaches it."""
    policies = _resolved(game, players, without=seat)
    if policies is None:
        return None
    solver = require_tree(game)
    kind = _kind(solver, policies.values())
    tree = kind.tree(solver)
    value, choices = tree.best_response(_plans(kind, solver, policies), seat)
    return value, lambda: kind.table(tree, choices, seat)


def _resolved(game: TreeGame, players: Sequence[Any], without: int | None = None) -> dict[int, Probabilities] | None:
    """The policies by seat, but for one seat; None if one has none. Raises ValueError for a wrong number of players."""
    if len(players) != game.seats:
        raise ValueError(f"got {len(players)} players, expected one for each of the {game.seats} seats of {game.name}")
    policies = {}
    for seat, player in enumerate(players):
        if seat != without:
            policy = resolve(game, player, seat)
            if policy is None:
                return None
            policies[seat] = policy
    return policies


def _kind(solver: str, policies: Iterable[Probabilities]) -> Kind:
    """Positions where they tell all there is to tell, else histories."""
    by_position = all(getattr(policy, "positional", False) for policy in policies)
    return POSITIONS if by_position and positions.hides_nothing(load_solver(solver)) else HISTORIES


def _plans(kind: Kind, solver: str, policies: Mapping[int, Probabilities]) -> dict[int, Any]:
    return {
        seat: (_kept_plan if is_fixed(policy) else _plan)(kind, solver, policy, seat)
        for seat, policy in policies.items()
    }


def _plan(kind: Kind, solver: str, policy: Probabilities, seat: int) -> Any:
    return kind.plan(solver, policy, seat)


_kept_plan = lru_cache(maxsize=64)(_plan)  # an opponent meets many


@lru_cache(maxsize=64)
def _security(solver: str, seat: int) -> float | None:
    kind = _kind(solver, ())
    if seat == 1 and load_solver(solver).num_players() == 2:
        shared, other = _constant_sum(solver), _security(solver, 0)
        if shared is not None and other is not None:  # what one secures the other loses: one program for both
            return shared - other
    return kind.maximin(kind.tree(solver), seat)


@lru_cache(maxsize=64)
def _constant_sum(solver: str) -> float | None:
    """What all seats always get together; None where it varies."""
    kind = _kind(solver, ())
    sums = list(kind.sums(kind.tree(solver)))
    return sums[0] if max(sums) - min(sums) <= TOLERANCE else None


def _secured_by_sequences(form: SequenceForm, seat: int) -> float | None:
    return program.maximin(form, seat) if len(form.decisions) == 2 else None


def _table_of_sequences(form: SequenceForm, choices: Any, seat: int) -> TablePolicy:
    decisions = form.decisions[seat]
    rows: dict[Hashable, Row] = {
        key: tuple(np.eye(decisions.moves(number))[choices[number]].tolist())
        for number, key in enumerate(decisions.keys)
    }
    return TablePolicy(rows, information_key(form.game))


def _table_of_positions(tree: Positions, choices: Mapping[int, int], seat: int) -> TablePolicy:
    rows: dict[Hashable, Row] = {
        key: tuple(np.eye(len(tree.following[number]))[choices[number]].tolist())
        for key, number in tree.numbers.items()
        if number in choices
    }
    return TablePolicy(rows, lambda state, _: positions.position_key(state), positional=True)


POSITIONS = Kind(
    tree=positions.positions,
    plan=plan_of_positions,
    maximin=Positions.maximin,
    sums=lambda tree: [sum(returns) for returns in tree.returns if returns],
    table=_table_of_positions,
)
HISTORIES = Kind(
    tree=walk.sequence_form,
    plan=plan_of_sequences,
    maximin=_secured_by_sequences,
    sums=lambda form: form.returns.sum(axis=1).tolist(),
    table=_table_of_sequences,
)
