"""Replicator dynamics: OpenSpiel's right-hand side, orbits and limits that are known."""

import numpy as np
import pytest
from open_spiel.python.egt import dynamics
from scipy.integrate import solve_ivp

from populations.dynamics import replicator, replicator_derivative, replicator_pair

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def test_the_derivative_by_hand():
    # x'f = 0.5 + 0.5: the first gains 0.5 * (2 - 1), the others lose
    np.testing.assert_allclose(replicator_derivative([0.5, 0.25, 0.25], [2.0, 0.0, 0.0]), [0.5, -0.25, -0.25])
    np.testing.assert_array_equal(replicator_derivative([1.0], [3.0]), [0.0])


def test_the_derivative_is_openspiels_in_50_random_games():
    rng = np.random.default_rng(0)
    for _ in range(50):
        size = int(rng.integers(1, 7))
        payoff, state = rng.normal(size=(size, size)), rng.dirichlet(np.ones(size))
        theirs = dynamics.SinglePopulationDynamics(np.stack([payoff, payoff.T]), dynamics.replicator)(state)
        np.testing.assert_allclose(replicator_derivative(state, payoff @ state), theirs, atol=1e-12)


def test_one_population_follows_openspiels_flow_in_50_random_games():
    rng = np.random.default_rng(1)
    for _ in range(50):
        size = int(rng.integers(2, 6))
        payoff, start = rng.normal(size=(size, size)), rng.dirichlet(np.ones(size))
        flow = dynamics.SinglePopulationDynamics(np.stack([payoff, payoff.T]), dynamics.replicator)
        theirs = solve_ivp(lambda time, state, flow=flow: flow(state), (0, 1), start, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(replicator(payoff, start, 50, 0.02)[-1], theirs.y[:, -1], atol=1e-6)


def test_two_populations_follow_openspiels_flow_in_50_random_games():
    rng = np.random.default_rng(2)
    for _ in range(50):
        rows, columns = (int(size) for size in rng.integers(2, 5, size=2))
        payoffs = rng.normal(size=(2, rows, columns))
        starts = rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))
        flow = dynamics.MultiPopulationDynamics(payoffs, dynamics.replicator)
        theirs = solve_ivp(
            lambda time, state, flow=flow: flow(state), (0, 1), np.concatenate(starts), rtol=1e-8, atol=1e-10
        )
        ours = replicator_pair((payoffs[0], payoffs[1]), starts, 50, 0.02)
        np.testing.assert_allclose(np.concatenate([side[-1] for side in ours]), theirs.y[:, -1], atol=1e-6)


def test_rock_paper_scissors_circles_at_a_constant_product():
    orbit = replicator(ROCK_PAPER_SCISSORS, [0.6, 0.2, 0.2], 2000, 0.05)
    np.testing.assert_allclose(orbit.prod(axis=1), 0.6 * 0.2 * 0.2, rtol=1e-4)
    assert orbit[:, 1].max() > 0.55 and orbit[:, 2].max() > 0.55  # each comes to the fore


def test_the_best_of_a_ladder_takes_over_and_what_is_absent_stays_so():
    ladder = np.sign(np.subtract.outer([2.0, 1.0, 0.0], [2.0, 1.0, 0.0]))
    np.testing.assert_allclose(replicator(ladder, [0.01, 0.49, 0.5], 400, 0.1)[-1], [1, 0, 0], atol=1e-6)
    states = replicator(ladder, [0.0, 0.5, 0.5], 1000, 1.0)
    np.testing.assert_array_equal(states[:, 0], 0.0)
    np.testing.assert_allclose(states[-1], [0, 1, 0])


def test_no_steps_and_no_difference_leave_the_start():
    np.testing.assert_array_equal(replicator(ROCK_PAPER_SCISSORS, [0.5, 0.25, 0.25], 0, 0.1), [[0.5, 0.25, 0.25]])
    np.testing.assert_allclose(replicator(np.full((2, 2), 7.0), [0.25, 0.75], 10, 0.1)[-1], [0.25, 0.75])


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="as many rows as columns"):
        replicator([[0.0, 1.0]], [1.0], 1, 0.1)
    with pytest.raises(ValueError, match="start: got shape"):
        replicator(ROCK_PAPER_SCISSORS, [0.5, 0.5], 1, 0.1)
    with pytest.raises(ValueError, match="start: got probabilities .* sum 2"):
        replicator(ROCK_PAPER_SCISSORS, [1.0, 0.5, 0.5], 1, 0.1)
    for steps, step in ((-1, 0.1), (1, 0.0), (1, float("nan"))):
        with pytest.raises(ValueError, match="steps of"):
            replicator(ROCK_PAPER_SCISSORS, [1.0, 0.0, 0.0], steps, step)
    with pytest.raises(ValueError, match="the same for both"):
        replicator_pair(([[1.0]], [[1.0, 2.0]]), ([1.0], [1.0]), 1, 0.1)
