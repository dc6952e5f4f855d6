"""The table of `mage diagnose`: what the base does before any training, by way to move, then which stage is due.

A pure function of the JSON object that the command writes and of the width: where intervals don't fit, figures stand
alone. Left out: computing any figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mage.views.figures import MISSING, columns, grid, interval, number
from mage.views.safe_text import clean

_LABEL, _INTERVAL = 12, 20  # characters of a label, and of a figure with its interval, with what sets them apart

_PASSES = (
    "A trial passes when its last episode returns halfway from the security value to the best response or more; where "
    "these are not known, when it is won. pass@k: at least one of k trials passes."
)
_WHAT = (
    "Over random: return less that of random play in the same groups. Alike: groups of {num_generations}, as training "
    "has them, whose trials all return the same. Spread: deviation of return within a group. {brackets}{missing} none."
)
_BRACKETS = "Brackets: 95% interval over groups. "
_DUE = {"none": "no training is due"}  # by stage; any other is due by its name

_FIGURES = (
    ("return", "mean_return"),
    ("over random", "over_random"),
    ("gain", "gain"),
    ("alike", "frac_reward_zero_std"),
    ("spread", "reward_std"),
    ("parse rate", "parse_rate"),
    ("valid moves", "valid_move_rate"),
    ("forfeits", "forfeit_rate"),
    ("thinking", "thinking_tokens"),
)


def print_diagnosis(console: Console, table: Mapping[str, Any]) -> None:
    """Print the object of `mage diagnose --json`. Names may be a stranger's, and are made harmless first."""
    for block in blocks(table, console.width):
        console.print(block)


def blocks(table: Mapping[str, Any], width: int) -> list[RenderableType]:
    """Return what is printed on so many columns: what was played, the figures, what is due."""
    shown = [*((row["move"], row) for row in table["rows"]), ("random", table["random"])]
    wide = _LABEL + _INTERVAL * len(shown) <= width
    brackets = _BRACKETS if wide else ""
    about = _WHAT.format(num_generations=table["num_generations"], brackets=brackets, missing=MISSING)
    return [
        Text(
            f"{clean(table['config'])}: {clean(table['model'])}, untrained, in {clean(table['game'])}, memory "
            f"{clean(table['memory'])}"
        ),
        Text(
            f"validation opponents: {len(table['opponents'])}, trials with each: {table['trials']}, in groups of "
            f"{table['attempts']} that differ by its sampling alone, episodes a trial: {table['episodes']}\n"
        ),
        Text(f"{_PASSES} {about}\n"),
        _figures(shown, _with_interval if wide else _alone),
        *(_due(row) for row in table["rows"]),
    ]


def _figures(shown: Sequence[tuple[str, Mapping[str, Any]]], write: Callable[[Any], str]) -> Table:
    """One row for each figure, one column for each way to move."""
    drawn = grid(gap=1)
    columns(drawn, ("", *(clean(name) for name, _ in shown)))
    for place, rate in enumerate(shown[0][1]["pass_at"]):
        drawn.add_row(f"pass@{rate['k']}", *(write(found["pass_at"][place]) for _, found in shown))
    for label, field in _FIGURES:
        drawn.add_row(label, *(write(found.get(field)) for _, found in shown))
    return drawn


def _with_interval(figure: Any) -> str:
    if isinstance(figure, Mapping):
        return interval(figure["mean"], figure["ci_low"], figure["ci_high"])
    return number(figure)


def _alone(figure: Any) -> str:
    return number(figure["mean"] if isinstance(figure, Mapping) else figure)


def _due(row: Mapping[str, Any]) -> Text:
    stage = row["due"]["stage"]
    told = _DUE.get(stage, f"{stage} is due")
    return Text.assemble((f"\n{clean(row['move'])} moves: {clean(told)}. ", "bold"), clean(row["due"]["why"]))
