"""Tables of what there is to choose from: games, opponent families, base models.

Drawing only: what is listed comes from the tables that own the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:  # importing them would load every game's library for a list of models
    from games.families import Family
    from games.registry import GameDescription
    from mage.base_models import BaseModel


def games_table(descriptions: Iterable[GameDescription]) -> Table:
    """One row for each game: name, moves by seat, range of a round's payoff, summary."""
    table = _table("game", "moves", "a round", "what it is")
    for game in descriptions:
        sides = list(dict.fromkeys(" ".join(moves) for moves in game.moves or ()))
        span = f"{game.payoff_range[0]:g} to {game.payoff_range[1]:g}" if game.payoff_range else "yours"
        table.add_row(game.name, " / ".join(sides) or "yours", span, game.summary)
    return table


def opponents_table(families: Iterable[Family]) -> Table:
    """One row for each family: name, rule, parameters with their meaning, what it does."""
    table = _table("family", "rule", "parameters", "what it does")
    for family in families:
        parameters = "\n".join(f"{parameter.name}: {parameter.doc}" for parameter in family.parameters)
        table.add_row(family.name, family.rule, parameters, family.doc)
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
