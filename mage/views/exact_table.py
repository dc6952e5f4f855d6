"""The table of `mage evaluate --exact`: for each seat, expected returns by episode beside what could be had.

A pure function of the JSON object that the command writes. Left out: computing any figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mage.views.figures import MISSING, columns, grid, interval, number, title

DECIMALS = 3
_BESIDE = (
    ("Nash value", "nash_value"),
    ("best fixed policy", "best_fixed_value"),
    ("best response", "best_response_value"),
)


def print_exact(console: Console, table: Mapping[str, Any]) -> None:
    """Print the object of `mage evaluate --exact --json`."""
    for block in blocks(table):
        console.print(block)


def blocks(table: Mapping[str, Any]) -> list[RenderableType]:
    """Return what is printed, seat by seat, then what a first episode leaves open to others."""
    drawn: list[RenderableType] = [
        Text(f"{table['run']}: {table['game']}, memory {table['memory']}, {len(table['opponents'])} opponents"),
        Text(
            "Expected return of each episode, exact given what the agent remembers when it begins. Brackets: 95% "
            f"interval over trials. {MISSING} not known."
        ),
    ]
    for seat in table["seats"]:
        beside = ", ".join(f"{label} {number(seat[field], DECIMALS)}" for label, field in _BESIDE)
        drawn += [title(f"\nSeat {seat['seat']}: {beside}"), _episodes(seat), _agents(seat)]
    drawn += [title("\nNashConv of the first episode's policy"), _nash_conv(table)]
    return drawn


def _episodes(seat: Mapping[str, Any]) -> Table:
    drawn = grid()
    columns(drawn, ("episode", "trials", "return", "knows the list"))
    bayes = seat["greedy_bayes"] or [None] * len(seat["overall"]["episodes"])
    for row, ceiling in zip(seat["overall"]["episodes"], bayes, strict=True):
        drawn.add_row(
            str(row["episode"]),
            str(row["n"]),
            interval(row["mean_return"], row["ci_low"], row["ci_high"], DECIMALS),
            number(ceiling, DECIMALS),
        )
    return drawn


def _agents(seat: Mapping[str, Any]) -> Table:
    drawn = grid()
    columns(drawn, ("agent", "last episode", "gain", "above fixed"))
    for pool in ({"agent": "all", **seat["overall"]}, *seat["agents"]):
        last, gain, excess = pool["episodes"][-1], pool["gain"], pool["excess"]
        drawn.add_row(
            Text(pool["agent"]),
            interval(last["mean_return"], last["ci_low"], last["ci_high"], DECIMALS),
            interval(gain["mean"], gain["ci_low"], gain["ci_high"], DECIMALS),
            interval(excess["mean"], excess["ci_low"], excess["ci_high"], DECIMALS) if excess else MISSING,
        )
    return drawn


def _nash_conv(table: Mapping[str, Any]) -> Table:
    drawn = grid()
    columns(drawn, ("agent", "NashConv"))
    for agent in table["agents"]:
        drawn.add_row(Text(agent["agent"]), number(agent["nash_conv"], DECIMALS))
    drawn.add_row(Text("uniform play"), number(table["uniform_nash_conv"], DECIMALS))
    return drawn
