"""Config files and `--set`: read, overridden, written out whole, and compared when a run is resumed."""

from pathlib import Path

import pytest

import games
from games.errors import RequestError
from games.opponents import split
from mage.config import declarations, differences, load, override_pairs, resolved
from tests.mage.small_config import complaint

pytest_plugins = ["tests.mage.small_config"]

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_resolved_config_loads_back_to_an_equal_one(tmp_path, path):
    config = load(path)
    copy = tmp_path / "config.toml"
    copy.write_text(resolved(config))
    assert load(copy) == config
    assert resolved(load(copy)) == resolved(config)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_opponents_of_a_config_that_comes_with_the_project_are_kept_apart(path):
    config = load(path)
    game, declared = games.load(config.game.name, rounds=config.game.rounds), config.opponents
    sets = split(
        game,
        training=declarations(declared.training),
        validation=declarations(declared.validation),
        held_out=declarations(declared.held_out),
        corpus=declarations(config.model.pretrain.corpus),
        min_distance=declared.min_distance,
    )
    assert sets.held_out and (sets.training or sets.corpus)


def test_a_matrix_of_ones_own_survives_the_round_trip(file, tmp_path):
    matrix = {
        "game.name": "matrix",
        "game.moves": [["up", "down"], ["left", "right", "wait"]],
        "game.payoffs": [[[1, 2, 3.5], [4, 5, 6]], [[0, 0, 0], [0, 0, -1]]],
    }
    config = load(file, matrix)
    copy = tmp_path / "config.toml"
    copy.write_text(resolved(config))
    assert load(copy) == config
    assert config.game.payoffs[0][0] == (1.0, 2.0, 3.5)


def test_a_missing_file_a_directory_broken_toml_and_other_bytes_are_one_sentence_each(tmp_path):
    with pytest.raises(RequestError, match=r"no\.toml: there is no such config file"):
        load(tmp_path / "no.toml")
    with pytest.raises(RequestError, match="cannot be read"):
        load(tmp_path)
    broken = tmp_path / "broken.toml"
    broken.write_text("[run]\nseed = = 3\n")
    with pytest.raises(RequestError, match=r"not valid TOML: .*line 2"):
        load(broken)
    broken.write_bytes(b"# caf\xe9\n")
    with pytest.raises(RequestError, match="not UTF-8 at offset 5"):
        load(broken)


def test_overrides_are_toml_values_and_otherwise_text(file):
    config = load(
        file,
        {
            "run.iterations": "5",
            "run.device": "cuda",
            "trial.memory": '"none"',
            "learning.cell": '["learner", "turn"]',
        },
    )
    assert (config.run.iterations, config.run.device, config.trial.memory) == (5, "cuda", "none")
    assert config.learning.cell == ("learner", "turn")


def test_overrides_may_be_plain_values(file):
    config = load(file, {"run.iterations": 5, "opponents.held_out": ["frequency_counter"]})
    assert config.run.iterations == 5
    assert config.opponents.held_out == ("frequency_counter",)


def test_an_override_within_a_value_is_refused(file):
    assert 'override "opponents.training.x": "opponents.training" is a value' in complaint(
        file, "opponents.training.x", 1
    )


def test_set_options_split_at_the_first_equals_sign():
    assert override_pairs(["a.b=1", "c = x=y", "a.b=2"]) == {"a.b": "2", "c": "x=y"}
    with pytest.raises(RequestError, match='got "a.b", expected KEY=VALUE'):
        override_pairs(["a.b"])
    with pytest.raises(RequestError, match="expected KEY=VALUE"):
        override_pairs(["=3"])


def test_numbers_and_lists_that_the_toml_reader_gives_up_on_are_refused(tmp_path):
    for text in ("[run]\nseed = " + "9" * 5000 + "\n", "x = " + "[" * 5000 + "]" * 5000 + "\n"):
        path = tmp_path / "c.toml"
        path.write_text(text)
        with pytest.raises(RequestError, match="not a config"):
            load(path)


def test_a_whole_table_cannot_be_set_at_once(file):
    with pytest.raises(RequestError, match='override "run": got a table, expected a value'):
        load(file, {"run": "{seed=5}"})


def test_a_resume_may_change_the_iterations_and_nothing_else(file):
    before = load(file)
    assert differences(before, load(file, {"run.iterations": 99})) == []
    after = load(file, {"run.seed": 2, "league.matchmaking.pfsp": 0.3, "model.pretrain.corpus": ["tit_for_tat"]})
    assert differences(before, after) == ["league.matchmaking.pfsp", "model.pretrain.corpus", "run.seed"]
