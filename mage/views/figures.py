"""What tables are made of: grids without colour, titles, figures with their intervals.

What is missing is a dot, never a zero. Left out: any table.
"""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

MISSING = "·"
LEAST_P = 0.001


def title(text: str) -> Text:
    """Head a table."""
    return Text(text, style="bold")


def grid(gap: int = 2) -> Table:
    """Return a table without lines, `gap` spaces between columns."""
    return Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")


def columns(table: Table, headers: Sequence[str], labels: int = 1) -> None:
    """Add columns: the first `labels` for names, the rest for figures."""
    for index, header in enumerate(headers):
        table.add_column(header, justify="left" if index < labels else "right", overflow="fold")


def interval(value: float | None, low: float | None, high: float | None, decimals: int = 2) -> str:
    """Write a figure with its interval in brackets."""
    if value is None:
        return MISSING
    return f"{number(value, decimals)} [{number(low, decimals)}, {number(high, decimals)}]"


def number(value: float | None, decimals: int = 2) -> str:
    """Write a figure with so many decimals, or one from 100 on; no minus sign before a rounded zero."""
    if value is None:
        return MISSING
    decimals = decimals if abs(value) < 100 else 1
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def p_value(p: float | None) -> str:
    """Write a p-value to three decimals; a smaller one is only said to be so."""
    return MISSING if p is None else f"<{LEAST_P}" if p < LEAST_P else number(p, 3)
