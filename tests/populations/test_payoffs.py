"""Payoffs: labels of win and loss never swap, nothing counts twice, missing stays missing."""

import json
from dataclasses import replace

import pytest

from populations.payoffs import Counts, PayoffTable, Result, tally

# Two trials of two episodes, [trials, episodes, seats]; seat 1 forfeits once.
RETURNS = [[[2.0, -2.0], [0.0, 0.0]], [[4.0, -4.0], [-1.0, 1.0]]]
FORFEITS = [[[0, 0], [0, 0]], [[0, 1], [0, 0]]]


def test_tally_sums_the_mean_return_of_each_trial_and_counts_episodes():
    # trial means 1.0 and 1.5: sum 2.5, squares 1 + 2.25
    assert tally("a", "b", 0, RETURNS, FORFEITS) == Result("a", "b", 0, 2, 2.5, 3.25, 2, 1, 1, 0)
    assert tally("b", "a", 1, RETURNS, FORFEITS) == Result("b", "a", 1, 2, -2.5, 3.25, 1, 1, 2, 1)


def test_a_win_outside_zero_sum_games_is_a_return_above_the_others():
    result = tally("a", "b", 1, [[[3.0, 3.0], [0.0, 5.0]]], [[[0, 0], [0, 0]]])
    assert (result.wins, result.draws, result.losses, result.total) == (1, 1, 0, 4.0)


def test_among_three_a_win_is_a_return_above_both_others():
    returns = [[[3.0, 1.0, 2.0], [2.0, 1.0, 2.0], [0.0, 1.0, -1.0]]]
    result = tally("a", "b", 0, returns, [[[0, 0, 0]] * 3])
    assert (result.wins, result.draws, result.losses, result.total) == (1, 1, 1, 5 / 3)


@pytest.mark.parametrize("returns", [[], [[]], [[[1.0]]], [1.0, 2.0]])
def test_tally_refuses_other_shapes_and_nothing(returns):
    with pytest.raises(ValueError, match="trials, episodes, seats"):
        tally("a", "b", 0, returns, returns)


def test_tally_refuses_a_return_that_is_not_a_number():
    with pytest.raises(ValueError, match="finite"):
        tally("a", "b", 0, [[[float("nan"), 0.0]]], [[[0, 0]]])


def test_an_always_winning_member_reads_one_everywhere():
    table = PayoffTable()
    for seat in (0, 1):
        returns = [[[1.0, -1.0] if seat == 0 else [-1.0, 1.0]] * 3] * 4
        forfeits = [[[0, 0]] * 3] * 4
        table.record(tally("winner", "loser", seat, returns, forfeits))
        table.record(tally("loser", "winner", 1 - seat, returns, forfeits))
    for seat in (None, 0, 1):
        assert table.win_rate("winner", "loser", seat) == 1.0 and table.mean("winner", "loser", seat) == 1.0
        assert table.win_rate("loser", "winner", seat) == 0.0 and table.mean("loser", "winner", seat) == -1.0


def test_a_match_between_two_learners_counts_once_for_each():
    table = PayoffTable([tally("a", "b", 0, RETURNS, FORFEITS), tally("b", "a", 1, RETURNS, FORFEITS)])
    assert table.cell("a", "b") == Counts(2, 2.5, 3.25, 2, 1, 1, 0)
    assert table.cell("b", "a") == Counts(2, -2.5, 3.25, 1, 1, 2, 1)


def test_seats_are_kept_apart_and_pooled_by_trials():
    table = PayoffTable([Result("a", "b", 0, 1, 3.0, 9.0, 1, 0, 0, 0), Result("a", "b", 1, 3, 1.0, 1.0, 0, 2, 1, 1)])
    assert table.mean("a", "b", 0) == 3.0
    assert table.mean("a", "b", 1) == pytest.approx(1 / 3)
    assert table.mean("a", "b") == 1.0
    assert table.win_rate("a", "b") == 0.5  # (1 win + 2 draws / 2) of 4


def test_missing_is_missing():
    table = PayoffTable([Result("a", "b", 0, 1, 0.0, 0.0, 0, 0, 0, 0)])
    assert table.cell("b", "a") is None and table.mean("b", "a") is None and table.win_rate("b", "a") is None
    assert table.cell("a", "b", 1) is None
    assert table.win_rate("a", "b") is None  # a trial of which no episode was scored


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"column": "a"}, "itself"),
        ({"seat": -1}, "seat -1"),
        ({"n": 0}, "n=0"),
        ({"losses": -1}, "negative"),
        ({"total": float("inf")}, "finite"),
    ],
)
def test_impossible_results_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(Result("a", "b", 0, 1, 1.0, 1.0, 1, 0, 0, 0), **change)


def test_json_gives_back_every_bit():
    table = PayoffTable(
        [Result("b", "a", 1, 3, 0.1 + 0.2, 1 / 3, 1, 1, 1, 0), Result("a", "b", 0, 1, 0, 0, 0, 1, 0, 0)]
    )
    again = PayoffTable.from_json(json.loads(json.dumps(table.to_json())))
    assert again.results() == table.results()
    assert again.cell("b", "a") == table.cell("b", "a")
