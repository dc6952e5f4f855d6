"""Exact returns given frozen memories: what they are, how they are pooled, and what has none."""

from __future__ import annotations

import json

import numpy as np
import pytest

import games
from games import exact
from games.errors import RequestError
from games.opponents import parse
from mage import evaluation_plan
from mage.cli import main
from mage.evaluation import play_trials
from mage.evaluation_plan import Arena
from mage.exact_evaluation import evaluate_exactly, require_enumerable
from mage.frozen_policies import StateReader
from mage.keys import PlayKeys
from mage.session import reopen
from mage.training import train

pytest_plugins = ["tests.mage.small_run"]

CONFIG = """
[run]
iterations = 1
threads = 1

[game]
name = "kuhn_poker"

[trial]
episodes = 3

[model]
layers = 1
width = 32
heads = 2

[model.pretrain]
steps = 2
batch = 4

[league]
learners = 2
groups = 2
num_generations = 2

[league.matchmaking]
scripted = 1.0

[learning]
learning_rate = 0.02

[opponents]
training = ["conservative"]
held_out = ["random", "aggressive"]

[evaluation]
trials = 6
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kuhn")
    (folder / "kuhn.toml").write_text(CONFIG)
    train(folder / "kuhn.toml", run_dir=folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def table(run):
    return evaluate_exactly(run)


def test_a_seat_s_figures_are_those_of_the_solver(table):
    game = games.load("kuhn_poker")
    rivals = [parse(game, "random"), parse(game, "aggressive")]
    for seat, told in enumerate(table["seats"]):
        assert told["nash_value"] == pytest.approx((-1 / 18, 1 / 18)[seat])
        assert told["best_fixed_value"] == exact.best_fixed_value(game, rivals, seat)
        best = [exact.best_response_value(game, rival, seat) for rival in rivals]
        assert told["best_response_value"] == pytest.approx(sum(best) / 2)
        assert told["best_fixed_value"] <= told["best_response_value"]
        assert told["greedy_bayes"][0] == pytest.approx(told["best_fixed_value"])  # nothing is known yet
        assert told["greedy_bayes"] == sorted(told["greedy_bayes"])
        assert [row["n"] for row in told["overall"]["episodes"]] == [12, 12, 12]
        assert [row["n"] for row in told["agents"][0]["episodes"]] == [6, 6, 6]
    assert table["uniform_nash_conv"] == pytest.approx(11 / 12)


def test_nothing_is_left_to_luck_before_anything_was_seen(table):
    """All trials of an agent begin alike; only the opponent tells the first episodes apart."""
    for seat in table["seats"]:
        for pool in (*seat["agents"], seat["overall"]):
            first, second = pool["episodes"][:2]
            assert first["ci_high"] - first["ci_low"] < 1e-9 < second["ci_high"] - second["ci_low"]


def test_without_memory_every_episode_is_the_first(run):
    for seat in evaluate_exactly(run, memory="none")["seats"]:
        for pool in seat["agents"]:
            assert pool["gain"]["mean"] == pytest.approx(0.0, abs=1e-9)


def test_the_exact_value_is_what_many_sampled_first_episodes_average_to(run):
    import mage

    sampled = mage.evaluate(run, agent="learner_1", opponents=["random"], memory="none", trials=2000)
    found = evaluate_exactly(run, agent="learner_1", opponents=["random"], memory="none", trials=4)
    expected = np.mean([seat["overall"]["episodes"][0]["mean_return"] for seat in found["seats"]])
    episodes = sampled["overall"]  # all alike without memory: 6,000 episodes
    mean = np.mean([row["mean_return"] for row in episodes])
    error = (episodes[0]["ci_high"] - episodes[0]["ci_low"]) / 4 / np.sqrt(3)
    assert abs(mean - expected) < 4 * error


def test_the_same_plan_gives_the_same_figures(run, table):
    assert evaluate_exactly(run) == table


def test_a_policy_that_forgets_gets_nothing_out_of_its_own_memory(run):
    """Its last episode pays v(random) and v(aggressive) at home, v(aggressive) and v(random) elsewhere."""
    for seat in evaluate_exactly(run, memory="none")["seats"]:
        assert seat["overall"]["own_memory"]["mean"] == pytest.approx(0.0, abs=1e-9)


def test_with_three_seats_an_exact_value_does_not_hang_on_the_number_of_trials(tmp_path):
    text = CONFIG.replace("kuhn_poker", "openspiel:kuhn_poker(players=3)").replace("conservative", "first_legal")
    (tmp_path / "three.toml").write_text(text.replace('"random", "aggressive"', '"random", "cfr(iterations=2)"'))
    train(tmp_path / "three.toml", run_dir=tmp_path / "run")
    found = [evaluate_exactly(tmp_path / "run", memory="none", trials=trials) for trials in (6, 7)]
    for fewer, more in zip(*(table["seats"] for table in found), strict=True):
        first, second = (seat["overall"]["episodes"][0]["mean_return"] for seat in (fewer, more))
        assert first == pytest.approx(second, abs=1e-9)
        assert fewer["nash_value"] is None


def test_the_intervals_of_an_agent_do_not_hang_on_who_else_is_evaluated(run, table):
    alone = evaluate_exactly(run, agent="learner_1")
    for seat, both in zip(alone["seats"], table["seats"], strict=True):
        assert seat["agents"] == both["agents"][1:]


def test_the_nash_conv_is_that_of_what_the_agent_plays_when_a_trial_begins(run, table):
    session = reopen(run)
    game = session.setting.game
    asked = evaluation_plan.plan(run, agent="learner_0", opponents="held_out", memory=None, trials=2, seed=None)
    conditions = asked.session.conditions(PlayKeys(1, "evaluate", 0))
    policies = {}
    for trial in play_trials(Arena(asked.session, asked.opponents[:1]), asked.agents, 2, conditions):
        seat = trial.record.pairing.seat
        reader = StateReader(game, asked.session.model.codec, seat)
        first = trial.memories(seat)[:1]
        (found,) = reader.policies(asked.session.model, asked.session.bank, "learner_0", first)
        policies[seat] = exact.from_table(game, found)
    assert table["agents"][0]["nash_conv"] == pytest.approx(exact.nash_conv(game, [policies[0], policies[1]]))


def test_on_request_the_nash_conv_given_frozen_memories_is_told_too(run, table):
    told = evaluate_exactly(run, nash_conv=True)
    for agent, plain in zip(told["agents"], table["agents"], strict=True):
        rows = agent.pop("nash_conv_by_episode")
        assert agent | {"nash_conv_by_episode": None} == plain
        assert [(row["episode"], row["n"]) for row in rows] == [(1, 6), (2, 6), (3, 6)]  # 2 opponents x 3 a seat
        first = rows[0]  # nothing was seen yet: every memory is the same
        assert first["mean"] == pytest.approx(agent["nash_conv"]) and first["ci_low"] == first["ci_high"]
        assert rows[2]["ci_low"] < rows[2]["mean"] < rows[2]["ci_high"]
    forgetful = evaluate_exactly(run, agent="learner_0", memory="none", nash_conv=True)
    (agent,) = forgetful["agents"]
    assert [row["mean"] for row in agent["nash_conv_by_episode"]] == pytest.approx([agent["nash_conv"]] * 3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--nash-conv"], "--nash-conv: got it without --exact"),
        (["--exact", "--baselines"], "got --exact with --baselines"),
        (["--exact", "--variant", "misere"], "got --exact with --variant"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run, options, words, capsys):
    assert main(["evaluate", str(run), *options]) == 2
    assert words in capsys.readouterr().err


def test_a_game_with_too_many_states_is_refused_before_they_are_made():
    with pytest.raises(RequestError, match="expected a game of at most 5,000 information states a seat"):
        require_enumerable(games.load("tictactoe"), [], 4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--trials", "3"], "got trials = 3, expected at least 4, two in each of the 2 seats"),
        (["--opponents", "is_mcts(simulations=10)"], "which has no move probabilities to compute with"),
    ],
)
def test_what_has_no_exact_value_is_refused_in_one_sentence(run, options, words, capsys):
    assert main(["evaluate", str(run), "--exact", *options]) == 2
    told = capsys.readouterr().err
    assert words in told and told.count("\n") == 1


def test_a_matrix_game_is_refused(finished, capsys):
    assert main(["evaluate", str(finished), "--exact"]) == 2
    assert "whose information states can't be listed" in capsys.readouterr().err


def test_the_command_writes_what_the_function_returns_and_prints_it(run, table, tmp_path, capsys):
    assert main(["evaluate", str(run), "--exact", "--json", str(tmp_path / "exact.json")]) == 0
    assert json.loads((tmp_path / "exact.json").read_text()) == table
    assert "Seat 0: Nash value -0.056" in capsys.readouterr().out
