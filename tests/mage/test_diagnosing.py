"""Diagnosing a base: groups share all but the agent's sampling, nothing is left behind, equal requests agree."""

import json
import tempfile
from types import SimpleNamespace

import pytest

import games
from games.opponents import parse
from mage.cli import main
from mage.diagnosing import Group, bar, diagnose, measured
from mage.diagnosis import NAMED
from mage.replies import REASONS
from mage.trials import Conditions
from tests.mage.small_run import CONFIG, refused, write_config

pytest_plugins = ["tests.mage.small_run"]

OPPONENT = "dirichlet_habit(p=0.2/0.3/0.5)"


@pytest.fixture(scope="module")
def told(cache, tmp_path_factory):
    """What the command wrote, and what stands in its folder for temporary files afterwards."""
    folder, scratch = tmp_path_factory.mktemp("diagnosed"), tmp_path_factory.mktemp("scratch")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(scratch))
        command = ["diagnose", str(write_config(folder)), "--k", "2", "--trials", "8", "--json", str(folder / "x.json")]
        assert main(command) == 0
    left = sorted(path.name for path in (*folder.iterdir(), *scratch.iterdir()))
    return json.loads((folder / "x.json").read_text()), left


@pytest.fixture
def scripted(rps, spelling):
    """A session that plays scripted players only."""

    def conditions(play_keys):
        return Conditions(rps, spelling, play_keys, 2, "transcript")

    return SimpleNamespace(
        config=SimpleNamespace(run=SimpleNamespace(seed=1), learning=SimpleNamespace(batch_rows=16)),
        setting=SimpleNamespace(game=rps),
        sampler=SimpleNamespace(work=SimpleNamespace(take=list)),
        conditions=conditions,
    )


def groups_of(game, opponent, count):
    one = parse(game, opponent)
    return [Group(number, one, number % 2, 0.0) for number in range(count)]


def test_a_diagnosis_plays_every_way_in_whole_groups_and_says_what_is_due(told):
    table, _ = told
    assert (table["schema"], table["model"], table["opponents"]) == ("mage.diagnosis/1", "builtin:tiny", [OPPONENT])
    assert (table["attempts"], table["groups"], table["trials"], table["episodes"]) == (2, 4, 8, 2)
    assert [row["move"] for row in table["rows"]] == ["constrained", "free"]
    constrained = table["rows"][0]
    rates = [constrained[rate] for rate in ("parse_rate", "valid_move_rate", "forfeit_rate", "thinking_tokens")]
    assert rates == [1.0, 1.0, 0.0, 0.0]
    assert constrained["due"]["why"]


def test_the_bar_is_halfway_to_the_best_response(told):
    # Rock wins half the rounds and loses three in ten: 0.2 a round, 0.4 an episode of two; the security value is 0.
    assert [(one["seat"], one["bar"]) for one in told[0]["bars"]] == [(0, pytest.approx(0.2)), (1, pytest.approx(0.2))]


def test_nothing_is_left_behind_but_the_table(told):
    assert told[1] == ["small.toml", "x.json"]


def test_equal_requests_give_equal_answers(told, tmp_path):
    path = write_config(tmp_path)
    assert {**diagnose(path, k=[2], trials=8), "config": ""} == {**told[0], "config": ""}


def test_a_configs_own_way_to_move_is_looked_at_too_and_constrained_moves_are_made_without_thinking(cache, tmp_path):
    thinking = {"agent.move": "think-then-choose", "agent.thinking_tokens": 3}
    rows = diagnose(write_config(tmp_path), overrides=thinking, k=[2], trials=4)["rows"]
    thought = {row["move"]: row["thinking_tokens"] for row in rows}
    assert list(thought) == ["constrained", "free", "think-then-choose"]
    assert thought["constrained"] == 0.0 and 0.0 < thought["think-then-choose"] <= 3.0
    assert rows[2]["valid_move_rate"] == 1.0


def test_trials_of_a_group_meet_the_same_draws_so_that_a_player_without_draws_repeats_itself(rps, scripted):
    groups = groups_of(rps, "random", 6)
    attempts = measured(scripted, "first", groups, 3, player=parse(rps, "first_legal"))
    by_group = [{one.returns for one in attempts if one.group == group.number} for group in groups]
    assert [len(returns) for returns in by_group] == [1] * 6
    assert len(set.union(*by_group)) > 1


def test_trials_of_a_group_differ_by_the_agents_own_draws(rps, scripted):
    groups = groups_of(rps, "first_legal", 4)
    attempts = measured(scripted, "random", groups, 8, player=parse(rps, "random"))
    assert all(len({one.returns for one in attempts if one.group == group.number}) > 1 for group in groups)


def test_a_best_response_passes_every_time_and_the_player_it_beats_never(rps, scripted):
    rocks = parse(rps, "peaked_habit(move=R,peak=1.0)")
    groups = [Group(0, rocks, 0, bar(rps, rocks, 0))]
    assert groups[0].bar == 1.5  # three rounds won are worth 3, and 0 can be secured
    for player, passed in (("peaked_habit(move=P,peak=1.0)", True), ("peaked_habit(move=S,peak=1.0)", False)):
        attempts = measured(scripted, "x", groups, 2, player=parse(rps, player))
        assert [one.passed for one in attempts] == [passed] * 2


def test_where_no_exact_value_is_known_there_is_no_bar():
    game = games.load("connect_four")
    assert bar(game, parse(game, "random"), 0) is None


def test_the_reason_of_a_reply_that_named_an_illegal_move_is_one_of_the_parsers():
    assert NAMED in REASONS


def test_stages_are_not_played_and_need_not_go_together_with_every_way_to_move(tmp_path, capsys):
    thinking = '[agent]\nmove = "think-then-choose"\nthinking_tokens = 3\n'
    staged = '[[stage]]\nkind = "rl"\niterations = 2\nset = { agent.thinking_tokens = 4 }\n'
    path = write_config(tmp_path, CONFIG.replace("iterations = 4\n", "", 1) + thinking + staged)
    assert "--trials: got 1, expected" in refused(capsys, "diagnose", path, "--trials", "1")


def test_a_request_that_cannot_be_served_is_refused_in_a_sentence(cache, tmp_path, capsys):
    path = write_config(tmp_path)
    assert "got no opponents.validation" in refused(capsys, "diagnose", path, "--set", "opponents.validation=[]")
    assert 'got "4,x", expected whole numbers' in refused(capsys, "diagnose", path, "--k", "4,x")
    assert "expected whole numbers from 1 to" in refused(capsys, "diagnose", path, "--k", "0,4")
    few = refused(capsys, "diagnose", path, "--trials", "31")
    assert "got 31, expected 32 to 1048575, a group of 16 or more in each of 2 seats" in few
    assert sorted(tmp_path.iterdir()) == [path]
