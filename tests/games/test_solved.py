"""The equilibrium family: nothing to gain against it, by exact values, in every kind of game that it fits."""

import numpy as np
import pytest

from games import exact
from games.errors import RequestError
from games.families import fitting
from games.naming import behaviour, parse
from games.registry import load
from games.trees.equilibrium import equilibrium_policy
from tests.games.usual_games import KUHN

CONSTANT = load("matrix", moves=[["a", "b"]] * 2, payoffs=[[[4, 1], [1, 3]], [[0, 3], [3, 1]]], rounds=2)


@pytest.mark.parametrize(
    "name",
    [
        "rock_paper_scissors",
        "matching_pennies",
        "kuhn_poker",
        "leduc_poker",
        "goofspiel",
        "hex",
        "tictactoe",
        "openspiel:misere(game=kuhn_poker())",
    ],
)
def test_nobody_gains_on_an_equilibrium(name):
    game = load(name)
    rival = parse(game, "equilibrium")
    assert 0.0 <= exact.nash_conv(game, [rival, rival]) + 1e-12 < 1e-8
    assert exact.expected_return(game, rival, rival)[0] == pytest.approx(exact.nash_value(game), abs=1e-8)


def test_a_constant_that_is_not_zero_is_shared_by_the_mix():
    """Both answers pay seat 0 alike: 4 x + 1 (1 - x) = 1 x + 3 (1 - x) at x = 2/5, which is 11/5 a round."""
    rival = parse(CONSTANT, "equilibrium")
    np.testing.assert_allclose(rival.policy(CONSTANT, 0).probabilities, [[0.4, 0.6]], atol=1e-12)
    assert exact.expected_return(CONSTANT, rival, rival) == pytest.approx((2 * 11 / 5, 2 * (4 - 11 / 5)))
    assert exact.nash_conv(CONSTANT, [rival, rival]) == pytest.approx(0.0, abs=1e-9)


def test_the_second_seat_of_kuhn_has_one_equilibrium_and_plays_it():
    """Bets a third of its jacks after a pass and all kings, calls with a third of its queens and all kings."""
    table = {"0p": 1 / 3, "1p": 0.0, "2p": 1.0, "0b": 0.0, "1b": 1 / 3, "2b": 1.0}
    policy = equilibrium_policy(KUHN.solver, 1)
    for state, bet in table.items():
        assert policy.row(state) == pytest.approx((1 - bet, bet), abs=1e-9)


def test_in_rock_paper_scissors_it_is_the_random_player_under_another_name():
    rps = load("rock_paper_scissors")
    assert behaviour(rps, parse(rps, "equilibrium")) == behaviour(rps, parse(rps, "random"))


def test_it_never_loses_at_tic_tac_toe_and_makes_use_of_mistakes():
    """First legal fills the top row from the left; taking the middle and the corner below it wins first."""
    game = load("tictactoe")
    rival = parse(game, "equilibrium")
    for seat in (0, 1):
        assert exact.best_response_value(game, rival, seat) == 0.0
    assert exact.expected_return(game, rival, parse(game, "first_legal"))[0] == 1.0


def test_it_is_mixed_into_other_opponents_and_answered_by_them():
    half = parse(KUHN, "mixture(of=equilibrium,epsilon=1.0)")
    assert behaviour(KUHN, half) == behaviour(KUHN, parse(KUHN, "random"))
    best = parse(KUHN, "best_response(to=equilibrium)")
    assert exact.expected_return(KUHN, parse(KUHN, "equilibrium"), best)[0] == pytest.approx(-1 / 18)


@pytest.mark.parametrize(
    "name", ["prisoners_dilemma", "stag_hunt", "bargaining", "openspiel:kuhn_poker(players=3)", "public_goods", "chess"]
)
def test_it_is_refused_and_not_listed_where_two_seats_share_no_constant_sum(name):
    game = load(name)
    with pytest.raises(RequestError, match="two seats share a constant sum .*choose one of") as caught:
        parse(game, "equilibrium")
    assert "\n" not in str(caught.value)
    assert "equilibrium" not in {family.name for family in fitting(game)}


def test_it_is_refused_in_a_game_that_is_too_large_to_walk():
    with pytest.raises(RequestError, match="more than 100,000 positions"):
        parse(load("connect_four"), "equilibrium")
