"""Curves of what agents wrote: from the log to the screen."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from games.errors import RequestError
from mage.standings import derive
from mage.views.written_curves import curve, written_curves

RUN = {
    "type": "run",
    "schema": "mage.events/1",
    "seats": 2,
    "config": {"game": {"name": "g"}},
    "members": [{"name": "ann", "kind": "learner"}, {"name": "r", "kind": "scripted"}],
}


def update(iteration: int, thinking, reflection=0.0, valid=1.0):
    figures = {"thinking_tokens": thinking, "reflection_tokens": reflection, "valid_move_rate": valid}
    return {"type": "update", "agent": "ann", "iteration": iteration, **figures}


def derived(*events):
    return derive("x", enumerate([RUN, *events], start=1))["written"]


def test_what_was_thought_is_kept_by_iteration():
    assert derived(update(0, 8.0), update(1, 2.5)) == {
        "ann": {
            "iteration": [0, 1],
            "thinking_tokens": [8.0, 2.5],
            "reflection_tokens": [0.0, 0.0],
            "valid_move_rate": [1.0, 1.0],
        }
    }


def test_where_moves_are_all_that_is_written_there_is_nothing_to_show():
    assert derived(update(0, 0.0)) is None
    assert derived({"type": "update", "agent": "ann", "iteration": 0}) is None  # an older log
    assert derived(update(0, 0.0, valid=0.5)) is not None


def test_a_figure_that_is_none_is_a_damaged_log():
    with pytest.raises(RequestError, match="the log is damaged"):
        derived(update(0, "many"))


def test_a_curve_runs_from_its_least_to_its_greatest_bar():
    assert curve([0, 7], 24) == "▁█"
    assert curve([7, 6, 5, 4, 3, 2, 1, 0], 24) == "█▇▆▅▄▃▂▁"
    assert curve([0, 2, 6, 8], 2) == "▁█"  # means 1 and 7
    assert curve([3, 3], 24) == "▁▁" and curve([], 24) == ""
    assert curve([0, 1], 24, unicode=False) == "_#"


def test_only_figures_that_say_something_are_drawn():
    written = {
        "ann": {
            "iteration": [0, 1],
            "thinking_tokens": [8.0, 2.5],
            "reflection_tokens": [0.0, 0.0],
            "valid_move_rate": [1.0, 1.0],
        }
    }
    console = Console(width=60, record=True, file=io.StringIO())
    for block in written_curves(written, 60):
        console.print(block)
    lines = [line.rstrip() for line in console.export_text().splitlines() if line.strip()]
    assert lines == [
        "Tokens of thinking, a decision, from the first iteration to",
        "the last",
        "ann  █▁  8.00 to 2.50",
    ]
