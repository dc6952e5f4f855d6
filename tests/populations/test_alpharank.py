"""Alpha-rank: OpenSpiel's numbers, and the limits that are known."""

import sys
import types

import numpy as np
import pytest

from populations.alpharank import alpha_rank, alpha_rank_pair

ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


@pytest.fixture
def openspiel(monkeypatch):
    """OpenSpiel's alpha-rank without its plots, which want a library that nothing else here needs."""
    visualizer = "open_spiel.python.egt.alpharank_visualizer"
    monkeypatch.setitem(sys.modules, visualizer, types.ModuleType(visualizer))
    monkeypatch.setattr("open_spiel.python.egt.alpharank_visualizer", sys.modules[visualizer], raising=False)
    from open_spiel.python.egt import alpharank

    return alpharank


def test_one_population_agrees_with_openspiel_in_50_random_games(openspiel):
    rng = np.random.default_rng(0)
    for _ in range(50):
        size = int(rng.integers(2, 7))
        payoff, alpha = rng.normal(size=(size, size)), float(rng.choice([0.01, 0.1, 0.3]))
        *_, theirs, _, _ = openspiel.compute([payoff], m=20, alpha=alpha)
        np.testing.assert_allclose(alpha_rank(payoff, alpha, 20), theirs, atol=1e-6)


def test_two_populations_agree_with_openspiel_in_50_random_games(openspiel):
    rng = np.random.default_rng(1)
    for _ in range(50):
        shape = tuple(rng.integers(2, 4, size=2))
        own, other = rng.normal(size=shape), rng.normal(size=shape)
        *_, theirs, _, _ = openspiel.compute([own, other], m=10, alpha=0.3)
        np.testing.assert_allclose(alpha_rank_pair((own, other), 0.3, 10).ravel(), theirs, atol=1e-6)


def test_two_members_by_hand():
    # u = alpha * (1 - -1) = ln 2 and m = 2: up (1 - 1/2) / (1 - 1/4) = 2/3, down (1 - 2) / (1 - 4) = 1/3
    np.testing.assert_allclose(alpha_rank([[0, 1], [-1, 0]], np.log(2) / 2, 2), [2 / 3, 1 / 3])


def test_a_circle_is_met_evenly_and_the_top_of_a_ladder_always():
    for alpha in (0.1, 100.0, 1e6):
        np.testing.assert_allclose(alpha_rank(ROCK_PAPER_SCISSORS, alpha), [1 / 3] * 3, atol=1e-9)
    ladder = np.sign(np.subtract.outer([2, 1, 0], [2, 1, 0]))
    np.testing.assert_allclose(alpha_rank(ladder), [1, 0, 0], atol=1e-12)


def test_without_selection_and_without_difference_all_are_alike():
    np.testing.assert_allclose(alpha_rank(ROCK_PAPER_SCISSORS, 0.0), [1 / 3] * 3)
    np.testing.assert_allclose(alpha_rank(np.zeros((4, 4))), [0.25] * 4)
    np.testing.assert_array_equal(alpha_rank([[0.0]]), [1.0])
    np.testing.assert_allclose(alpha_rank_pair((np.zeros((2, 3)), np.zeros((2, 3)))), np.full((2, 3), 1 / 6))


def test_two_prisoners_end_by_talking():
    silent = ([[3.0, 0.0], [5.0, 1.0]], [[3.0, 5.0], [0.0, 1.0]])
    np.testing.assert_allclose(alpha_rank_pair(silent), [[0, 0], [0, 1]], atol=1e-12)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="missing"):
        alpha_rank([[0.0, float("nan")], [0.0, 0.0]])
    with pytest.raises(ValueError, match="alpha -1"):
        alpha_rank([[0.0]], alpha=-1.0)
    with pytest.raises(ValueError, match="population 1"):
        alpha_rank([[0.0]], population=1)
    with pytest.raises(ValueError, match="the same for both"):
        alpha_rank_pair(([[0.0]], [[0.0, 1.0]]))
