"""Replicator dynamics: how shares of a population grow and shrink by what they earn.

Continuous time (Taylor and Jonker 1978), integrated by the classical Runge-Kutta method in the logarithms of the
shares, so that every state stays a mixture. Leaves out mutation and finite populations (`alpharank`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from populations import arrays
from populations.arrays import Floats


def replicator_derivative(state: ArrayLike, fitness: ArrayLike) -> Floats:
    """Return the rate of change of the shares: x_i (f_i - x'f) (Taylor and Jonker 1978).

    state: [N], a mixture; fitness: [N], what each share earns. Returns [N], summing to 0. ValueError for other shapes.
    """
    earned = np.asarray(fitness, dtype=np.float64)
    shares = arrays.mixture(state, earned.size, "state")
    return shares * (earned - shares @ earned)


def replicator(payoff: ArrayLike, start: ArrayLike, steps: int, step: float) -> Floats:
    """Follow one population that plays against itself; returns the states [steps + 1, N], the start included.

    payoff: [N, N], what the row earns against the column; start: [N], a mixture; step: time per step, above 0. A share
    of 0 stays 0. ValueError for other shapes, a start that is no mixture, or a bad count or step.
    """
    matrix = arrays.square(payoff)
    shares = arrays.mixture(start, len(matrix), "start")
    return _follow(lambda states: [matrix @ states[0]], [shares], steps, step)[0]


def replicator_pair(
    payoffs: tuple[ArrayLike, ArrayLike], starts: tuple[ArrayLike, ArrayLike], steps: int, step: float
) -> tuple[Floats, Floats]:
    """Follow two populations that play against each other; returns their states, [steps + 1, M] and [steps + 1, N].

    payoffs: the row's and the column's, both [M, N]; starts: mixtures [M] and [N]. Otherwise as `replicator`.
    """
    own, other = (arrays.payoff(matrix) for matrix in payoffs)
    if own.shape != other.shape:
        raise ValueError(f"payoffs: got shapes {own.shape} and {other.shape}, expected the same for both")
    shares = [arrays.mixture(start, size, "start") for start, size in zip(starts, own.shape, strict=True)]
    rows, columns = _follow(lambda states: [own @ states[1], states[0] @ other], shares, steps, step)
    return rows, columns


def _follow(
    fitness: Callable[[list[Floats]], list[Floats]], start: list[Floats], steps: int, step: float
) -> list[Floats]:
    """Integrate d log x / dt = f(x); the mean fitness of the textbook form cancels when the shares are normalised."""
    if steps < 0 or not 0.0 < step < float("inf"):
        raise ValueError(f"got {steps} steps of {step}, expected 0 or more steps of a time above 0")

    def ahead(logs: list[Floats], slopes: list[Floats], time: float) -> list[Floats]:
        return [_normalised(log + time * slope) for log, slope in zip(logs, slopes, strict=True)]

    def slope(logs: list[Floats]) -> list[Floats]:
        return fitness([np.exp(log) for log in logs])

    with np.errstate(divide="ignore"):  # a share of 0 is a logarithm of minus infinity, and stays one
        logs = [np.log(shares) for shares in start]
    states = [start]
    for _ in range(steps):
        first = slope(logs)
        second = slope(ahead(logs, first, step / 2.0))
        third = slope(ahead(logs, second, step / 2.0))
        fourth = slope(ahead(logs, third, step))
        mean = [(a + 2.0 * b + 2.0 * c + d) / 6.0 for a, b, c, d in zip(first, second, third, fourth, strict=True)]
        logs = ahead(logs, mean, step)
        states.append([np.exp(log) for log in logs])
    return [np.array([state[side] for state in states]) for side in range(len(start))]


def _normalised(logs: Floats) -> Floats:
    """Shift logarithms [N] so that what they are the logarithms of sums to 1."""
    highest = logs.max()
    return logs - (highest + np.log(np.exp(logs - highest).sum()))
