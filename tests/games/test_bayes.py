"""The Bayes-optimal adaptation curve: small cases by hand, limits, brute force over sequences."""

from itertools import product

import numpy as np
import pytest

from games import exact
from games.bayes import DirichletPrior, FinitePrior, adaptation_curve, ceiling, habit_prior
from games.errors import RequestError
from games.opponents import parse
from games.registry import load
from tests.games.usual_games import RPS

ROCKY = parse(RPS, "peaked_habit(move=R,peak=0.8)")
FLAT = DirichletPrior((1.0, 1.0, 1.0))


def test_one_observation_is_followed():
    """Round 1 is blind: 0. Then the answer to the move seen: 0.8 x 0.7 + 0.1 x (-0.7) + 0.1 x 0 = 0.49."""
    game = load("rock_paper_scissors", rounds=1)
    np.testing.assert_allclose(adaptation_curve(game, ROCKY, FLAT, 2, 0), [0.0, 0.49], atol=1e-12)


def test_a_known_opponent_yields_its_best_response_at_once():
    prior = FinitePrior(((0.8, 0.1, 0.1),), (1.0,))
    curve = adaptation_curve(RPS, ROCKY, prior, 3, 0)
    np.testing.assert_allclose(curve, [exact.best_response_value(RPS, ROCKY, 0)] * 3)


def test_two_sure_suspects_are_told_apart_by_one_move():
    """Always rock or always paper: at first paper is best, worth 1 or 0, then the answer is known."""
    game = load("rock_paper_scissors", rounds=2)
    prior = FinitePrior(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), (1.0, 1.0))
    paper = adaptation_curve(game, parse(game, "peaked_habit(move=P,peak=1.0)"), prior, 2, 0)
    rock = adaptation_curve(game, parse(game, "peaked_habit(move=R,peak=1.0)"), prior, 2, 0)
    np.testing.assert_allclose(rock, [1.0 + 1.0, 2.0])
    np.testing.assert_allclose(paper, [0.0 + 1.0, 2.0])


def test_moves_that_the_prior_excludes_leave_the_prior():
    """Always scissors is none of the suspects: paper, the answer to their average, is played for ever."""
    game = load("rock_paper_scissors", rounds=2)
    prior = FinitePrior(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), (1.0, 1.0))
    curve = adaptation_curve(game, parse(game, "peaked_habit(move=S,peak=1.0)"), prior, 2, 0)
    np.testing.assert_allclose(curve, [-2.0, -2.0])


def test_the_curve_rises_towards_the_best_response():
    curve = adaptation_curve(RPS, ROCKY, FLAT, 5, 0)
    assert (np.diff(curve) > 0).all()
    assert 0.99 * 4.2 < curve[-1] < 4.2


def test_the_curve_is_the_sum_over_all_sequences_of_moves():
    game = load("rock_paper_scissors", rounds=4)
    rival, prior = parse(game, "dirichlet_habit(p=0.2/0.3/0.5)"), DirichletPrior((0.5, 1.0, 2.0))
    truth, total = np.array([0.2, 0.3, 0.5]), 0.0
    for sequence in product(range(3), repeat=4):
        counts = np.array(prior.alpha)
        for move in sequence:
            answer = int(np.argmax(game.payoffs[0] @ counts))
            total += game.payoffs[0][answer, move] * truth[list(sequence)].prod()
            counts[move] += 1
    assert adaptation_curve(game, rival, prior, 1, 0)[0] == pytest.approx(total)


def test_each_seat_gains_by_its_own_payoffs():
    """Seat 1 of matching pennies wins by differing, with the same odds as seat 0 by matching."""
    game = load("matching_pennies")
    heads = parse(game, "peaked_habit(move=H,peak=0.9)")
    curves = [adaptation_curve(game, heads, DirichletPrior((1.0, 1.0)), 2, seat) for seat in (0, 1)]
    np.testing.assert_allclose(curves[0], curves[1])
    assert 0 < curves[0][0] < curves[0][1] < 6 * 0.8


def test_opponents_with_memory_have_no_ceiling():
    assert ceiling(RPS, parse(RPS, "tit_for_tat"), FLAT, 3, 0) is None
    with pytest.raises(RequestError, match="memoryless"):
        adaptation_curve(RPS, parse(RPS, "tit_for_tat"), FLAT, 3, 0)


def test_a_memoryless_opponent_has_a_ceiling_whatever_its_family():
    """Cycling by three steps is staying."""
    stubborn = parse(RPS, "cycle(start=R,step=3)")
    curve = ceiling(RPS, stubborn, FLAT, 2, 0)
    assert curve is not None
    np.testing.assert_allclose(curve, [5.0, 6.0])


def test_the_prior_of_the_training_habits_leaves_out_players_with_memory():
    rivals = [parse(RPS, name) for name in ("peaked_habit(move=P,peak=0.7)", "tit_for_tat", ROCKY.name)]
    prior = habit_prior(RPS, rivals, 0)
    assert prior is not None
    np.testing.assert_allclose(prior.vectors, [[0.15, 0.7, 0.15], [0.8, 0.1, 0.1]])
    assert prior.weights == (1.0, 1.0)
    assert habit_prior(RPS, rivals[1:2], 0) is None
