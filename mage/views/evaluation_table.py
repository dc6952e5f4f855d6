"""The table of `mage evaluate`: agents and baselines, distance by distance and variant by variant.

Pure functions of the JSON object that the command writes, drawn without leaning on colour: they read the same through a
pipe, and fit 80 columns. What is missing is a dot, never a zero. Left out: computing any figure that the object holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mage.views.figures import MISSING, columns, grid, interval, number, title
from mage.views.safe_text import clean

SIGNIFICANT = 0.05  # a corrected p-value below it is marked
MARK = "*"
_LABEL_WIDTH = 15  # leaves room for two intervals in 80 columns

_SHOWN = ("near", "far", "member", "game", "training")  # the held-out distances first
_LABELS = {
    "base_without_memory": "base, forgets",
    "base": "base",
    "without_memory": "forgets",
    "equilibrium": "equilibrium",
    "bayes": "Bayesian",
    "best_response": "best response",
}
_KEY = (
    "Under them, last episode: the base model (untrained) with and without memory; the agents without it; an "
    "equilibrium; a Bayesian player who knows the prior or the list; the best response, who knows the opponent."
)


def print_evaluation(console: Console, table: Mapping[str, Any]) -> None:
    """Print the object of `mage evaluate --json`: the population and its baselines, then each agent, then families."""
    for block in blocks(table):
        console.print(block)


def blocks(table: Mapping[str, Any]) -> list[RenderableType]:
    """Return what is printed."""
    met = [distance for distance in _SHOWN if distance in table["by_distance"]]
    seen = "opponents never met in training" if table["held_out"] else "some opponents were met in training"
    drawn: list[RenderableType] = [
        Text(f"{table['run']}: {table['game']}, memory {table['memory']}, {seen}; seed {table['seed']}"),
        Text(
            "Exploitation: 0 earns the security value, 1 the best response's. "
            f"{_KEY if table['baselines'] else 'Bayes: exploitation of the Bayes-optimal player.'} "
            f"Brackets: 95% interval over trials. {MISSING} not known.\n"
        ),
        title("The whole population, episode by episode"),
        _population(table),
        *_notes(table),
        *_compared(table),
        title("\nEach agent: exploitation in the last episode, and gain in return over the first"),
        _agents(table, [distance for distance in met if distance != "training"] or met),
    ]
    for distance in ("far", "member", "game"):
        if distance in met:
            drawn += [title(f"\nFamilies at distance {distance}: exploitation"), _families(table, distance)]
    return drawn


def _pools(table: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], list[tuple[str, Mapping[str, Any]]]]]:
    """Yield each block of the table: its label, the agents' pool, and the baselines' pools by label."""
    for report in (table, *table["variants"]):
        for distance in _SHOWN:
            if distance in report["by_distance"]:
                beside = [
                    (_LABELS[one["baseline"]], one["by_distance"][distance])
                    for one in report["baselines"]
                    if distance in one["by_distance"]
                ]
                yield _place(report, distance), report["by_distance"][distance], beside


def _place(report: Mapping[str, Any], distance: str) -> str:
    """Say where a pool was met: at a distance, or in a changed game."""
    variant = report["variant"]
    return distance if variant is None else variant if distance == "game" else f"{variant}, {distance}"


def _population(table: Mapping[str, Any]) -> Table:
    beside_agents = any(report["baselines"] for report in (table, *table["variants"]))
    drawn = grid(gap=1)
    ceiling = () if beside_agents else ("Bayes",)  # has a row of its own there
    drawn.add_column("", max_width=_LABEL_WIDTH, overflow="fold")
    columns(drawn, ("ep", "trials", "return", "exploitation", *ceiling, "win", "forfeit"), labels=0)
    for label, pool, beside in _pools(table):
        lines = [(label if row["episode"] == 1 else "", row) for row in pool["overall"]]
        lines += [(f" {name}", one["overall"][-1]) for name, one in beside]
        for text, row in lines:
            drawn.add_row(
                Text(clean(text)),
                str(row["episode"]),
                str(row["n"]),
                interval(row["mean_return"], row["ci_low"], row["ci_high"]),
                _exploitation(row),
                *(number(row["bayes_exploitation"]) for _ in ceiling),
                _share(row["win_rate"], 0),
                _share(row["forfeit_rate"], 1),
            )
    return drawn


def _notes(table: Mapping[str, Any]) -> list[Text]:
    """Say what the figures leave out."""
    notes = []
    for report in table["variants"]:
        if report["left_out"]:
            names = clean(", ".join(report["left_out"]))
            notes.append(Text(f"{report['variant']}: without {names}, who can't play the changed game"))
    repeats = sum(opponent["repeats"] for agent in table["agents"] for opponent in agent["opponents"])
    if repeats:
        notes.append(Text(f"{repeats} trials in which nothing was drawn were the same game again, and are not counted"))
    return notes


def _compared(table: Mapping[str, Any]) -> list[RenderableType]:
    """Draw the last episode's return less each baseline's, and whether opponents were learned by heart."""
    drawn: list[RenderableType] = []
    compared = grid()
    columns(compared, ("", "less", "difference", "p"), labels=2)
    for report in (table, *table["variants"]):
        places = [_place(report, entry["distance"]) for entry in report["comparisons"]]
        by_place = sorted(zip(places, report["comparisons"], strict=True), key=lambda pair: places.index(pair[0]))
        for index, (place, entry) in enumerate(by_place):
            first = index == 0 or by_place[index - 1][0] != place
            compared.add_row(
                Text(clean(place) if first else ""),
                _LABELS[entry["baseline"]],
                _difference(entry),
                number(entry["p_holm"], 3),
            )
    if compared.row_count:
        marked = f"p after Holm's correction over the table, {MARK} below {SIGNIFICANT}"
        drawn += [title(f"\nReturn in the last episode less a baseline's; {marked}"), compared]
    gap = table["memorised"]
    if gap is not None:
        drawn.append(Text(f"\nExploitation of opponents met in training less that of near ones: {_difference(gap)}"))
    return drawn


def _difference(entry: Mapping[str, Any]) -> str:
    mark = MARK if entry["p_holm"] < SIGNIFICANT else ""
    return interval(entry["difference"], entry["ci_low"], entry["ci_high"]) + mark


def _agents(table: Mapping[str, Any], distances: Sequence[str]) -> Table:
    drawn = grid()
    columns(drawn, ("agent", *distances, "gain"))
    for agent in table["agents"]:
        last = [agent["by_distance"].get(distance) for distance in distances]
        gain = agent["gain"]
        drawn.add_row(
            Text(clean(agent["agent"])),
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
            Text(clean(family)),
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


def _exploitation(row: Mapping[str, Any]) -> str:
    return interval(row["exploitation"], row["exploitation_ci_low"], row["exploitation_ci_high"])


def _share(rate: float | None, decimals: int) -> str:
    return MISSING if rate is None else f"{rate:.{decimals}%}"
