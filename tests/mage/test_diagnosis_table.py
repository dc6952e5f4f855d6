"""What a person reads after a diagnosis: golden at 80 and at 40 columns, from the JSON object alone."""

import io

import pytest
from rich.console import Console

from mage.views.diagnosis_table import print_diagnosis


def drawn(table, width=80):
    file = io.StringIO()
    print_diagnosis(Console(file=file, width=width), table)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def figure(mean):
    return {"mean": mean, "ci_low": mean - 0.125, "ci_high": mean + 0.25}


def figures(once, often, returned, gain=0.5):
    return {
        "pass_at": [{"k": 1, **figure(once)}, {"k": 16, **figure(often)}],
        "mean_return": figure(returned),
        "gain": gain if gain is None else figure(gain),
        "frac_reward_zero_std": 0.25,
        "reward_std": 1.5,
    }


def row(move, stage, why, parse, thinking, *found):
    return {
        "move": move,
        **figures(*found),
        "over_random": figure(found[2]),
        "parse_rate": parse,
        "valid_move_rate": parse - 0.25,
        "forfeit_rate": 1.0 - parse,
        "thinking_tokens": thinking,
        "due": {"stage": stage, "why": why},
    }


def diagnosis(**changes):
    return {
        "schema": "mage.diagnosis/1",
        "config": "configs/smollm.toml",
        "game": "rock_paper_scissors",
        "model": "smollm2-135m",
        "memory": "transcript",
        "seed": 1,
        "opponents": ["frequency_counter", "tit_for_tat(start=R)"],
        "bars": [],
        "trials": 32,
        "episodes": 3,
        "attempts": 16,
        "groups": 4,
        "num_generations": 8,
        "rows": [
            row("constrained", "rl", "It has success.", 1.0, 0.0, 0.25, 0.75, -0.125),
            row("free", "sft", "Of its first replies 25% can be read.", 0.25, 12.5, 0.0, 0.0, -3.0),
        ],
        "random": figures(0.25, 0.875, 0.0),
        **changes,
    }


WIDE = """\
configs/smollm.toml: smollm2-135m, untrained, in rock_paper_scissors, memory
transcript
validation opponents: 2, trials with each: 32, in groups of 16 that differ by
its sampling alone, episodes a trial: 3

A trial passes when its last episode returns halfway from the security value to
the best response or more; where these are not known, when it is won. pass@k: at
least one of k trials passes. Over random: return less that of random play in
the same groups. Alike: groups of 8, as training has them, whose trials all
return the same. Spread: deviation of return within a group. Brackets: 95%
interval over groups. · none.

                    constrained                 free             random
pass@1        0.25 [0.12, 0.50]   0.00 [-0.12, 0.25]  0.25 [0.12, 0.50]
pass@16       0.75 [0.62, 1.00]   0.00 [-0.12, 0.25]  0.88 [0.75, 1.12]
return      -0.12 [-0.25, 0.12] -3.00 [-3.12, -2.75] 0.00 [-0.12, 0.25]
over random -0.12 [-0.25, 0.12] -3.00 [-3.12, -2.75]                  ·
gain          0.50 [0.38, 0.75]    0.50 [0.38, 0.75]  0.50 [0.38, 0.75]
alike                      0.25                 0.25               0.25
spread                     1.50                 1.50               1.50
parse rate                 1.00                 0.25                  ·
valid moves                0.75                 0.00                  ·
forfeits                   0.00                 0.75                  ·
thinking                   0.00                12.50                  ·

constrained moves: rl is due. It has success.

free moves: sft is due. Of its first replies 25% can be read.
"""

NARROW = """\
            constrained  free random
pass@1             0.25  0.00   0.25
pass@16            0.75  0.00   0.88
return            -0.12 -3.00   0.00
over random       -0.12 -3.00      ·
gain               0.50  0.50   0.50
alike              0.25  0.25   0.25
spread             1.50  1.50   1.50
parse rate         1.00  0.25      ·
valid moves        0.75  0.00      ·
forfeits           0.00  0.75      ·
thinking           0.00 12.50      ·

constrained moves: rl is due. It has
success.
"""


def test_a_diagnosis_reads_like_this():
    assert "\n".join(drawn(diagnosis())) + "\n" == WIDE


def test_on_40_columns_figures_stand_without_their_intervals():
    lines = "\n".join(drawn(diagnosis(), 40))
    assert NARROW in lines
    assert "Brackets" not in lines


def test_trials_of_one_episode_have_a_dot_for_their_gain():
    rows = [row("constrained", "rl", "x", 1.0, 0.0, 0.25, 0.75, 0.0, None)]
    gain = next(line for line in drawn(diagnosis(rows=rows)) if line.startswith("gain"))
    assert gain.split()[1] == "·"


def test_where_nothing_is_left_to_learn_it_says_so():
    rows = [row("constrained", "none", "Pass@1 is 1.00.", 1.0, 0.0, 1.0, 1.0, 0.0)]
    assert drawn(diagnosis(rows=rows))[-1] == "constrained moves: no training is due. Pass@1 is 1.00."


def test_a_strangers_names_steer_no_terminal():
    text = "\n".join(drawn(diagnosis(config="a\x1b[2J.toml", game="g\x07", model="m\x9b")))
    assert not {"\x1b", "\x07", "\x9b"} & set(text)
    assert "a\\x1b[2J.toml" in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_console(width):
    third = row("think-then-choose", "rft", "x", 1.0, 100.0, 0.0, 0.5, -20.0)
    assert max(len(line) for line in drawn(diagnosis(rows=[*diagnosis()["rows"], third]), width)) <= width
