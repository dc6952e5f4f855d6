"""What a person reads of a run's standings: golden at 80 and at 40 columns, from the JSON object alone."""

import pytest

from tests.mage.standings_example import HABIT, drawn, rating, standings

AT_80 = """\
Standings of runs/first

Each member over whomever it met, most wins first (a draw is half a win)
member        kind      return           win rate  trials  forfeits
learner_1     learner     1.50  0.75 [0.65, 0.83]     128         4
learner_0     learner    -1.50  0.25 [0.17, 0.35]     128         0
learner_0@10  snapshot       ·                  ·       0         ·

Strength in Elo points (a learner's at the end), 95% interval; 0 is the mean of
the 2 scripted members
member                         kind                    Elo  episodes
learner_1                      learner      191 [120, 265]       512
peaked_habit(move=R,peak=0.8)  scripted        0 [-51, 52]       512
learner_0                      learner   -191 [-265, -120]       512
tit_for_tat                    scripted      0 [-900, 900]         1
Prior: normal, deviation 521 points. Dispersion 13.4: results vary that many
times as much as independent episodes; intervals allow for it.
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
the 2 scripted members
member                     Elo  episodes
learner_1       191 [120, 265]       512
peaked_habit(m     0 [-51, 52]       512
ove=R,peak=0.8
)
learner_0          -191 [-265,       512
                         -120]
tit_for_tat      0 [-900, 900]         1
Prior: normal, deviation 521 points.
Dispersion 13.4: results vary that many
times as much as independent episodes;
intervals allow for it.
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


def test_without_scripted_members_zero_is_told_by_the_snapshots_or_by_all():
    data = standings()
    for entry in data["ratings"]["entries"]:
        entry["kind"] = "snapshot"
    assert "0 is the mean of the 2 snapshots" in " ".join(drawn(data))
    assert "0 is the only snapshot" in " ".join(drawn(data | {"ratings": data["ratings"] | {"anchors": [HABIT]}}))
    assert "0 is the mean of all" in " ".join(drawn(data | {"ratings": data["ratings"] | {"anchors": []}}))


def test_without_ratings_trials_are_taken_as_independent():
    # learner_1 won 288 of 384 episodes in 128 trials: with a dependence of 4 they count as 96, without one as 128
    assert any("0.75 [0.65, 0.83]" in line for line in drawn(standings()))
    assert any("0.75 [0.67, 0.82]" in line for line in drawn(standings() | {"ratings": None}))
