"""How much agents wrote besides their moves, as curves over the iterations: thinking, reflections, legal first tries.

Pure functions of the `written` of `mage standings --json`. Left out: what was written (`mage watch`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from mage.views.figures import grid, number, title
from mage.views.safe_text import clean

BARS = "▁▂▃▄▅▆▇█"
PLAIN_BARS = "_.-=*#"
MOST_BARS = 24
FIGURES = {  # by field: how it is headed
    "thinking_tokens": "Tokens of thinking, a decision",
    "reflection_tokens": "Tokens of a reflection",
    "valid_move_rate": "Share of decisions whose first try was legal",
}


def curve(values: Sequence[float], width: int, unicode: bool = True) -> str:
    """One bar for each of at most `width` stretches of the values, their means from the least to the greatest."""
    bars = BARS if unicode else PLAIN_BARS
    count = min(len(values), width)
    stretches = [values[i * len(values) // count : (i + 1) * len(values) // count] for i in range(count)]
    means = [sum(part) / len(part) for part in stretches]
    low, span = min(means, default=0.0), max(means, default=0.0) - min(means, default=0.0)
    return "".join(bars[round((mean - low) / span * (len(bars) - 1)) if span else 0] for mean in means)


def written_curves(
    written: Mapping[str, Mapping[str, Sequence[float]]], width: int, unicode: bool = True
) -> Iterator[Text | Table]:
    """A table for each figure that ever differs from nothing written: by learner its course, first and last value."""
    for field, heading in FIGURES.items():
        idle = 1.0 if field == "valid_move_rate" else 0.0
        if all(value == idle for curves in written.values() for value in curves[field]):
            continue
        yield title(f"\n{heading}, from the first iteration to the last")
        table = grid()
        for name, curves in written.items():
            values = curves[field]
            bars = curve(values, max(4, min(MOST_BARS, width - 30)), unicode)
            table.add_row(clean(name, unicode), bars, f"{number(values[0])} to {number(values[-1])}")
        yield table
