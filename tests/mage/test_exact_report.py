"""How exact returns are pooled, and how they are shown."""

from io import StringIO

import numpy as np
from rich.console import Console

from mage import keys
from mage.exact_report import ExactSample, pooled, stratum
from mage.views.exact_table import print_exact


def sample(agent: str, returns: list[list[float]], elsewhere: list[float] | None = None) -> ExactSample:
    return ExactSample(agent, "x", 0, np.array(returns), None if elsewhere is None else np.array(elsewhere))


def test_every_opponent_counts_as_much_however_often_it_was_met():
    strata = [
        stratum(sample("ann", [[0.0, 1.0]] * 3, [0.5] * 3), keys.generator(0, "x", 0)),
        stratum(sample("ann", [[4.0, 9.0]] * 2, [8.0] * 2), keys.generator(0, "x", 1)),
    ]
    told = pooled(strata, 2.0)
    assert [row["mean_return"] for row in told["episodes"]] == [2.0, 5.0]
    assert told["gain"]["mean"] == 3.0 and told["excess"]["mean"] == 3.0
    assert told["own_memory"] == {"mean": 0.75, "ci_low": 0.75, "ci_high": 0.75}  # (0.5 + 1) / 2
    assert told["episodes"][0]["n"] == 5


def test_without_another_opponent_nothing_is_said_of_the_own_memory():
    assert pooled([stratum(sample("ann", [[0.0], [1.0]]), keys.generator(0, "x"))], None)["own_memory"] is None


def test_the_table_shows_each_seat_and_a_dot_for_what_is_not_known():
    row = {"episode": 1, "n": 4, "mean_return": 0.1234, "ci_low": 0.1, "ci_high": 0.2}
    pool = {"episodes": [row], "gain": {"mean": 0.5, "ci_low": 0.4, "ci_high": 0.6}, "excess": None, "own_memory": None}
    seat = {
        "seat": 1,
        "nash_value": None,
        "best_fixed_value": None,
        "best_response_value": 0.25,
        "greedy_bayes": None,
        "overall": pool,
        "agents": [{"agent": "ann", **pool}],
    }
    told = {"run": "r", "game": "g", "memory": "none", "opponents": ["x"], "uniform_nash_conv": 0.9}
    console = Console(file=StringIO(), width=80)
    agent = {"agent": "ann", "nash_conv": 0.4, "nash_conv_by_episode": None}
    print_exact(console, told | {"agents": [agent], "seats": [seat]})
    lines = [" ".join(line.split()) for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert "Seat 1: Nash value ·, best fixed policy ·, best response 0.250" in lines
    assert "1 4 0.123 [0.100, 0.200] ·" in lines
    assert "ann 0.123 0.500 [0.400, 0.600] · ·" in lines
    assert max(map(len, console.file.getvalue().splitlines())) <= 80  # type: ignore[attr-defined]
    assert "ann 0.400" in lines and "uniform play 0.900" in lines
