"""Tables of what there is to choose from: games, opponent families, base models.

Drawing only: what is listed comes from the tables that own the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mage.views.safe_text import clean

if TYPE_CHECKING:  # importing them would load every game's library for a list of models
    from games.descriptions import GameDescription
    from games.families import Family
    from games.random_play import Attempt
    from games.variants import VariantDescription
    from mage.base_models import BaseModel

ROUNDING = 1e-9  # of exact values, in game units

OTHER_GAMES = {
    "openspiel:NAME(params)": "any game of OpenSpiel, such as openspiel:leduc_poker(players=3)",
    "public_goods(params)": "public goods of other sizes, such as public_goods(seats=4,levels=4)",
    "package.module:function": "an environment of your own, see docs/games.md",
}


def games_list(
    descriptions: Sequence[GameDescription], headings: Mapping[str, str], registered: Mapping[str, str]
) -> RenderableType:
    """A table under a heading for each kind of game, then how to name a game that isn't listed.

    headings: by kind, in order. registered: where the games that packages register come from, by name.
    """
    parts: list[RenderableType] = []
    for kind, heading in headings.items():
        rows = [game for game in descriptions if game.kind == kind]
        table = _rounds_table(rows) if any(game.moves for game in rows) else _seats_table(rows)
        parts += [Text(heading, style="bold underline"), table, Text()]
    if registered:
        parts += [
            Text("registered by packages", style="bold underline"),
            _two_columns("comes from", registered),
            Text(),
        ]
    return Group(*parts, Text("by another name", style="bold underline"), _two_columns("what it is", OTHER_GAMES))


def _rounds_table(games: Iterable[GameDescription]) -> Table:
    """Games with a payoff in every round: moves by seat, range of a round's payoff."""
    table = _table("game", "seats", "moves", "a round", "what it is")
    for game in games:
        sides = list(dict.fromkeys(" ".join(moves) for moves in game.moves or ()))
        span = f"{game.payoff_range[0]:g} to {game.payoff_range[1]:g}" if game.payoff_range else "yours"
        table.add_row(game.name, str(game.seats), " / ".join(sides) or "yours", span, game.summary)
    return table


def _seats_table(games: Iterable[GameDescription]) -> Table:
    table = _table("game", "seats", "what it is")
    for game in games:
        table.add_row(game.name, str(game.seats), game.summary)
    return table


def _two_columns(heading: str, rows: Mapping[str, str]) -> Table:
    table = _table("game", heading)
    for name, what in rows.items():
        table.add_row(clean(name), clean(what))
    return table


def attempt_line(attempt: Attempt) -> Text:
    """One line for a game that was tried: whether it can be played, its name, seats, kind, what there is to say."""
    seats = "1 seat" if attempt.players == 1 else f"{attempt.players} seats" if attempt.players else ""
    said = [clean(part) for part in (attempt.name, seats, attempt.kind, attempt.note) if part]
    return Text(f"{'ok' if attempt.ok else 'no'}  {'  '.join(said)}")


def attempts_total(attempts: Sequence[Attempt]) -> Text:
    """How many of the games that were tried can be played."""
    return Text(f"{sum(attempt.ok for attempt in attempts)} of {len(attempts)} can be played as text", style="bold")


def values_lines(values: Sequence[tuple[float | None, float | None]]) -> Text:
    """A line for each seat whose value is known. values: by seat, the game's value and what the seat can secure."""
    lines = []
    for seat, (nash, secured) in enumerate(values):
        known = [
            f"{label} {_shown(value)}"
            for label, value in (("Nash value", nash), ("secures", secured))
            if value is not None
        ]
        if known:
            lines.append(f"seat {seat}: {', '.join(known)} an episode\n")
    return Text("".join(lines) or "no exact values at hand\n")


def _shown(value: float) -> str:
    """A value to four digits; what a solver's rounding leaves of 0 is 0, without a sign."""
    return "0" if abs(value) < ROUNDING else f"{value:.4g}"


def opponents_table(families: Iterable[Family], best: Mapping[str, Sequence[float | None]]) -> Table:
    """One row for each family: name, rule, parameters with their meaning, what it does.

    best: by family, what a best response to it (default parameters) earns in an episode, by seat, where known.
    """
    table = _table("family", "rule", "parameters", "what it does", *(["best response"] if best else []))
    for family in families:
        parameters = "\n".join(f"{parameter.name}: {parameter.doc}" for parameter in family.parameters)
        earned = " / ".join(dict.fromkeys(_shown(value) for value in best.get(family.name, ()) if value is not None))
        table.add_row(family.name, family.rule, parameters, family.doc, *([earned] if best else []))
    return table


def variants_table(variants: Iterable[VariantDescription]) -> Table:
    """One row for each way to change a game: name, parameters with their meaning, what changes."""
    table = _table("variant", "parameters", "what changes")
    for variant in variants:
        parameters = "\n".join(f"{name}: {meaning}" for name, meaning in variant.parameters)
        table.add_row(variant.name, parameters, variant.doc)
    return table


def models_table(models: Mapping[str, BaseModel], presence: Mapping[str, str]) -> Table:
    """One row for each base model: name, summary, where it comes from, whether it is here."""
    table = _table("model", "what it is", "comes from", "here")
    for name, model in models.items():
        table.add_row(name, model.summary, model.origin, presence[name])
    table.add_row("./folder", "any causal language model", "disk", "")
    table.add_row("owner/name", "any, by its id", "Hugging Face Hub", "")
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, no_wrap=number == 0, overflow="fold")
    return table
