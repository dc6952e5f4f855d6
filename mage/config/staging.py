"""[[stage]] tables: a run as a chain of stages, each with settings of its own and a gate before the next.

Ranges and the rules within a stage are checked here; the settings that `set` leads to are checked by `chain`. Left
out: what a stage does (`mage.stages`).
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from mage.config.declared import Declaration, Table

TABLES = ("game", "trial", "agent", "opponents", "league", "learning")  # that a stage may change
FIXED = ("league.learners", "learning.gradient_checkpointing", "opponents.held_out")  # of these the whole run has one
TAUGHT = ("pretrain", "sft")  # kinds that learn from experts' play

Kind = Literal["pretrain", "sft", "rft", "rl"]
Metric = Literal["last_return", "exploitation", "gain", "parse_rate", "valid_move_rate", "win_rate"]


class Gate(Table):
    """[stage.gate]: what must be reached on the validation opponents before the next stage starts."""

    metric: Metric = Field(description="what is measured, over all learners")
    at_least: float = Field(description="the least that passes; returns in game units, all others are shares")
    trials: int = Field(default=32, ge=1, description="trials per learner and validation opponent, split over seats")


class Stage(Table):
    """[[stage]]: one stage of a run."""

    name: str = Field(
        default="", description='its name in logs and messages; unless given kind and place, as in "sft-1"'
    )
    kind: Kind = Field(description="what an update learns from")
    iterations: int = Field(ge=1, description="updates of every learner")
    learning_rate: float | None = Field(
        default=None, gt=0, description="at the stage's first update, then linear; as in [learning] unless given"
    )
    final_learning_rate: float | None = Field(
        default=None, gt=0, description="at its last update; as in [learning] unless given"
    )
    set: dict[str, Any] = Field(
        default_factory=dict,
        description="settings in this stage, by dotted keys as in `--set`; tables: " + ", ".join(TABLES),
    )
    experts: tuple[Declaration, ...] = Field(
        default=(),
        description='who plays the agent\'s seat for it: "best_response" (to whom it meets), "bayes" (who remembers '
        'the trial and knows the training opponents, not which it meets), "equilibrium", or any '
        "opponent; kind sft, and pretrain, where none means the training opponents",
    )
    trials: int = Field(
        default=32, ge=1, description="trials per learner and update that are learned from; all kinds but rl"
    )
    retention: float = Field(
        default=0.0, ge=0, lt=1, description="share of `trials` played as earlier stages were; all kinds but rl"
    )
    keep: Literal["wins", "top"] = Field(
        default="wins", description="own trials that rft learns from: last episode won, or the best returns in it"
    )
    keep_share: float = Field(default=0.25, gt=0, le=1, description='share of its trials that keep = "top" keeps')
    gate: Gate | None = Field(default=None, description="what must be reached before the next stage starts")

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, data: Any) -> Any:
        """Take `set = {game.rounds = 4}` for what it means in TOML without quotes: a table in a table."""
        if isinstance(data, Mapping) and isinstance(data.get("set"), Mapping):
            return {**data, "set": _flattened(data["set"])}
        return data

    @model_validator(mode="after")
    def _keys_are_a_stages(self) -> "Stage":
        for key in self.set:
            if key.partition(".")[0] not in TABLES or "." not in key:
                raise ValueError(f'got "{key}" in set, expected keys of {", ".join(TABLES)}, such as "game.rounds"')
            if key in FIXED:
                raise ValueError(f'got "{key}" in set, which the whole run has one of; set it outside the stages')
        if self.kind not in TAUGHT and self.experts:
            raise ValueError(f'got experts for kind = "{self.kind}", expected them for {" and ".join(TAUGHT)} only')
        if self.kind == "sft" and not self.experts:
            raise ValueError('got kind = "sft" without experts, expected some, such as ["best_response"]')
        if self.kind == "rl" and self.retention:
            raise ValueError('got retention for kind = "rl", expected it for the other kinds only')
        return self


def completed(data: Any) -> Any:
    """Return a config's data with its stages' names and the run's length filled in.

    With stages `run.iterations` is the sum of theirs. ValueError where it says otherwise, two stages share a name, or
    the first one asks for retention.
    """
    stages = data.get("stage") if isinstance(data, Mapping) else None
    if not isinstance(stages, tuple) or not stages or not all(isinstance(stage, Mapping) for stage in stages):
        return data
    named = tuple(
        {**stage, "name": stage.get("name") or f"{stage.get('kind')}-{number}"}
        for number, stage in enumerate(stages, start=1)
    )
    names = [stage["name"] for stage in named]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'got {names.count(name)} stages named "{name}", expected names that differ')
    if named[0].get("retention"):
        raise ValueError(f'got retention in "{names[0]}", the first stage, expected it where there are earlier ones')
    lengths = [length for stage in named if type(length := stage.get("iterations")) is int]
    run = data.get("run", {})
    if not isinstance(run, Mapping) or len(lengths) < len(named):  # refused later, for what it is
        return {**data, "stage": named}
    total = sum(lengths)
    if run.get("iterations", total) != total:
        raise ValueError(
            f"got run.iterations = {run['iterations']} and stages of {total} in all, expected run.iterations left out: "
            "the stages say how long a run is"
        )
    return {**data, "stage": named, "run": {**run, "iterations": total}}


def _flattened(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flattened(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return flat
