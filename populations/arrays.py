"""Checks of the arrays that the meta-game works on: payoff matrices and mixtures, each refused in one sentence.

Leaves out where the numbers come from (`metagame`) and what is made of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_ROUNDING = 1e-9  # relative to the largest entry


def payoff(values: ArrayLike, what: str = "payoff") -> Floats:
    """Return `values` as a matrix [M, N] of float64; ValueError when empty, of another shape or not all finite."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"{what}: got shape {matrix.shape}, expected a matrix [rows, columns] with an entry or more")
    if not np.isfinite(matrix).all():
        missing = int((~np.isfinite(matrix)).sum())
        raise ValueError(
            f"{what}: {missing} of {matrix.size} entries are missing or infinite, expected finite numbers; keep the "
            "members that all met one another (`played_together`) or fill the gaps (`complete`)"
        )
    return matrix


def square(values: ArrayLike, what: str = "payoff") -> Floats:
    """Return `values` as a matrix [N, N]; ValueError as in `payoff`, or when it is not square."""
    matrix = payoff(values, what)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{what}: got shape {matrix.shape}, expected as many rows as columns")
    return matrix


def is_antisymmetric(matrix: Floats) -> bool:
    """Whether A = -A' but for rounding (1e-9 of the largest entry)."""
    if matrix.shape[0] != matrix.shape[1]:
        return False
    return bool(np.abs(matrix + matrix.T).max() <= _ROUNDING * np.abs(matrix).max())


def antisymmetric(values: ArrayLike, what: str = "payoff") -> Floats:
    """Return `values` as a matrix [N, N] with A = -A'; ValueError as in `square`, or when it is not so."""
    matrix = square(values, what)
    if not is_antisymmetric(matrix):
        row, column = np.unravel_index(np.argmax(np.abs(matrix + matrix.T)), matrix.shape)
        raise ValueError(
            f"{what}: got {matrix[row, column]:g} for row {row} against {column} and {matrix[column, row]:g} the other "
            "way round, expected the negative (what one wins, the other loses)"
        )
    return matrix


def mixture(values: ArrayLike, size: int, what: str = "mixture") -> Floats:
    """Return `values` as probabilities [size]; ValueError for another shape, a negative entry or a sum other than 1."""
    weights = np.asarray(values, dtype=np.float64)
    if weights.shape != (size,):
        raise ValueError(f"{what}: got shape {weights.shape}, expected {size} probabilities")
    if not (np.isfinite(weights).all() and weights.min() >= 0.0 and abs(weights.sum() - 1.0) <= _ROUNDING):
        raise ValueError(
            f"{what}: got probabilities from {weights.min():g} with sum {weights.sum():g}, expected sum 1 from 0 up"
        )
    return weights
