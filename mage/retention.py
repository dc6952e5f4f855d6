"""What a stage has made the learners forget of the stages before it.

Left out: measuring one stage (`mage.gates`).
"""

from collections.abc import Sequence

from mage.gates import measured
from mage.stage_records import Closed, Figures, Retained
from mage.stages import OpenStage

KEPT = ("last_return", "exploitation")  # figures that are compared


def kept_figures(figures: Figures | None) -> dict[str, float | None]:
    """Return the figures that are compared later, without their intervals."""
    return {name: figures[name].value for name in KEPT} if figures else {}


def retained(stages: Sequence[OpenStage], closed: Sequence[Closed], learners: Sequence[str]) -> list[Retained]:
    """Measure every earlier stage that has validation opponents again, at the end of the one after `closed`.

    The draws are those of the first time, so that what differs is the learners.
    """
    now = stages[len(closed)].plan.name
    return [
        Retained(now, before.name, before.figures, kept_figures(measured(stage, learners)))
        for stage, before in zip(stages, closed, strict=False)
        if before.figures
    ]
