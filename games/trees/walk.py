"""Walk every history of an OpenSpiel game, within a limit, and fold it into the sequence form.

Left out: what is computed from it (`sequence`, `exact`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pyspiel

from games.errors import RequestError
from games.fits import load_solver
from games.trees.sequence import Decisions, SequenceForm

HISTORIES = 600_000  # the most histories, finished or not, that are walked, in some 5 s: tic-tac-toe has 549,946
PLAYOUTS = 32  # random plays by which a game that is far too large is recognised at once
MARGIN = 1000.0  # by so much their estimate must exceed the limit

Key = Callable[[Any, int], str]  # (OpenSpiel state, seat) -> the seat's information state


def sequence_form(solver: str) -> SequenceForm:
    """The sequence form of the OpenSpiel game of this name, made once.

    Raises RequestError where there is none: more than `HISTORIES` histories, imperfect recall, hidden chance.
    """
    outcome = _sequence_form(solver)
    if isinstance(outcome, str):
        raise RequestError(outcome)
    return outcome


@lru_cache(maxsize=8)
def _sequence_form(solver: str) -> SequenceForm | str:
    """The sequence form, or the sentence that says why there is none."""
    try:
        return walk(load_solver(solver), HISTORIES)
    except RequestError as error:
        return str(error)


def information_key(game: Any) -> Key:
    """What names a seat's information states in this game: OpenSpiel's text, or, nothing being hidden, the history.

    Raises RequestError for a game that hides something and has no such text.
    """
    kind = game.get_type()
    if kind.provides_information_state_string:
        return lambda state, seat: str(state.information_state_string(seat))
    if kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION and is_sequential(game):
        return lambda state, seat: str(state.history_str())
    raise RequestError(
        f"got {game}, whose states don't say what a seat knows, expected a game with information states: "
        "choose one such as kuhn_poker for exact values"
    )


def state_after(game: Any, history: Sequence[int]) -> Any:
    """The state after these actions, chance included, those made at the same time one after another."""
    state, done = game.new_initial_state(), 0
    while done < len(history):
        if state.is_simultaneous_node():
            state.apply_actions(list(history[done : done + game.num_players()]))
            done += game.num_players()
        else:
            state.apply_action(history[done])
            done += 1
    return state


def is_sequential(game: Any) -> bool:
    """Whether one seat moves at a time."""
    return bool(game.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL)


def require_explicit_chance(game: Any) -> None:
    """Raise RequestError unless every outcome of chance and every mover can be listed."""
    kind = game.get_type()
    hidden = kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    if hidden or kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise RequestError(
            f"got {game}, whose chance outcomes can't be listed, expected a game that can be enumerated: "
            "choose one such as kuhn_poker for exact values"
        )


def too_large(game: Any, limit: int, unit: str) -> RequestError:
    """The error for a game with more than `limit` states of some kind (`unit`, in the plural)."""
    return RequestError(
        f"got {game}, which has more than {limit:,} {unit}, expected at most that many for exact values: "
        "choose a smaller game or smaller parameters"
    )


def walk(game: Any, limit: int) -> SequenceForm:
    """Walk every history of the game. Raises RequestError as `sequence_form` does, with this limit."""
    require_explicit_chance(game)
    key, seats = information_key(game), game.num_players()
    if _log_leaves(game) > math.log(limit * MARGIN):
        raise too_large(game, limit, "histories")
    books = [_Book(game) for _ in range(seats)]
    played: list[tuple[int, ...]] = []
    chance: list[float] = []
    returns: list[list[float]] = []
    found = 0
    pending: list[tuple[Any, float, tuple[int, ...]]] = [(game.new_initial_state(), 1.0, (0,) * seats)]
    while pending:
        state, weight, own = pending.pop()
        found += 1
        if found > limit:
            raise too_large(game, limit, "histories")
        if state.is_terminal():
            played.append(own)
            chance.append(weight)
            returns.append(state.returns())
        elif state.is_chance_node():
            pending += [
                (state.child(action), weight * share, own) for action, share in state.chance_outcomes() if share
            ]
        else:
            step = _joint_moves if state.is_simultaneous_node() else _moves
            pending += [(child, weight, after) for child, after in step(state, own, key, books)]
    orders = [book.order() for book in books]
    renumbered = np.array(played, dtype=np.int64).reshape(-1, seats)
    for seat, (_, sequences) in enumerate(orders):
        renumbered[:, seat] = sequences[renumbered[:, seat]]
    decisions = tuple(decision for decision, _ in orders)
    return SequenceForm(game, decisions, renumbered, np.array(chance), np.array(returns, dtype=np.float64))


def _moves(state: Any, own: tuple[int, ...], key: Key, books: Sequence[_Book]) -> list[tuple[Any, tuple[int, ...]]]:
    """The states after the moves of the one seat to move, with everyone's sequences."""
    seat = state.current_player()
    actions = state.legal_actions(seat)
    first = books[seat].visit(key(state, seat), own[seat], len(actions), state)
    before, after = own[:seat], own[seat + 1 :]
    return [(state.child(action), (*before, first + number, *after)) for number, action in enumerate(actions)]


def _joint_moves(
    state: Any, own: tuple[int, ...], key: Key, books: Sequence[_Book]
) -> list[tuple[Any, tuple[int, ...]]]:
    """The states after all moves that the seats can make at the same time, with everyone's sequences."""
    options: list[list[tuple[int, int]]] = []  # by seat: (action, sequence)
    for seat, book in enumerate(books):
        actions = state.legal_actions(seat)
        if not actions:  # it has no part in this move
            options.append([(pyspiel.INVALID_ACTION, own[seat])])
            continue
        first = book.visit(key(state, seat), own[seat], len(actions), state)
        options.append([(action, first + number) for number, action in enumerate(actions)])
    reached = []
    for joint in product(*options):
        child = state.clone()
        child.apply_actions([action for action, _ in joint])
        reached.append((child, tuple(sequence for _, sequence in joint)))
    return reached


@dataclass(slots=True)
class _Book:
    """The information states of one seat while they are found; sequences are numbered as they come."""

    game: Any
    numbers: dict[str, int] = field(default_factory=dict)
    parent: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=lambda: [1])
    level: list[int] = field(default_factory=list)
    levels_after: list[int] = field(default_factory=lambda: [0])  # by sequence: the own moves in it
    histories: list[tuple[int, ...]] = field(default_factory=list)

    def visit(self, key: str, parent: int, moves: int, state: Any) -> int:
        """The first sequence of an information state. RequestError where the seat forgets what it did or saw."""
        number = self.numbers.setdefault(key, len(self.parent))
        if number == len(self.parent):
            self.parent.append(parent)
            self.level.append(self.levels_after[parent])
            self.levels_after += [self.level[number] + 1] * moves
            self.first.append(self.first[-1] + moves)
            self.histories.append(tuple(state.history()))
        elif self.parent[number] != parent or self.first[number + 1] - self.first[number] != moves:
            raise RequestError(
                f"got {self.game}, where a seat forgets its own moves, expected a game of perfect recall: "
                "choose one such as kuhn_poker for exact values"
            )
        return self.first[number]

    def order(self) -> tuple[Decisions, Any]:
        """The information states ordered by own moves made, and the new number of each sequence, [S]."""
        order = np.argsort(np.array(self.level, dtype=np.int64), kind="stable")
        old_first = np.array(self.first, dtype=np.int64)
        counts = np.diff(old_first)[order]
        first = np.concatenate([[1], 1 + np.cumsum(counts)]).astype(np.int64)
        sequences = np.zeros(first[-1], dtype=np.int64)
        sequences[np.repeat(old_first[order] - first[:-1], counts) + np.arange(1, first[-1])] = np.arange(1, first[-1])
        keys = list(self.numbers)
        levels = np.concatenate([[0], np.cumsum(np.bincount(np.array(self.level, dtype=np.int64)))]).astype(np.int64)
        parent = sequences[np.array(self.parent, dtype=np.int64)[order]]
        histories = tuple(self.histories[number] for number in order)
        return Decisions(tuple(keys[number] for number in order), histories, parent, first, levels), sequences


def _log_leaves(game: Any) -> float:
    """About the logarithm of the number of terminal histories, or less.

    The product of the branching along a random play is on average the number of leaves (Knuth 1975), so the mean of its
    logarithm lies below the logarithm of that number (Jensen).
    """
    rng = random.Random(0)
    total = 0.0
    for _ in range(PLAYOUTS):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_simultaneous_node():
                options = [state.legal_actions(seat) or [pyspiel.INVALID_ACTION] for seat in range(game.num_players())]
                total += sum(math.log(len(actions)) for actions in options)
                state.apply_actions([rng.choice(actions) for actions in options])
            else:
                actions = state.legal_actions()
                total += math.log(len(actions))
                state.apply_action(rng.choice(actions))
    return total / PLAYOUTS
