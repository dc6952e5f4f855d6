"""How far results vary beyond independent episodes: by hand, and where two ways of asking must part."""

from __future__ import annotations

import numpy as np
import pytest

from populations.davidson import Episodes, fit
from populations.dispersion import dependence, dispersion


def episodes(*rows: tuple[int, int, int, int, int]) -> Episodes:
    table = np.array(rows, dtype=np.int64).T
    return Episodes(table[0], table[1], *table[2:].astype(np.float64))


def test_two_players_leave_nothing_to_tell_dispersion_by():
    rows = episodes((0, 1, 30, 0, 10), (1, 0, 10, 0, 30))
    assert dispersion(rows, fit(rows, 2, 1e4)) == 1.0


def test_two_results_of_ten_wins_and_of_ten_losses_are_as_dependent_as_can_be():
    # N = 20, m = 1/2, v = 20 (1/4) / 19; each row strays by 5: seen 50, expected 2 * 10 v / 2 = 10 v = 50/19,
    # 1 + (50 - 50/19) / (1 + 50/19) = 1 + 900/69
    rows = episodes((0, 1, 10, 0, 0), (0, 1, 0, 0, 10))
    assert dependence(rows, 2) == pytest.approx(1.0 + 900.0 / 69.0)


def test_results_that_all_agree_with_their_pair_show_no_dependence():
    assert dependence(episodes((0, 1, 5, 0, 5), (0, 1, 5, 0, 5), (1, 2, 9, 0, 1), (1, 2, 9, 0, 1)), 3) == 1.0


def test_pairs_of_one_result_each_or_without_variance_can_tell_of_no_dependence():
    assert dependence(episodes((0, 1, 5, 0, 1), (1, 0, 0, 7, 0), (1, 2, 1, 0, 0)), 3) == 1.0
    assert dependence(episodes((0, 1, 5, 0, 0), (0, 1, 9, 0, 0)), 2) == 1.0


def test_single_episodes_are_independent_whoever_beats_whom():
    rng = np.random.default_rng(0)
    pairs = [(0, 1), (1, 2), (2, 0)] * 400  # rock, scissors, paper: nine of ten, and no ratings explain it
    won = (rng.random(1200) < 0.9).astype(int).tolist()
    lower = [(i, j, win, 0, 1 - win) for (i, j), win in zip(pairs, won, strict=True)]
    rows = episodes(*lower[:600], *((j, i, loss, 0, win) for i, j, win, _, loss in lower[600:]))  # in either seat
    assert dispersion(rows.pooled(3), fit(rows.pooled(3), 3, 1e3)) > 100.0
    assert dependence(rows, 3) == pytest.approx(1.0, abs=0.1)


def test_a_random_effect_that_games_of_a_result_share_is_recovered():
    # Chances drawn from Beta(1, 1): episodes of a result correlate by 1/3, so 48 vary by 1 + 47/3 = 16.7 times as much.
    rng = np.random.default_rng(1)
    wins = rng.binomial(48, rng.random(3000)).tolist()
    rows = episodes(*((index % 6, 6, won, 0, 48 - won) for index, won in enumerate(wins)))
    assert dependence(rows, 7) == pytest.approx(1.0 + 47.0 / 3.0, rel=0.06)
