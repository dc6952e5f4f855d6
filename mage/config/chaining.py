"""The settings of each stage: the whole config with what the stage sets.

Left out: what a stage may set (`staging`).
"""

from typing import Any

from mage.config.schema import Config
from mage.config.staging import Stage


def stage_data(config: Config, stage: Stage) -> dict[str, Any]:
    """Return the data of a stage's config: without stages, as long as it is, at its own learning rates.

    A stage that names another game starts from an empty [game], since rounds, moves and payoffs belong to the game.
    Raises ValueError where a key of `set` goes on below a value.
    """
    data: dict[str, Any] = config.model_dump(exclude={"stage"})
    if "game.name" in stage.set:
        data["game"] = {}
    data["run"]["iterations"] = stage.iterations
    for name in ("learning_rate", "final_learning_rate"):
        if (rate := getattr(stage, name)) is not None:
            data["learning"][name] = rate
    for key, value in stage.set.items():
        _put(data, key, value)
    return data


def stage_config(config: Config, stage: Stage) -> Config:
    """Return the config of a stage; pydantic's ValidationError where `load` would have refused it."""
    return Config.model_validate(stage_data(config, stage))


def _put(data: dict[str, Any], key: str, value: object) -> None:
    *tables, last = key.split(".")
    for name in tables:
        data = data.setdefault(name, {})
        if not isinstance(data, dict):
            raise ValueError(f'got "{key}", but "{name}" is a value, expected a table')
    data[last] = value
