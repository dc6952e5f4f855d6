"""Skill over time: a learner is another player in every window, everyone else the same throughout."""

from __future__ import annotations

import math

import pytest

from populations.payoffs import Result
from populations.ratings import fit_ratings
from populations.skill import skill_curve


def games(row: str, column: str, wins: int, losses: int) -> list[Result]:
    """So many won and lost in either seat."""
    return [Result(row, column, seat, 1, 0.0, 0.0, wins, 0, losses, 0) for seat in (0, 1)]


def at(time: int, results: list[Result]) -> list[tuple[int, Result]]:
    return [(time, result) for result in results]


# Against one bot the learner wins 1 of 4, then half, then 3 of 4.
RISING = [
    *at(0, games("learner", "bot", 1000, 3000)),
    *at(10, games("learner", "bot", 2000, 2000)),
    *at(25, games("learner", "bot", 3000, 1000)),
]


def test_a_learner_that_rises_from_a_quarter_to_three_quarters_gains_two_logarithms_of_three():
    curve = skill_curve(RISING, [0, 10, 20, 30], {"learner"}, anchors=["bot"])
    points = curve.curves["learner"]
    assert [point.rating for point in points] == pytest.approx([-math.log(3), 0.0, math.log(3)], abs=2e-3)
    assert all(point.low < point.rating < point.high and point.name == "learner" for point in points)
    assert (curve.ratings["bot"].rating, curve.ratings.anchors) == (0.0, ("bot",))


def test_in_the_ratings_a_learner_is_what_it_was_last():
    curve = skill_curve(RISING, [0, 10, 20, 30], {"learner"}, anchors=["bot"])
    assert [entry.name for entry in curve.ratings.entries] == ["learner", "bot"]
    assert curve.ratings["learner"] == curve.curves["learner"][2]
    assert curve.ratings["learner"].episodes == 8000
    assert curve.ratings.components == (("bot", "learner"),)


def test_a_window_without_a_game_has_no_rating_and_the_last_one_with_a_game_counts():
    curve = skill_curve(RISING[:2] + RISING[4:], [0, 10, 20, 30, 40], ["learner"])
    assert [point is None for point in curve.curves["learner"]] == [False, True, False, True]
    assert curve.ratings["learner"] == curve.curves["learner"][2]


def test_one_window_is_the_plain_fit():
    results = games("a", "bot", 3, 1) + games("b", "bot", 1, 1) + games("a", "b", 2, 1)
    curve = skill_curve(at(5, results), [0, 10], {"a", "b"}, anchors=["bot"])
    plain = fit_ratings(results, anchors=["bot"])
    assert [(e.name, e.rating) for e in curve.ratings.entries] == [
        (e.name, pytest.approx(e.rating, abs=1e-9)) for e in plain.entries
    ]


def test_an_edge_belongs_to_the_window_that_it_opens():
    curve = skill_curve(at(10, games("learner", "bot", 1, 1)), [0, 10, 20], {"learner"})
    assert [point is None for point in curve.curves["learner"]] == [True, False]


def test_without_anchors_all_windows_together_are_the_origin():
    results = at(0, games("a", "b", 2, 1)) + at(10, games("a", "b", 1, 2))
    curve = skill_curve(results, [0, 10, 20], {"a", "b"})
    first, second = curve.curves["a"]
    assert first.rating == pytest.approx(-second.rating, abs=1e-9) and first.rating > 0.0
    assert curve.ratings.anchors == ()


def test_an_anchor_is_zero_however_the_others_that_do_not_change_spread():
    results = [*RISING, *at(0, games("bot", "weak", 3000, 1000))]
    alone = skill_curve(results, [0, 10, 20, 30], {"learner"}, anchors=["bot"]).ratings
    both = skill_curve(results, [0, 10, 20, 30], {"learner"}, anchors=["bot", "weak"]).ratings
    assert (alone["bot"].rating, alone.anchors) == (0.0, ("bot",))
    assert alone["weak"].rating == pytest.approx(-math.log(3), abs=2e-3)
    assert both["bot"].rating == pytest.approx(-both["weak"].rating) == pytest.approx(math.log(3) / 2, abs=2e-3)


def test_an_anchor_that_changes_or_never_played_is_refused():
    with pytest.raises(ValueError, match="got the anchor 'learner', which changes"):
        skill_curve(RISING, [0, 10, 20, 30], {"learner"}, anchors=["learner"])
    with pytest.raises(ValueError, match="unknown anchor 'stranger'"):
        skill_curve(RISING, [0, 10, 20, 30], {"learner"}, anchors=["stranger"])


@pytest.mark.parametrize(("edges", "message"), [([0], "at least two"), ([0, 0], "above the one"), ([5, 10], "time 0")])
def test_edges_that_hold_no_window_or_not_every_result_are_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        skill_curve(RISING[:1], edges, {"learner"})
