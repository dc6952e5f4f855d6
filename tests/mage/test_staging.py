"""[[stage]] tables: what they may say, what the settings of each stage are, and how a wrong one is refused."""

import pytest

from games.errors import RequestError
from mage.config import differences, load, resolved, stage_config

MINIMAL = """
[game]
rounds = 6

[opponents]
training = ["tit_for_tat"]

[[stage]]
kind = "sft"
iterations = 3
experts = ["best_response"]
learning_rate = 0.01
set = { game.rounds = 2, "trial.episodes" = 2 }
gate = { metric = "gain", at_least = 0.5 }

[[stage]]
name = "play"
kind = "rl"
iterations = 5
set = { "opponents.training" = ["tit_for_tat", "frequency_counter"] }
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(MINIMAL)
    return path


def refusal(file, old, new):
    assert old in MINIMAL
    file.write_text(MINIMAL.replace(old, new))
    with pytest.raises(RequestError) as caught:
        load(file)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{file}: ")


def test_a_run_is_as_long_as_its_stages_which_have_names(file):
    config = load(file)
    assert config.run.iterations == 8
    assert [stage.name for stage in config.stage] == ["sft-1", "play"]


def test_a_stage_s_settings_are_the_config_s_with_what_it_sets(file):
    config = load(file)
    first, second = (stage_config(config, stage) for stage in config.stage)
    assert (first.game.rounds, first.trial.episodes, first.run.iterations) == (2, 2, 3)
    assert (first.learning.learning_rate, second.learning.learning_rate) == (0.01, config.learning.learning_rate)
    assert (second.game.rounds, second.trial.episodes) == (6, config.trial.episodes)
    assert second.opponents.training == ("tit_for_tat", "frequency_counter")
    assert first.stage == second.stage == ()


def test_a_stage_in_another_game_leaves_rounds_behind(file):
    file.write_text(MINIMAL.replace("game.rounds = 2", 'game.name = "kuhn_poker"'))
    config = load(file)
    assert stage_config(config, config.stage[0]).game.rounds is None


def test_the_resolved_config_loads_back_the_same(file, tmp_path):
    config = load(file)
    again = tmp_path / "resolved.toml"
    again.write_text(resolved(config))
    assert load(again) == config


def test_a_resume_may_make_a_stage_longer_and_nothing_else_of_it(file):
    config = load(file)
    file.write_text(MINIMAL.replace("iterations = 5", "iterations = 9"))
    assert differences(config, load(file)) == []
    file.write_text(MINIMAL.replace("at_least = 0.5", "at_least = 0.4").replace('name = "play"', 'name = "more"'))
    assert differences(config, load(file)) == ["stage[0].gate.at_least", "stage[1].name"]
    file.write_text(MINIMAL.replace("game.rounds = 2", "game.rounds = 3"))
    assert differences(config, load(file)) == ["stage[0].set"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("game.rounds = 2", "game.round = 2", 'stage "sft-1": unknown key "game.round" (closest: "game.rounds")'),
        ("game.rounds = 2", "game.rounds = 0", 'stage "sft-1": game.rounds: got 0, expected a number of at least 1'),
        ("game.rounds = 2", "game.rounds.x = 2", 'stage "sft-1": got "game.rounds.x", but "rounds" is a value'),
        ("game.rounds = 2", "run.seed = 2", 'stage[0]: got "run.seed" in set, expected keys of game, trial, agent,'),
        ("game.rounds = 2", "league.learners = 2", 'stage[0]: got "league.learners" in set, which the whole run has'),
        (
            'set = { "opponents.training" = ["tit_for_tat", "frequency_counter"] }',
            "set = { game = 2 }",
            "stage[1]: got",
        ),
        ("iterations = 5", "iterationz = 5", 'unknown key "stage[1].iterationz" (closest: "stage[1].iterations")'),
        ("iterations = 5", "", "stage[1].iterations: got nothing, expected a value"),
        ("iterations = 5", "iterations = 5\nretention = 0.5", "stage[1]: got retention for kind"),
        ("iterations = 5", 'iterations = 5\nexperts = ["random"]', 'stage[1]: got experts for kind = "rl"'),
        ("iterations = 3", "iterations = 3\nretention = 0.5", 'got retention in "sft-1", the first stage'),
        ('experts = ["best_response"]', "", 'stage[0]: got kind = "sft" without experts'),
        ('experts = ["best_response"]', 'experts = [{famly = "x"}]', '(closest: "stage[0].experts[0].family")'),
        ("at_least", "at_lest", '(closest: "stage[0].gate.at_least")'),
        ('metric = "gain"', 'metric = "elo"', 'stage[0].gate.metric: got "elo", expected'),
        ('name = "play"', 'name = "sft-1"', 'got 2 stages named "sft-1"'),
        ("[game]", "[run]\niterations = 40\n[game]", "got run.iterations = 40 and stages of 8 in all"),
    ],
)
def test_a_wrong_stage_is_refused_in_one_sentence(file, old, new, told):
    assert told in refusal(file, old, new)
