"""The normal posterior against the exact one, added up on a grid."""

from __future__ import annotations

import numpy as np
import pytest

from populations.davidson import Episodes, fit, probabilities
from populations.posterior import propagate

PRIOR = 3.0


def exact(episodes: Episodes, draw: float) -> tuple[float, float]:
    """Mean and deviation of the first of two players' rating above their mean, over a grid of gap and seat."""
    gap, seat = np.linspace(-30.0, 30.0, 1201)[:, None, None], np.linspace(-6.0, 6.0, 241)[None, :, None]
    side = np.where(episodes.lower == 0, 1.0, -1.0)
    chances = probabilities(side * gap + seat, draw)
    counts = (episodes.wins, episodes.draws, episodes.losses)
    terms = [n * np.log(np.maximum(p, 1e-300)) for n, p in zip(counts, chances, strict=True)]
    log = sum(terms).sum(axis=-1) - gap[..., 0] ** 2 / (4.0 * PRIOR**2) - seat[..., 0] ** 2 / 2.0
    weight = np.exp(log - log.max()).sum(axis=1)
    weight /= weight.sum()
    half = gap[:, 0, 0] / 2.0
    mean = float(weight @ half)
    return mean, float(np.sqrt(weight @ (half - mean) ** 2))


@pytest.mark.parametrize(
    ("outcomes", "tolerance"),
    [((4, 0, 1), 0.01), ((3, 2, 0), 0.01), ((1, 0, 0), 0.04), ((5, 0, 0), 0.06), ((50, 0, 0), 0.06)],
    ids=["one of five lost", "two of five drawn", "one won", "five won", "fifty won"],
)
def test_mean_and_deviation_are_near_those_of_the_exact_posterior(outcomes: tuple[int, int, int], tolerance: float):
    wins, draws, losses = (np.array([float(count), float(count)]) for count in outcomes)
    wins[1], losses[1] = losses[1], wins[1]  # the same for the first player in the upper seat
    episodes = Episodes(np.array([0, 1]), np.array([1, 0]), wins, draws, losses)
    fitted = fit(episodes, 2, PRIOR)
    mean, covariance = propagate(episodes, fitted, PRIOR)
    deviation = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1]) / 2.0
    expected = exact(episodes, fitted.draw)
    assert (mean[0] - mean[1]) / 2.0 == pytest.approx(expected[0], rel=0.01)
    assert deviation == pytest.approx(expected[1], rel=tolerance)


def test_the_curvature_at_the_maximum_would_be_too_sure_of_who_always_wins():
    episodes = Episodes(np.array([0, 1]), np.array([1, 0]), np.array([5.0, 0.0]), np.zeros(2), np.array([0.0, 5.0]))
    fitted = fit(episodes, 2, PRIOR)
    own = fitted.covariance
    curvature = np.sqrt(own[0, 0] + own[1, 1] - 2.0 * own[0, 1]) / 2.0
    mean, deviation = exact(episodes, fitted.draw)
    assert curvature < 0.95 * deviation
    assert fitted.ratings[0] < 0.95 * mean


def test_without_information_the_posterior_is_the_prior():
    episodes = Episodes(np.array([0]), np.array([1]), np.array([1e-9]), np.zeros(1), np.array([1e-9]))
    _, covariance = propagate(episodes, fit(episodes, 2, PRIOR), PRIOR)
    assert covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1] == pytest.approx(2.0 * PRIOR**2, rel=1e-6)
