"""Opponents that are computed, learned or read from a file, against values that are known."""

import json

import numpy as np
import pyspiel
import pytest

from games import exact
from games.curves import learning_curve
from games.errors import RequestError
from games.naming import behaviour, parse
from games.registry import load
from games.trees.positions import positions
from games.trees.walk import sequence_form, state_after
from tests.games.usual_games import KUHN, RPS, TIC_TAC_TOE


def plan(game, name, seat):
    form = sequence_form(game.solver)
    policy, decisions = parse(game, name).tree_policy(game, seat), form.decisions[seat]
    return decisions.plan([policy(state_after(form.game, history), seat) for history in decisions.histories])


def value(game, first, second):
    """The exact expected return of seat 0."""
    return sequence_form(game.solver).expected({0: plan(game, first, 0), 1: plan(game, second, 1)})[0]


def nash_conv(name):
    """What both seats of Kuhn poker would gain by best responses, by OpenSpiel."""
    table = {}
    for seat, decisions in enumerate(sequence_form(KUHN.solver).decisions):
        policy = parse(KUHN, name).tree_policy(KUHN, seat)
        for key, history in zip(decisions.keys, decisions.histories, strict=True):
            state = state_after(pyspiel.load_game("kuhn_poker"), history)
            table[key] = list(zip(state.legal_actions(), policy(state, seat), strict=True))
    return pyspiel.nash_conv(pyspiel.load_game("kuhn_poker"), table)


def test_cfr_played_as_mixed_is_near_an_equilibrium():
    assert nash_conv("cfr(iterations=1000)") < 0.01 < nash_conv("cfr(iterations=5)")
    assert value(KUHN, "cfr(iterations=1000)", "cfr(iterations=1000)") == pytest.approx(-1 / 18, abs=0.005)


def test_uniform_play_in_kuhn_gives_away_eleven_twelfths():
    assert nash_conv("random") == pytest.approx(11 / 12)


def test_best_responses_to_random_gain_what_its_nash_conv_says():
    gains = value(KUHN, "best_response(to=random)", "random") - value(KUHN, "random", "best_response(to=random)")
    assert gains == pytest.approx(11 / 12)


def test_a_best_response_in_a_matrix_game_is_the_exact_one():
    rival = parse(RPS, "tit_for_tat(start=R)")
    response = parse(RPS, "best_response(to=tit_for_tat(start=R))")
    assert exact.expected_return(RPS, response, rival)[0] == exact.best_response_value(RPS, rival, 0) == 6.0


def test_a_best_response_beats_the_first_legal_move_in_tic_tac_toe():
    """First legal fills the top row; whoever moves first and knows wins, and so does seat 1 by blocking once."""
    for seat in (0, 1):
        names = {seat: "best_response(to=first_legal)", 1 - seat: "first_legal"}
        plans = {own: rows_by_position(name, own) for own, name in names.items()}
        assert positions(TIC_TAC_TOE.solver).expected(plans)[seat] == 1.0


def rows_by_position(name, seat):
    walked, policy = positions(TIC_TAC_TOE.solver), parse(TIC_TAC_TOE, name).tree_policy(TIC_TAC_TOE, seat)
    return {n: policy(state_after(walked.game, walked.histories[n]), seat) for n in walked.of_seat(seat)}


def test_a_best_response_needs_probabilities_and_a_game_that_can_be_walked():
    with pytest.raises(RequestError, match="no move probabilities"):
        parse(KUHN, "best_response(to=is_mcts(simulations=5))")
    with pytest.raises(RequestError, match="expected at most"):
        parse(load("openspiel:oh_hell"), "best_response(to=random)")


def test_q_learning_finds_the_answer_to_a_habit():
    learned = parse(RPS, "q_learning(episodes=4000,against=peaked_habit(move=R,peak=0.9),seed=1)")
    habit = parse(RPS, "peaked_habit(move=R,peak=0.9)")
    best = exact.best_response_value(RPS, habit, 0)
    assert best == pytest.approx(6 * (0.9 - 0.05))
    assert exact.expected_return(RPS, learned, habit)[0] > 0.9 * best


def test_q_learning_finds_the_best_response_in_kuhn():
    """Against one who always passes: bet every hand, and win 1."""
    learned = "q_learning(episodes=400,against=first_legal,seed=2)"
    for name in (learned, "best_response(to=first_legal)"):
        assert value(KUHN, name, "first_legal") == pytest.approx(1.0)


def test_the_learning_curve_rises_and_ends_above_chance():
    for game, name in (
        (KUHN, "q_learning(episodes=600,against=first_legal)"),
        (RPS, "q_learning(episodes=600,against=cycle)"),
    ):
        curve = learning_curve(game, name, 0, points=6)
        assert curve.shape == (6,) and curve[-1] > curve[0] and curve[-1] > 0.4


def test_learning_is_repeated_by_its_seed():
    names = [f"q_learning(episodes=60,against=random,seed={seed})" for seed in (1, 1, 2)]
    curves = [learning_curve(KUHN, name, 1, points=60) for name in names]
    np.testing.assert_array_equal(curves[0], curves[1])
    assert not np.array_equal(curves[0], curves[2])


def test_a_curve_of_one_point_is_the_mean_of_all_training_episodes():
    """Against one who always passes in Kuhn poker nothing can be lost; every point is the mean of its stretch."""
    name = "q_learning(episodes=60,against=first_legal)"
    each, whole = (learning_curve(KUHN, name, 0, points=points) for points in (60, 1))
    assert set(each) <= {-2.0, -1.0, 1.0, 2.0} and whole == pytest.approx([each.mean()])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("random", {"seat": 0}, "got random, which does not learn"),
        ("q_learning(episodes=5)", {"seat": 2}, "got seat 2 of openspiel:kuhn_poker, expected 0 to 1"),
        ("q_learning(episodes=5)", {"seat": 0, "points": 6}, "got 6 points of a curve, expected 1 to 5"),
    ],
)
def test_a_curve_of_what_does_not_learn_is_refused(name, options, message):
    with pytest.raises(RequestError, match=message):
        learning_curve(KUHN, name, **options)


def write(folder, content):
    path = folder / "policy.json"
    path.write_text(json.dumps(content))
    return path


JACK_BLUFFS = {"0": {"Pass": 0.75, "Bet": 0.25}, "0pb": {"pass": 1.0}}


def test_a_table_plays_what_its_file_says_and_elsewhere_at_random(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, JACK_BLUFFS)
    rival = parse(KUHN, "table(file=policy.json)")
    policy = rival.tree_policy(KUHN, 0)
    game = pyspiel.load_game("kuhn_poker")
    rows = [policy(state_after(game, history), 0) for history in ((0, 1), (0, 1, 0, 1), (1, 0))]
    assert rows == [[0.75, 0.25], [1.0, 0.0], [0.5, 0.5]]
    assert rival.name.startswith("table(file=policy.json#") and parse(KUHN, rival.name) == rival


def test_a_table_that_has_changed_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, JACK_BLUFFS)
    name = parse(KUHN, "table(file=policy.json)").name
    write(tmp_path, {"0": {"Pass": 0.5, "Bet": 0.5}})
    with pytest.raises(RequestError, match="it has changed since"):
        parse(KUHN, name)


def test_a_table_that_says_what_another_opponent_does_is_that_opponent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {card + played: {"Pass": 1.0} for card in "012" for played in ("", "p", "b", "pb")})
    assert behaviour(KUHN, parse(KUHN, "table(file=policy.json)")) == behaviour(KUHN, parse(KUHN, "first_legal"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], "expected a JSON object"),
        ({"0": 0.5}, "a probability of at least 0 for each move"),
        ({"0": {"Pass": "half"}}, "a probability of at least 0"),
        ({"0": {"Pass": -0.5, "Bet": 1.5}}, "a probability of at least 0"),
        ({"0": {"Pass": 0.5, "Bet": 0.4}}, "sum to 1"),
        ({"0": {"Pass": 0.5, "pass ": 0.5}}, "distinct moves"),
        ({"0": {"Raise": 1.0}}, "expected one of pass, bet"),
        ({"7": {"Pass": 1.0}}, "information state '7', which kuhn_poker"),
    ],
)
def test_a_table_that_is_no_policy_of_the_game_is_refused(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, content)
    with pytest.raises(RequestError, match=message):
        parse(KUHN, "table(file=policy.json)")


def test_a_file_that_is_not_there_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in ("table(file=none.json)", "table"):
        with pytest.raises(RequestError, match="file"):
            parse(KUHN, text)
