"""Draws the end of a run as an SVG for a page: `python -m mage.views.picture RUN FILE.svg`.

The same tables as in the terminal, from evaluation.json and the event log of the run.
"""

import io
import json
import sys
from pathlib import Path

from rich.console import Console

from games.errors import RequestError
from mage.paths import RunPaths
from mage.standings import standings
from mage.views.evaluation_table import print_evaluation
from mage.views.standings_table import print_standings

WIDTH = 90


def picture(run: Path) -> str:
    """Return the SVG. Raises RequestError when the run has no evaluation or no log."""
    table = RunPaths(run).evaluation
    if not table.exists():
        raise RequestError(f"{run} has no {table.name}; it is written when `mage train` ends")
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    print_evaluation(console, json.loads(table.read_text()))
    console.print()
    print_standings(console, standings(run))
    return console.export_svg(title=f"mage train configs/{run.name}.toml")


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(picture(Path(sys.argv[1])), encoding="utf-8")
