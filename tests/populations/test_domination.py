"""Cycles: none in a ladder, one of three in rock-paper-scissors, and luck is none either."""

import networkx
import numpy as np
import pytest

from populations.domination import cycles

ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


def test_rock_paper_scissors_is_one_cycle_of_three():
    assert cycles(ROCK_PAPER_SCISSORS) == ((0, 1, 2),)


def test_a_ladder_a_single_member_and_ties_have_none():
    assert cycles(np.sign(np.subtract.outer(np.arange(5), np.arange(5)))) == ()
    assert cycles([[0.0]]) == ()
    assert cycles(np.zeros((4, 4))) == ()


def test_two_cycles_one_above_the_other_stay_apart():
    payoff = np.zeros((7, 7))
    payoff[:3, :3] = payoff[3:6, 3:6] = ROCK_PAPER_SCISSORS
    payoff[:3, 3:6], payoff[3:6, :3] = 1, -1
    payoff[6, :6], payoff[:6, 6] = 1, -1  # one above all
    assert cycles(payoff) == ((0, 1, 2), (3, 4, 5))


def test_a_long_cycle_is_found_through_others():
    payoff = np.zeros((9, 9))
    for index in range(9):
        payoff[index, (index + 1) % 9], payoff[(index + 1) % 9, index] = 1, -1
    assert cycles(payoff) == (tuple(range(9)),)


def test_what_is_within_the_margin_is_no_win():
    payoff = 0.2 * np.array(ROCK_PAPER_SCISSORS)
    assert cycles(payoff, 0.1) == ((0, 1, 2),)
    assert cycles(payoff, 0.2) == ()
    margin = np.full((3, 3), 0.1)
    margin[0, 2] = margin[2, 0] = 0.3  # rock against scissors may be luck
    assert cycles(payoff, margin) == ()


def test_networkx_finds_the_same_in_50_random_tournaments():
    rng = np.random.default_rng(0)
    for _ in range(50):
        half = np.triu(rng.integers(-1, 2, size=(12, 12)) * (rng.random((12, 12)) < 0.3), 1)
        payoff = half - half.T
        graph = networkx.from_numpy_array(payoff > 0, create_using=networkx.DiGraph)
        components = networkx.strongly_connected_components(graph)
        expected = sorted(tuple(sorted(members)) for members in components if len(members) > 1)
        assert list(cycles(payoff)) == expected


def test_bad_matrices_and_margins_are_refused():
    with pytest.raises(ValueError, match="as many rows as columns"):
        cycles([[0.0, 1.0]])
    with pytest.raises(ValueError, match="missing"):
        cycles([[0.0, float("nan")], [0.0, 0.0]])
    with pytest.raises(ValueError, match="margin"):
        cycles(ROCK_PAPER_SCISSORS, -0.1)
    with pytest.raises(ValueError, match="margin"):
        cycles(ROCK_PAPER_SCISSORS, [0.1, 0.1])
