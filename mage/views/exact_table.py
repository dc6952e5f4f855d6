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
            "Expected return of each episode, exact given what the agent remembers when it begins; every opponent "
            "counts as much. Knows the list: a Bayesian player who knows the opponents and must find out which it met. "
            "Gain: the last episode less the first. Own memory: the last episode less what the same policies would get "
            "from the other opponents; above 0 where what was seen of this one is used. Above fixed: the last episode "
            f"less the best policy that doesn't adapt. Brackets: 95% interval over trials. {MISSING} not known."
        ),
    ]
    for seat in table["seats"]:
        beside = ", ".join(f"{label} {number(seat[field], DECIMALS)}" for label, field in _BESIDE)
        drawn += [title(f"\nSeat {seat['seat']}: {beside}"), _episodes(seat), _agents(seat)]
    drawn += [title("\nNashConv of the first episode's policy"), _nash_conv(table)]
    if any(agent["nash_conv_by_episode"] for agent in table["agents"]):
        drawn += [title("\nNashConv by episode, given what was remembered of an opponent"), _nash_convs(table)]
    return drawn


def _episodes(seat: Mapping[str, Any]) -> Table:
    drawn = grid()
    columns(drawn, ("episode", "trials", "return", "knows the list"))
    bayes = seat["greedy_bayes"] or [None] * len(seat["overall"]["episodes"])
    for row, informed in zip(seat["overall"]["episodes"], bayes, strict=True):
        drawn.add_row(
            str(row["episode"]),
            str(row["n"]),
            interval(row["mean_return"], row["ci_low"], row["ci_high"], DECIMALS),
            number(informed, DECIMALS),
        )
    return drawn


def _agents(seat: Mapping[str, Any]) -> Table:
    drawn = grid()
    columns(drawn, ("agent", "last", "gain", "own memory", "above fixed"))
    for pool in ({"agent": "all", **seat["overall"]}, *seat["agents"]):
        drawn.add_row(
            Text(pool["agent"]),
            number(pool["episodes"][-1]["mean_return"], DECIMALS),
            _figure(pool["gain"]),
            _figure(pool["own_memory"]),
            number(pool["excess"]["mean"], DECIMALS) if pool["excess"] else MISSING,
        )
    return drawn


def _figure(found: Mapping[str, float] | None) -> str:
    return interval(found["mean"], found["ci_low"], found["ci_high"], DECIMALS) if found else MISSING


def _nash_conv(table: Mapping[str, Any]) -> Table:
    drawn = grid()
    columns(drawn, ("agent", "NashConv"))
    for agent in table["agents"]:
        drawn.add_row(Text(agent["agent"]), number(agent["nash_conv"], DECIMALS))
    drawn.add_row(Text("uniform play"), number(table["uniform_nash_conv"], DECIMALS))
    return drawn


def _nash_convs(table: Mapping[str, Any]) -> Table:
    drawn = grid()
    columns(drawn, ("agent", "episode", "pairs of trials", "NashConv"))
    for agent in table["agents"]:
        for row in agent["nash_conv_by_episode"]:
            drawn.add_row(
                Text(agent["agent"] if row["episode"] == 1 else ""),
                str(row["episode"]),
                str(row["n"]),
                interval(row["mean"], row["ci_low"], row["ci_high"], DECIMALS),
            )
    return drawn
