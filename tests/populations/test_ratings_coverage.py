"""Intervals of ratings hold the truth about as often as they claim, over hundreds of simulated leagues.

The prior is the default; strengths that spread as it says, and less, are tried, with few games a member.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from populations.davidson import probabilities
from populations.payoffs import Result
from populations.ratings import fit_ratings

LEAGUES = 300
MEMBERS = 20


@dataclass(frozen=True, slots=True)
class Setting:
    deviation: float  # of the true strengths, logits
    games: int  # that a member plays on average, or results where `cluster` is above 1
    draw: float = 0.0  # Davidson's nu
    seat: float = 0.0  # advantage of the lower seat, logits
    cluster: int = 1  # games of a result
    concentration: float | None = None  # of the Dirichlet from which a result draws its chances; None: it does not


def league(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, list[Result]]:
    """Draw the strengths [MEMBERS], and play random pairs."""
    truth = rng.normal(0.0, setting.deviation, MEMBERS)
    count = MEMBERS * setting.games // 2
    lower = rng.integers(MEMBERS, size=count)
    upper = (lower + rng.integers(1, MEMBERS, size=count)) % MEMBERS
    chances = np.stack(probabilities(truth[lower] - truth[upper] + setting.seat, setting.draw), axis=1)
    if setting.concentration is not None:
        drawn = rng.standard_gamma(np.maximum(chances * setting.concentration, 1e-9))
        chances = drawn / drawn.sum(axis=1, keepdims=True)
    counts = rng.multinomial(setting.cluster, chances)
    results = [
        Result(f"m{i:02}", f"m{j:02}", 0, 1, 0.0, 0.0, wins, draws, losses, 0)
        for i, j, (wins, draws, losses) in zip(lower, upper, counts.tolist(), strict=True)
    ]
    return truth, results


def coverage(setting: Setting, seed: int, leagues: int = LEAGUES) -> float:
    """Return the share of all intervals that hold the truth, from the mean of those that played."""
    rng = np.random.default_rng(seed)
    held = total = 0
    for _ in range(leagues):
        truth, results = league(setting, rng)
        entries = fit_ratings(results).entries
        true = truth[[int(entry.name[1:]) for entry in entries]]
        true = true - true.mean()
        held += sum(entry.low <= value <= entry.high for entry, value in zip(entries, true.tolist(), strict=True))
        total += len(entries)
    return held / total


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting",
    [
        Setting(1.0, games=20),
        Setting(3.0, games=10),
        Setting(3.0, games=20, draw=0.7, seat=0.4),
        Setting(1.0, games=20, draw=0.7, seat=0.4, cluster=48, concentration=6.0),
    ],
    ids=["alike", "far apart, few games", "far apart, draws and a better seat", "games of a result depend"],
)
def test_of_all_95_percent_intervals_93_to_97_percent_hold_the_truth(setting: Setting):
    assert 0.93 <= coverage(setting, seed=0) <= 0.97


def test_intervals_of_independent_games_would_be_too_narrow_where_the_games_of_a_result_depend():
    # With a concentration of 6 the variance of 48 games is 1 + 47 / 7 = 7.7 times that of independent ones.
    rng = np.random.default_rng(1)
    dependent = Setting(1.0, games=40, draw=0.7, seat=0.4, cluster=48, concentration=6.0)
    found = [fit_ratings(league(dependent, rng)[1]).dispersion for _ in range(5)]
    assert np.mean(found) == pytest.approx(7.7, rel=0.15)
