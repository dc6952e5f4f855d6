"""The linear program's plans and the moves that they come to, by hand."""

import numpy as np
import pytest

from games.trees.program import maximin, maximin_plan, moves_of_plan, one_round
from games.trees.sequence import Decisions
from games.trees.walk import sequence_form

# Two states, of two moves each: the second one after the first move of the first. Sequences 1, 2 and 3, 4.
DECISIONS = Decisions(("root", "later"), ((), (0,)), np.array([0, 1]), np.array([1, 3, 5]), np.array([0, 1, 2]))


def test_a_move_s_probability_is_its_share_of_what_leads_there():
    assert moves_of_plan(DECISIONS, np.array([1.0, 0.4, 0.6, 0.1, 0.3])) == [(0.4, 0.6), pytest.approx((0.25, 0.75))]


def test_where_the_plan_never_goes_all_moves_are_equally_likely():
    assert moves_of_plan(DECISIONS, np.array([1.0, 0.0, 1.0, 0.0, 0.0])) == [(0.0, 1.0), (0.5, 0.5)]


def test_moves_and_plans_say_the_same():
    rows = [(0.4, 0.6), (0.25, 0.75)]
    np.testing.assert_allclose(np.array(moves_of_plan(DECISIONS, DECISIONS.plan(rows))), rows)


def test_one_round_of_a_matrix_is_a_tree_of_one_move_each():
    """Seat 0 gets 2 or 0, seat 1 what is missing to 2; of two equal halves each secures 1."""
    form = one_round(np.array([[[2.0, 0.0], [0.0, 2.0]], [[0.0, 2.0], [2.0, 0.0]]]))
    assert form.played.tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    assert form.returns.tolist() == [[2, 0], [0, 2], [0, 2], [2, 0]]
    for seat in (0, 1):
        assert maximin(form, seat) == pytest.approx(1.0)
        np.testing.assert_allclose(maximin_plan(form, seat), [1.0, 0.5, 0.5])


def test_a_seat_with_more_moves_than_the_other_plays_none_that_is_dominated():
    """The third move gets less than the first whatever seat 1 does; seat 1 is indifferent at 1/3: 1 x = 2 (1 - x)."""
    payoffs = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, -1.0]])
    form = one_round(np.stack([payoffs, -payoffs]))
    np.testing.assert_allclose(maximin_plan(form, 0)[1:], [2 / 3, 1 / 3, 0.0], atol=1e-12)
    np.testing.assert_allclose(maximin_plan(form, 1)[1:], [2 / 3, 1 / 3], atol=1e-12)


def test_a_plan_of_kuhn_secures_the_value_of_the_game():
    form = sequence_form("kuhn_poker")
    plan = maximin_plan(form, 0)
    worst = -form.best_response({0: plan}, 1)[0]
    assert worst == pytest.approx(-1 / 18, abs=1e-12) and maximin(form, 0) == pytest.approx(worst, abs=1e-12)
