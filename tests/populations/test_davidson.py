"""The model of draws and seats by hand, and what is left of it at the extremes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from populations.davidson import Episodes, expected_score, fit, log_normaliser, probabilities


def episodes(*rows: tuple[int, int, int, int, int]) -> Episodes:
    table = np.array(rows, dtype=np.int64).T
    return Episodes(table[0], table[1], *table[2:].astype(np.float64))


def test_at_a_gap_of_the_logarithm_of_four_and_a_draw_parameter_of_one_chances_are_four_two_and_one_of_seven():
    chances = probabilities(np.array(math.log(4.0)), 1.0)  # 2 : 1 : 1/2
    np.testing.assert_allclose(chances, [4 / 7, 2 / 7, 1 / 7])
    assert expected_score(np.array(math.log(4.0)), 1.0) == pytest.approx(5 / 7)
    assert log_normaliser(np.array(math.log(4.0)), 1.0) == pytest.approx(math.log(3.5))


def test_a_gap_without_bounds_is_a_certain_win():
    np.testing.assert_allclose(probabilities(np.array([5000.0, -5000.0]), 1.0), [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    assert log_normaliser(np.array(-5000.0), 1.0) == 2500.0


def test_rows_of_the_same_players_in_the_same_seats_are_pooled():
    pooled = episodes((1, 0, 1, 0, 0), (0, 1, 1, 2, 3), (1, 0, 0, 4, 1)).pooled(2)
    assert (pooled.lower.tolist(), pooled.upper.tolist()) == ([0, 1], [1, 0])
    assert (pooled.wins.tolist(), pooled.draws.tolist(), pooled.losses.tolist()) == ([1, 1], [2, 4], [3, 1])


def test_a_weight_counts_like_that_many_copies():
    once, twice = episodes((0, 1, 3, 1, 1), (1, 2, 2, 0, 1)), episodes((0, 1, 6, 2, 2), (1, 2, 4, 0, 2))
    np.testing.assert_allclose(fit(once, 3, 3.0, weight=2.0).ratings, fit(twice, 3, 3.0).ratings, atol=1e-9)
