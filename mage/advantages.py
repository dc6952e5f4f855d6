"""From the reward-to-go of many trials to the advantage of each decision: normalisation within cells.

Pure functions of numpy arrays. Nothing is kept between updates, so there is no moving-average baseline here;
leave-one-out baselines and step-level credit are left out too. `mage.credit` makes the reward-to-go.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from games.errors import unknown

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ZERO_STD = 1e-10  # a deviation below this share of max(1, |mean|) is rounding, not spread
LARGEST_CODE = 2**62  # cell numbers stay below this


@dataclass(frozen=True, slots=True)
class CellKey:
    """What tells cells apart: one integer column per field, one row per decision; all arrays [N].

    Codes are any integers that differ where the thing differs (see `encode`); `opponent` stands for a named
    opponent with its exact parameters, not for a family. ValueError when the columns differ in length.
    """

    learner: Integers
    game: Integers
    seat: Integers
    opponent: Integers
    episode: Integers
    turn: Integers  # the seat's decision number within the episode

    def __post_init__(self) -> None:
        """Check the lengths."""
        shapes = {field.name: getattr(self, field.name).shape for field in fields(self)}
        if len(set(shapes.values())) > 1 or len(self.learner.shape) != 1:
            raise ValueError(f"got cell columns of shapes {shapes}, expected all [N]")


CELL_FIELDS: tuple[str, ...] = tuple(field.name for field in fields(CellKey))


def encode(labels: Iterable[Hashable]) -> Integers:
    """Number N labels 0, 1, ... by first appearance; equal labels, and only those, share a number."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Advantages:
    """What `normalise` returns."""

    advantages: Floats  # [N], finite
    frac_reward_zero_std: dict[int, float]  # learner code -> share of its cells without spread, lone ones included


def normalise(
    returns: Floats,
    key: CellKey,
    trial: Integers,
    cell: Sequence[str] = CELL_FIELDS,
    scale_rewards: str = "group",
    eps: float = 1e-4,
) -> Advantages:
    """Subtract each decision's cell mean from its reward-to-go and divide by a scale (see SCALES).

    returns: [N] reward-to-go; trial: [N] one number per trial record (the two sides of a match between
    learners are two records); cell: the fields of `key` that tell cells apart. Trials weigh equally in every
    mean and deviation, however many decisions each has in the cell. Where a cell holds fewer than two trials,
    `turn` and then `episode` is dropped from its key, with statistics over *all* decisions of the wider cell;
    what still stands alone gets 0, and so does a cell of equal returns. A learner's advantages are the same
    to the last bit whoever else is in the batch, as long as `cell` has `learner` in it.
    RequestError for an unknown field or scale; ValueError for returns that are not finite or not [N].
    """
    for name in cell:
        if name not in CELL_FIELDS:
            raise unknown("cell field", name, CELL_FIELDS)
    if scale_rewards not in SCALES:
        raise unknown("scale_rewards", scale_rewards, SCALES)
    if not (returns.shape == trial.shape == key.learner.shape and np.isfinite(returns).all()):
        raise ValueError(f"got returns {returns.shape} and trial {trial.shape}, expected finite [N] as the key's")
    if returns.size == 0:
        return Advantages(np.zeros(0), {})
    stats = _cell_statistics(returns, key, trial, cell)
    divisor = SCALES[scale_rewards](returns, key.learner, trial, stats.std, eps)
    advantages = np.divide(returns - stats.mean, divisor, out=np.zeros(returns.shape), where=~stats.flat)
    return Advantages(advantages, _flat_share(stats, key.learner))


def cell_scale(returns: Floats, learner: Integers, trial: Integers, std: Floats, eps: float) -> Floats:
    """Scale "group": the deviation of the decision's own cell, plus eps. All arrays [N]."""
    return std + eps


def learner_scale(returns: Floats, learner: Integers, trial: Integers, std: Floats, eps: float) -> Floats:
    """Scale "batch": the deviation of the *learner's* returns in this batch, plus eps. All arrays [N].

    Per learner, not over the whole batch, so that one agent's update does not depend on the others in it.
    """
    mine, learners = _group([learner])
    return _moments(returns, mine, learners, trial)[1][mine] + eps


def no_scale(returns: Floats, learner: Integers, trial: Integers, std: Floats, eps: float) -> Floats:
    """Scale "none": 1 everywhere, [N]."""
    return np.ones_like(returns)


SCALES: dict[str, Callable[[Floats, Integers, Integers, Floats, float], Floats]] = {
    "group": cell_scale,
    "batch": learner_scale,
    "none": no_scale,
}


@dataclass(frozen=True, slots=True)
class _Statistics:
    """Of the cell that each decision ended up in; all arrays [N]."""

    mean: Floats
    std: Floats  # population standard deviation (divided by the count, not by the count less one)
    flat: NDArray[np.bool_]  # no spread, or alone
    cell: Integers  # number of the cell, not shared between a cell and a wider one


def _cell_statistics(returns: Floats, key: CellKey, trial: Integers, cell: Sequence[str]) -> _Statistics:
    """Find each decision's cell, dropping `turn` and then `episode` where fewer than two trials share it."""
    n = len(returns)
    mean, std, number, numbered = np.zeros(n), np.zeros(n), np.zeros(n, np.int64), 0
    alone = np.ones(n, dtype=np.bool_)
    ladder = [list(cell)]
    for dropped in ("turn", "episode"):
        if dropped in ladder[-1]:
            ladder.append([name for name in ladder[-1] if name != dropped])
    for kept in ladder:
        cells, count = _group([getattr(key, name) for name in kept] or [np.zeros(n, np.int64)])
        means, stds, trials = _moments(returns, cells, count, trial)
        mean[alone], std[alone] = means[cells[alone]], stds[cells[alone]]
        number[alone] = cells[alone] + numbered
        numbered += count
        alone &= trials[cells] < 2
        if not alone.any():
            break
    flat = alone | (std <= ZERO_STD * np.maximum(1.0, np.abs(mean)))
    return _Statistics(mean, std, flat, number)


def _moments(returns: Floats, cells: Integers, count: int, trial: Integers) -> tuple[Floats, Floats, Integers]:
    """Return mean, population deviation and trials of each cell, all [count]; trials weigh equally.

    returns, cells (numbers below `count`) and trial: [N].
    """
    units, unit_count = _group([cells, trial])
    cell_of_unit = np.empty(unit_count, dtype=np.int64)
    cell_of_unit[units] = cells
    trials = np.bincount(cell_of_unit, minlength=count).astype(np.int64)
    weight = 1.0 / (np.bincount(units)[units] * trials[cells])
    mean = np.bincount(cells, weights=weight * returns, minlength=count).astype(np.float64)
    squares = np.bincount(cells, weights=weight * (returns - mean[cells]) ** 2, minlength=count)
    return mean, np.sqrt(squares.astype(np.float64)), trials


def _flat_share(stats: _Statistics, learner: Integers) -> dict[int, float]:
    """Return, for each learner code, the share of the cells its decisions ended up in that are flat."""
    codes, ranks = np.unique(learner, return_inverse=True)
    parts, count = _group([ranks, stats.cell])
    owner, flat = np.empty(count, np.int64), np.empty(count, np.bool_)
    owner[parts], flat[parts] = ranks, stats.flat
    shares = np.bincount(owner, weights=flat) / np.bincount(owner)
    return dict(zip(codes.tolist(), shares.tolist(), strict=True))


def _group(columns: Sequence[Integers]) -> tuple[Integers, int]:
    """Number the distinct rows of `columns` (each [N], N > 0) in sorted order: numbers [N], their count."""
    code, size = _dense(columns[0])
    for column in columns[1:]:
        low, span = int(column.min()), int(column.max()) - int(column.min()) + 1
        if size * span >= LARGEST_CODE:
            (code, size), (column, span), low = _dense(code), _dense(column), 0
        code = code * span + (column - low)
        size *= span
    return _dense(code)


def _dense(code: Integers) -> tuple[Integers, int]:
    """Replace integers [N] by their ranks from 0; return them and how many there are."""
    low, high = int(code.min()), int(code.max())
    if high - low < 16 * len(code):  # counting is several times faster than sorting
        seen = np.bincount(code - low) > 0
        ranks = np.cumsum(seen)[code - low] - 1
        return ranks.astype(np.int64), int(seen.sum())
    distinct, inverse = np.unique(code, return_inverse=True)
    return inverse.astype(np.int64), len(distinct)
