"""Play that nothing can hurt, in a two-seat game with hidden information: a linear program over sequences.

The seat picks a realisation plan x; the other answers with the plan that hurts it most, and the dual of that answer is
linear: its values v, one for each of its information states and one for the start (Koller, Megiddo and von Stengel,
Fast algorithms for finding randomized strategies in game trees, 1994). Where the returns have a constant sum, the plans
of both seats are an equilibrium. Left out: games of more seats, in which the others have no single information state to
act on, and which of several best plans is found: the solver decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from games.trees.sequence import Decisions, Floats, SequenceForm

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

UNPLAYED = 1e-9  # a plan that leads into an information state with less than this doesn't lead there


def maximin(form: SequenceForm, seat: int) -> float:
    """The most that `seat` secures in a two-seat game whatever the other does, in game units."""
    return _solved(form, seat)[0]


def maximin_plan(form: SequenceForm, seat: int) -> Floats:
    """A plan of `seat` that secures `maximin`, [S]: the probability of playing each sequence (`Decisions.plan`)."""
    return _solved(form, seat)[1]


def _solved(form: SequenceForm, seat: int) -> tuple[float, Floats]:
    """The value and the plan.

    maximise v_0 subject to E x = e, x >= 0, F' v <= A' x, where A holds the seat's returns by pairs of sequences.
    """
    from scipy import sparse  # half a second to import, and needed by few commands
    from scipy.optimize import linprog

    own, other = form.decisions[seat], form.decisions[1 - seat]
    shape = int(own.first[-1]), int(other.first[-1])
    pairs = form.played[:, seat], form.played[:, 1 - seat]
    payoffs = sparse.csr_matrix((form.chance * form.returns[:, seat], pairs), shape=shape)
    flow, other_flow = _flow(own), _flow(other)
    values = other_flow.shape[0]
    objective = np.zeros(shape[0] + values)
    objective[shape[0]] = -1.0
    solution = linprog(
        c=objective,
        A_ub=sparse.hstack([-payoffs.T, other_flow.T]).tocsr(),
        b_ub=np.zeros(shape[1]),
        A_eq=sparse.hstack([flow, sparse.csr_matrix((flow.shape[0], values))]).tocsr(),
        b_eq=np.eye(1, flow.shape[0])[0],
        bounds=[(0.0, None)] * shape[0] + [(None, None)] * values,
    )
    if not solution.success:
        raise ArithmeticError(f"the linear program of {form.game} found no solution: {solution.message}")
    return float(-solution.fun) + 0.0, np.maximum(solution.x[: shape[0]], 0.0)  # no negative zero


def moves_of_plan(decisions: Decisions, plan: Floats) -> list[tuple[float, ...]]:
    """What a seat that plays by a plan does in each information state: the probabilities of its moves.

    plan: [S], as of `maximin_plan`. A move's is its sequence's share of what leads into the state (von Stengel 1996).
    States that the plan never leads into say nothing of their moves: there all are equally likely, which costs the plan
    nothing, and takes no advantage of a mistake that only such a state would show.
    """
    rows = []
    for number, parent in enumerate(decisions.parent):
        shares = plan[decisions.first[number] : decisions.first[number + 1]]
        total = float(shares.sum())
        met = plan[parent] > UNPLAYED and total > 0.0
        rows.append(tuple((shares / total).tolist()) if met else (1.0 / len(shares),) * len(shares))
    return rows


def one_round(payoffs: NDArray[np.float64]) -> SequenceForm:
    """A two-seat game of one move each, made at the same time, in sequence form.

    payoffs: [2, M0, M1] by seat, in game units.
    """
    played = np.argwhere(np.ones(payoffs.shape[1:])) + 1
    decisions = tuple(
        Decisions(("",), ((),), np.zeros(1, dtype=np.int64), np.array([1, 1 + moves]), np.array([0, 1]))
        for moves in payoffs.shape[1:]
    )
    return SequenceForm("one round", decisions, played, np.ones(len(played)), payoffs.reshape(2, -1).T)


def _flow(decisions: Decisions) -> csr_matrix[Any]:
    """What makes a plan of sequences one, [1 + I, S]: the empty one has probability 1, moves share what comes in."""
    from scipy import sparse

    states, sequences = len(decisions.keys), int(decisions.first[-1])
    numbers = np.arange(1, states + 1)
    rows = np.concatenate([[0], np.repeat(numbers, np.diff(decisions.first)), numbers])
    columns = np.concatenate([[0], np.arange(1, sequences), decisions.parent])
    entries = np.concatenate([np.ones(sequences), -np.ones(states)])
    return sparse.csr_matrix((entries, (rows, columns)), shape=(states + 1, sequences))
