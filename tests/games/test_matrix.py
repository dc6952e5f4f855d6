"""The repeated matrix environment and its payoff table."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel

from games.errors import RequestError
from games.matrix import PAYOFFS, MatrixSpec, RepeatedMatrixGame, make_spec

LOPSIDED = make_spec("lopsided", ["A", "B"], ["X", "Y", "Z"], [[1, 2, 3], [4, 5, 6]])


def play(env: RepeatedMatrixGame, *moves: int) -> None:
    for move in moves:
        env.step(move)


@pytest.mark.parametrize("spec", [*PAYOFFS.values(), LOPSIDED], ids=lambda spec: spec.name)
def test_every_matrix_passes_pettingzoo_s_own_tests_without_a_warning(spec: MatrixSpec):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if spec is LOPSIDED:
            warnings.filterwarnings("ignore", message="Agents have different action space sizes")
        api_test(RepeatedMatrixGame(spec, 12), num_cycles=30)
        seed_test(lambda: RepeatedMatrixGame(spec, 12), num_cycles=30)
        parallel_api_test(aec_to_parallel(RepeatedMatrixGame(spec, 12)), num_cycles=30)


def test_payoffs_are_those_of_the_textbook():
    rps, pennies = PAYOFFS["rock_paper_scissors"], PAYOFFS["matching_pennies"]
    dilemma, hunt = PAYOFFS["prisoners_dilemma"], PAYOFFS["stag_hunt"]
    assert rps.rewards[0, 1] == (-1, 1)  # paper beats rock
    assert rps.rewards[2, 1] == (1, -1)  # scissors beat paper
    assert pennies.rewards[1, 1] == (1, -1)  # seat 0 wins a match
    assert pennies.rewards[0, 1] == (-1, 1)
    assert [dilemma.rewards[joint] for joint in np.ndindex(2, 2)] == [(3, 3), (0, 5), (5, 0), (1, 1)]
    assert [hunt.rewards[joint] for joint in np.ndindex(2, 2)] == [(4, 4), (0, 3), (3, 0), (3, 3)]


def test_only_the_first_two_named_matrices_are_zero_sum():
    assert [spec.zero_sum for spec in PAYOFFS.values()] == [True, True, False, False]


def test_the_first_mover_s_choice_stays_hidden_until_both_moved():
    env = RepeatedMatrixGame(PAYOFFS["rock_paper_scissors"], 2)
    env.reset()
    before = env.observe("player_1")
    env.step(2)
    assert env.agent_selection == "player_1"
    np.testing.assert_array_equal(env.observe("player_1"), before)
    np.testing.assert_array_equal(env.observe("player_1"), [[3, 3], [3, 3]])
    assert env.render() == ""
    env.step(0)
    np.testing.assert_array_equal(env.observe("player_1"), [[2, 0], [3, 3]])
    assert env.render() == "S R"


def test_both_get_their_payoff_when_the_round_is_complete():
    env = RepeatedMatrixGame(PAYOFFS["prisoners_dilemma"], 2)
    env.reset()
    env.step(1)
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    env.step(0)
    assert env.rewards == {"player_0": 5.0, "player_1": 0.0}
    assert not env.truncations["player_0"]


def test_the_last_round_truncates_both_and_pays_both():
    env = RepeatedMatrixGame(PAYOFFS["matching_pennies"], 1)
    env.reset()
    play(env, 0, 0)
    assert env.truncations == {"player_0": True, "player_1": True}
    assert not any(env.terminations.values())
    paid = {}
    for agent in env.agent_iter():
        paid[agent] = env.last()[1]
        env.step(None)
    assert paid == {"player_0": 1.0, "player_1": -1.0}
    assert env.agents == []


def test_a_move_of_a_finished_agent_and_an_index_out_of_range_are_errors():
    env = RepeatedMatrixGame(PAYOFFS["matching_pennies"], 1)
    env.reset()
    for wrong in (2, -1, None):
        with pytest.raises(ValueError, match="expected 0 to 1"):
            env.step(wrong)
    play(env, 0, 1)
    with pytest.raises(ValueError, match="None"):
        env.step(0)


def test_interleaved_environments_leave_each_other_alone():
    one, two = (RepeatedMatrixGame(PAYOFFS["rock_paper_scissors"], 2) for _ in range(2))
    one.reset(seed=1)
    two.reset(seed=1)
    one.step(0)
    play(two, 1, 1)
    one.step(2)
    assert one.history == [(0, 2)]
    assert two.history == [(1, 1)]


def test_a_reset_forgets_the_last_episode():
    env = RepeatedMatrixGame(PAYOFFS["rock_paper_scissors"], 2)
    env.reset()
    play(env, 0, 1, 2)
    first = env.history
    env.reset()
    assert (env.history, env.agent_selection, first) == ([], "player_0", [(0, 1)])


def test_one_table_means_a_zero_sum_game():
    assert LOPSIDED.payoffs.shape == (2, 2, 3)
    assert LOPSIDED.rewards[1, 2] == (6.0, -6.0)
    assert LOPSIDED.zero_sum


def test_specs_are_equal_by_content_and_cannot_be_written_to():
    again = make_spec("lopsided", ["A", "B"], ["X", "Y", "Z"], [[1, 2, 3], [4, 5, 6]])
    assert again == LOPSIDED
    assert hash(again) == hash(LOPSIDED)
    assert again != make_spec("lopsided", ["A", "B"], ["X", "Y", "Z"], [[1, 2, 3], [4, 5, 7]])
    with pytest.raises(ValueError, match="read-only"):
        again.payoffs[0, 0, 0] = 9.0


@pytest.mark.parametrize(
    ("moves0", "payoffs", "message"),
    [
        ([], [[1.0]], "seat 0: got \\[\\], expected a list"),
        ("AB", [[1.0]], "seat 0: got 'AB', expected a list"),
        (["A", "A"], [[1.0], [1.0]], "distinct words"),
        (["A", "B C"], [[1.0], [1.0]], "distinct words"),
        (["A", "B=1"], [[1.0], [1.0]], "distinct words"),
        (["A", "B"], [[1.0, 2.0]], "got shape \\[1, 2\\], expected \\[2, 2, 1\\]"),
        (["A", "B"], [[1.0], [2.0, 3.0]], "expected numbers of shape \\[2, 2, 1\\]"),
        (["A", "B"], [["one"], ["two"]], "expected numbers"),
        (["A", "B"], [[1.0], [float("nan")]], "isn't finite"),
    ],
)
def test_a_wrong_matrix_is_refused_in_one_sentence(moves0, payoffs, message):
    with pytest.raises(RequestError, match=message):
        make_spec("matrix", moves0, ["X"], payoffs)
