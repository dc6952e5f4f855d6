"""A comparison as one record, and the records as a table, as Markdown and as JSON.

Left out: measuring (`benchmarks.measure`).
"""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from games.errors import RequestError

SCHEMA = "mage.bench/1"
HEADINGS = ("what", "against", "ours", "other", "unit", "ratio", "bar", "holds")


@dataclass(frozen=True, slots=True)
class Row:
    """Ours against one other thing; both in the same unit."""

    name: str
    unit: str  # of ours and other, such as "tokens/s"
    ours: tuple[float, ...]  # each run's, in order
    other: tuple[float, ...]  # each run's; empty where it could not be run
    other_is: str  # what ours is compared with
    bar: float | None = None  # None: reported beside the others, nothing is asked of it
    at_least: bool = True  # the ratio must reach the bar; False: must not exceed it
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Median of ours over median of the other; None without the other."""
        return statistics.median(self.ours) / statistics.median(self.other) if self.other else None

    @property
    def spread(self) -> tuple[float, float] | None:
        """The least and the greatest ratio of runs that followed each other; None without the other."""
        pairs = [own / other for own, other in zip(self.ours, self.other, strict=False)]
        return (min(pairs), max(pairs)) if pairs else None

    @property
    def holds(self) -> bool | None:
        """Whether the bar is met; None where there is no bar or no ratio."""
        if self.bar is None or self.ratio is None:
            return None
        return self.ratio >= self.bar if self.at_least else self.ratio <= self.bar

    def to_json(self) -> dict[str, Any]:
        """Return the row with its medians, ratio and verdict."""
        return {
            "name": self.name,
            "unit": self.unit,
            "ours": statistics.median(self.ours),
            "other": statistics.median(self.other) if self.other else None,
            "other_is": self.other_is,
            "ratio": self.ratio,
            "ratio_range": self.spread,
            "bar": self.bar,
            "bar_is": "at least" if self.at_least else "at most",
            "holds": self.holds,
            "ours_runs": self.ours,
            "other_runs": self.other,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Check:
    """Whether two sides of a row did the same work."""

    name: str
    value: float
    limit: float  # the most that `value` may be

    @property
    def holds(self) -> bool:
        """Whether the value is within the limit; NaN is not."""
        return self.value <= self.limit

    def to_json(self) -> dict[str, Any]:
        """Return the check with its verdict."""
        return {"name": self.name, "value": self.value, "limit": self.limit, "holds": self.holds}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one suite found."""

    rows: tuple[Row, ...]
    checks: tuple[Check, ...] = ()


def report(outcomes: Sequence[Outcome], about: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything as one JSON object; about: machine, model and sizes."""
    return {
        "schema": SCHEMA,
        **about,
        "rows": [row.to_json() for outcome in outcomes for row in outcome.rows],
        "checks": [check.to_json() for outcome in outcomes for check in outcome.checks],
    }


def read(path: Path) -> dict[str, Any]:
    """Return a report from its file; RequestError where there is none."""
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"{path}: cannot be read ({error.strerror}); give a file that --json wrote") from error
    except ValueError as error:  # neither UTF-8 nor JSON
        raise RequestError(f"{path}: got a file that is not JSON, expected one that --json wrote") from error
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise RequestError(f"{path}: got schema {schema!r}, expected {SCHEMA!r}; give a file that --json wrote")
    return data


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a report's row as the texts of a table, in the order of HEADINGS."""
    bar = "" if row["bar"] is None else f"{'≥' if row['bar_is'] == 'at least' else '≤'} {row['bar']:g}"
    verdict = {True: "yes", False: "NO", None: ""}[row["holds"]]
    other = "not run" if row["other"] is None else _number(row["other"])
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.3g}"
    return row["name"], row["other_is"], _number(row["ours"]), other, row["unit"], ratio, bar, verdict


def notes(data: Mapping[str, Any]) -> list[str]:
    """Return what has to be read beside the table: remarks on rows, then the checks."""
    remarks = [f"{row['name']}, against {row['other_is']}: {row['note']}" for row in data["rows"] if row["note"]]
    verdicts = [
        f"{check['name']}: {check['value']:.3g}, at most {check['limit']:g}{'' if check['holds'] else ': FAILED'}"
        for check in data["checks"]
    ]
    return remarks + verdicts


def console_table(data: Mapping[str, Any]) -> Table:
    """Return the report's rows for the terminal."""
    table = Table(*HEADINGS)
    for row in data["rows"]:
        table.add_row(*cells(row))
    return table


def markdown(data: Mapping[str, Any]) -> str:
    """Return the report's machine, rows and notes as Markdown."""
    machine, gflops = data["machine"], data["machine"]["gflops"]
    rendering = data.get("rendering", "compact")  # reports from before there was a choice
    opening = (
        f"{machine['cpu']}, {machine['threads']} threads, {machine['isa']}, torch {machine['torch']}; {data['model']} "
        f"in {data['dtype']} on {data['device']}, products by {data.get('linear', 'torch')}, rendering {rendering}; "
        f"{gflops['float32']:.0f} GFLOP/s in float32, {gflops['bfloat16']:.0f} in bfloat16; "
        f"{data['seconds'] / 60:.1f} minutes."
    )
    lines = [_line(HEADINGS), _line(["---"] * len(HEADINGS)), *(_line(cells(row)) for row in data["rows"])]
    return "\n".join([opening, "", *lines, "", *(f"- {note}" for note in notes(data))]) + "\n"


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
