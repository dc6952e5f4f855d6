"""A seat's information states one by one, and policies written down as tables of them.

A policy that is costly to ask, such as a language model's, is asked for all of `information_states` in one batch, and
`from_table` makes of the answers a policy that exact values can be computed from. Left out: what the policy is asked
with (its texts: `transcript`), the values (`exact`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from games.errors import RequestError
from games.fits import load_solver
from games.trees.policy import Probabilities, TreePolicy
from games.trees.positions import Positions, hides_nothing, positions
from games.trees.sequence import Floats
from games.trees.walk import information_key, sequence_form, state_after

SLACK = 1e-4  # by so much probabilities may miss a sum of 1; they are then scaled

Row = tuple[float, ...]


class TreeGame(Protocol):
    """What is needed of a game that OpenSpiel knows (`games.aec.AECGame`)."""

    @property
    def name(self) -> str:
        """The name the game is loaded by."""

    @property
    def seats(self) -> int:
        """How many seats there are."""

    @property
    def solver(self) -> str | None:
        """The OpenSpiel game of the same tree; None where there is none."""


@dataclass(frozen=True, slots=True)
class InformationState:
    """All that a seat knows when it is to move: one entry of a policy."""

    key: str  # OpenSpiel's text of it; the history where nothing is hidden and there is no such text
    seat: int
    history: tuple[int, ...]  # of one state that looks like this: all actions, chance included (`state_after`)
    actions: tuple[int, ...]  # the legal ones, in OpenSpiel's order
    moves: tuple[str, ...]  # the same in OpenSpiel's words


@dataclass(frozen=True, eq=False, slots=True)
class TablePolicy:
    """A tree policy that looks its probabilities up.

    rows: probabilities of the legal actions by what `key` makes of (state, seat).
    positional: whether the position alone decides (`positions`).
    """

    rows: Mapping[Hashable, Row]
    key: Callable[[Any, int], Hashable]
    positional: bool = False

    def __call__(self, state: Any, seat: int) -> Row:
        """The probabilities of `state.legal_actions(seat)`."""
        return self.row(self.key(state, seat))

    def row(self, key: Hashable) -> Row:
        """The probabilities under this key. Raises ValueError for one that isn't in the table."""
        if key not in self.rows:
            raise ValueError(f"got no probabilities for {key!r}, expected some for every information state of the seat")
        return self.rows[key]


def require_tree(game: TreeGame) -> str:
    """The OpenSpiel game's name. Raises RequestError for a game without."""
    solver: str | None = getattr(game, "solver", None)  # a repeated matrix game has no such field
    if solver is None:
        raise RequestError(
            f"got {game.name!r}, a game that OpenSpiel doesn't know, expected one that it does: choose one such as "
            "openspiel:kuhn_poker for exact values"
        )
    return solver


def information_states(game: TreeGame, seat: int) -> tuple[InformationState, ...]:
    """Every information state of the seat, those after fewer own moves first, in a fixed order.

    Raises RequestError for a game that can't be enumerated.
    """
    form = sequence_form(require_tree(game))
    found = []
    for key, history in zip(form.decisions[seat].keys, form.decisions[seat].histories, strict=True):
        state = state_after(form.game, history)
        actions = tuple(state.legal_actions(seat))
        moves = tuple(state.action_to_string(seat, action) for action in actions)
        found.append(InformationState(key, seat, history, actions, moves))
    return tuple(found)


def state_count(game: TreeGame, seat: int, most: int) -> int:
    """How many information states the seat has; any number above `most` where there are more.

    Where nothing is hidden, positions are counted first: there are no more of them, and it takes less time. Raises
    RequestError for a game that can't be enumerated.
    """
    solver = require_tree(game)
    if hides_nothing(load_solver(solver)):
        count = len(list(positions(solver).of_seat(seat)))
        if count > most:
            return count
    return len(sequence_form(solver).decisions[seat].keys)


def from_table(game: TreeGame, table: Mapping[str, Sequence[float]]) -> TablePolicy:
    """The policy that has these probabilities of the legal moves, by the key of the information state.

    The table may serve one seat or several. Raises ValueError for keys that the game doesn't have, and for rows of
    another length, with negative numbers or without a sum of 1.
    """
    solver = require_tree(game)
    known = _moves_by_key(solver)
    rows: dict[Hashable, Row] = {}
    for key, row in table.items():
        if key not in known:
            raise ValueError(f"got probabilities for {key!r}, which is no information state of {game.name}")
        rows[key] = checked(row, len(row) if len(row) in known[key] else max(known[key]), key)
    return TablePolicy(rows, information_key(load_solver(solver)))


@lru_cache(maxsize=8)
def _moves_by_key(solver: str) -> dict[str, set[int]]:
    """How many moves there are in each information state; seats may share a key."""
    known: dict[str, set[int]] = {}
    for decisions in sequence_form(solver).decisions:
        for number, key in enumerate(decisions.keys):
            known.setdefault(key, set()).add(decisions.moves(number))
    return known


def resolve(game: TreeGame, given: Any, seat: int) -> Probabilities | None:
    """What plays a seat, as a tree policy; None for an opponent that has no probabilities to give, such as a search.

    given: a tree policy, called with (state, seat); any other function, called with the text of the information state
    and OpenSpiel's words for the legal moves; a table as for `from_table`; or a named opponent.
    """
    if isinstance(given, Mapping):
        return from_table(game, given)
    strategy = getattr(given, "strategy", None)
    if strategy is not None:
        made = strategy(game, seat)
        return made if callable(made) else None
    if not callable(given):
        raise TypeError(f"got {given!r}, expected an opponent, a policy or a table of probabilities")
    return given if _takes_a_state(given) else _reading(game, given)


def _takes_a_state(policy: Callable[..., Any]) -> bool:
    """Whether a function is a tree policy: those name their parameters state and seat."""
    names = list(inspect.signature(policy).parameters)
    return names[:1] == ["state"] or names[1:2] == ["seat"]


def _reading(game: TreeGame, policy: Callable[..., Sequence[float]]) -> Probabilities:
    """The tree policy of one that reads texts."""
    key = information_key(load_solver(require_tree(game)))

    def probabilities(state: Any, seat: int) -> Sequence[float]:
        moves = [state.action_to_string(seat, action) for action in state.legal_actions(seat)]
        return policy(key(state, seat), moves)

    return probabilities


def plan_of_sequences(solver: str, policy: Probabilities, seat: int) -> Floats:
    """The policy as the probabilities of the seat's sequences (`Decisions.plan`)."""
    form = sequence_form(solver)
    decisions = form.decisions[seat]
    if isinstance(policy, TablePolicy) and not policy.positional:
        return decisions.plan([policy.row(key) for key in decisions.keys])
    return decisions.plan(
        [
            checked(policy(state_after(form.game, history), seat), decisions.moves(number), key)
            for number, (key, history) in enumerate(zip(decisions.keys, decisions.histories, strict=True))
        ]
    )


def plan_of_positions(solver: str, policy: Probabilities, seat: int) -> dict[int, Row]:
    """The policy as the probabilities of the moves in each of the seat's positions."""
    tree: Positions = positions(solver)
    plan = {}
    for number in tree.of_seat(seat):
        state = state_after(tree.game, tree.histories[number])
        plan[number] = checked(policy(state, seat), len(tree.following[number]), state)
    return plan


def is_fixed(policy: Probabilities) -> bool:
    """Whether a policy answers the same for ever, so that its answers may be kept."""
    return isinstance(policy, TablePolicy | TreePolicy)


def checked(row: Sequence[float], moves: int, where: object) -> Row:
    """Probabilities scaled to a sum of 1. Raises ValueError where they aren't any."""
    shares = tuple(float(share) for share in row)
    total = sum(shares)
    if len(shares) != moves or min(shares) < 0 or not abs(total - 1.0) <= SLACK:
        raise ValueError(f"got probabilities {shares} in {where!s}, expected {moves} of at least 0 that sum to 1")
    return tuple(share / total for share in shares)
