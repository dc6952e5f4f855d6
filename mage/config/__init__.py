"""The settings of a run: a strict, frozen schema and sparse TOML files that are checked when they load.

What can be set, with defaults and ranges, is in `schema` and `declared`; reading and writing is in `loading`.
None of them knows games or families by name: those are looked up, and refused, by the tables in `games`.
"""

from mage.config.declared import Declaration, Draw, Opponents, declarations
from mage.config.loading import differences, load, override_pairs, resolved
from mage.config.schema import (
    Config,
    Evaluation,
    Game,
    League,
    Learning,
    Lora,
    Matchmaking,
    Model,
    Pretrain,
    Run,
    Trial,
)

__all__ = [
    "Config",
    "Declaration",
    "Draw",
    "Evaluation",
    "Game",
    "League",
    "Learning",
    "Lora",
    "Matchmaking",
    "Model",
    "Opponents",
    "Pretrain",
    "Run",
    "Trial",
    "declarations",
    "differences",
    "load",
    "override_pairs",
    "resolved",
]
