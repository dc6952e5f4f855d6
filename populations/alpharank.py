"""Alpha-rank: how often each member is met in the long run when finite populations imitate who earns more.

A ranking that needs no equilibrium and serves general-sum games (Omidshafiei et al. 2019, alpha-Rank: multi-agent
evaluation by evolution). Everything is done in logarithms, so that any ranking intensity works. Leaves out more
than two populations and the choice of the intensity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from populations import arrays
from populations.arrays import Floats


def alpha_rank(payoff: ArrayLike, alpha: float = 100.0, population: int = 50) -> Floats:
    """Return the share of time [N] that one population, playing against itself, spends with each member.

    payoff: [N, N], what the row earns against the column; alpha: ranking intensity per unit of payoff, from 0 (all
    alike); population: its size, at least 2. One mutant r at a time is tried in a population of s, and takes over
    with the fixation probability of the paper for u = alpha (A[r, s] - A[s, r]), the fitness being that against one
    another only, as in OpenSpiel's local selection model. Returns the stationary distribution of that chain.
    ValueError for a matrix that is not square or not finite, or a bad alpha or population.
    """
    matrix = arrays.square(payoff)
    _check(alpha, population)
    advantage = alpha * (matrix.T - matrix)  # [s, r], of the mutant r over s
    return _stationary(_log_fixation(advantage, population))


def alpha_rank_pair(payoffs: tuple[ArrayLike, ArrayLike], alpha: float = 100.0, population: int = 50) -> Floats:
    """Return the share of time [M, N] that two populations, playing each other, spend with each pair of members.

    payoffs: the row's and the column's, both [M, N]. A mutant appears in one of them at a time and is measured by
    what it earns in its own seat. Otherwise as `alpha_rank`.
    """
    own, other = (arrays.payoff(matrix) for matrix in payoffs)
    if own.shape != other.shape:
        raise ValueError(f"payoffs: got shapes {own.shape} and {other.shape}, expected the same for both")
    _check(alpha, population)
    rows, columns = own.shape
    logs = np.full((rows, columns, rows, columns), -np.inf)
    for column in range(columns):
        earned = own[:, column]
        logs[:, column, :, column] = _log_fixation(alpha * (earned[None, :] - earned[:, None]), population)
    for row in range(rows):
        earned = other[row]
        logs[row, :, row, :] = _log_fixation(alpha * (earned[None, :] - earned[:, None]), population)
    return _stationary(logs.reshape(rows * columns, rows * columns)).reshape(rows, columns)


def _check(alpha: float, population: int) -> None:
    if not 0.0 <= alpha < float("inf") or population < 2:
        raise ValueError(f"got alpha {alpha} and population {population}, expected alpha from 0 and 2 or more")


def _log_fixation(advantage: Floats, population: int) -> Floats:
    """Log probability that a single mutant takes over, (1 - e^-u) / (1 - e^-mu); 1 / m at u = 0."""
    size = np.abs(advantage)
    safe = np.where(size > 0.0, size, 1.0)
    upwards = np.log(-np.expm1(-safe)) - np.log(-np.expm1(-population * safe))
    downwards = upwards - (population - 1) * safe
    return np.where(size > 0.0, np.where(advantage > 0.0, upwards, downwards), -np.log(population))


def _stationary(logs: Floats) -> Floats:
    """Stationary distribution [S] of a chain with log rates [from, to] (the diagonal is not read).

    State reduction by Grassmann, Taksar and Heyman (1985) adds, multiplies and divides only, so it can be done in
    logarithms and loses nothing where rates differ by hundreds of orders of magnitude.
    """
    rates = logs.copy()
    states = len(rates)
    leaving = np.zeros(states)
    for last in range(states - 1, 0, -1):
        leaving[last] = np.logaddexp.reduce(rates[last, :last])
        through = rates[:last, last, None] + rates[None, last, :last] - leaving[last]
        rates[:last, :last] = np.logaddexp(rates[:last, :last], through)
    weights = np.zeros(states)
    for state in range(1, states):
        weights[state] = np.logaddexp.reduce(weights[:state] + rates[:state, state]) - leaving[state]
    shares = np.exp(weights - weights.max())
    return shares / shares.sum()
