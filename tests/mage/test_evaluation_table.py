"""What a person reads after an evaluation: golden at 80 columns, from the JSON objects alone."""

import io
from typing import Any

import pytest
from rich.console import Console

from mage.baselines import COMPUTED, PLAYED
from mage.views.evaluation_table import BASELINES, print_evaluation


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
        "valid_move_rate": 1.0,
        "random_move_rate": 0.0,
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
        "repeats": 0,
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
        "baselines": [],
        "comparisons": [],
        "memorised": None,
        "trials": 100,
        "seed": 1000,
        "variant": None,
        "left_out": [],
        "variants": [],
    }


EVALUATION = """\
runs/first: rock_paper_scissors, memory transcript, opponents never met in
training; seed 1000
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


def test_an_evaluation_reads_as_expected_at_80_columns():
    assert drawn(print_evaluation, evaluation()) == EVALUATION.splitlines()


def test_a_figure_of_zero_and_a_missing_one_look_different():
    data = evaluation()
    data["by_distance"]["far"]["overall"][1] = row(2, None)
    far = [line for line in drawn(print_evaluation, data) if line.startswith("      2")][1]
    assert "·" in far.split()
    assert "0.00" not in far


def test_moves_that_were_illegal_or_drawn_are_shown_where_there_are_any():
    data = evaluation()
    data["by_distance"]["near"]["overall"][0]["valid_move_rate"] = 0.925
    head, first, second, *_ = population(data)
    assert head[-2:] == ["forfeit", "valid"] and (first[-1], second[-1]) == ("92.5%", "100.0%")
    data["by_distance"]["far"]["overall"][1]["random_move_rate"] = 0.25
    head, *_, last = population(data)
    assert head[-3:] == ["forfeit", "valid", "random"] and last[-2:] == ["100.0%", "25.0%"]


def population(data: dict[str, Any]) -> list[list[str]]:
    """The words of the first table's five lines."""
    lines = drawn(print_evaluation, data, 100)
    head = next(place for place, line in enumerate(lines) if line.endswith("episode by episode")) + 1
    return [line.split() for line in lines[head : head + 5]]


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


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_keeps_inside_the_width(width):
    assert max(map(len, drawn(print_evaluation, evaluation(), width))) <= width
    assert max(map(len, drawn(print_evaluation, complete(), width))) <= width


def baseline(name: str, memory: str | None, *rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "baseline": name,
        "memory": memory,
        "computed": memory is None,
        "repeats": 0,
        "by_distance": {"near": pool(*rows)},
    }


def difference(value: float, p_holm: float, **where: Any) -> dict[str, Any]:
    return {"difference": value, "ci_low": value - 1, "ci_high": value + 1, "p": 0.01, "p_holm": p_holm, **where}


def complete() -> dict[str, Any]:
    """An evaluation with everything in it: baselines, a variant, comparisons."""
    known = row(2, 1.0, half=0.0) | {"win_rate": None, "draw_rate": None, "forfeit_rate": None}
    known |= {"valid_move_rate": None, "random_move_rate": None}
    changed = evaluation() | {
        "variant": "misere",
        "by_distance": {"game": pool(row(1, 0.25), row(2, 0.5))},
        "left_out": ["cycle(start=R,step=1)"],
        "comparisons": [difference(0.5, 0.5, baseline="base", distance="game")],
    }
    return evaluation() | {
        "baselines": [
            baseline("base", "transcript", row(1, 0.0), row(2, 0.25)),
            baseline("best_response", None, known, known),
        ],
        "comparisons": [
            difference(2.0, 0.0003, baseline="base", distance="near"),
            difference(0.0, 1.0, baseline="base", distance="far"),
        ],
        "memorised": difference(3.0, 0.01),
        "variants": [changed],
    }


def test_baselines_stand_under_the_agents_with_their_last_episode():
    lines = drawn(print_evaluation, complete(), 100)
    start = next(index for index, line in enumerate(lines) if line.startswith("near"))
    assert [line.split()[0] for line in lines[start : start + 6]] == ["near", "2", "base", "best", "far", "2"]
    assert "0.25 [0.15, 0.35]" in lines[start + 2] and "50%" in lines[start + 2]
    assert lines[start + 3].split()[-2:] == ["·", "·"]  # nothing was played: no rates


def test_a_variant_is_a_table_under_its_own_name_and_says_whom_it_left_out():
    lines = drawn(print_evaluation, complete(), 100)
    start = lines.index("The same in misere")
    assert lines[start + 2].startswith("game") and "0.25 [0.15, 0.35]" in lines[start + 2]
    assert "misere: without cycle(start=R,step=1), who can't play the changed game" in lines


def test_differences_are_marked_where_they_stand_after_correction():
    lines = drawn(print_evaluation, complete(), 100)
    start = next(index for index, line in enumerate(lines) if line.split()[:1] == ["less"])
    rows = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines[start + 1 : start + 4]]
    assert rows == [
        ["near", "base", "2.00 [1.00, 3.00]*", "<0.001"],
        ["far", "base", "0.00 [-1.00, 1.00]", "1.000"],
        ["misere", "base", "0.50 [-0.50, 1.50]", "0.500"],
    ]
    gap = "Exploitation of opponents met in training less that of near ones (which may be the harder ones):"
    assert lines[lines.index(gap) + 1] == "3.00 [2.00, 4.00]*"


def test_every_baseline_that_can_be_played_or_computed_has_a_name_in_the_table():
    assert set(BASELINES) == {*PLAYED, *COMPUTED}
    first = drawn(print_evaluation, complete(), 200)[1]
    assert "base: the base model without training, with memory; best response: who knows the opponent." in first
    assert "Bayesian" not in first  # nobody of that name stands in the table


def test_members_of_other_runs_are_pooled_by_their_returns_since_nobody_knows_their_best_response():
    data = evaluation()
    data["by_distance"]["member"] = pool(row(1, None), row(2, None))
    data["agents"][0]["opponents"].append(
        opponent("second:ann", None, row(1, None), row(2, None)) | {"distance": "member"}
    )
    lines = drawn(print_evaluation, data)
    start = lines.index("Families at distance member: return")
    assert lines[start + 2].split() == ["second:ann", "1", "50", "0.00", "[-0.25,", "0.25]", "1.00", "[0.75,", "1.25]"]


def test_escape_sequences_in_names_reach_no_terminal():
    data = complete() | {"run": "r\x1b]0;owned\x07", "game": "g\x1b[2J"}
    data["variants"][0]["variant"] = "v\x1b[31m"
    assert not any("\x1b" in line for line in drawn(print_evaluation, data))


def test_games_that_came_out_the_same_are_told():
    data = evaluation()
    data["agents"][0]["opponents"][0]["repeats"] = 49
    told = "49 trials in which nothing was drawn were the same game again, and are counted once"
    assert told in drawn(print_evaluation, data, 100)
