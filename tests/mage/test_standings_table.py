"""What a person reads of a run's standings: golden at 80 and at 40 columns, from the JSON object alone."""

import io
from typing import Any

import pytest
from rich.console import Console

from mage.views.heat_map import heat_map, shade
from mage.views.standings_table import print_standings

HABIT = "peaked_habit(move=R,peak=0.8)"


def drawn(data: dict[str, Any], width: int = 80) -> list[str]:
    file = io.StringIO()
    print_standings(Console(file=file, width=width), data)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def rating(name: str, kind: str, elo: float, low: float, high: float, games: int) -> dict[str, Any]:
    return {"name": name, "kind": kind, "elo": elo, "elo_low": low, "elo_high": high, "games": games}


def point(elo: float, half: float) -> dict[str, float]:
    return {"elo": elo, "elo_low": elo - half, "elo_high": elo + half}


def standings() -> dict[str, Any]:
    cell = {"mean_return": 1.5, "win_rate": 0.75, "n": 64, "forfeits": 2}
    back = {"mean_return": -1.5, "win_rate": 0.25, "n": 64, "forfeits": 0}
    return {
        "schema": "mage.standings/1",
        "run": "runs/first",
        "rows": ["learner_0", "learner_1", "learner_0@10"],
        "columns": ["learner_0", "learner_1", HABIT],
        "kinds": {"learner_0": "learner", "learner_1": "learner", "learner_0@10": "snapshot"},
        "cells": [[None, back, back], [cell, None, cell], [None, None, None]],
        "unrated": None,
        "ratings": {
            "level": 0.95,
            "anchors": [HABIT, "tit_for_tat"],
            "components": [["learner_0", "learner_1", HABIT], ["tit_for_tat"]],
            "entries": [
                rating("learner_1", "learner", 190.8, 120.2, 265.0, 512),
                rating(HABIT, "scripted", 0.4, -50.6, 52.0, 512),
                rating("learner_0", "learner", -190.8, -265.0, -120.4, 512),
                rating("tit_for_tat", "scripted", -0.4, -900.0, 900.0, 1),
            ],
        },
        "skill": {
            "edges": [0, 10, 20, 30],
            "curves": {
                "learner_0": [point(-10.0, 60.2), None, point(-190.8, 72.3)],
                "learner_1": [point(12.0, 61.0), point(101.4, 70.0), point(190.8, 72.4)],
            },
        },
        "metagame": {
            "members": ["learner_0", "learner_1", HABIT],
            "left_out": 1,
            "payoff": [[0.0, -0.5, 1.0], [0.5, 0.0, -0.5], [-1.0, 0.5, 0.0]],
            "mixture": [0.25, 0.5, 0.25],
            "skill": [0.0, 0.0, 0.0],
            "cycles": [["learner_0", "learner_1", HABIT]],
        },
    }


AT_80 = """\
Standings of runs/first

Each member over whomever it met, most wins first (a draw is half a win)
member        kind      return           win rate  trials  forfeits
learner_1     learner     1.50  0.75 [0.67, 0.82]     128         4
learner_0     learner    -1.50  0.25 [0.18, 0.33]     128         0
learner_0@10  snapshot       ·                  ·       0         ·

Strength in Elo points (a learner's at the end), 95% interval; 0 is the mean of
the 2 members that do not change
member                         kind                    Elo  games
learner_1                      learner      191 [120, 265]    512
peaked_habit(move=R,peak=0.8)  scripted        0 [-51, 52]    512
learner_0                      learner   -191 [-265, -120]    512
tit_for_tat                    scripted      0 [-900, 900]      1
2 groups of members never met: only the prior compares them.

The row's win rate against the column; below it mean return (trials); · never
met
                                       peaked_habit
                                       (move=R,peak
                learner_0    learner_1        =0.8)
learner_0               ·         0.25         0.25
                            -1.50 (64)   -1.50 (64)
learner_1            0.75            ·         0.75
                1.50 (64)                 1.50 (64)
learner_0@10            ·            ·            ·

Skill by window of iterations: Elo points, and half the width of their interval
member        to 9    to 19     to 29
learner_0  -10 ±60        ·  -191 ±72
learner_1   12 ±61  101 ±70   191 ±72

Nash mixture of the 3 members that all met one another (1 left out), and win
rates against it
member                         weight  against it
learner_1                        0.50        0.50
learner_0                        0.25        0.50
peaked_habit(move=R,peak=0.8)    0.25        0.50
A circle, in which each beats the next beyond chance or through others:
learner_0, learner_1, peaked_habit(move=R,peak=0.8)
"""

AT_40 = """\
Standings of runs/first

Each member over whomever it met, most
wins first (a draw is half a win)
member        win rate  trials  forfeits
learner_1         0.75     128         4
learner_0         0.25     128         0
learner_0@10         ·       0         ·

Strength in Elo points (a learner's at
the end), 95% interval; 0 is the mean of
the 2 members that do not change
member                        Elo  games
learner_1          191 [120, 265]    512
peaked_habit(mo       0 [-51, 52]    512
ve=R,peak=0.8)
learner_0             -191 [-265,    512
                            -120]
tit_for_tat         0 [-900, 900]      1
2 groups of members never met: only the
prior compares them.

The row's win rate against the column;
below it mean return (trials); · never
met
                learner_0    learner_1
learner_0               ·         0.25
                            -1.50 (64)
learner_1            0.75            ·
                1.50 (64)
learner_0@10            ·            ·

             peaked_habit
             (move=R,peak
                    =0.8)
learner_0            0.25
               -1.50 (64)
learner_1            0.75
                1.50 (64)
learner_0@10            ·

Skill by window of iterations: Elo
points, and half the width of their
interval
member        to 9     to 29
learner_0  -10 ±60  -191 ±72
learner_1   12 ±61   191 ±72

Nash mixture of the 3 members that all
met one another (1 left out), and win
rates against it
member                weight  against it
learner_1               0.50        0.50
learner_0               0.25        0.50
peaked_habit(move=R,    0.25        0.50
peak=0.8)
A circle, in which each beats the next
beyond chance or through others:
learner_0, learner_1,
peaked_habit(move=R,peak=0.8)
"""


def test_standings_read_as_expected_at_80_columns():
    assert drawn(standings()) == AT_80.splitlines()


def test_standings_read_as_expected_at_40_columns():
    assert drawn(standings(), 40) == AT_40.splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_standings_keep_inside_the_width(width):
    assert max(map(len, drawn(standings(), width))) <= width


def test_wide_standings_break_into_blocks_that_fit_and_hold_every_cell():
    names = [f"learner_{index}@{index * 10}" for index in range(12)]
    cells = [[{"mean_return": -12.25, "win_rate": 0.5, "n": 1000 + i} for i in range(12)] for _ in names]
    lines = drawn({"run": "r", "rows": names, "columns": names, "kinds": {}, "cells": cells})
    assert max(map(len, lines)) <= 80
    assert all(sum(f"-12.25 ({1000 + i})" in line for line in lines) == 12 for i in range(12))


def test_an_always_win_member_reads_one_and_a_missing_cell_a_dot():
    cells = [[{"mean_return": 3.0, "win_rate": 1.0, "n": 8, "forfeits": 0}, None]]
    data = {"run": "r", "rows": ["bot"], "columns": ["a", "b"], "kinds": {"bot": "learner"}, "cells": cells}
    lines = drawn(data)
    assert any(line.split()[:4] == ["bot", "learner", "3.00", "1.00"] for line in lines)
    assert [line.split() for line in lines if line.startswith("bot")][1] == ["bot", "1.00", "·"]


def test_a_run_that_can_not_be_rated_says_why():
    data = standings() | {"unrated": "no game was played so far", "ratings": None, "skill": None, "metagame": None}
    lines = drawn(data)
    assert "No ratings: no game was played so far." in lines
    assert not any("Elo" in line or "Nash" in line for line in lines)


def test_two_members_make_no_meta_game():
    data = standings()
    data["metagame"] |= {"members": ["learner_0", HABIT], "left_out": 2, "cycles": []}
    assert drawn(data)[-1] == "No meta-game: of 4 members, no 3 all met one another."


def test_where_nothing_goes_in_circles_that_is_said():
    data = standings()
    data["metagame"]["cycles"] = []
    assert "No circle: nobody is beaten, beyond chance," in " ".join(drawn(data))


def test_of_many_members_every_learner_is_shown_and_the_rest_counted():
    data = standings()
    others = [rating(f"habit_{index}", "scripted", 500.0 - index, 0.0, 900.0, 10) for index in range(20)]
    learners = [entry for entry in data["ratings"]["entries"] if entry["kind"] == "learner"]
    data["ratings"]["entries"] = others + learners
    text = "\n".join(drawn(data))
    assert all(name in text for name in ("habit_0 ", "habit_9 ", "and 10 more, see --json"))
    assert "habit_10 " not in text
    assert "-191 [-265, -120]" in text


def test_names_out_of_a_log_steer_no_terminal_and_are_no_markup():
    data = standings()
    data["ratings"]["entries"][0]["name"] = "\x1b[2J"
    data["skill"]["curves"] = {"[bold]x[/bold]\x1b[2J": data["skill"]["curves"]["learner_1"]}
    data["rows"][0], data["columns"][0] = "\x1b[2Jrow", "\x1b[2Jcolumn"
    data["metagame"]["members"][0] = data["metagame"]["cycles"][0][0] = "\x1b[2Jmixed"
    data["run"], data["unrated"] = "\x1b[2Jrun", "\x1b[2Jwhy"
    assert "\x1b" not in "\n".join(drawn(data, 120))
    assert "\x1b" not in "\n".join(drawn(data | {"ratings": None}, 120))
    assert "[bold]x[/bold]" in "\n".join(drawn(data, 200))


def test_colour_repeats_the_figures_and_never_stands_for_them():
    cells = [[{"mean_return": 1.0, "win_rate": 1.0, "n": 4}, {"mean_return": 0.0, "win_rate": None, "n": 1}]]
    plain, coloured = io.StringIO(), io.StringIO()
    for table in heat_map(["a"], ["b", "c"], cells, 80):
        Console(file=plain, width=80).print(table)
        Console(file=coloured, width=80, force_terminal=True, color_system="truecolor").print(table)
    assert "\x1b" not in plain.getvalue()
    words = [line.split() for line in plain.getvalue().splitlines()]
    assert words[1:] == [["a", "1.00", "·"], ["1.00", "(4)", "0.00", "(1)"]]
    assert coloured.getvalue().count("48;2;128;177;235") == 2  # both lines of the one block whose win rate is known
    assert (shade(0.0), shade(0.5), shade(0.75)) == ((236, 164, 100), (232, 232, 232), (180, 204, 234))
