"""Families for tic-tac-toe and connect four: greedy play with blunders, and a fixed order of preferred cells.

They look one move ahead, and at the other's answer. Left out: deeper search (`search`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from games.family import Family, Way
from games.fits import Fit, load_rules, of_kind
from games.opponent_parameters import Order
from games.parameters import Real
from games.trees.policy import TreePolicy

REMEMBERED = 100_000  # greedy choices, a few hundred bytes each


def _tic_tac_toe_order(columns: int) -> tuple[int, ...]:
    """The centre, the corners, the edges; cells are numbered row by row from the top left."""
    return 4, 0, 2, 6, 8, 1, 3, 5, 7


def _connect_four_order(columns: int) -> tuple[int, ...]:
    """Columns from the middle outwards, the left one first; they are numbered from the left."""
    return tuple(sorted(range(columns), key=lambda column: (abs(column - (columns - 1) / 2), column)))


# What a greedy player prefers, by OpenSpiel game: number of cells or columns -> the order.
ORDERS: dict[str, Callable[[int], tuple[int, ...]]] = {
    "tic_tac_toe": _tic_tac_toe_order,
    "connect_four": _connect_four_order,
}


def usual_order(game: Any) -> tuple[int, ...]:
    """What a greedy player of this game prefers, where there is neither a win nor a threat."""
    known = load_rules(game.solver)
    return ORDERS[known.get_type().short_name](known.num_distinct_actions())


def wins(state: Any, action: int, seat: int) -> bool:
    """Whether the action ends the game in the seat's favour."""
    child = state.child(action)
    return bool(child.is_terminal() and child.player_return(seat) > 0)


def allows_a_win(state: Any, action: int, seat: int) -> bool:
    """Whether the other can win at once after the action."""
    child = state.child(action)
    return not child.is_terminal() and any(wins(child, answer, 1 - seat) for answer in child.legal_actions())


def greedy_action(order: tuple[int, ...], state: Any, seat: int) -> int:
    """A win if there is one, else of the actions after which the other can't win, or of all, the most preferred."""
    actions = state.legal_actions(seat)
    good = [action for action in actions if wins(state, action, seat)]
    good = good or [action for action in actions if not allows_a_win(state, action, seat)]
    return int(min(good or actions, key=order.index))


class _Greedy:
    """Greedy choices in one game, remembered: whatever the blunder rate, they are the same."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self._order = order
        self._chosen: dict[tuple[str, int], int] = {}

    def __call__(self, state: Any, seat: int) -> int:
        """The greedy action."""
        key = (str(state), seat)
        if key not in self._chosen:
            if len(self._chosen) >= REMEMBERED:
                self._chosen.clear()
            self._chosen[key] = greedy_action(self._order, state, seat)
        return self._chosen[key]


@lru_cache(maxsize=16)
def _greedy_of(order: tuple[int, ...], solver: str) -> Any:
    """One for each game: what wins in one of them may lose in another with the same positions."""
    return _Greedy(order)


def greedy_policy(choose: Callable[[Any, int], int], blunder: float, state: Any, seat: int) -> list[float]:
    """The greedy action, but with probability `blunder` any legal one."""
    actions = state.legal_actions(seat)
    row = [blunder / len(actions)] * len(actions)
    row[actions.index(choose(state, seat))] += 1.0 - blunder
    return row


def preferred_policy(order: tuple[int, ...], state: Any, seat: int) -> list[float]:
    """The free cell, or column with room, that comes first in the order."""
    actions = state.legal_actions(seat)
    best = min(actions, key=order.index)
    return [float(action == best) for action in actions]


def _greedy(game: Any, seat: int, *, blunder: float) -> TreePolicy:
    choose = _greedy_of(usual_order(game), game.solver)
    return TreePolicy(partial(greedy_policy, choose, blunder), "greedy", 1.0 - blunder)


def _preferred(game: Any, seat: int, *, order: tuple[int, ...]) -> TreePolicy:
    return TreePolicy(partial(preferred_policy, order), f"preferred_cells {order}")


BOARDS = Fit("neither tic-tac-toe nor connect four", of_kind(tuple(ORDERS), 2))

BOARD_FAMILIES: tuple[Family, ...] = (
    Family(
        "greedy",
        "greedy",
        "wins if it can, doesn't let the other win at once if it can help it, else prefers the middle",
        (Real("blunder", "how often it makes a random move instead, 0 to 1", 0.0, 1.0, 0.2, 0.05, 0.5),),
        (Way(BOARDS, _greedy),),
    ),
    Family(
        "preferred_cells",
        "preferred_cells",
        "the first free cell or column of an order; drawn by `first`, the cells that may come first",
        (Order("order", "all cells, row by row from 0, or columns from 0, as 4/0/2/...", usual_order),),
        (Way(BOARDS, _preferred),),
    ),
)
