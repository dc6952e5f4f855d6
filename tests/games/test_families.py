"""Families: what each rule does, move by move, in games whose best answers are known by heart."""

import numpy as np
import pytest

from games.errors import RequestError
from games.families import FAMILIES
from games.finite_state import FiniteStatePolicy
from games.parameters import dirichlet, uniforms
from games.registry import load
from tests.games.usual_games import RPS

ROCK, PAPER, SCISSORS = 0, 1, 2


def build(family, game=RPS, seat=1, **parameters) -> FiniteStatePolicy:
    return FAMILIES[family].build(game, seat, **FAMILIES[family].resolve(game, parameters))


def row_after(policy: FiniteStatePolicy, *joint_moves: tuple[int, int]) -> list[float]:
    """Move probabilities after (own, other) joint moves."""
    state = policy.start
    for own, other in joint_moves:
        state = policy.next_state[state, own, other]
    return policy.probabilities[state].tolist()


def test_a_peaked_habit_shares_the_rest_equally():
    np.testing.assert_allclose(row_after(build("peaked_habit", move="P", peak=0.8)), [0.1, 0.8, 0.1])


def test_a_dirichlet_habit_is_the_vector_it_is_given():
    assert row_after(build("dirichlet_habit", p="0.2/0.3/0.5"), (0, 1), (2, 2)) == [0.2, 0.3, 0.5]


def test_a_dirichlet_habit_of_another_length_is_refused():
    with pytest.raises(RequestError, match="one for each move"):
        build("dirichlet_habit", p="0.4/0.6")


def test_tit_for_tat_copies_the_other():
    policy = build("tit_for_tat", start="P")
    assert row_after(policy) == [0, 1, 0]
    assert row_after(policy, (PAPER, SCISSORS)) == [0, 0, 1]
    assert row_after(policy, (PAPER, SCISSORS), (SCISSORS, ROCK)) == [1, 0, 0]


def test_tit_for_tat_needs_moves_that_it_can_copy():
    game = load("matrix", moves=(("a", "b"), ("x", "y")), payoffs=[[1, 0], [0, 1]])
    with pytest.raises(RequestError, match="different moves"):
        build("tit_for_tat", game, start="a")


def test_a_cycle_goes_round_whatever_the_other_does():
    policy = build("cycle", start="R", step=-1)
    assert row_after(policy) == [1, 0, 0]
    assert row_after(policy, (ROCK, PAPER)) == [0, 0, 1]
    assert row_after(policy, (ROCK, ROCK), (SCISSORS, PAPER)) == [0, 1, 0]


def test_a_uniform_start_is_random_once():
    policy = build("cycle", start="uniform", step=1)
    np.testing.assert_allclose(row_after(policy), [1 / 3] * 3)
    assert row_after(policy, (SCISSORS, ROCK)) == [1, 0, 0]


def test_win_stay_lose_shift_stays_after_a_win_only():
    policy = build("win_stay_lose_shift")
    assert row_after(policy, (ROCK, SCISSORS)) == [1, 0, 0]
    assert row_after(policy, (ROCK, ROCK)) == [0, 1, 0]
    assert row_after(policy, (ROCK, PAPER)) == [0, 1, 0]


def test_win_stay_lose_shift_is_pavlov_in_the_prisoners_dilemma():
    policy = build("win_stay_lose_shift", load("prisoners_dilemma"))
    answers = [int(np.argmax(row_after(policy, joint))) for joint in [(0, 0), (0, 1), (1, 0), (1, 1)]]
    assert answers == [0, 1, 1, 0]  # C after CC and DD, D after CD and DC


def test_in_matching_pennies_each_seat_wins_its_own_way():
    game = load("matching_pennies")
    assert row_after(build("win_stay_lose_shift", game, 0), (0, 0)) == [1, 0]  # seat 0 matched: it won
    assert row_after(build("win_stay_lose_shift", game, 1), (0, 0)) == [0, 1]  # seat 1 matched: it lost


def test_the_frequency_counter_answers_the_most_frequent_move():
    policy = build("frequency_counter")
    np.testing.assert_allclose(row_after(policy), [1 / 3] * 3)
    assert row_after(policy, (0, ROCK)) == [0, 1, 0]
    assert row_after(policy, (0, ROCK), (0, ROCK), (0, PAPER)) == [0, 1, 0]


def test_the_frequency_counter_splits_ties():
    """After rock and scissors: rock is worth 0 + 1, paper 1 - 1, scissors -1 + 0."""
    policy = build("frequency_counter")
    assert row_after(policy, (0, ROCK), (0, SCISSORS)) == [1, 0, 0]
    pennies = build("frequency_counter", load("matching_pennies"), 1)
    assert row_after(pennies, (0, 0), (0, 1)) == [0.5, 0.5]


def test_a_frequency_counter_over_too_many_rounds_is_refused():
    with pytest.raises(RequestError, match="fewer rounds"):
        build("frequency_counter", load("rock_paper_scissors", rounds=1000))


def test_a_memory_one_table_depends_on_the_last_joint_move_only():
    policy = build("memory_one", seed=3)
    assert policy.probabilities.shape == (10, 3)
    assert row_after(policy, (0, 1), (2, 1)) == row_after(policy, (2, 1))
    assert row_after(policy, (0, 1)) != row_after(policy, (1, 0))


def test_a_memory_one_table_is_named_by_its_seed():
    assert build("memory_one", seed=3).fingerprint() == build("memory_one", seed=3).fingerprint()
    assert build("memory_one", seed=3).fingerprint() != build("memory_one", seed=4).fingerprint()
    assert build("memory_one", seed=3).fingerprint() != build("memory_one", seed=3, alpha=0.5).fingerprint()


def test_a_memory_one_table_never_changes():
    """A name in an old run must mean the same opponent; these numbers are the first row of seed 0."""
    assert row_after(build("memory_one", seed=0, alpha=0.2)) == [0.120013, 0.000114, 0.879873]


def test_dirichlet_draws_have_the_right_mean_and_spread():
    """The variance of a coordinate is (1/3)(2/3) / (3 alpha + 1)."""
    for alpha in (0.2, 1.0, 5.0):
        source = uniforms(1)
        rows = np.array([dirichlet(source, alpha, 3) for _ in range(4000)])
        np.testing.assert_allclose(rows.sum(axis=1), 1.0)
        np.testing.assert_allclose(rows.mean(axis=0), [1 / 3] * 3, atol=0.03)
        np.testing.assert_allclose(rows.var(axis=0), 2 / 9 / (3 * alpha + 1), rtol=0.1)


def test_tiny_alphas_do_not_underflow():
    rows = [dirichlet(uniforms(seed), 0.01, 3) for seed in range(200)]
    assert all(sum(row) == pytest.approx(1.0) and max(row) <= 1.0 for row in rows)


def test_unknown_and_impossible_parameters_are_refused():
    with pytest.raises(RequestError, match="did you mean 'peak'"):
        build("peaked_habit", peek=0.8)
    with pytest.raises(RequestError, match="from 0.0 to 1.0"):
        build("peaked_habit", peak=1.2)
    with pytest.raises(RequestError, match="whole number"):
        build("cycle", step=0.5)
    with pytest.raises(RequestError, match="known are P, R, S"):
        build("tit_for_tat", start="X").fingerprint()
    with pytest.raises(RequestError, match="expected probabilities"):
        build("dirichlet_habit")


def test_draws_stay_inside_their_ranges():
    rng = np.random.default_rng(0)
    ranges = {"move": ["R", "P"], "peak": [0.7, 0.75]}
    drawn = [FAMILIES["peaked_habit"].sample(RPS, rng, ranges) for _ in range(50)]
    assert {params["move"] for params in drawn} == {"R", "P"}
    assert all(0.7 <= params["peak"] <= 0.75 for params in drawn)
    assert FAMILIES["peaked_habit"].sample(RPS, rng, {"move": "S", "peak": 0.9}) == {"move": "S", "peak": 0.9}
    with pytest.raises(RequestError, match=r"range \[low, high\]"):
        FAMILIES["peaked_habit"].sample(RPS, rng, {"peak": [0.9, 0.7]})
