"""The table of `mage evaluate`: agents and baselines, distance by distance and variant by variant.

Pure functions of the JSON object that the command writes, drawn without leaning on colour: they read the same through a
pipe, and fit 80 columns. What is missing is a dot, never a zero. Computed here are the pools of families alone. Left
out: every figure that the object holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mage.statistics import SIGNIFICANT
from mage.views.figures import MISSING, columns, grid, interval, number, p_value, title
from mage.views.safe_text import clean

MARK = "*"
_SHOWN = ("near", "far", "member", "game", "training")  # the held-out distances first
_UNUSUAL = {"valid": ("valid_move_rate", 1.0), "random": ("random_move_rate", 0.0)}  # a column where not always that

# Each baseline's name in a row, and what it is.
BASELINES = {
    "base_without_memory": ("base, forgets", "the base model without training or memory"),
    "base": ("base", "the base model without training, with memory"),
    "without_memory": ("forgets", "the agents without their memory"),
    "equilibrium": ("equilibrium", "a Nash equilibrium"),
    "bayes": ("Bayesian", "a Bayesian player who knows the prior, or the list"),
    "best_response": ("best response", "who knows the opponent"),
}


def print_evaluation(console: Console, table: Mapping[str, Any]) -> None:
    """Print the object of `mage evaluate --json`: the population and its baselines, then each agent, then families."""
    for block in blocks(table):
        console.print(block)


def blocks(table: Mapping[str, Any]) -> list[RenderableType]:
    """Return what is printed."""
    met = [distance for distance in _SHOWN if distance in table["by_distance"]]
    drawn: list[RenderableType] = [
        *_opening(table),
        title("The whole population, episode by episode"),
        _population(table),
    ]
    for report in table["variants"]:
        drawn += [title(f"\nThe same in {clean(report['variant'])}"), _population(report)]
    drawn += [
        *_notes(table),
        *_compared(table),
        title("\nEach agent: exploitation in the last episode, and gain in return over the first"),
        _agents(table, [distance for distance in met if distance not in ("training", "member")] or _known(met)),
    ]
    for distance, figure in (("far", EXPLOITATION), ("member", RETURN)):
        if distance in met:
            drawn += [title(f"\nFamilies at distance {distance}: {figure.name}"), _families(table, distance, figure)]
    return drawn


def _known(met: Sequence[str]) -> list[str]:
    """Return the distances at which there is exploitation: nobody knows the best response to a member."""
    return [distance for distance in met if distance != "member"]


def _opening(table: Mapping[str, Any]) -> list[Text]:
    """Say what was played, and how to read it."""
    seen = "opponents never met in training" if table["held_out"] else "some opponents were met in training"
    played = f"{clean(table['run'])}: {clean(table['game'])}, memory {clean(table['memory'])}"
    told = [f"{label}: {what}" for label, what in (BASELINES[one["baseline"]] for one in table["baselines"])]
    beside = f"Under the agents, in the last episode, {'; '.join(told)}." if told else ""
    ceiling = beside or "Bayes: exploitation of the Bayes-optimal player."
    return [
        Text(f"{played}, {seen}; seed {table['seed']}"),
        Text(
            f"Exploitation: 0 earns the security value, 1 the best response's. {ceiling} "
            f"Brackets: 95% interval over trials. {MISSING} not known.\n"
        ),
    ]


def _population(report: Mapping[str, Any]) -> Table:
    """Draw one game: the agents at each distance by episode, their baselines' last episodes under them."""
    ceiling = () if report["baselines"] else ("Bayes",)  # has a row of its own there
    lines: list[tuple[str, Mapping[str, Any]]] = []
    for distance in (one for one in _SHOWN if one in report["by_distance"]):
        pool = report["by_distance"][distance]
        lines += [(distance if row["episode"] == 1 else "", row) for row in pool["overall"]]
        lines += [
            (f" {BASELINES[one['baseline']][0]}", one["by_distance"][distance]["overall"][-1])
            for one in report["baselines"]
            if distance in one["by_distance"]
        ]
    unusual = {
        header: rate
        for header, (rate, usual) in _UNUSUAL.items()
        if any(row.get(rate) not in (usual, None) for _, row in lines)
    }
    drawn = grid(gap=1)
    columns(drawn, ("", "ep", "trials", "return", "exploitation", *ceiling, "win", "forfeit", *unusual))
    for label, row in lines:
        drawn.add_row(
            label,
            str(row["episode"]),
            str(row["n"]),
            interval(row["mean_return"], row["ci_low"], row["ci_high"]),
            _exploitation(row),
            *(number(row["bayes_exploitation"]) for _ in ceiling),
            _share(row["win_rate"], 0),
            *(_share(row[rate], 1) for rate in ("forfeit_rate", *unusual.values())),
        )
    return drawn


def _place(report: Mapping[str, Any], distance: str) -> str:
    """Say where a pool was met: at a distance, or in a changed game."""
    variant = report["variant"]
    return distance if variant is None else clean(variant if distance == "game" else f"{variant}, {distance}")


def _notes(table: Mapping[str, Any]) -> list[Text]:
    """Say what the figures leave out."""
    reports = [table, *table["variants"]]
    notes = [
        f"{report['variant']}: without {', '.join(report['left_out'])}, who can't play the changed game"
        for report in table["variants"]
        if report["left_out"]
    ]
    entries = [one for report in reports for agent in report["agents"] for one in agent["opponents"]]
    repeats = sum(one["repeats"] for one in (*entries, *(one for report in reports for one in report["baselines"])))
    if repeats:
        notes.append(f"{repeats} trials in which nothing was drawn were the same game again, and are counted once")
    return [Text(clean(note)) for note in notes]


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
                place if first else "",
                BASELINES[entry["baseline"]][0],
                _difference(entry),
                p_value(entry["p_holm"]),
            )
    if compared.row_count:
        marked = f"p after Holm's correction over the table, {MARK} below {SIGNIFICANT}"
        drawn += [title(f"\nReturn in the last episode less a baseline's; {marked}"), compared]
    gap = table["memorised"]
    if gap is not None:
        told = "Exploitation of opponents met in training less that of near ones"
        drawn.append(Text(f"\n{told} (which may be the harder ones): {_difference(gap)}"))
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


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure of a row, and what an opponent weighs where it is pooled."""

    name: str
    fields: tuple[str, str, str]  # value, low, high
    weight: Callable[[Mapping[str, Any], Mapping[str, Any]], float]  # of an opponent's entry and row


EXPLOITATION = _Figure(
    "exploitation",
    ("exploitation", "exploitation_ci_low", "exploitation_ci_high"),
    lambda entry, row: (row["n"] + entry["repeats"]) * (entry["best_response_value"] - entry["security_value"]),
)
RETURN = _Figure("return", ("mean_return", "ci_low", "ci_high"), lambda entry, row: row["n"] + entry["repeats"])


def _families(table: Mapping[str, Any], distance: str, figure: _Figure) -> Table:
    """Pool a figure over the agents and the opponents of each family."""
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
            _pooled(entries, 0, figure),
            _pooled(entries, -1, figure),
        )
    return drawn


def _pooled(entries: Iterable[Mapping[str, Any]], episode: int, figure: _Figure) -> str:
    """Pool entries by weight; their intervals, being independent, add up in squares."""
    rows = [(entry, entry["episodes"][episode]) for entry in entries]
    known = [(entry, row) for entry, row in rows if row[figure.fields[0]] is not None]
    if not known:
        return MISSING
    weights = np.array([figure.weight(entry, row) for entry, row in known], dtype=np.float64)
    weights /= weights.sum()
    value, low, high = (np.array([row[field] for _, row in known]) for field in figure.fields)
    below, above = (np.sqrt(((weights * side) ** 2).sum()) for side in (value - low, high - value))
    pooled = weights @ value
    return interval(pooled, pooled - below, pooled + above)


def _exploitation(row: Mapping[str, Any]) -> str:
    return interval(row["exploitation"], row["exploitation_ci_low"], row["exploitation_ci_high"])


def _share(rate: float | None, decimals: int) -> str:
    return MISSING if rate is None else f"{rate:.{decimals}%}"
