"""What a person reads after an evaluation: golden at 80 columns, from the JSON objects alone."""

import io
from typing import Any

import pytest
from rich.console import Console

from mage.views.tables import next_steps, print_evaluation, print_standings


def drawn(render: Any, data: Any, width: int = 80) -> list[str]:
    file = io.StringIO()
    render(Console(file=file, width=width), data)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def row(episode: int, exploitation: float | None, half: float = 0.1, n: int = 50, bayes: float | None = None):
    known = exploitation is not None
    return {
        "episode": episode,
        "n": n,
        "mean_return": -1.0 + episode,
        "ci_low": -1.25 + episode,
        "ci_high": -0.75 + episode,
        "win_rate": 0.5,
        "draw_rate": 0.25,
        "forfeit_rate": 0.005,
        "exploitation": exploitation,
        "exploitation_ci_low": exploitation - half if known else None,
        "exploitation_ci_high": exploitation + half if known else None,
        "bayes_exploitation": bayes,
    }


def pool(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"overall": list(rows), "gain": {"mean": 1.0, "ci_low": 0.5, "ci_high": 1.5}}


def opponent(name: str, best: float | None, *rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "family": name.partition("(")[0],
        "distance": "far",
        "security_value": 0.0,
        "nash_value": 0.0,
        "best_response_value": best,
        "episodes": list(rows),
    }


def evaluation() -> dict[str, Any]:
    by_distance = {
        "near": pool(row(1, 0.5, bayes=0.6), row(2, 0.9, bayes=0.95)),
        "far": pool(row(1, -0.25), row(2, 0.0)),
    }
    opponents = [
        opponent("cycle(start=R,step=1)", 2.0, row(1, 0.0, 0.3), row(2, 0.0, 0.4)),
        opponent("cycle(start=R,step=-1)", 6.0, row(1, 0.0, 0.4), row(2, 1.0, 0.4)),
        opponent("mcts(100)", None, row(1, None), row(2, None)),
    ]
    agent = {"agent": "learner_0", "opponents": opponents, **pool(), "by_distance": by_distance}
    return {
        "schema": "mage.evaluation/1",
        "run": "runs/first",
        "game": "rock_paper_scissors",
        "memory": "transcript",
        "held_out": True,
        "agents": [agent],
        **pool(),
        "by_distance": by_distance,
    }


EVALUATION = """\
runs/first: rock_paper_scissors, memory transcript, opponents never met in
training
Exploitation: 0 earns the security value, 1 the best response's. Bayes:
exploitation of the Bayes-optimal player. Brackets: 95% interval over trials. ·
not known.

The whole population, episode by episode
     ep trials             return         exploitation Bayes win forfeit
near  1     50 0.00 [-0.25, 0.25]    0.50 [0.40, 0.60]  0.60 50%    0.5%
      2     50  1.00 [0.75, 1.25]    0.90 [0.80, 1.00]  0.95 50%    0.5%
far   1     50 0.00 [-0.25, 0.25] -0.25 [-0.35, -0.15]     · 50%    0.5%
      2     50  1.00 [0.75, 1.25]   0.00 [-0.10, 0.10]     · 50%    0.5%

Each agent: exploitation in the last episode, and gain in return over the first
agent                   near                 far               gain
learner_0  0.90 [0.80, 1.00]  0.00 [-0.10, 0.10]  1.00 [0.50, 1.50]

Families at distance far: exploitation
family  opponents  trials       first episode       last episode
cycle           2     100  0.00 [-0.31, 0.31]  0.75 [0.43, 1.07]
mcts            1      50                   ·                  ·
"""


def standings() -> dict[str, Any]:
    cell = {"mean_return": 1.5, "win_rate": 0.75, "n": 64, "forfeits": 2}
    back = {"mean_return": -1.5, "win_rate": 0.25, "n": 64, "forfeits": 0}
    return {
        "schema": "mage.standings/1",
        "run": "runs/first",
        "rows": ["learner_0", "learner_1", "learner_0@10"],
        "columns": ["learner_0", "learner_1", "peaked_habit(move=R,peak=0.8)"],
        "kinds": {"learner_0": "learner", "learner_1": "learner", "learner_0@10": "snapshot"},
        "cells": [[None, back, back], [cell, None, cell], [None, None, None]],
    }


STANDINGS = """\
Standings of runs/first

Each member over whomever it met, most wins first (a draw is half a win)
member        kind      return           win rate  trials  forfeits
learner_1     learner     1.50  0.75 [0.67, 0.82]     128         4
learner_0     learner    -1.50  0.25 [0.18, 0.33]     128         0
learner_0@10  snapshot       ·                  ·       0         ·

Mean return of the row against the column (trials); · never met
                                       peaked_habit
                                       (move=R,peak
                learner_0    learner_1        =0.8)
learner_0               ·   -1.50 (64)   -1.50 (64)
learner_1       1.50 (64)            ·    1.50 (64)
learner_0@10            ·            ·            ·
"""


def test_an_evaluation_reads_as_expected_at_80_columns():
    assert drawn(print_evaluation, evaluation()) == EVALUATION.splitlines()


def test_standings_read_as_expected_at_80_columns():
    assert drawn(print_standings, standings()) == [*STANDINGS.splitlines(), ""]


def test_a_figure_of_zero_and_a_missing_one_look_different():
    data = evaluation()
    data["by_distance"]["far"]["overall"][1] = row(2, None)
    far = [line for line in drawn(print_evaluation, data) if line.startswith("      2")][1]
    assert "·" in far.split()
    assert "0.00" not in far


def test_wide_standings_break_into_blocks_that_fit_and_hold_every_cell():
    names = [f"learner_{index}@{index * 10}" for index in range(12)]
    cells = [[{"mean_return": -12.25, "win_rate": 0.5, "n": 1000 + i} for i in range(12)] for _ in names]
    data = {"run": "r", "rows": names, "columns": names, "kinds": {}, "cells": cells}
    lines = drawn(print_standings, data)
    assert max(map(len, lines)) <= 80
    assert all(sum(f"-12.25 ({1000 + i})" in line for line in lines) == 12 for i in range(12))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_tables_keep_inside_the_width(width):
    assert max(map(len, drawn(print_evaluation, evaluation(), width))) <= width
    assert max(map(len, drawn(print_standings, standings(), width))) <= width


def test_names_with_brackets_are_text_and_not_markup():
    data = evaluation()
    data["agents"][0]["agent"] = "[bold]x[/bold]"
    assert any("[bold]x[/bold]" in line for line in drawn(print_evaluation, data))


def test_a_table_of_training_opponents_says_so():
    data = evaluation() | {"held_out": False}
    data["by_distance"] = {"training": data["by_distance"]["near"]}
    data["agents"][0]["by_distance"] = data["by_distance"]
    lines = drawn(print_evaluation, data)
    assert any("some opponents were met in" in line for line in lines)
    assert any(line.startswith("training  1     50") for line in lines)


def test_next_steps_can_be_pasted_into_a_shell():
    lines = drawn(lambda console, run: console.print(next_steps(run)), "runs/my first")
    assert lines == [
        "Next:",
        "  mage evaluate 'runs/my first'     meet opponents that training never met",
        "  mage watch 'runs/my first'        replay the matches it logged",
        "  mage standings 'runs/my first'    see who beats whom",
    ]
