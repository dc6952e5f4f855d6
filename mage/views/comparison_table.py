"""The table of `mage compare`: for each figure both sides, their difference with its interval, and what it is over.

A pure function of the JSON object that the command writes; it reads the same through a pipe, and fits 80 columns. Left
out: computing any figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mage.views.figures import MISSING, columns, grid, interval, number, p_value, title
from mage.views.safe_text import clean

_FIGURES = {
    "last_return": "last return",
    "gain": "gain",
    "mean_return": "mean return",
    "last_exploitation": "exploitation",
}
_MORE_SEEDS = "\nTo judge the configs, give several seeds of each, separated by commas."
_UNITS = {
    "runs": "B - A: 95% interval over {units_a} runs against {units_b} (Welch's t), as more seeds would show.",
    "learners": "B - A: 95% interval over {units_a} learners against {units_b} (Welch's t), not over seeds."
    + _MORE_SEEDS,
    None: "B - A: without interval, as a side has a single learner." + _MORE_SEEDS,
}
_VERDICTS = {  # by unit, and whether it tells the configs apart, which runs alone can
    ("runs", True): "different (p {p})",
    ("runs", False): "no difference shown (p {p})",
    ("learners", None): "no verdict on the configs",
    (None, None): "not tested",
}
_CORRECTED = "Holm: p corrected for the other figures, which count only if the first does.\n"
_MARKS = {  # by unit
    "runs": f"{_CORRECTED}* different. {MISSING} none.\n",
    "learners": f"{_CORRECTED}{MISSING} none.\n",
    None: f"{MISSING} none.\n",
}


def print_comparison(console: Console, table: Mapping[str, Any]) -> None:
    """Print the object of `mage compare --json`. Names may be a stranger's, and are made harmless first."""
    for block in blocks(table):
        console.print(block)


def blocks(table: Mapping[str, Any]) -> list[RenderableType]:
    """Return what is printed: who is compared, the verdict, then the figures."""
    over = _UNITS[table["unit"]].format(units_a=table["units_a"], units_b=table["units_b"])
    headline = table["figures"][0]
    verdict = _VERDICTS[table["unit"], headline["different"]].format(p=p_value(headline["p"]))
    return [
        Text(f"A: {_names(table['run_a'])}\nB: {_names(table['run_b'])}"),
        Text(
            f"{clean(table['game'])}, memory {clean(table['memory'])}, {len(table['opponents'])} opponents, "
            f"{table['trials']} trials with each\n"
        ),
        title(f"Last episode's return over all opponents: {verdict}"),
        Text(
            f"{over}\nTrials alone: 95% interval over the trials of these very runs, in pairs.\n{_MARKS[table['unit']]}"
        ),
        _figures(table["figures"]),
    ]


def _figures(figures: Sequence[Mapping[str, Any]]) -> Table:
    """One row for each figure, under the opponents that it is over."""
    drawn = grid(gap=1)
    columns(drawn, ("", "A", "B", "B - A", "p", "Holm ", "trials alone"))
    for distance in dict.fromkeys(figure["distance"] for figure in figures):
        drawn.add_row(f"{distance} opponents")
        for figure in figures:
            if figure["distance"] == distance:
                drawn.add_row(*_row(figure))
    return drawn


def _row(figure: Mapping[str, Any]) -> tuple[str, ...]:
    trials, difference = figure["trials"], figure["difference"]
    known = figure["ci_low"] is not None
    return (
        f" {_FIGURES[figure['figure']]}",
        number(figure["mean_a"]),
        number(figure["mean_b"]),
        interval(difference, figure["ci_low"], figure["ci_high"]) if known else number(difference),
        p_value(figure["p"]),
        p_value(figure["p_holm"]) + ("*" if figure["different"] else " "),
        f"[{number(trials['ci_low'])}, {number(trials['ci_high'])}]",
    )


def _names(runs: Sequence[str]) -> str:
    return ", ".join(clean(run) for run in runs)
