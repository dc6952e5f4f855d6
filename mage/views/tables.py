"""Tables of an evaluation and of the standings, and what to type after training.

Pure functions of the JSON objects that the commands write, drawn without leaning on colour: they read the
same through a pipe, and fit 80 columns. What is missing is a dot, never a zero. Left out: computing any
figure that the objects hold, reading files, live views.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mage.statistics import wilson_interval
from mage.views.figures import MISSING, columns, grid, interval, number, title
from mage.views.safe_text import clean

_SHOWN = ("near", "far", "game", "training")  # the held-out distances first
_LABEL_WIDTH = 20


def print_evaluation(console: Console, table: Mapping[str, Any]) -> None:
    """Print the object of `mage evaluate --json`: the population, then each agent, then families."""
    for block in _evaluation(table):
        console.print(block)


def print_standings(console: Console, standings: Mapping[str, Any]) -> None:
    """Print who did how well against whom, from an object of schema mage.standings/1.

    standings: `run`, `rows` and `columns` (names), `kinds` (name -> kind) and `cells`: for each row and
    column null, or `mean_return` (the row's, per episode), `win_rate` (draws half), `n` (trials) and, where
    counted, `forfeits`. The matrix is cut into as many blocks of columns as the console's width asks for. Names
    come out of a log that may be a stranger's, and are made harmless first.
    """
    console.print(Text(f"Standings of {standings['run']}\n"))
    console.print(title("Each member over whomever it met, most wins first (a draw is half a win)"))
    console.print(_summary(standings))
    console.print(title(f"\nMean return of the row against the column (trials); {MISSING} never met"))
    for block in _matrix(standings, console.width):
        console.print(block)
        console.print()


def next_steps(run: str) -> Text:
    """Give the commands to type once the training of `run` (its directory) is done."""
    directory = shlex.quote(run)
    lines = (
        f"  mage evaluate {directory}     meet opponents that training never met",
        f"  mage watch {directory}        replay the matches it logged",
        f"  mage standings {directory}    see who beats whom",
    )
    return Text("\n".join(("Next:", *lines)))


def _evaluation(table: Mapping[str, Any]) -> list[RenderableType]:
    met = [distance for distance in _SHOWN if distance in table["by_distance"]]
    seen = "opponents never met in training" if table["held_out"] else "some opponents were met in training"
    blocks: list[RenderableType] = [
        Text(f"{table['run']}: {table['game']}, memory {table['memory']}, {seen}"),
        Text(
            "Exploitation: 0 earns the security value, 1 the best response's. Bayes: exploitation of the "
            f"Bayes-optimal player. Brackets: 95% interval over trials. {MISSING} not known.\n"
        ),
        title("The whole population, episode by episode"),
        _population(table, met),
        title("\nEach agent: exploitation in the last episode, and gain in return over the first"),
        _agents(table, [distance for distance in met if distance != "training"] or met),
    ]
    for distance in ("far", "game"):
        if distance in met:
            blocks += [title(f"\nFamilies at distance {distance}: exploitation"), _families(table, distance)]
    return blocks


def _population(table: Mapping[str, Any], met: Sequence[str]) -> Table:
    drawn = grid(gap=1)
    columns(drawn, ("", "ep", "trials", "return", "exploitation", "Bayes", "win", "forfeit"))
    for distance in met:
        for row in table["by_distance"][distance]["overall"]:
            drawn.add_row(
                distance if row["episode"] == 1 else "",
                str(row["episode"]),
                str(row["n"]),
                interval(row["mean_return"], row["ci_low"], row["ci_high"]),
                _exploitation(row),
                number(row["bayes_exploitation"]),
                f"{row['win_rate']:.0%}",
                f"{row['forfeit_rate']:.1%}",
            )
    return drawn


def _agents(table: Mapping[str, Any], distances: Sequence[str]) -> Table:
    drawn = grid()
    columns(drawn, ("agent", *distances, "gain"))
    for agent in table["agents"]:
        last = [agent["by_distance"].get(distance) for distance in distances]
        gain = agent["gain"]
        drawn.add_row(
            Text(agent["agent"]),
            *(_exploitation(pool["overall"][-1]) if pool else MISSING for pool in last),
            interval(gain["mean"], gain["ci_low"], gain["ci_high"]),
        )
    return drawn


def _families(table: Mapping[str, Any], distance: str) -> Table:
    """Pool exploitation over the agents and the opponents of each family."""
    families: dict[str, list[Mapping[str, Any]]] = {}
    for agent in table["agents"]:
        for opponent in agent["opponents"]:
            if opponent["distance"] == distance:
                families.setdefault(opponent["family"], []).append(opponent)
    drawn = grid()
    columns(drawn, ("family", "opponents", "trials", "first episode", "last episode"))
    for family, entries in families.items():
        drawn.add_row(
            Text(family),
            str(len({entry["name"] for entry in entries})),
            str(sum(entry["episodes"][0]["n"] for entry in entries)),
            _family_exploitation(entries, 0),
            _family_exploitation(entries, -1),
        )
    return drawn


def _family_exploitation(entries: Iterable[Mapping[str, Any]], episode: int) -> str:
    """Pool entries as a ratio of sums; their intervals, being independent, add up in squares."""
    rows = [(entry, entry["episodes"][episode]) for entry in entries]
    known = [(entry, row) for entry, row in rows if row["exploitation"] is not None]
    if not known:
        return MISSING
    gaps = [row["n"] * (entry["best_response_value"] - entry["security_value"]) for entry, row in known]
    weights = np.array(gaps) / sum(gaps)
    value, low, high = (
        np.array([row[field] for _, row in known])
        for field in ("exploitation", "exploitation_ci_low", "exploitation_ci_high")
    )
    below, above = (np.sqrt(((weights * side) ** 2).sum()) for side in (value - low, high - value))
    pooled = weights @ value
    return interval(pooled, pooled - below, pooled + above)


def _summary(standings: Mapping[str, Any]) -> Table:
    """One row for each member, most won first, over whomever it met."""
    lines = []
    for name, cells in zip(standings["rows"], standings["cells"], strict=True):
        met = [cell for cell in cells if cell is not None]
        n = sum(cell["n"] for cell in met)
        won = sum(cell["win_rate"] * cell["n"] for cell in met)
        total = sum(cell["mean_return"] * cell["n"] for cell in met)
        counted = bool(met) and all("forfeits" in cell for cell in met)
        forfeits = str(sum(cell["forfeits"] for cell in met)) if counted else MISSING
        rate = wilson_interval(min(won, n), n) if n else None
        line = (
            Text(clean(name)),
            Text(clean(standings["kinds"].get(name, MISSING))),
            number(total / n if n else None),
            interval(rate.value, rate.low, rate.high) if rate else MISSING,
            str(n),
            forfeits,
        )
        lines.append((rate.value if rate else -1.0, line))
    drawn = grid()
    columns(drawn, ("member", "kind", "return", "win rate", "trials", "forfeits"), labels=2)
    for _, line in sorted(lines, key=lambda scored: -scored[0]):
        drawn.add_row(*line)
    return drawn


def _matrix(standings: Mapping[str, Any], width: int) -> list[Table]:
    names, met = ([clean(name) for name in standings[side]] for side in ("rows", "columns"))
    texts = [
        [MISSING if cell is None else f"{number(cell['mean_return'])} ({cell['n']})" for cell in cells]
        for cells in standings["cells"]
    ]
    label = min(_LABEL_WIDTH, max((len(name) for name in names), default=0))
    longest = max((len(name) for name in met), default=0)
    cell_width = max([8, min(12, longest), *(len(text) for row in texts for text in row)])
    at_once = max(1, (width - label) // (cell_width + 1))
    blocks = []
    for start in range(0, len(met), at_once):
        drawn = grid(gap=1)
        drawn.add_column("", width=label, overflow="fold")
        for name in met[start : start + at_once]:
            drawn.add_column(Text(name), width=cell_width, justify="right", overflow="fold")
        for name, row in zip(names, texts, strict=True):
            drawn.add_row(Text(name), *row[start : start + at_once])
        blocks.append(drawn)
    return blocks


def _exploitation(row: Mapping[str, Any]) -> str:
    return interval(row["exploitation"], row["exploitation_ci_low"], row["exploitation_ci_high"])
