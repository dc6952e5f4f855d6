"""Payoffs as a matrix of coloured blocks, each with its figures inside: colour repeats what the figures say.

Blue is above one half, orange below, the paler the closer; without colour, or through a pipe, the figures stand alone.
Leaves out computing them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from mage.views.figures import MISSING, grid, number
from mage.views.safe_text import clean

_LABEL_WIDTH = 20
_WIDEST_NAME = 12
# Red, green and blue of a win rate of 0, 1/2 and 1: told apart with every kind of colour vision, dark text on all.
_COLOURS = ((236, 164, 100), (232, 232, 232), (128, 177, 235))

Cell = Mapping[str, Any]


def heat_map(
    rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[Cell | None]], width: int
) -> list[Table]:
    """Draw the row's win rate against the column and, below it, its mean return and the trials; a dot where none.

    cells: [rows][columns], each null or with `win_rate`, `mean_return` and `n`. Cut into as many blocks of columns as
    `width`, in characters, asks for. Names are made harmless first.
    """
    names, met = [clean(name) for name in rows], [clean(name) for name in columns]
    texts = [[_figures(cell) for cell in row] for row in cells]
    label = min(_LABEL_WIDTH, width // 3, max((len(name) for name in names), default=0))
    longest = max((len(name) for name in met), default=0)
    cell_width = max([8, min(_WIDEST_NAME, longest), *(len(line) for row in texts for pair in row for line in pair)])
    at_once = max(1, (width - label) // (cell_width + 1))
    blocks = []
    for start in range(0, len(met), at_once):
        shown = slice(start, start + at_once)
        drawn = grid(gap=1)
        drawn.add_column("", width=label, overflow="fold")
        for name in met[shown]:
            drawn.add_column(Text(name), width=cell_width, justify="right", overflow="fold")
        for name, row, figures in zip(names, cells, texts, strict=True):
            blocks_of_row = zip(row[shown], figures[shown], strict=True)
            drawn.add_row(Text(name), *(_block(cell, pair, cell_width) for cell, pair in blocks_of_row))
        blocks.append(drawn)
    return blocks


def _figures(cell: Cell | None) -> tuple[str, ...]:
    if cell is None:
        return (MISSING,)
    return number(cell["win_rate"]), f"{number(cell['mean_return'])} ({cell['n']})"


def _block(cell: Cell | None, figures: Sequence[str], width: int) -> Text:
    """Fill the block to its whole width, so that the colour does too."""
    known = cell is not None and cell["win_rate"] is not None
    style = f"black on rgb({','.join(map(str, shade(cell['win_rate'])))})" if cell is not None and known else ""
    return Text("\n").join(Text(line.rjust(width), style=style) for line in figures)


def shade(win_rate: float) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255, for a win rate in [0, 1]."""
    below, middle, above = _COLOURS
    end, share = (below, 1.0 - 2.0 * win_rate) if win_rate < 0.5 else (above, 2.0 * win_rate - 1.0)
    red, green, blue = (round(grey + share * (full - grey)) for grey, full in zip(middle, end, strict=True))
    return red, green, blue
