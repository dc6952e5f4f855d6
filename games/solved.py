"""Opponents that are computed: an equilibrium, counterfactual regret minimisation, the best response to another one.

Made when first asked for and kept. Left out: what learns from play (`q_learning`).
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import Any

from games import exact
from games.errors import RequestError
from games.family import Family, Way
from games.finite_state import FiniteStatePolicy
from games.fits import HIDDEN, MATRIX, TREE, Fit, load_solver
from games.opponent_parameters import Text, opponent_text
from games.parameters import Whole
from games.stage import is_constant_sum
from games.strategies import RANDOM, memoryless
from games.trees import program
from games.trees.policy import TreePolicy


def cfr(game: Any, seat: int, *, iterations: int) -> TreePolicy:
    """The average policy of CFR, mixed as it is. Raises RequestError for a game that is too large to walk."""
    from games.trees.walk import sequence_form  # pyspiel takes a while to import

    sequence_form(game.solver)
    return TreePolicy(partial(_cfr_probabilities, game.solver, iterations), f"cfr {iterations}")


@lru_cache(maxsize=8)
def average_policy(solver: str, iterations: int) -> dict[str, dict[int, float]]:
    """OpenSpiel's policy of all seats after so many iterations of CFR: information state -> action -> probability."""
    import pyspiel

    learner = pyspiel.CFRSolver(load_solver(solver))
    for _ in range(iterations):
        learner.evaluate_and_update_policy()
    table = learner.tabular_average_policy().policy_table()
    return {key: dict(row) for key, row in table.items()}


def _cfr_probabilities(solver: str, iterations: int, state: Any, seat: int) -> list[float]:
    shares = average_policy(solver, iterations)[state.information_state_string(seat)]
    return [shares[action] for action in state.legal_actions(seat)]


def equilibrium_matrix(game: Any, seat: int) -> FiniteStatePolicy:
    """A mix that nothing can hurt in every round: with a constant sum an equilibrium of the round, and so of all.

    Where there are several such mixes the linear program's solver decides which.
    """
    form = program.one_round(game.payoffs)
    (mix,) = program.moves_of_plan(form.decisions[seat], program.maximin_plan(form, seat))
    return memoryless(game, seat, mix)


def equilibrium_tree(game: Any, seat: int) -> TreePolicy:
    """The seat's part of an equilibrium (`trees.equilibrium`). Raises RequestError for a game too large to walk."""
    reason = exact.refusal(game)
    if reason is not None:
        raise RequestError(reason)
    return TreePolicy(partial(_equilibrium_probabilities, game.solver), "equilibrium")


def _equilibrium_probabilities(solver: str, state: Any, seat: int) -> Any:
    from games.trees.equilibrium import equilibrium_policy

    return equilibrium_policy(solver, seat)(state, seat)


def _shares_a_sum(game: Any) -> bool:
    """Whether OpenSpiel knows the game as one in which two seats share a constant sum."""
    if not TREE.test(game):
        return False
    known = load_solver(game.solver)
    return known.num_players() == 2 and known.get_type().utility.name in ("ZERO_SUM", "CONSTANT_SUM")


SHARED_MATRIX = Fit(
    "not a matrix game in which two seats share a constant sum",
    lambda game: MATRIX.test(game) and is_constant_sum(game),
)
SHARED_TREE = Fit("not a game of OpenSpiel's in which two seats share one", _shares_a_sum)


def best_response_matrix(game: Any, seat: int, *, to: Any) -> Any:
    """The exact best response to a named opponent in a repeated matrix game, a finite-state policy."""
    return exact.best_response_policy(game, to, seat)


def best_response_tree(game: Any, seat: int, *, to: Any) -> TreePolicy:
    """The exact best response to the named opponent on every other seat.

    Raises RequestError for an opponent without move probabilities and for a game that is too large to walk.
    """
    if any(to.tree_policy(game, other) is None for other in range(game.seats) if other != seat):
        raise RequestError(
            f"got best_response to {to.name}, which has no move probabilities to respond to, expected an opponent "
            f"with some: choose another, such as {RANDOM}"
        )
    reason = exact.refusal(game)
    if reason is not None:
        raise RequestError(reason)
    found = cache(lambda: exact.best_response_policy(game, to, seat))
    return TreePolicy(lambda state, mover: found()(state, mover), f"best_response {to.name}")


SOLVED_FAMILIES: tuple[Family, ...] = (
    Family(
        "equilibrium",
        "equilibrium",
        "an equilibrium of two seats with a constant sum, played as mixed: nothing can gain on it in the long run",
        (),
        (Way(SHARED_MATRIX, equilibrium_matrix), Way(SHARED_TREE, equilibrium_tree)),
    ),
    Family(
        "cfr",
        "cfr",
        "the average policy of counterfactual regret minimisation, played as mixed; near an equilibrium for two seats",
        (Whole("iterations", "at least 1", low=1, usual=1000, choices=(10, 100, 1000)),),
        (Way(HIDDEN, cfr),),
    ),
    Family(
        "best_response",
        "best_response",
        "the best moves there are against another opponent, which it knows",
        (Text("to", "the other opponent, by name", opponent_text, RANDOM, RANDOM),),
        (Way(MATRIX, best_response_matrix), Way(TREE, best_response_tree)),
        inner="to",
    ),
)
