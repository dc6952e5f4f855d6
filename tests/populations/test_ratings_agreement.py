"""Ratings against OpenSpiel's, and against a search of the posterior that is written out game by game."""

from __future__ import annotations

import math

import numpy as np
import pyspiel
from scipy.optimize import minimize

from populations.payoffs import Result
from populations.ratings import elo, fit_ratings


def result(row: str, column: str, wins: int, draws: int = 0, losses: int = 0, seat: int = 0) -> Result:
    return Result(row, column, seat, 1, 0.0, 0.0, wins, draws, losses, 0)


def test_without_draws_our_ratings_are_openspiels():
    rng = np.random.default_rng(2)
    wins = rng.integers(1, 30, size=(7, 7))
    np.fill_diagonal(wins, 0)
    options = pyspiel.elo.default_elo_options()
    options.smoothing_factor, options.convergence_delta, options.max_iterations = 0.0, 1e-13, 100_000
    theirs = np.array(pyspiel.elo.compute_ratings_from_matrices(win_matrix=wins.tolist(), options=options))
    games = [
        result(f"m{i}", f"m{j}", int(wins[i, j]), seat=seat)  # the same in either seat, so that neither is better
        for i in range(7)
        for j in range(7)
        if i != j
        for seat in (0, 1)
    ]
    ratings = fit_ratings(games, prior_deviation=1e4)
    ours = np.array([elo(ratings[f"m{i}"].rating) for i in range(7)])
    np.testing.assert_allclose(ours - ours.mean(), theirs - theirs.mean(), atol=1e-3)  # Elo points
    assert np.ptp(theirs) > 50.0


def test_the_maximum_is_that_of_the_posterior_written_out_and_searched_without_derivatives():
    rng, results = np.random.default_rng(7), []
    for _ in range(40):
        i, j = rng.choice(4, 2, replace=False)
        counts = rng.multinomial(3, [0.5, 0.2, 0.3]).tolist()
        results.append(result(f"m{i}", f"m{j}", *counts, seat=int(rng.integers(2))))
    names = sorted({game.row for game in results})

    def loss(parameters: np.ndarray, dispersion: float) -> float:
        *strengths, seat, log_draw = parameters.tolist()
        strength = dict(zip(names, strengths, strict=True))
        likelihood = 0.0
        for game in results:
            sign = 1 if game.seat == 0 else -1
            gap = strength[game.row] - strength[game.column] + sign * seat
            chances = np.array([math.exp(gap / 2), math.exp(log_draw), math.exp(-gap / 2)])
            likelihood += float(np.log(chances / chances.sum()) @ [game.wins, game.draws, game.losses])
        prior = sum(x * x for x in strengths) / (2 * 3.0**2) + seat**2 / 2 + log_draw**2 / (2 * 3.0**2)
        return prior - likelihood / dispersion

    ratings = fit_ratings(results)
    found = minimize(loss, np.zeros(len(names) + 2), args=(ratings.dispersion,), tol=1e-10, method="BFGS")
    ours = [*(ratings[name].rating for name in names), ratings.seat_advantage, math.log(ratings.draw_parameter)]
    np.testing.assert_allclose(ours, found.x, atol=1e-4)
