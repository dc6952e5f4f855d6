"""The payoff matrix: an always-win member reads 1, sides don't count double, what was never played stays missing."""

import numpy as np
import pytest

from populations.metagame import complete, payoff_matrix, played_together
from populations.payoffs import PayoffTable, Result

NAN = float("nan")


def result(row, column, wins=0, draws=0, losses=0, total=0.0, seat=0, n=None):
    return Result(row, column, seat, n or wins + draws + losses, total, 0.0, wins, draws, losses, 0)


def test_an_always_win_member_reads_one_and_its_victims_minus_one():
    table = PayoffTable([result("bot", "a", wins=4), result("a", "bot", losses=4), result("bot", "b", wins=1, seat=1)])
    np.testing.assert_array_equal(payoff_matrix(table, ["a", "bot", "b"]), [[0, -1, NAN], [1, 0, 1], [NAN, -1, 0]])


def test_a_draw_is_half_a_win():
    # a: 2 wins, 1 draw, 1 loss of 4, a rate of 5 / 8
    table = PayoffTable([result("a", "b", wins=2, draws=1, losses=1)])
    np.testing.assert_array_equal(payoff_matrix(table, ["a", "b"]), [[0, 0.25], [-0.25, 0]])


def test_a_match_recorded_from_both_sides_counts_as_one():
    one = PayoffTable([result("a", "b", wins=3, losses=1)])
    both = PayoffTable([result("a", "b", wins=3, losses=1), result("b", "a", wins=1, losses=3, seat=1)])
    np.testing.assert_array_equal(payoff_matrix(both, ["a", "b"]), payoff_matrix(one, ["a", "b"]))


def test_matches_recorded_from_one_side_each_are_pooled_by_their_counts():
    # a wins 3 of 3 as the row, loses 1 of 1 as the column: (3 - 1) / 4
    table = PayoffTable([result("a", "b", wins=3), result("b", "a", wins=1)])
    assert payoff_matrix(table, ["a", "b"])[0, 1] == 0.5


def test_mean_returns_are_in_game_units_and_per_trial():
    # 6 over 4 trials from one side, 2 over 4 from the other: (6 - 2) / 8
    table = PayoffTable([result("a", "b", wins=4, total=6.0), result("b", "a", draws=4, total=2.0)])
    np.testing.assert_array_equal(payoff_matrix(table, ["a", "b"], "mean_return"), [[0, 0.5], [-0.5, 0]])


def test_an_unscored_trial_and_a_name_that_never_played_are_missing():
    table = PayoffTable([result("a", "b", n=1)])
    assert np.isnan(payoff_matrix(table, ["a", "b"])[0, 1])
    matrix = payoff_matrix(table, ["a", "ghost"])
    assert np.isnan(matrix[0, 1]) and matrix[0, 0] == matrix[1, 1] == 0.0
    assert payoff_matrix(table, []).shape == (0, 0)


def test_wrong_names_and_measures_are_refused():
    with pytest.raises(ValueError, match="'a' twice"):
        payoff_matrix(PayoffTable(), ["a", "b", "a"])
    with pytest.raises(ValueError, match="unknown measure 'wins'.*win_rate, mean_return"):
        payoff_matrix(PayoffTable(), ["a"], "wins")


def test_gaps_are_filled_only_from_what_is_given():
    np.testing.assert_array_equal(complete([[0, NAN], [NAN, 0]], [[9, 0.5], [-0.5, 9]]), [[0, 0.5], [-0.5, 0]])
    with pytest.raises(ValueError, match="2 entries are missing in both"):
        complete([[0, NAN], [NAN, 0]], [[0, NAN], [NAN, 0]])
    with pytest.raises(ValueError, match="the same"):
        complete([[0.0]], [0.0])


def test_the_largest_set_that_met_is_found_even_when_the_first_member_met_few():
    matrix = np.zeros((5, 5))
    for one, other in ((0, 2), (0, 3), (0, 4), (1, 4)):
        matrix[one, other] = matrix[other, one] = NAN
    # a met b alone; b, c, d all met; c, d, e all met
    assert played_together(matrix, list("abcde")) == ("b", "c", "d")


def test_all_none_and_nobody_played_together():
    assert played_together(np.zeros((3, 3)), list("abc")) == ("a", "b", "c")
    assert played_together([[0, NAN], [NAN, 0]], ["a", "b"]) == ("a",)
    assert played_together(np.zeros((0, 0)), []) == ()
    with pytest.raises(ValueError, match="for 3 names"):
        played_together(np.zeros((2, 2)), list("abc"))
