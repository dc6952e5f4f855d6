"""What is known at the end of a stage: its figures, its gate's verdict, and what it made forgotten of earlier ones.

Left out: measuring (`mage.gates`, `mage.retention`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mage.config import Gate
from mage.events import Event
from mage.failures import RunFailed


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure with its 95% interval, where it has one; None where it can't be measured."""

    value: float | None
    low: float | None = None
    high: float | None = None


Figures = Mapping[str, Figure]  # by metric


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gate and what was measured for it."""

    stage: str
    gate: Gate
    figure: Figure

    @property
    def passed(self) -> bool:
        """Whether the figure is known and high enough."""
        return self.figure.value is not None and self.figure.value >= self.gate.at_least

    def logged(self) -> dict[str, Any]:
        """Return the fields of the `gate` event."""
        return {
            "stage": self.stage,
            "metric": self.gate.metric,
            "at_least": self.gate.at_least,
            "measured": self.figure.value,
            "ci_low": self.figure.low,
            "ci_high": self.figure.high,
            "passed": self.passed,
        }

    def sentence(self) -> str:
        """Return what a failed gate says."""
        gate, figure = self.gate, self.figure
        got = "could not be measured" if figure.value is None else f"is {figure.value:.3g}"
        interval = f" (95% interval {figure.low:.3g} to {figure.high:.3g})" if figure.low is not None else ""
        return (
            f'the gate of stage "{self.stage}" failed: {gate.metric} on the validation opponents {got}{interval}, '
            f"expected at least {gate.at_least:g}; the checkpoint is kept, so give the stage more iterations and go "
            "on with --resume, or start another run with other stages"
        )


@dataclass(frozen=True, slots=True)
class Closed:
    """A stage that has ended."""

    name: str
    stop: int  # updates done by then
    figures: dict[str, float | None]  # by metric, when it ended; {} without validation opponents

    def to_json(self) -> dict[str, Any]:
        """Return what a checkpoint holds of it."""
        return {"name": self.name, "stop": self.stop, "figures": self.figures}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Closed":
        """Rebuild what `to_json` wrote; KeyError or TypeError where it is something else."""
        return cls(str(data["name"]), int(data["stop"]), dict(data["figures"]))


@dataclass(frozen=True, slots=True)
class Retained:
    """An earlier stage's figures at the end of a later one."""

    stage: str  # that ended now
    of: str  # the earlier one
    before: dict[str, float | None]  # when that one ended itself
    after: dict[str, float | None]

    def logged(self) -> dict[str, Any]:
        """Return the fields of the `retention` event."""
        return {"stage": self.stage, "of": self.of, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class StageEnd:
    """What is told when a stage has made its last update."""

    stage: str
    verdict: Verdict | None  # None without a gate
    retained: tuple[Retained, ...] = ()  # of each earlier stage

    @property
    def passed(self) -> bool:
        """Whether the next stage may begin."""
        return self.verdict is None or self.verdict.passed

    def require_passed(self) -> None:
        """Raise RunFailed, with what was measured, where the gate failed."""
        if self.verdict is not None and not self.verdict.passed:
            raise RunFailed(self.verdict.sentence())

    def events(self) -> list[Event]:
        """Return what is logged, without the iteration."""
        told: list[Event] = [{"type": "retention", **one.logged()} for one in self.retained]
        return told + ([{"type": "gate", **self.verdict.logged()}] if self.verdict else [])
