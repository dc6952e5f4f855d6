"""Matchmaking: hand-checked weights and shares, fair seats, and nobody who may not be met."""

from collections import Counter

import numpy as np
import pytest

from populations.matchmaking import MATCHMAKERS, Pairing, apportion, choose_opponents, pair, pfsp_weights
from populations.members import Member, Population
from populations.payoffs import PayoffTable, Result

DEFAULT = {"scripted": 0.7, "self_play": 0.15, "uniform": 0.0, "pfsp": 0.15}


def population_of(learners: int = 2, scripted: int = 3, snapshots: int = 0) -> Population:
    population = Population(Member(f"learner_{i}", "learner") for i in range(learners))
    for i in range(scripted):
        population.add(Member(f"bot_{i}", "scripted"))
    for i in range(snapshots):
        population.freeze("learner_0", 10 * (i + 1), f"digest{i}")
    return population


def draw(population: Population, weights: dict[str, float], groups: int = 8, generations: int = 2, **keywords):
    rng = np.random.default_rng(keywords.pop("seed", 0))
    return pair(population, PayoffTable(), weights, groups, generations, rng, **keywords)


def test_pfsp_prefers_the_opponent_that_beats_us():
    np.testing.assert_allclose(pfsp_weights(np.array([1.0, 0.5, 0.0])), [0.0, 0.2, 0.8])


def test_pfsp_with_power_zero_or_all_beaten_is_uniform():
    np.testing.assert_allclose(pfsp_weights(np.array([0.9, 0.1]), power=0.0), [0.5, 0.5])
    np.testing.assert_allclose(pfsp_weights(np.array([1.0, 1.0])), [0.5, 0.5])


@pytest.mark.parametrize("rates", [[1.2], [-0.1], [float("nan")], []])
def test_pfsp_refuses_rates_out_of_range_and_none_at_all(rates):
    with pytest.raises(ValueError, match="expected rates in"):
        pfsp_weights(np.array(rates))


def test_whole_shares_are_given_exactly():
    for seed in range(50):
        counts = apportion(np.array([0.7, 0.1, 0.0, 0.2]), 10, np.random.default_rng(seed))
        assert counts.tolist() == [7, 1, 0, 2]


def test_broken_shares_are_rounded_to_a_neighbour_and_right_on_average():
    # shares of 8: 5.6, 1.2, 1.2
    rng = np.random.default_rng(1)
    counts = np.array([apportion(np.array([0.7, 0.15, 0.15]), 8, rng) for _ in range(1000)])
    assert (counts.sum(axis=1) == 8).all()
    assert set(counts[:, 0]) == {5, 6} and set(counts[:, 1]) == {1, 2} and set(counts[:, 2]) == {1, 2}
    np.testing.assert_allclose(counts.mean(axis=0), [5.6, 1.2, 1.2], atol=0.06)


def test_each_learner_gets_its_groups_and_every_trial_of_a_group_is_alike():
    pairings = draw(population_of(learners=3, snapshots=2), DEFAULT, groups=8, generations=4)
    assert len(pairings) == 3 * 8 * 4
    assert [p.trial for p in pairings] == list(range(96))
    assert Counter(p.learner for p in pairings) == {"learner_0": 32, "learner_1": 32, "learner_2": 32}
    alike = {(p.group, p.learner, p.opponent, p.seat, p.opponent_kind) for p in pairings}
    assert len(alike) == 24 and {p.group for p in pairings} == set(range(24))


def test_one_pairing_reads_as_expected():
    only = Population([Member("learner_0", "learner"), Member("bot", "scripted")])
    assert draw(only, {"scripted": 1.0}, groups=1, generations=2) == [
        Pairing("learner_0", "bot", 0, 0, 0, "scripted"),
        Pairing("learner_0", "bot", 0, 0, 1, "scripted"),
    ]


def test_seats_alternate_over_groups_and_odd_numbers_even_out_over_iterations():
    population = population_of(learners=2)
    seats = [[p.seat for p in draw(population, DEFAULT, 3, 1, iteration=i)] for i in (0, 1)]
    assert seats == [[0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0]]


def test_scripted_opponents_are_all_met_before_one_is_met_again():
    names = [p.opponent for p in draw(population_of(1, scripted=4), {"scripted": 1.0}, groups=10, generations=1)]
    everyone = {"bot_0", "bot_1", "bot_2", "bot_3"}
    assert set(names[:4]) == set(names[4:8]) == everyone
    assert len(set(names[8:])) == 2


def test_self_play_never_meets_itself():
    for seed in range(20):
        assert all(p.learner != p.opponent for p in draw(population_of(3), {"self_play": 1.0}, seed=seed))


def test_without_snapshots_their_share_goes_to_the_others():
    kinds = Counter(p.opponent_kind for p in draw(population_of(2), {"scripted": 0.5, "pfsp": 0.5}, generations=1))
    assert kinds == {"scripted": 16}
    kinds = Counter(
        p.opponent_kind for p in draw(population_of(2, snapshots=1), {"scripted": 0.5, "pfsp": 0.5}, generations=1)
    )
    assert kinds == {"scripted": 8, "snapshot": 8}


def test_a_retired_snapshot_is_met_no_more():
    population = population_of(1, scripted=0, snapshots=2)
    population.retire("learner_0@10")
    assert {p.opponent for p in draw(population, {"uniform": 1.0})} == {"learner_0@20"}


def test_pfsp_avoids_the_beaten_and_takes_the_unplayed_for_even():
    population = population_of(1, scripted=0, snapshots=3)
    table = PayoffTable([Result("learner_0", "learner_0@10", 0, 4, 4.0, 4.0, 4, 0, 0, 0)])
    table.record(Result("learner_0", "learner_0@20", 0, 4, -4.0, 4.0, 0, 0, 4, 0))
    rng = np.random.default_rng(0)
    chosen = choose_opponents("learner_0", population, table, {"pfsp": 1.0}, 4000, rng)
    share = Counter(member.name for member in chosen)
    assert share["learner_0@10"] == 0  # win rate 1 -> weight 0
    assert share["learner_0@20"] / 4000 == pytest.approx(0.8, abs=0.03)  # weight 1 of 1.25
    assert share["learner_0@30"] / 4000 == pytest.approx(0.2, abs=0.03)  # unplayed: weight 0.25 of 1.25


def test_the_same_generator_gives_the_same_pairings_and_another_gives_others():
    population = population_of(3, scripted=9, snapshots=4)
    assert draw(population, DEFAULT, seed=5) == draw(population, DEFAULT, seed=5)
    assert draw(population, DEFAULT, seed=5) != draw(population, DEFAULT, seed=6)


def test_every_matchmaker_draws_members_of_the_population_only():
    population = population_of(2, scripted=2, snapshots=2)
    for name in MATCHMAKERS:
        assert all(p.opponent in population for p in draw(population, {name: 1.0}))


def test_nobody_to_meet_is_an_error_that_says_what_to_do():
    with pytest.raises(ValueError, match="'learner_0' has nobody to meet by self_play, pfsp; add scripted"):
        draw(population_of(1, scripted=2), {"self_play": 0.5, "pfsp": 0.5, "scripted": 0.0})


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"pfps": 1.0}, "unknown matchmaker 'pfps'; closest: pfsp"),
        ({"scripted": -0.1, "pfsp": 1.0}, "got weight -0.1"),
        ({"scripted": float("nan")}, "got weight nan"),
        ({"scripted": 0.0}, "no positive"),
        ({}, "no positive"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        draw(population_of(), weights)


def test_no_group_no_trial_and_no_learner_are_refused():
    with pytest.raises(ValueError, match="groups=0"):
        draw(population_of(), DEFAULT, groups=0)
    with pytest.raises(ValueError, match="num_generations=0"):
        draw(population_of(), DEFAULT, generations=0)
    with pytest.raises(ValueError, match="no learner"):
        draw(population_of(0), DEFAULT)
