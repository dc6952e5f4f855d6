"""Strength of members from results: nothing counts twice, the last window speaks, and what can't be rated says why."""

import json

import pytest

from mage.strength import WINDOWS, independent, metagame, strength, windows
from populations.payoffs import PayoffTable, Result

KINDS = {"learner_0": "learner", "learner_1": "learner", "learner_0@4": "snapshot", "tit_for_tat": "scripted"}


def result(row, column, wins=0, draws=0, losses=0, seat=0):
    return Result(row, column, seat, wins + draws + losses, float(wins - losses), 1.0, wins, draws, losses, 0)


def rated(*stamped, kinds=KINDS):
    return strength(stamped, PayoffTable(each for _, each in stamped), kinds)


def both_sides(iteration, wins, losses):
    """A match between the learners, as the log has it: told from both of its sides."""
    return (
        (iteration, result("learner_0", "learner_1", wins, 0, losses)),
        (iteration, result("learner_1", "learner_0", losses, 0, wins, seat=1)),
    )


def entry(found, name):
    return next(entry for entry in found["ratings"]["entries"] if entry["name"] == name)


def test_a_match_told_from_both_sides_is_rated_once():
    found = rated(*both_sides(0, wins=3, losses=1))
    assert [entry(found, name)["episodes"] for name in ("learner_0", "learner_1")] == [4, 4]
    assert (entry(found, "learner_0")["wins"], entry(found, "learner_1")["wins"]) == (3, 1)


def test_an_always_win_member_reads_one_in_payoffs_and_stays_finite_in_ratings():
    found = rated(
        *[
            (0, result("learner_0", name, wins=5, seat=seat))
            for name in ("tit_for_tat", "learner_0@4")
            for seat in (0, 1)
        ]
    )
    bot = entry(found, "learner_0")
    assert (bot["wins"], bot["episodes"]) == (20, 20)
    assert found["ratings"]["entries"][0] == bot
    assert bot["low"] < bot["rating"] < bot["high"] < 20.0
    assert found["metagame"]["payoff"][0][1] == 1.0


def test_elo_points_are_logits_in_other_units():
    found = rated(
        (0, result("learner_0", "tit_for_tat", wins=30, losses=10)), (1, result("learner_0", "tit_for_tat", 3))
    )
    for each in (entry(found, "learner_0"), found["skill"]["curves"]["learner_0"][0]):
        for logits, points in (("rating", "elo"), ("low", "elo_low"), ("high", "elo_high")):
            assert each[points] == pytest.approx(each[logits] * 173.7178)  # 400 / ln 10


def test_a_learner_is_rated_by_its_last_window_and_the_curve_keeps_the_others():
    early = [(0, result("learner_0", "tit_for_tat", losses=20)) for _ in range(5)]
    late = [(7, result("learner_0", "tit_for_tat", wins=20)) for _ in range(5)]
    found = rated(*early, *late)
    curve = found["skill"]["curves"]["learner_0"]
    assert found["skill"]["edges"] == list(range(9))
    assert [point is not None for point in curve] == [True, *[False] * 6, True]
    assert curve[0]["rating"] < 0.0 < curve[-1]["rating"]
    assert entry(found, "learner_0")["rating"] == curve[-1]["rating"]
    assert found["ratings"]["anchors"] == ["tit_for_tat"]
    assert entry(found, "tit_for_tat")["rating"] == pytest.approx(0.0, abs=1e-9)


def test_windows_cover_every_iteration_with_about_equal_lengths():
    assert windows(0, 0) == [0, 1]
    assert windows(0, 2) == [0, 1, 2, 3]
    assert windows(0, 19) == [0, 2, 5, 8, 10, 12, 15, 18, 20]
    assert windows(30, 49) == [30, 32, 35, 38, 40, 42, 45, 48, 50]  # play began at 30, as after a stage by examples
    assert len(windows(0, 1000)) == WINDOWS + 1


def test_three_seats_and_no_game_are_not_rated():
    three = rated(
        (0, result("learner_0", "tit_for_tat", wins=1)), (0, result("learner_0", "tit_for_tat", wins=1, seat=2))
    )
    assert three["unrated"] == "ratings compare two players; this game has three seats or more"
    assert three["ratings"] is three["skill"] is three["metagame"] is None
    assert rated()["unrated"] == "no game was played so far"
    unscored = Result("learner_0", "tit_for_tat", 0, 1, 0.0, 0.0, 0, 0, 0, 0)
    assert rated((0, unscored))["unrated"] == "no game was played so far"


NAMES = {"a": "learner", "b": "learner", "c": "learner", "d": "scripted"}


def circle(wins, losses, dependence=1.0):
    pairs = (("a", "b"), ("b", "c"), ("c", "a"))
    table = PayoffTable(result(row, column, wins=wins, losses=losses) for row, column in pairs)
    return metagame(table, NAMES, dependence)


def test_what_circles_is_found_where_it_is_beyond_chance():
    found = circle(80, 40)  # 2/3 of 120: of three pairs at 98.3% the interval is [0.56, 0.76]
    assert found["members"] == ["a", "b", "c"]
    assert found["mixture"] == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert found["skill"] == pytest.approx([0.0] * 3, abs=1e-6)
    assert found["cycles"] == [["a", "b", "c"]]
    assert circle(4, 2)["cycles"] == []  # [0.24, 0.93]


def test_a_win_beyond_chance_for_one_pair_is_chance_among_three():
    # 61 of 100: the score z is 2.2, above 1.96 but below the 2.39 of three pairs together; 63 of 100 have 2.6
    assert circle(61, 39)["cycles"] == []
    assert circle(63, 37)["cycles"] == [["a", "b", "c"]]


def test_episodes_that_depend_count_for_fewer():
    assert (independent(144, 8.0), independent(144, 1.0), independent(3, 8.0)) == (18, 144, 1)
    assert circle(80, 40, dependence=8.0)["cycles"] == []  # 10 of 15


def test_a_circle_that_no_ratings_explain_is_found_all_the_same():
    pairs = (("learner_0", "learner_1"), ("learner_1", "tit_for_tat"), ("tit_for_tat", "learner_0"))
    seats = [0, 1] * 20
    found = rated(*((0, result(row, column, 7, 0, 3, seat)) for row, column in pairs for seat in seats))
    assert found["ratings"]["dispersion"] > 30.0  # a ranking is far off
    assert found["ratings"]["dependence"] == 1.0  # but each pair's results agree
    assert found["metagame"]["cycles"] == [["learner_0", "learner_1", "tit_for_tat"]]


def test_zero_is_the_mean_of_the_scripted_members_else_of_the_snapshots_else_of_all():
    scripted, snapshot = ((0, result("learner_0", name, 3, 0, 1)) for name in ("tit_for_tat", "learner_0@4"))
    assert rated(scripted, snapshot)["ratings"]["anchors"] == ["tit_for_tat"]
    assert rated(snapshot)["ratings"]["anchors"] == ["learner_0@4"]
    assert rated(*both_sides(0, 3, 1))["ratings"]["anchors"] == []
    unscored = (0, Result("learner_0", "tit_for_tat", 0, 1, 0.0, 0.0, 0, 0, 0, 0))
    assert rated(snapshot, unscored)["ratings"]["anchors"] == ["learner_0@4"]


def test_members_that_did_not_meet_all_others_are_left_out_and_counted():
    table = PayoffTable(each for _, each in both_sides(0, wins=3, losses=1))
    table.record(result("learner_0", "tit_for_tat", wins=1))
    found = metagame(table, KINDS)
    assert (found["members"], found["left_out"]) == (["learner_0", "learner_1"], 1)
    assert found["mixture"] == pytest.approx([1.0, 0.0], abs=1e-6)
    assert found["payoff"] == [[0.0, 0.5], [-0.5, 0.0]]


def test_strength_is_json_without_missing_numbers():
    json.dumps(rated(*both_sides(0, 3, 1), (1, result("learner_1", "learner_0@4", draws=2))), allow_nan=False)
