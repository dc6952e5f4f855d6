"""Equilibria of two-player games given by payoff matrices: Nash, maximum-entropy Nash, Nash averaging, NashConv.

Pure functions of arrays. Zero-sum games are solved; of general-sum ones only NashConv is known here. Leaves out how
they are solved (`interior_point`) and where payoffs come from (`metagame`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from populations import arrays, interior_point
from populations.arrays import Floats

# Beside payoffs scaled to 1: rounding then moves the mixture by about 1e-8, and the value lost is at most 1e-6 log N.
_ENTROPY_WEIGHT = 1e-6


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """A Nash equilibrium of a two-player zero-sum game."""

    row: Floats  # [M] mixture, sums to 1
    column: Floats  # [N] mixture, sums to 1
    value: float  # what the row player earns, in the payoff's units


def nash(payoff: ArrayLike) -> Equilibrium:
    """Solve a two-player zero-sum game by linear programming (von Neumann 1928; Dantzig 1951).

    payoff: [M, N], what the row player earns. NashConv of the result is below 1e-7 of the payoffs' range. Where there
    are several equilibria this is one near the middle of them; `max_entropy_nash` gives a unique one. ValueError
    for a matrix that is empty or not finite, ArithmeticError where rounding defeats the method.
    """
    matrix = arrays.payoff(payoff)
    row, column = interior_point.solve(_scaled(matrix))
    return Equilibrium(row, column, float(row @ matrix @ column))


def max_entropy_nash(payoff: ArrayLike) -> Equilibrium:
    """Return the equilibrium of greatest entropy, which is unique (Balduzzi et al. 2018, Re-evaluating evaluation).

    payoff: [M, N], what the row player earns. Members that are interchangeable share their weight equally, and a
    matrix of equal entries gives the uniform mixture. Where the mixture is known exactly (copied members, members that
    play like mixtures of others) it is met to 1e-7; payoffs that differ by less than about 1e-5 of their range count
    half as a tie. NashConv is at most 1e-6 (log M + log N) of the range. Errors as in `nash`.
    """
    matrix = arrays.payoff(payoff)
    scaled = _scaled(matrix)
    row, _ = interior_point.solve(scaled, _ENTROPY_WEIGHT)
    # Either player's equilibria are the same in a game that is its own mirror image: once is enough.
    mirrored = arrays.is_antisymmetric(matrix)
    column = row if mirrored else interior_point.solve(-scaled.T, _ENTROPY_WEIGHT)[0]
    return Equilibrium(row, column, 0.0 if mirrored else float(row @ matrix @ column))


def nash_averaging(payoff: ArrayLike) -> tuple[Floats, Floats]:
    """Return (mixture, skill), both [N]: the maximum-entropy Nash p and each member's payoff against it, A p.

    payoff: [N, N] antisymmetric. Copies of a member change nobody's skill: they share the weight of one (Balduzzi
    et al. 2018, Re-evaluating evaluation, Nash averaging). Members of the mixture have skill 0, the others 0 or less.
    ValueError for another matrix, ArithmeticError as in `nash`.
    """
    matrix = arrays.antisymmetric(payoff)
    mixture = max_entropy_nash(matrix).row
    return mixture, matrix @ mixture


def nash_conv(payoff: ArrayLike | tuple[ArrayLike, ArrayLike], row: ArrayLike, column: ArrayLike) -> float:
    """Return what both players together could gain by best responses to each other's mixture; 0 at an equilibrium.

    payoff: [M, N], the row player's in a zero-sum game; or a pair of [M, N], the row's and the column's payoffs in
    any game. row: [M] and column: [N], mixtures. In payoff units (Lanctot et al. 2017, A unified game-theoretic
    approach to multiagent reinforcement learning). ValueError for other shapes, missing entries, or what is no
    mixture.
    """
    if isinstance(payoff, tuple):
        own, other = (arrays.payoff(matrix) for matrix in payoff)
        if own.shape != other.shape:
            raise ValueError(f"payoff: got shapes {own.shape} and {other.shape}, expected the same for both players")
    else:
        own = arrays.payoff(payoff)
        other = -own
    first = arrays.mixture(row, own.shape[0], "row mixture")
    second = arrays.mixture(column, own.shape[1], "column mixture")
    by_row, by_column = own @ second, first @ other
    return float(by_row.max() - first @ by_row + by_column.max() - by_column @ second)


def _scaled(matrix: Floats) -> Floats:
    """Shift and scale to [-1, 1], which moves no equilibrium; an antisymmetric matrix is only scaled."""
    middle = (matrix.max() + matrix.min()) / 2.0
    shifted = matrix - middle
    return shifted / (np.abs(shifted).max() or 1.0)
