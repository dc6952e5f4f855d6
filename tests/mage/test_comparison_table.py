"""What a person reads after a comparison: golden at 80 columns, from the JSON object alone."""

import io

import pytest
from rich.console import Console

from mage.views.comparison_table import print_comparison


def drawn(table, width=80):
    file = io.StringIO()
    print_comparison(Console(file=file, width=width), table)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def figure(name, distance="all", difference=0.25, p=0.0312, p_holm=0.0312):
    return {
        "figure": name,
        "distance": distance,
        "mean_a": -1.5,
        "mean_b": -1.5 + difference,
        "difference": difference,
        "ci_low": difference - 0.125,
        "ci_high": difference + 0.375,
        "p": p,
        "p_holm": p_holm,
        "different": p_holm < 0.05,
        "trials": {"ci_low": difference - 0.0625, "ci_high": difference + 0.0625, "p": 0.001, "n": 400},
    }


def comparison(**changes):
    return {
        "schema": "mage.comparison/1",
        "run_a": ["runs/a1", "runs/a2"],
        "run_b": ["runs/b1", "runs/b2", "runs/b3"],
        "game": "rock_paper_scissors",
        "memory": "transcript",
        "opponents": ["cycle(start=R,step=1)", "frequency_counter"],
        "seed": 1000,
        "trials": 100,
        "unit": "runs",
        "units_a": 2,
        "units_b": 3,
        "different": True,
        "figures": [
            figure("last_return"),
            figure("gain", difference=-2.0, p=0.0002, p_holm=0.0009),
            figure("mean_return", "near", p=0.5, p_holm=1.0),
            figure("last_exploitation", "near", p=0.4, p_holm=1.0),
        ],
        **changes,
    }


def untested():
    nothing = dict.fromkeys(("ci_low", "ci_high", "p", "p_holm", "different"))
    figures = [{**figure("last_return"), **nothing}]
    return comparison(unit=None, units_a=None, units_b=None, different=None, figures=figures)


COMPARISON = """\
A: runs/a1, runs/a2
B: runs/b1, runs/b2, runs/b3
rock_paper_scissors, memory transcript, 2 opponents, 100 trials with each

Last episode's return over all opponents: different (p 0.031)
B - A: 95% interval over 2 runs against 3 (Welch's t), as more seeds would show.
Trials alone: 95% interval over the trials of these very runs, in pairs.
Holm: p corrected for the other figures, which count only if the first does.
* different. · none.

                   A     B                B - A      p    Holm   trials alone
all opponents
 last return   -1.50 -1.25    0.25 [0.12, 0.62]  0.031  0.031*   [0.19, 0.31]
 gain          -1.50 -3.50 -2.00 [-2.12, -1.62] <0.001 <0.001* [-2.06, -1.94]
near opponents
 mean return   -1.50 -1.25    0.25 [0.12, 0.62]  0.500   1.000   [0.19, 0.31]
 exploitation  -1.50 -1.25    0.25 [0.12, 0.62]  0.400   1.000   [0.19, 0.31]
"""

UNTESTED = """\
Last episode's return over all opponents: not tested
B - A: without interval, as a side has a single learner.
To judge the configs, give several seeds of each, separated by commas.
"""


def test_a_comparison_reads_like_this():
    assert "\n".join(drawn(comparison())) + "\n" == COMPARISON


def test_without_a_unit_it_says_so_and_what_to_do():
    lines = drawn(untested())
    assert UNTESTED in "\n".join(lines)
    assert lines[-1].split() == ["last", "return", "-1.50", "-1.25", "0.25", "·", "·", "[0.19,", "0.31]"]


def test_learners_are_not_taken_for_seeds():
    figures = [{**row, "different": None} for row in comparison()["figures"]]
    lines = drawn(comparison(unit="learners", units_a=8, units_b=4, different=None, figures=figures))
    assert "B - A: 95% interval over 8 learners against 4 (Welch's t), not over seeds." in lines
    assert "To judge the configs, give several seeds of each, separated by commas." in lines
    assert "Last episode's return over all opponents: no verdict on the configs" in lines
    assert not any(mark in line for line in lines for mark in ("*", "differ"))


def test_no_difference_shown_is_not_no_difference():
    figures = [figure("last_return", p=0.6, p_holm=0.6)]
    lines = drawn(comparison(different=False, figures=figures))
    assert "Last episode's return over all opponents: no difference shown (p 0.600)" in lines


def test_a_strangers_names_steer_no_terminal():
    text = "\n".join(drawn(comparison(run_a=["runs/\x1b[2Ja"], game="g\x07", memory="m\x9b")))
    assert not {"\x1b", "\x07", "\x9b"} & set(text)
    assert "runs/\\x1b[2Ja" in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_console(width):
    assert max(len(line) for line in drawn(comparison(), width)) <= width
