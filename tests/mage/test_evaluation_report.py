"""The evaluation object: its fields, and its figures on trials small enough to add up by hand."""

import json
from typing import Any

import numpy as np
import pytest

from mage.evaluation_report import BaselineSample
from mage.statistics import ratio_of_sums_interval
from tests.mage.small_samples import report, sample


def exploitation(row: dict[str, Any]) -> tuple[float | None, ...]:
    return row["exploitation"], row["exploitation_ci_low"], row["exploitation_ci_high"]


def test_the_object_has_the_documented_fields_and_is_json():
    table = report(sample([[0.0, 4.0]] * 3))
    assert json.loads(json.dumps(table, allow_nan=False)) == table
    head = {key: table[key] for key in ("schema", "run", "game", "memory", "held_out")}
    assert head == {
        "schema": "mage.evaluation/1",
        "run": "runs/first",
        "game": "rock_paper_scissors",
        "memory": "transcript",
        "held_out": True,
    }
    beside = {"baselines", "comparisons", "memorised"}
    assert set(table) == {*head, "agents", "overall", "gain", "by_distance", *beside}
    (agent,) = table["agents"]
    assert set(agent) == {"agent", "opponents", "overall", "gain", "by_distance"}
    (opponent,) = agent["opponents"]
    episodes = opponent.pop("episodes")
    assert opponent == {
        "name": "peaked_habit(move=R,peak=0.8)",
        "family": "peaked_habit",
        "distance": "near",
        "security_value": 0.0,
        "nash_value": 0.0,
        "best_response_value": 4.0,
        "repeats": 0,
    }
    assert episodes == agent["overall"] == table["overall"] == table["by_distance"]["near"]["overall"]
    assert episodes[1] == {
        "episode": 2,
        "n": 3,
        "mean_return": 4.0,
        "ci_low": 4.0,
        "ci_high": 4.0,
        "win_rate": 1.0,
        "draw_rate": 0.0,
        "forfeit_rate": 0.0,
        "valid_move_rate": 1.0,
        "random_move_rate": 0.0,
        "exploitation": 1.0,
        "exploitation_ci_low": 1.0,
        "exploitation_ci_high": 1.0,
        "bayes_exploitation": None,
    }


def test_the_security_value_is_exploitation_zero_and_the_best_response_one():
    rows = report(sample([[1.0, 3.0]] * 5, security_value=1.0, best_response_value=3.0))["overall"]
    assert exploitation(rows[0]) == (0.0, 0.0, 0.0)
    assert exploitation(rows[1]) == (1.0, 1.0, 1.0)


def test_pooled_exploitation_is_a_ratio_of_sums():
    # b - v is 2 and 6; none of the first and all of the second is taken: 6 / 8, not (0 + 1) / 2.
    table = report(
        sample([[0.0]] * 4, best_response_value=2.0),
        sample([[6.0]] * 4, best_response_value=6.0, name="cycle(start=R,step=1)", family="cycle"),
    )
    assert exploitation(table["overall"][0]) == (0.75, 0.75, 0.75)
    assert [each["episodes"][0]["exploitation"] for each in table["agents"][0]["opponents"]] == [0.0, 1.0]


def test_a_pool_weighs_opponents_by_their_trials():
    copier = sample([[0.0]], name="tit_for_tat(start=R)", family="tit_for_tat")
    table = report(sample([[4.0]] * 3), copier)
    assert table["overall"][0]["n"] == 4
    assert table["overall"][0]["mean_return"] == 3.0
    assert table["overall"][0]["exploitation"] == 0.75


def test_opponents_without_a_best_response_do_not_count_towards_exploitation():
    unknown = sample([[6.0]] * 2, name="mcts(100)", family="mcts", best_response_value=None)
    table = report(sample([[2.0]] * 2), unknown)
    assert table["overall"][0]["mean_return"] == 4.0
    assert table["overall"][0]["exploitation"] == 0.5
    assert exploitation(table["agents"][0]["opponents"][1]["episodes"][0]) == (None, None, None)
    assert exploitation(report(unknown)["overall"][0]) == (None, None, None)


@pytest.mark.parametrize(("best_response_value", "expected"), [(0.119, None), (0.12, 0.5)])
def test_a_gap_under_one_per_cent_of_the_utility_range_gives_no_exploitation(best_response_value, expected):
    one = sample([[best_response_value / 2]] * 2, best_response_value=best_response_value)
    assert report(one)["overall"][0]["exploitation"] == expected


def test_an_opponent_met_in_two_seats_is_one_entry_with_means_over_its_trials():
    first = sample([[3.0]] * 3, security_value=1.0, best_response_value=3.0, nash_value=1.0)
    second = sample([[-1.0]] * 1, seat=1, security_value=-1.0, best_response_value=5.0, nash_value=-1.0)
    (entry,) = report(first, second)["agents"][0]["opponents"]
    # v: (3 * 1 - 1) / 4; b: (3 * 3 + 5) / 4; exploitation (3 * 2 + 0) / (3 * 2 + 6) = (2 - 0.5) / (3.5 - 0.5)
    assert (entry["security_value"], entry["nash_value"], entry["best_response_value"]) == (0.5, 0.5, 3.5)
    (row,) = entry["episodes"]
    assert (row["n"], row["mean_return"], row["exploitation"]) == (4, 2.0, 0.5)


def test_rates_count_wins_draws_and_forfeits():
    returns = np.array([[2.0], [0.0], [0.0], [-6.0]])
    others = np.array([[1.0], [0.0], [3.0], [6.0]])
    forfeits = np.array([[False], [False], [False], [True]])
    (row,) = report(sample(returns, others=others, forfeits=forfeits))["overall"]
    assert (row["win_rate"], row["draw_rate"], row["forfeit_rate"]) == (0.25, 0.25, 0.25)


def test_rates_of_moves_go_by_decisions_however_many_an_episode_has():
    few = sample([[1.0], [1.0]], moves=np.array([[[1, 1, 1]], [[1, 0, 0]]]))
    many = sample([[1.0]], name="cycle(start=R,step=1)", family="cycle", moves=np.array([[[8, 2, 0]]]))
    (row,) = report(few, many)["overall"]  # ten decisions: three with an illegal first try, one drawn
    assert (row["valid_move_rate"], row["random_move_rate"]) == (0.7, 0.1)
    (row,) = report(sample([[1.0]], moves=np.zeros((1, 1, 3))))["overall"]
    assert (row["valid_move_rate"], row["random_move_rate"]) == (1.0, 0.0)  # nothing was decided


def test_gain_is_the_last_return_minus_the_first_paired_by_trial():
    # Trials differ widely, every one of them gains 2: paired, there is nothing left to vary.
    gain = report(sample([[-4.0, 0.0, -2.0], [4.0, 0.0, 6.0], [0.0, 5.0, 2.0]]))["gain"]
    assert gain == pytest.approx({"mean": 2.0, "ci_low": 2.0, "ci_high": 2.0})


def test_distances_are_reported_apart_in_their_order_and_only_where_met():
    far = sample([[0.0, -1.0]] * 2, distance="far", name="tit_for_tat(start=R)", family="tit_for_tat")
    table = report(far, sample([[0.0, 4.0]] * 2))
    assert list(table["by_distance"]) == ["near", "far"]
    assert table["by_distance"]["near"]["overall"][1]["exploitation"] == 1.0
    assert table["by_distance"]["far"]["overall"][1]["exploitation"] == -0.25
    assert table["by_distance"]["far"]["gain"]["mean"] == -1.0


def test_a_table_with_a_training_opponent_is_not_held_out():
    training = sample([[0.0]] * 2, distance="training", name="cycle(start=R,step=1)", family="cycle")
    assert report(sample([[0.0]] * 2), training)["held_out"] is False


def test_agents_are_pooled_at_the_top_and_apart_below():
    table = report(sample([[0.0]] * 2), sample([[4.0]] * 2, agent="learner_1"))
    assert [agent["overall"][0]["exploitation"] for agent in table["agents"]] == [0.0, 1.0]
    assert exploitation(table["overall"][0]) == (0.5, 0.5, 0.5)


def test_the_ceiling_is_given_where_it_is_known_for_all_that_count():
    known = sample([[0.0, 4.0]] * 2, bayes_returns=np.array([1.0, 3.0]))
    unknown = sample([[0.0, 0.0]] * 2, name="tit_for_tat(start=R)", family="tit_for_tat")
    uncounted = sample([[0.0, 0.0]] * 2, name="mcts(100)", family="mcts", best_response_value=None)
    assert [row["bayes_exploitation"] for row in report(known, uncounted)["overall"]] == [0.25, 0.75]
    table = report(known, unknown)
    assert [row["bayes_exploitation"] for row in table["overall"]] == [None, None]
    (known_rows, _) = (entry["episodes"] for entry in table["agents"][0]["opponents"])
    assert [row["bayes_exploitation"] for row in known_rows] == [0.25, 0.75]


def test_a_single_trial_leaves_everything_the_game_allows_open():
    table = report(sample([[1.0, 2.0]]))
    row = table["overall"][0]
    assert (row["mean_return"], row["ci_low"], row["ci_high"]) == (1.0, -5.0, 7.0)  # half the range to either side
    assert exploitation(row) == (0.25, -1.25, 1.75)
    assert table["gain"] == {"mean": 1.0, "ci_low": -11.0, "ci_high": 13.0}


def test_a_game_that_could_not_come_out_otherwise_counts_once_and_weighs_as_often_as_it_was_played():
    row = report(sample([[1.0, 2.0]], determined=True, repeats=7))["overall"][0]
    assert (row["n"], row["mean_return"], row["ci_low"], row["ci_high"]) == (1, 1.0, 1.0, 1.0)
    habit = sample([[3.0], [5.0]] * 4, name="cycle(start=R,step=1)", family="cycle")
    row = report(sample([[1.0]], determined=True, repeats=7, others=np.array([[0.0]])), habit)["overall"][0]
    assert (row["n"], row["mean_return"], row["win_rate"]) == (9, 2.5, 1.0)  # eight trials of 1, eight of 4 on average


def test_a_computed_baseline_weighs_opponents_as_the_agents_met_them():
    copier = {"name": "tit_for_tat(start=R)", "family": "tit_for_tat"}
    returns = {("peaked_habit(move=R,peak=0.8)", 0): np.array([1.0, 4.0]), (copier["name"], 0): np.array([0.0, 0.0])}
    best = BaselineSample("best_response", None, returns=returns)
    table = report(sample([[0.0, 0.0]] * 3), sample([[0.0, 0.0]], **copier), baselines=[best])
    (beside,) = table["baselines"]
    assert [row["mean_return"] for row in beside["overall"]] == [0.75, 3.0]  # 3 of 4 trials meet the habit
    assert (beside["computed"], beside["overall"][0]["win_rate"]) == (True, None)
    assert exploitation(beside["overall"][1]) == (0.75, 0.75, 0.75)


def test_a_computed_baseline_is_left_out_at_a_distance_where_it_is_known_for_some_opponents_only():
    far = sample([[0.0]] * 2, distance="far", name="tit_for_tat(start=R)", family="tit_for_tat")
    bayes = BaselineSample("bayes", None, returns={("peaked_habit(move=R,peak=0.8)", 0): np.array([2.0])})
    (beside,) = report(sample([[0.0]] * 2), far, baselines=[bayes])["baselines"]
    assert list(beside["by_distance"]) == ["near"] and beside["overall"] is None and beside["gain"] is None


def test_the_interval_is_the_stratified_bootstrap_of_the_ratio():
    draw = np.random.default_rng(1)
    easy, hard = draw.normal(1.0, 1.0, size=(60, 1)), draw.normal(2.0, 2.0, size=(40, 1))
    (row,) = report(
        sample(easy, best_response_value=2.0),
        sample(hard, best_response_value=6.0, name="cycle(start=R,step=1)", family="cycle"),
        resamples=4000,
    )["overall"]
    strata = [(easy[:, 0], np.full(60, 2.0)), (hard[:, 0], np.full(40, 6.0))]
    expected = ratio_of_sums_interval(strata, np.random.default_rng(2), resamples=4000)
    got = exploitation(row)
    assert got == pytest.approx((expected.value, expected.low, expected.high), abs=0.01)


def test_the_same_generator_gives_the_same_object():
    trials = np.random.default_rng(3).normal(size=(9, 2))
    assert report(sample(trials), seed=4) == report(sample(trials), seed=4)
    assert report(sample(trials), seed=4) != report(sample(trials), seed=5)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([], "at least one sample"),
        ([sample([[0.0]]), sample([[0.0]])], "given twice"),
        ([sample([[0.0]]), sample([[0.0, 0.0]], seat=1)], "episodes"),
        ([sample([[0.0]]), sample([[0.0]], seat=1, distance="far")], "was given as"),
    ],
)
def test_samples_that_do_not_belong_together_are_refused(samples, message):
    with pytest.raises(ValueError, match=message):
        report(*samples)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"distance": "nearby"}, "training, near, far, member, game"),
        ({"others": np.zeros((2, 1))}, "all have the shape"),
        ({"bayes_returns": np.zeros(3)}, "bayes_returns"),
        ({"moves": np.zeros((1, 2))}, "moves"),
        ({"returns": np.zeros((0, 2))}, "not empty"),
    ],
)
def test_a_sample_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        sample([[0.0, 0.0]], **changes)


def test_a_utility_range_the_wrong_way_round_is_refused():
    with pytest.raises(ValueError, match="least, greatest"):
        report(sample([[0.0]]), utility_range=(6.0, -6.0))
