"""The settings of a run: a strict, frozen schema and sparse TOML files that are checked when they load.

What can be set, with defaults and ranges, is in `schema` and what it is made of; reading and writing is in `loading`.
None of them knows games or families by name: those are looked up, and refused, by the tables in `games`.
"""

from mage.config.acting import Agent, Prompt
from mage.config.chaining import stage_config
from mage.config.declared import Declaration, Draw, Opponents, declarations
from mage.config.loading import differences, load, override_pairs, resolved
from mage.config.population import League, Matchmaking
from mage.config.schema import (
    Config,
    Evaluation,
    Game,
    Learning,
    Lora,
    Model,
    Pretrain,
    Run,
    Trial,
)
from mage.config.staging import Gate, Stage

__all__ = [
    "Agent",
    "Config",
    "Declaration",
    "Draw",
    "Evaluation",
    "Game",
    "Gate",
    "League",
    "Learning",
    "Lora",
    "Matchmaking",
    "Model",
    "Opponents",
    "Pretrain",
    "Prompt",
    "Run",
    "Stage",
    "Trial",
    "declarations",
    "differences",
    "load",
    "override_pairs",
    "resolved",
    "stage_config",
]
