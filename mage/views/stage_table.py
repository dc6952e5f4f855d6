"""What a person reads when a stage of a training run ends: whether its gate passed, and what was forgotten.

Pure functions of the record. Left out: every figure that the record holds.
"""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from mage.stage_records import StageEnd
from mage.views.figures import columns, grid, interval, number
from mage.views.safe_text import clean

FIGURES = {"last_return": "last return", "exploitation": "exploitation"}


def stage_blocks(ended: StageEnd) -> list[RenderableType]:
    """Return what is printed: a sentence, and a table where there are earlier stages to compare."""
    drawn: list[RenderableType] = [Text(_sentence(ended))]
    if not ended.retained:
        return drawn
    table = grid()
    columns(table, ["kept of", *(heading for name in FIGURES.values() for heading in (f"{name}, before", "after"))])
    for one in ended.retained:
        figures = [number(when.get(name)) for name in FIGURES for when in (one.before, one.after)]
        table.add_row(clean(one.of), *figures)
    return [*drawn, table]


def _sentence(ended: StageEnd) -> str:
    name, verdict = clean(ended.stage), ended.verdict
    if verdict is None:
        return f'Stage "{name}" has ended; it has no gate.'
    figure = verdict.figure
    bounded = figure.low is not None
    got = interval(figure.value, figure.low, figure.high) if bounded else number(figure.value)
    passed = "passed" if verdict.passed else "failed"
    asked = f"at least {verdict.gate.at_least:g} asked for"
    return f'Stage "{name}" has ended; its gate {passed}: {verdict.gate.metric} {got}, {asked}.'
