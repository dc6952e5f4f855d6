"""The equilibrium of greatest entropy where it is known as fractions, and against OpenSpiel's where that runs."""

import numpy as np
import pyspiel
import pytest

from populations.equilibria import max_entropy_nash, nash_averaging

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def odd_ring(size):
    """Each beats the half of the ring behind it and loses to the rest; the equilibrium is uniform, and unique."""
    ahead = np.subtract.outer(np.arange(size), np.arange(size)) % size
    return np.where(ahead == 0, 0.0, np.where(ahead <= size // 2, 1.0, -1.0))


def test_copies_and_weights_known_as_fractions_are_met_to_1e_7_of_a_mixture():
    rng = np.random.default_rng(6)
    for _ in range(50):
        weights = rng.integers(1, 5, size=2 * int(rng.integers(1, 4)) + 1)
        copies = rng.integers(1, 4, size=len(weights))
        ring = odd_ring(len(weights)) / np.outer(weights, weights)  # the equilibrium then is `weights`
        who = np.repeat(np.arange(len(weights)), copies)
        expected = (weights / copies / weights.sum())[who]
        np.testing.assert_allclose(max_entropy_nash(ring[np.ix_(who, who)]).row, expected, atol=1e-7)


def test_a_member_that_plays_rock_or_paper_at_random_gets_two_ninths_as_they_do():
    # r + m/2 = p + m/2 = s = 1/3, and entropy is greatest where r = p = m: r = 2/3 - 2 r
    plays = np.vstack([np.eye(3), [0.5, 0.5, 0.0]])
    found = max_entropy_nash(plays @ ROCK_PAPER_SCISSORS @ plays.T).row
    np.testing.assert_allclose(found, [2 / 9, 2 / 9, 1 / 3, 2 / 9], atol=1e-7)


def test_openspiels_nash_averaging_finds_the_same_in_20_random_games():
    """To 1e-4: how far its solver, which is general, stops short. Skipped without cvxpy, which OpenSpiel needs here."""
    pytest.importorskip("cvxpy")
    from open_spiel.python.algorithms.nash_averaging import nash_averaging as theirs

    rng = np.random.default_rng(7)
    for _ in range(20):
        half = np.triu(rng.integers(-3, 4, size=(6, 6)).astype(float), 1)
        payoff = half - half.T
        mixture, skill = theirs(pyspiel.create_matrix_game(payoff, -payoff))
        ours, ours_skill = nash_averaging(payoff)
        np.testing.assert_allclose(ours, np.ravel(mixture), atol=1e-4)
        np.testing.assert_allclose(ours_skill, np.ravel(skill), atol=1e-3)


def test_copies_of_a_member_share_its_weight_and_change_no_skill():
    copied = [0, 0, 0, 1, 2]  # three rocks
    mixture, skill = nash_averaging(ROCK_PAPER_SCISSORS[np.ix_(copied, copied)])
    np.testing.assert_allclose(mixture, [1 / 9, 1 / 9, 1 / 9, 1 / 3, 1 / 3], atol=1e-6)
    np.testing.assert_allclose(skill, np.zeros(5), atol=1e-6)
