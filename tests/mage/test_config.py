"""A config is strict: a fault in it is told in one sentence."""

from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from games.errors import RequestError
from mage.config import Config, Draw, declarations, differences, load
from tests.mage.small_config import MINIMAL, complaint

pytest_plugins = ["tests.mage.small_config"]

CONFIGS = Path(__file__).parents[2] / "configs"


def every_table(table: type[BaseModel]):
    yield table
    for field in table.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from every_table(field.annotation)


def test_a_sparse_file_gets_the_defaults(file):
    config = load(file)
    assert config.run.iterations == 40
    assert config.league.num_generations == 16
    assert config.learning.learning_rate == 0.002
    assert config.opponents.training == ("tit_for_tat",)


def test_every_key_has_a_description_of_one_line():
    for table in (*every_table(Config), Draw):
        for name, field in table.model_fields.items():
            assert field.description, f"{table.__name__}.{name}"
            assert "\n" not in field.description


def test_selfplay_shares_the_base_of_the_quickstart():
    quickstart, selfplay = load(CONFIGS / "quickstart.toml"), load(CONFIGS / "selfplay.toml")
    assert selfplay.model.pretrain.corpus == quickstart.opponents.training
    shared = {"model.pretrain.corpus", "opponents.held_out"}
    assert not {key for key in differences(quickstart, selfplay) if key.startswith("model")} - shared
    assert (quickstart.game, quickstart.trial) == (selfplay.game, selfplay.trial)


def test_an_unknown_key_is_named_with_its_path_the_closest_and_the_known_ones(file):
    assert complaint(file, "run.iteratons", 5) == (
        'unknown key "run.iteratons" (closest: "run.iterations"); [run] has: seed, iterations, threads, '
        "checkpoint_every, validate_every, log_matches, device, dtype, linear"
    )
    assert 'unknown key "lerning" (closest: "learning"); the top level has: run,' in complaint(file, "lerning.x", 5)
    nested = complaint(file, "model.pretrain.step", 5)
    assert 'unknown key "model.pretrain.step" (closest: "model.pretrain.steps"); [model.pretrain] has:' in nested


def test_an_unknown_key_within_a_declaration_is_named_too(file):
    message = complaint(file, "opponents.held_out", [{"famly": "cycle"}])
    assert message.startswith('unknown key "opponents.held_out[0].famly" (closest: "opponents.held_out[0].family")')


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("run.iterations", "many", 'run.iterations: got "many", expected a whole number'),
        ("run.iterations", "true", "run.iterations: got true, expected a whole number"),
        ("run.iterations", "0", "run.iterations: got 0, expected a number of at least 1"),
        ("league.learners", "2.5", "league.learners: got 2.5, expected a whole number"),
        ("learning.learning_rate", "0", "learning.learning_rate: got 0, expected a number above 0.0"),
        ("learning.learning_rate", "nan", "learning.learning_rate: got nan, expected a finite number"),
        ("learning.gamma_step", "1.5", "learning.gamma_step: got 1.5, expected a number of at most 1.0"),
        ("learning.loss_type", "ppo", "learning.loss_type: got \"ppo\", expected 'grpo' or 'reinforce'"),
        ("learning", "5", "learning: got 5, expected a table"),
        ("learning.cell", "5", "learning.cell: got 5, expected a list"),
        ("lora.targets", "5", "lora.targets: got 5, expected text or a list"),
        ("opponents.training", "cycle", 'opponents.training: got "cycle", expected a list'),
        (
            "opponents.training",
            "[{count = 2}]",
            "opponents.training[0].family: got nothing, expected a value",
        ),
        ("run.seed.deep", "1", "run.seed: got {'deep': 1}, expected a whole number"),
    ],
)
def test_a_wrong_value_is_told_as_key_got_and_expected(file, key, value, expected):
    assert complaint(file, key, value) == expected


def test_an_opponent_is_text_or_a_table(file):
    assert "opponents.training[0]: got 5, expected an opponent as text" in complaint(file, "opponents.training", [5])


def test_matchmaking_weights_need_somebody_to_meet(file):
    weights = "[league.matchmaking]\nscripted = 0\nself_play = 0\npfsp = 1\n"
    file.write_text(MINIMAL + weights)
    with pytest.raises(RequestError, match="league.matchmaking: got scripted = 0 and self_play = 0, expected one"):
        load(file)
    assert "league.matchmaking.pfsp: got -1" in complaint(file, "league.matchmaking.pfsp", -1)


def test_a_single_learner_cannot_play_itself(file):
    file.write_text(MINIMAL + "[league]\nlearners = 1\nmatchmaking = { scripted = 0.0 }\n")
    with pytest.raises(RequestError, match="learners = 1"):
        load(file)


def test_scripted_pairings_need_training_opponents(file):
    message = complaint(file, "opponents.training", [])
    assert message.startswith("got league.matchmaking.scripted = 0.7 and no opponents.training, expected")


def test_the_tiny_base_needs_something_to_learn_from(file):
    file.write_text("[league.matchmaking]\nscripted = 0\n")
    with pytest.raises(RequestError, match="neither model.pretrain.corpus nor opponents.training"):
        load(file)
    assert load(file, {"model.pretrain.corpus": ["tit_for_tat"]}).opponents.training == ()


def test_moves_and_payoffs_belong_to_the_game_matrix(file):
    assert complaint(file, "game.name", "matrix") == (
        'game: got name = "matrix" without moves and payoffs, expected both'
    )
    assert 'expected them for "matrix" only' in complaint(file, "game.moves", [["a"], ["b"]])


def test_payoffs_have_the_shape_of_the_moves(file):
    file.write_text(
        MINIMAL + '[game]\nname = "matrix"\nmoves = [["a", "b"], ["c"]]\npayoffs = [[[1], [2]], [[1, 2]]]\n'
    )
    with pytest.raises(RequestError, match="another shape than 2 x 2 x 1"):
        load(file)


def test_declarations_become_what_games_takes():
    draw = Draw(family="peaked_habit", count=3, parameters={"peak": (0.6, 0.95)})
    assert declarations(("tit_for_tat", draw)) == [
        "tit_for_tat",
        {
            "family": "peaked_habit",
            "count": 3,
            "seed": 0,
            "parameters": {"peak": (0.6, 0.95)},
            "away_from": (),
            "min_distance": 0.0,
        },
    ]


def test_a_config_cannot_be_changed(file):
    with pytest.raises(ValidationError, match="frozen"):
        load(file).run.seed = 3
