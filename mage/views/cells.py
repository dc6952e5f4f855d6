"""Text in terminal cells: numbers, bars, cut and broken lines, and a stretch of text set apart by a gutter.

Pure functions. Leaves out what is shown with them. Text is taken literally, never as markup.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.text import Text

EIGHTHS = " ▏▎▍▌▋▊▉█"
CONTROL = re.compile(r"<\|[^<>|\s]{1,40}\|>|</?[a-z_]{1,20}>")  # what reads like a control token: <|im_end|>, </think>


def number(value: float) -> str:
    """A score with its sign, as an integer where it is one: +2, -0.50, 0."""
    if value == int(value):
        return f"{int(value):+d}" if value else "0"
    return f"{value:+.2f}"


def count(amount: int, noun: str) -> str:
    """An amount with its noun, which takes an s for the plural: 1 token, 2 tokens."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def cut(text: str, width: int, unicode: bool = True) -> str:
    """`text` in at most `width` terminal cells, an ellipsis where something is missing."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)) + ("…" if unicode else "~")[: max(width, 0)]


def bar(share: float, width: int, unicode: bool) -> str:
    """A bar of `share` (0 to 1) of `width` cells, to an eighth of a cell in Unicode."""
    share = min(max(share, 0.0), 1.0)
    if not unicode:
        return "#" * round(share * width)
    whole, rest = divmod(round(share * width * 8), 8)
    return EIGHTHS[8] * whole + (EIGHTHS[rest] if rest else "")


def broken(text: str, width: int) -> list[str]:
    """The lines of `text`, broken at `width` cells (at least 2); nothing is left out but newlines."""
    width = max(width, 2)
    lines: list[str] = []
    for line in text.split("\n"):
        if not line.isascii():
            lines += chop_cells(line, width)
        elif len(line) <= width:
            lines.append(line)
        else:  # between words, where every letter is one cell wide
            lines += textwrap.wrap(line, width, drop_whitespace=False, replace_whitespace=False)
    return lines


def wrap(text: str, width: int) -> list[str]:
    """The lines of `text`, broken at `width` cells; blank lines at its end are left out."""
    return broken(text.rstrip("\n"), width) if text.strip() else []


def quoted(title: str, lines: Sequence[str], rows: int, unicode: bool, end: bool = False) -> list[Text]:
    """A title, and under it the lines behind a gutter, control tokens dimmed; `rows` rows at most.

    end: show the last lines where not all fit, instead of the first. Returns [] without lines or with under 2 rows.
    """
    if not lines or rows < 2:
        return []
    shown = list(lines)
    if (left_out := len(lines) - (rows - 2)) > 1:
        kept = len(lines) - left_out
        shown = (
            [f"({left_out} lines before)", *lines[left_out:]] if end else [*lines[:kept], f"({left_out} more lines)"]
        )
    return [Text(title, "dim"), *(gutter(line, unicode) for line in shown)]


def gutter(line: str, unicode: bool) -> Text:
    """One line of quoted text behind its gutter, control tokens dimmed."""
    quote = Text.assemble(("│ " if unicode else "| ", "dim"), line)
    quote.highlight_regex(CONTROL, "dim")
    return quote


def stack(sections: Sequence[Sequence[Text]], foot: Sequence[Text], width: int, height: int) -> list[Text]:
    """Sections under one another, blank lines between them while they fit, the foot at the bottom.

    Returns at most `height` lines (at least 1) of at most `width` cells.
    """
    sections = [section for section in sections if section]
    spare = height - sum(map(len, sections)) - len(foot)
    lines: list[Text] = []
    for index, section in enumerate(sections):
        if index and spare > 0:
            lines.append(Text())
            spare -= 1
        lines.extend(section)
    if foot:
        lines += [Text() for _ in range(max(spare, 0))] + [*foot]
    for line in lines:
        line.no_wrap = True
        line.truncate(max(width, 1), overflow="crop")
    return lines[: max(height, 1)]
