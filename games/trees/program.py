"""What a seat can secure in a two-seat game with hidden information: a linear program over sequences.

The seat picks a realisation plan x; the other answers with the plan that hurts it most, and the dual of that answer is
linear: its values v, one for each of its information states and one for the start (Koller, Megiddo and von Stengel,
Fast algorithms for finding randomized strategies in game trees, 1994). Left out: games of more seats, in which the
others have no single information state to act on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from games.trees.sequence import Decisions, SequenceForm

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def maximin(form: SequenceForm, seat: int) -> float:
    """The most that `seat` secures in a two-seat game whatever the other does, in game units.

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
    return float(-solution.fun) + 0.0  # no negative zero


def _flow(decisions: Decisions) -> csr_matrix[Any]:
    """What makes a plan of sequences one, [1 + I, S]: the empty one has probability 1, moves share what comes in."""
    from scipy import sparse

    states, sequences = len(decisions.keys), int(decisions.first[-1])
    numbers = np.arange(1, states + 1)
    rows = np.concatenate([[0], np.repeat(numbers, np.diff(decisions.first)), numbers])
    columns = np.concatenate([[0], np.arange(1, sequences), decisions.parent])
    entries = np.concatenate([np.ones(sequences), -np.ones(states)])
    return sparse.csr_matrix((entries, (rows, columns)), shape=(states + 1, sequences))
