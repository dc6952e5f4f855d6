"""How scripted opponents are declared in a config file: as text, or as a table that draws several by a seed.

Left out: what the families are, and whether the three sets are truly disjoint (`games.families` and
`games.opponents`).
"""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

Scalar = bool | int | float | str


class Table(BaseModel):
    """A TOML table: unknown keys, numbers given as text, infinities and later changes are all refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Draw(Table):
    """Opponents drawn from one family by a seed, written as a table where one opponent is written as text."""

    family: str = Field(min_length=1, description="family to draw from, as `mage opponents GAME` lists them")
    count: int = Field(default=1, ge=1, description="how many opponents to draw")
    seed: int = Field(
        default=0, ge=0, lt=2**31, description="seed of the draws; the same seed gives the same opponents"
    )
    parameters: dict[str, Scalar | tuple[Scalar, ...]] = Field(
        default_factory=dict,
        description="the family's parameters: values, [low, high] ranges of numbers, lists of moves to choose from",
    )
    away_from: tuple[str, ...] = Field(default=(), description="opponents that no draw may come close to")
    min_distance: float = Field(default=0.0, ge=0, le=1, description="least distance to each of `away_from`")


def _declaration_kind(value: object) -> str | None:
    if isinstance(value, str):
        return "<name>"
    return "<table>" if isinstance(value, dict | Draw) else None


Declaration = Annotated[
    Annotated[str, Field(min_length=1), Tag("<name>")] | Annotated[Draw, Tag("<table>")],
    Discriminator(_declaration_kind),
]


def declarations(declared: Iterable[str | Draw]) -> list[str | dict[str, Any]]:
    """The form that `games.opponents.expand` and `split` take: text stays, a `Draw` becomes a mapping."""
    return [item if isinstance(item, str) else item.model_dump() for item in declared]


class Opponents(Table):
    """[opponents]: three disjoint sets of scripted opponents; `held_out` is met by `mage evaluate` alone."""

    training: tuple[Declaration, ...] = Field(default=(), description="met in training, and in the corpus")
    validation: tuple[Declaration, ...] = Field(default=(), description="met to judge progress, never to train")
    held_out: tuple[Declaration, ...] = Field(default=(), description="met by `mage evaluate` alone")
    min_distance: float = Field(
        default=0.05, ge=0, le=1, description="least distance of every validation and held-out opponent to training"
    )
