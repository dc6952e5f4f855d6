"""What stands on the screen when a stage ends: golden at 80 and 40 columns, from the record alone."""

from __future__ import annotations

import io

from rich.console import Console

from mage.config import Gate
from mage.stage_records import Figure, Retained, StageEnd, Verdict
from mage.views.stage_table import stage_blocks

GATE = Gate(metric="exploitation", at_least=0.5)
KEPT = (
    Retained("long", "short", {"last_return": 1.25, "exploitation": 0.8}, {"last_return": 1.0, "exploitation": 0.625}),
    Retained("long", "first", {"last_return": -0.5, "exploitation": None}, {"last_return": 0.0, "exploitation": None}),
)


def drawn(ended: StageEnd, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    for block in stage_blocks(ended):
        console.print(block)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_passed_gate_and_what_was_kept_stand_side_by_side():
    assert drawn(StageEnd("long", Verdict("long", GATE, Figure(0.75, 0.5, 1.0)), KEPT)) == [
        'Stage "long" has ended; its gate passed: exploitation 0.75 [0.50, 1.00], at',
        "least 0.5 asked for.",
        "kept of  last return, before  after  exploitation, before  after",
        "short                   1.25   1.00                  0.80   0.62",
        "first                  -0.50   0.00                     ·      ·",
    ]


def test_a_failed_gate_without_an_interval_says_so():
    assert drawn(StageEnd("a", Verdict("a", Gate(metric="win_rate", at_least=0.5), Figure(0.25)))) == [
        'Stage "a" has ended; its gate failed: win_rate 0.25, at least 0.5 asked for.'
    ]


def test_a_stage_without_a_gate_has_ended_all_the_same():
    assert drawn(StageEnd("a", None)) == ['Stage "a" has ended; it has no gate.']


def test_it_fits_forty_columns():
    assert max(map(len, drawn(StageEnd("long", Verdict("long", GATE, Figure(None)), KEPT), 40))) <= 40
