"""Whom a stage met or imitated counts as met, in every game that knows it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from games.opponents import parse
from mage.config import load
from mage.evaluation_samples import distance
from mage.session import describe
from mage.settle import settled
from mage.stage_opponents import met_in_stages
from tests.mage.small_run import CONFIG, write_config

STAGES = """
[[stage]]
kind = "rl"
iterations = 1
set = { game.rounds = 1, opponents.training = ["cycle(start=R,step=1)"] }

[[stage]]
kind = "sft"
iterations = 1
retention = 0.5
experts = ["best_response"]
set = { game.name = "matching_pennies", opponents.training = ["peaked_habit(move=H,peak=0.9)", "first_legal"] }
"""
# The second stage's experts answer whom they meet: first_legal in its own game, the cycle in that of the first.
IMITATED = ("best_response(to=first_legal)", "best_response(to=cycle(start=R,step=1))")


@pytest.fixture
def opened(tmp_path):
    def session(stages: str):
        text = CONFIG if not stages else CONFIG.replace("iterations = 4\n", "", 1) + stages
        text = text.replace('validation = ["dirichlet_habit(p=0.2/0.3/0.5)"]', "validation = []")
        config = settled(load(write_config(tmp_path, text)))
        return SimpleNamespace(config=config, setting=describe(config))

    return session


@pytest.mark.parametrize(
    ("name", "without", "with_stages"),
    [
        ("cycle(start=R,step=1)", "far", "training"),
        ("cycle(start=R,step=-1)", "far", "near"),
        ("first_legal", "far", "training"),
        (IMITATED[0], "far", "training"),
        (IMITATED[1], "far", "training"),
        ("peaked_habit(move=R,peak=0.8)", "training", "training"),
        ("tit_for_tat(start=R)", "far", "far"),
    ],
)
def test_what_any_stage_met_or_imitated_is_not_held_out(opened, name, without, with_stages):
    for stages, expected in (("", without), (STAGES, with_stages)):
        session = opened(stages)
        assert distance(session, parse(session.setting.game, name)) == expected


def test_a_run_without_stages_met_nobody_in_them(opened):
    assert met_in_stages(opened("")) == ()


def test_a_game_that_a_stage_names_as_code_is_not_run(opened):
    """What the stage met there is passed over; the module doesn't exist, and loading it would be refused."""
    met = met_in_stages(opened(STAGES.replace("matching_pennies", "no_such_module:game")))
    assert [one.name for one in met] == ["cycle(start=R,step=1)"]
