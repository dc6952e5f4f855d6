"""How cost grows: what was measured at each point, the exponents of power laws through them, and the table of both.

Left out: measuring (`benchmarks.scaling`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LINEAR = 1.05  # an exponent up to this counts as linear: timings are noisy


@dataclass(frozen=True, slots=True)
class Point:
    """What is played and then trained on."""

    episodes: int
    rows: int
    agents: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One point's result."""

    model: str
    axis: str
    point: Point
    new_tokens: int  # that went through the model in the rollout
    trained_tokens: int  # that went through the model in one update; an opening that rows share counts once
    rollout: float  # seconds, median
    update: float


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of log seconds over log size by least squares: 1 is linear, 2 quadratic, 0 constant.

    sizes, seconds: at least two, all positive, not all sizes equal.
    """
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(slope)


def exponents(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """Return the fitted exponents: seconds over rows, over tokens as trials get longer, and over agents."""
    found = []
    for model, axis in dict.fromkeys((one.model, one.axis) for one in measured):
        points = [one for one in measured if (one.model, one.axis) == (model, axis)]
        for what in ("rollout", "update"):
            seconds = [getattr(one, what) for one in points]
            if axis == "episodes":
                over = "new tokens" if what == "rollout" else "trained tokens"
                sizes = [one.new_tokens if what == "rollout" else one.trained_tokens for one in points]
            else:
                over, sizes = axis, [getattr(one.point, axis) for one in points]
            value = exponent(sizes, seconds)
            found.append({"model": model, "what": what, "over": over, "exponent": value, "linear": value <= LINEAR})
    return found


def table(measured: Sequence[Measured]) -> str:
    """Return the points, then the exponents, as two Markdown tables."""
    lines = [
        "| model | axis | episodes | rows | agents | new tokens | rollout, s | trained tokens | update, s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {one.model} | {one.axis} | {one.point.episodes} | {one.point.rows} | {one.point.agents} | "
        f"{one.new_tokens:,} | {one.rollout:.3g} | {one.trained_tokens:,} | {one.update:.3g} |"
        for one in measured
    ]
    lines += ["", f"| model | seconds of | over | exponent | at most {LINEAR:g} |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {fit['model']} | {fit['what']} | {fit['over']} | {fit['exponent']:.2f} | "
        f"{'yes' if fit['linear'] else 'NO'} |"
        for fit in exponents(measured)
    ]
    return "\n".join(lines) + "\n"
