"""Ratings: hand-checked fits, and what must not change them."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from populations.outcomes import one_sided
from populations.payoffs import PayoffTable, Result
from populations.ratings import elo, fit_ratings

WIDE = 1e4  # a prior that hardly says anything


def result(row: str, column: str, wins: int, draws: int = 0, losses: int = 0, seat: int = 0) -> Result:
    total = float(wins - losses)
    return Result(row, column, seat, 1, total, total**2, wins, draws, losses, 0)


def both_seats(row: str, column: str, wins: int, draws: int = 0, losses: int = 0) -> list[Result]:
    """The same outcome in either seat, which leaves no seat advantage."""
    return [result(row, column, wins, draws, losses, seat) for seat in (0, 1)]


def random_league(seed: int, members: int = 8, games: int = 150) -> list[Result]:
    rng = np.random.default_rng(seed)
    results = []
    for _ in range(games):
        i, j = rng.choice(members, 2, replace=False)
        counts = rng.multinomial(3, [0.5, 0.2, 0.3]).tolist()
        results.append(result(f"m{i}", f"m{j}", *counts, seat=int(rng.integers(2))))
    return results


def test_one_game_each_way_makes_equals():
    ratings = fit_ratings([result("a", "b", 1), result("b", "a", 1)])
    assert [entry.rating for entry in ratings.entries] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert ratings.seat_advantage > 0.0  # the lower seat won both


def test_three_wins_of_four_are_a_gap_of_the_logarithm_of_three():
    ratings = fit_ratings(both_seats("a", "b", 30, 0, 10), prior_deviation=WIDE)
    assert ratings["a"].rating - ratings["b"].rating == pytest.approx(math.log(3.0), abs=1e-6)
    assert ratings.expected_score("a", "b") == pytest.approx(0.75, abs=1e-6)
    assert ratings.draw_parameter == 0.0
    assert [entry.name for entry in ratings.entries] == ["a", "b"]
    assert (ratings["b"].episodes, ratings["b"].wins, ratings["b"].draws, ratings["b"].losses) == (80, 20, 0, 60)


def test_four_wins_two_draws_and_a_loss_have_davidsons_parameters():
    # exp(d/2) : nu : exp(-d/2) = 4 : 2 : 1, so exp(d) = 4 and nu = 2 / sqrt(4 * 1)
    ratings = fit_ratings(both_seats("a", "b", 4_000_000, 2_000_000, 1_000_000), prior_deviation=WIDE)
    assert ratings["a"].rating - ratings["b"].rating == pytest.approx(math.log(4.0), abs=1e-5)
    assert ratings.draw_parameter == pytest.approx(1.0, abs=1e-5)
    assert ratings.expected_score("a", "b") == pytest.approx(5.0 / 7.0, abs=1e-5)


def test_two_who_split_half_and_draw_half_have_a_draw_parameter_of_two():
    ratings = fit_ratings(both_seats("a", "b", 1_000_000, 2_000_000, 1_000_000))
    assert ratings.draw_parameter == pytest.approx(2.0, abs=1e-5)  # nu / (nu + 2) = 1/2
    assert ratings["a"].rating == pytest.approx(0.0, abs=1e-9)


def test_draws_alone_make_all_equal():
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]
    ratings = fit_ratings([result(row, column, 0, 7, 0) for row, column in pairs])
    assert [entry.rating for entry in ratings.entries] == pytest.approx([0.0] * 4, abs=1e-9)
    assert ratings.expected_score("a", "c") == pytest.approx(0.5, abs=1e-9)


def test_who_always_wins_stays_finite_where_prior_and_games_balance():
    ratings = fit_ratings(both_seats("a", "b", 10), prior_deviation=3.0)
    x = ratings["a"].rating
    # The slope of 20 log-likelihoods at a gap of 2x against that of the prior at x.
    assert 20.0 / (1.0 + math.exp(2.0 * x)) == pytest.approx(x / 9.0, rel=1e-4)
    assert 0.95 < ratings.expected_score("a", "b") < 1.0
    more = fit_ratings(both_seats("a", "b", 1000))
    assert 0.999 < more.expected_score("a", "b") < 1.0 and more["a"].low > 0.0


def test_intervals_are_those_of_a_binomial_where_games_are_many():
    ratings = fit_ratings(both_seats("a", "b", 1000, 0, 1000))
    deviation = math.sqrt(1.0 / (4000 * 0.25)) / 2.0  # of the gap, of which each rating is half
    assert ratings["a"].deviation == pytest.approx(deviation, rel=1e-3)
    assert ratings["a"].high == pytest.approx(1.959964 * deviation, rel=1e-3)
    assert ratings["a"].low == pytest.approx(-ratings["a"].high)


def test_a_higher_level_makes_wider_intervals():
    results = both_seats("a", "b", 1000, 0, 1000)
    wider = fit_ratings(results, level=0.99)["a"].high / fit_ratings(results, level=0.95)["a"].high
    assert wider == pytest.approx(2.575829 / 1.959964)


def test_a_seat_that_wins_three_of_four_between_equals_is_worth_the_logarithm_of_three():
    ratings = fit_ratings([result("a", "b", 3_000, 0, 1_000), result("b", "a", 3_000, 0, 1_000)])
    assert ratings.seat_advantage == pytest.approx(math.log(3.0), abs=1e-2)
    assert ratings["a"].rating == pytest.approx(0.0, abs=1e-9)
    scores = [ratings.expected_score("a", "b", seat) for seat in (0, 1, None)]
    assert scores == pytest.approx([0.75, 0.25, 0.5], abs=1e-3)
    np.testing.assert_allclose(ratings.expected_scores(["b", "a"]), 0.5, atol=1e-9)


def test_a_result_told_from_the_other_side_is_the_same_result():
    told = [result("a", "b", 5, 2, 1, seat=0), result("c", "a", 2, 3, 4, seat=1)]
    other = [result("b", "a", 1, 2, 5, seat=1), result("a", "c", 4, 3, 2, seat=0)]
    assert fit_ratings(told) == fit_ratings(other)


def test_the_order_of_results_changes_nothing():
    results = random_league(3)
    first = fit_ratings(results)
    for seed in range(3):
        shuffled = [results[index] for index in np.random.default_rng(seed).permutation(len(results))]
        for entry in fit_ratings(shuffled).entries:
            known = first[entry.name]
            assert [entry.rating, entry.low, entry.high] == pytest.approx(
                [known.rating, known.low, known.high], abs=1e-9
            )


def test_results_added_up_by_a_payoff_table_give_the_same_ratings_where_games_are_independent():
    rng = np.random.default_rng(0)
    single = [
        result(f"m{i}", f"m{j}", int(win), 0, 1 - int(win))
        for i in range(6)
        for j in range(6)
        if i != j
        for win in rng.random(10) < 0.5
    ]
    apart, together = fit_ratings(single), fit_ratings(PayoffTable(single).results())
    assert [entry.rating for entry in apart.entries] == pytest.approx([e.rating for e in together.entries], abs=1e-9)


def test_anchors_are_the_origin_and_change_no_difference():
    results = random_league(4)
    free, tied = fit_ratings(results), fit_ratings(results, anchors=["m1", "m5"])
    assert tied["m1"].rating + tied["m5"].rating == pytest.approx(0.0, abs=1e-12)
    assert sum(entry.rating for entry in free.entries) == pytest.approx(0.0, abs=1e-9)
    gaps = [ratings["m0"].rating - ratings["m2"].rating for ratings in (free, tied)]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-12)


def test_a_single_anchor_is_zero_without_doubt_and_the_doubt_of_the_others_is_that_of_the_gap():
    ratings = fit_ratings(both_seats("a", "b", 1000, 0, 1000), anchors=["b"])
    assert (ratings["b"].rating, ratings["b"].low, ratings["b"].high) == (0.0, 0.0, 0.0)
    assert ratings["a"].deviation == pytest.approx(math.sqrt(1.0 / 1000.0), rel=1e-3)


def test_a_match_told_from_both_sides_counts_once():
    once = [result("a", "b", 3, 1, 2), result("bot", "a", 1, 0, 1), result("b", "bot", 2, 0, 1, seat=1)]
    mirrored = [*once, result("b", "a", 2, 1, 3, seat=1)]
    assert one_sided(mirrored, {"a", "b"}) == tuple(once)
    assert fit_ratings(one_sided(mirrored, {"a", "b"})) == fit_ratings(once)
    assert fit_ratings(mirrored)["a"].episodes == fit_ratings(once)["a"].episodes + 6  # what it is there to prevent


def test_games_of_a_result_that_all_end_alike_count_as_one():
    # Every result is 48 games with one outcome: the variance of its score is 48 times that of independent games.
    rng = np.random.default_rng(0)
    names = [f"m{i}" for i in range(10)]
    draws = [rng.choice(10, 2, replace=False) for _ in range(400)]
    wins = [48 * int(rng.integers(2)) for _ in draws]
    together = [result(names[i], names[j], w, 0, 48 - w) for (i, j), w in zip(draws, wins, strict=True)]
    alone = [result(names[i], names[j], w // 48, 0, 1 - w // 48) for (i, j), w in zip(draws, wins, strict=True)]
    first, second = fit_ratings(together), fit_ratings(alone)
    assert first.dispersion / second.dispersion == pytest.approx(48.0, rel=0.1)
    assert first["m0"].deviation == pytest.approx(second["m0"].deviation, rel=0.05)


def test_pairs_that_meet_once_say_nothing_of_dependence():
    results = [result(f"m{i}", f"m{j}", 1 - (i + j) % 2, 0, (i + j) % 2) for i in range(9) for j in range(i)]
    assert fit_ratings(results).dispersion == 1.0


def test_a_cycle_which_no_ratings_explain_shows_as_dispersion():
    # By pair and seat: residual 20/2, squares 20/4, variance 20/4, and half of it taken up by 3 parameters of 6 rows:
    # 1 + 6 (100 - 5 + 19/20 * 5/2) / (1 + 6 * 5/2) = 37.52.
    pairs = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    games = [result(row, column, 1, seat=seat) for row, column in pairs for seat in (0, 1) for _ in range(20)]
    ratings = fit_ratings(games, prior_deviation=WIDE)
    assert [entry.rating for entry in ratings.entries] == pytest.approx([0.0] * 3, abs=1e-9)
    assert ratings.dispersion == pytest.approx(37.52, rel=0.02)


def test_a_ladder_that_ratings_explain_shows_no_dispersion():
    games = [row for i in range(8) for j in range(i) for row in both_seats(f"m{j}", f"m{i}", 1000)]
    ratings = fit_ratings(games)
    assert [entry.name for entry in ratings.entries] == [f"m{i}" for i in range(8)]
    assert ratings.dispersion == pytest.approx(1.0, abs=0.01)


def test_those_who_never_met_are_named_by_component():
    games = [result("a", "b", 1), result("c", "d", 3), result("d", "e", 1), result("idle", "a", 0)]
    ratings = fit_ratings(games)
    assert ratings.components == (("c", "d", "e"), ("a", "b"))
    assert len(ratings.entries) == 5  # who played no game has no rating


def test_four_hundred_elo_points_are_odds_of_ten_to_one():
    assert elo(math.log(10.0)) == pytest.approx(400.0)


def test_the_json_is_plain_and_complete():
    ratings = fit_ratings(random_league(5), anchors=["m0"])
    data = json.loads(json.dumps(ratings.to_json()))
    best = ratings.entries[0]
    assert data["entries"][0]["name"] == best.name and data["entries"][0]["rating"] == best.rating
    assert data["entries"][0]["elo"] == pytest.approx(best.rating * 400 / math.log(10))
    assert data["anchors"] == ["m0"] and data["dispersion"] == ratings.dispersion


@pytest.mark.parametrize(
    ("results", "settings", "message"),
    [
        ([], {}, "no result with an episode"),
        ([replace(result("a", "b", 0), n=2)], {}, "no result with an episode"),
        ([result("a", "b", 1, seat=2)], {}, "seat 2, expected two seats"),
        ([result("a", "b", 1)], {"anchors": ["c"]}, "unknown anchor 'c'"),
        ([result("a", "b", 1)], {"prior_deviation": -1.0}, "prior_deviation=-1.0"),
        ([result("a", "b", 1)], {"prior_deviation": 0.0}, "prior_deviation=0.0"),
        ([result("a", "b", 1)], {"prior_deviation": math.inf}, "at most 10000"),
        ([result("a", "b", 1)], {"level": 1.0}, "level=1.0"),
    ],
)
def test_what_cannot_be_rated_is_refused(results, settings, message):
    with pytest.raises(ValueError, match=message):
        fit_ratings(results, **settings)


def test_an_unknown_member_or_seat_is_refused_by_name():
    ratings = fit_ratings([result("alpha", "beta", 1)])
    with pytest.raises(ValueError, match="unknown rated member 'alpah'; closest: alpha"):
        ratings.expected_score("alpah", "beta")
    with pytest.raises(ValueError, match="unknown rated member 'gamma'"):
        ratings.expected_scores(["alpha", "gamma"])
    with pytest.raises(ValueError, match="got seat 2"):
        ratings.expected_score("alpha", "beta", 2)
