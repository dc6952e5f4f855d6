"""Whom and what an evaluation can meet besides scripted opponents: members of runs, changed games, baselines."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import games
import mage
from games.errors import RequestError
from mage.contexts import MoveRequest
from mage.evaluation import measure, play_trials
from mage.evaluation_plan import Arena, choose_opponents
from mage.keys import EVALUATION, PlayKeys
from mage.session import reopen
from tests.mage.small_run import HELD_OUT, LEARNERS, contents, refused, train

pytest_plugins = ["tests.mage.small_run"]

TIT_FOR_TAT = "tit_for_tat(start=R)"


@pytest.fixture(scope="module")
def elsewhere(cache, tmp_path_factory):
    """A run on another base, whose agents forget."""
    folder = tmp_path_factory.mktemp("elsewhere")
    run = train(folder, run__iterations=1, run__seed=5, model__width=16, trial__memory="none", trial__episodes=3)
    return shutil.move(run, folder / "second")


def met(table):
    return {one["name"]: one for one in table["agents"][0]["opponents"]}


def test_another_runs_learners_are_met_under_its_name_and_at_a_distance_of_their_own(finished, elsewhere):
    table = mage.evaluate(finished, opponents=["held_out", str(elsewhere)], trials=4)
    names = [*HELD_OUT, "second:learner_0", "second:learner_1"]
    assert list(met(table)) == names
    assert list(table["by_distance"]) == ["far", "member"]
    assert table["by_distance"]["member"]["overall"][0]["n"] == 16  # 2 agents x 2 guests x 4
    guest = met(table)["second:learner_1"]
    assert (guest["family"], guest["best_response_value"], guest["security_value"]) == ("second", None, 0.0)
    assert guest["episodes"][0]["exploitation"] is None


def test_who_else_is_met_changes_nothing_for_an_opponent(finished, elsewhere):
    alone = mage.evaluate(finished, opponents=TIT_FOR_TAT, trials=4)
    among = mage.evaluate(finished, opponents=[str(elsewhere), TIT_FOR_TAT], trials=4)
    returns = [[row["mean_return"] for row in met(table)[TIT_FOR_TAT]["episodes"]] for table in (alone, among)]
    assert returns[0] == returns[1]


def test_a_guest_plays_as_it_does_at_home(finished, elsewhere):
    """Against a member of its own run it makes, move by move, what it makes when it is asked for at home."""
    session = reopen(finished)
    session.admit("learner_0")
    (guest,) = choose_opponents(session, f"{finished}:learner_1")
    conditions = session.conditions(PlayKeys(3, EVALUATION, 0))
    (trial,) = play_trials(Arena(session, (guest,)), ["learner_0"], 1, conditions)
    away = [turn for episode in trial.record.episodes for turn in episode.turns if turn.seat == 1]
    at_home = guest.session
    context = next(context for context in trial.contexts if context.seat == 1)
    lane = at_home.sampler.open(["learner_1"])
    fresh = type(context)("learner_1", 1, [])
    rebuilt = iter(context.choices)
    for turn in away:
        choice = next(rebuilt)
        fresh.ids[:] = context.ids[: choice.position]
        request = MoveRequest(fresh, turn.legal, trial.record.pairing.trial, turn.episode, turn.turn)
        reply = lane.choose({0: request}, conditions.keys)[0]
        assert reply.move == turn.move
        np.testing.assert_allclose(reply.probabilities, turn.probabilities, atol=1e-5)


def test_a_guest_forgets_where_its_own_run_does_and_the_agents_do_not(finished, elsewhere):
    session = reopen(finished)
    session.admit("learner_0")
    (guest,) = choose_opponents(session, f"{elsewhere}:learner_0")
    conditions = session.conditions(PlayKeys(3, EVALUATION, 0))
    (trial,) = play_trials(Arena(session, (guest,)), ["learner_0"], 1, conditions)
    contexts = [sum(context.seat == seat for context in trial.contexts) for seat in (0, 1)]
    assert contexts == [1, 2]  # the agent's transcript goes on, the guest starts anew in each of two episodes


def test_a_member_of_the_run_itself_was_met_in_training(finished):
    table = mage.evaluate(finished, agent="learner_0", opponents=f"{finished}:learner_1@4", trials=2)
    assert [one["distance"] for one in met(table).values()] == ["training"]
    assert table["held_out"] is False


def test_two_members_of_one_run_named_one_by_one_share_its_session(finished, elsewhere):
    names = [f"{elsewhere}:learner_0", f"{elsewhere}:learner_1"]
    apart = mage.evaluate(finished, opponents=names, trials=2)
    assert apart == mage.evaluate(finished, opponents=str(elsewhere), trials=2)
    opened = choose_opponents(reopen(finished), names)
    assert opened[0].session is opened[1].session


def test_the_untrained_base_of_the_run_was_never_met(finished):
    table = mage.evaluate(finished, agent="learner_0", opponents=f"{finished}:base", trials=2)
    assert [one["distance"] for one in met(table).values()] == ["member"] and table["held_out"]


def test_a_folder_called_like_a_family_does_not_take_its_place(finished, tmp_path, monkeypatch):
    (tmp_path / "frequency_counter").mkdir()
    (tmp_path / "frequency_counter" / "config.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert list(met(mage.evaluate(finished, opponents="frequency_counter", trials=1))) == ["frequency_counter"]


def test_guests_write_nothing_into_their_run(finished, elsewhere):
    before = contents(elsewhere)
    mage.evaluate(finished, opponents=str(elsewhere), trials=2)
    assert contents(elsewhere) == before


def test_what_is_no_run_or_no_member_is_one_sentence(finished, elsewhere, tmp_path, capsys):
    def told(opponents):
        return refused(capsys, "evaluate", finished, "--opponents", opponents)

    assert "a path without a run" in told(str(tmp_path / "nothing"))
    assert "unknown member 'learner_7'" in told(f"{elsewhere}:learner_7")
    other = shutil.copytree(elsewhere, tmp_path / "second")
    assert "whose folders have one name" in told(f"{elsewhere},{other}")
    assert "whose folders have one name" in told(f"{elsewhere}:learner_0,{other}:learner_1")
    assert "unknown set of opponents, run or family" in told("x" * 300)
    assert "a member of a run" in refused(capsys, "evaluate", finished, "--exact", "--opponents", str(elsewhere))


def test_groups_of_agents_are_evaluated_together(finished):
    def agents(wanted):
        return [one["agent"] for one in mage.evaluate(finished, agent=wanted, trials=1)["agents"]]

    snapshots = ["learner_0@2", "learner_0@4", "learner_1@2", "learner_1@4"]
    assert agents("snapshots") == snapshots
    assert agents("members") == [*LEARNERS, *snapshots]
    assert agents(["learner_1", "learners", "base"]) == ["learner_1", "learner_0", "base"]


def test_a_changed_game_is_a_table_of_its_own_beside_the_runs_game(finished):
    table = mage.evaluate(finished, trials=4, variants=["rounds(count=3)"])
    assert {**table, "variants": []} == mage.evaluate(finished, trials=4)
    (changed,) = table["variants"]
    assert changed["variant"] == "rounds(count=3)"
    assert list(changed["by_distance"]) == ["game"] and list(met(changed)) == list(HELD_OUT)
    # tit for tat copies: three rounds of the one-higher move win the last two
    assert [met(one)[TIT_FOR_TAT]["best_response_value"] for one in (table, changed)] == [2.0, 3.0]


def test_members_of_runs_play_changed_games_too_and_stay_apart_from_scripted_players(finished, elsewhere):
    table = mage.evaluate(
        finished, trials=2, opponents=[TIT_FOR_TAT, str(elsewhere)], variants=["misere"], baselines=True
    )
    (changed,) = table["variants"]
    assert list(changed["by_distance"]) == ["member", "game"]
    (best,) = [one for one in changed["baselines"] if one["baseline"] == "best_response"]
    assert list(best["by_distance"]) == ["game"]  # nobody knows the best response to a member


def test_opponents_that_a_changed_game_lacks_are_left_out_by_name(finished, capsys):
    variant = "game(name=prisoners_dilemma)"
    names = [TIT_FOR_TAT, "tit_for_tat(start=P)", "random"]
    table = mage.evaluate(finished, trials=2, opponents=names, variants=[variant])
    (changed,) = table["variants"]
    assert changed["game"] == "prisoners_dilemma" and changed["left_out"]
    assert set(met(changed)) | set(changed["left_out"]) == set(names)
    told = refused(capsys, "evaluate", finished, "--opponents", TIT_FOR_TAT, "--variant", variant)
    assert "can play the changed game" in told
    assert "unknown variant" in refused(capsys, "evaluate", finished, "--variant", "upside_down")


def test_baselines_stand_beside_the_agents(finished, elsewhere):
    table = mage.evaluate(finished, trials=4, opponents=["held_out", str(elsewhere)], baselines=True)
    by_name = {one["baseline"]: one for one in table["baselines"]}
    assert list(by_name) == ["base_without_memory", "base", "without_memory", "equilibrium", "best_response"]
    assert [one["memory"] for one in by_name.values()] == ["none", "transcript", "none", None, None]
    alone = mage.evaluate(finished, agent="base", trials=4)
    assert returns(by_name["base"], "far") == returns(alone, "far")
    forgetful = mage.evaluate(finished, memory="none", trials=4)
    assert returns(by_name["without_memory"], "far") == returns(forgetful, "far")
    best = by_name["best_response"]["by_distance"]
    assert list(best) == ["far"] and [row["exploitation"] for row in best["far"]["overall"]] == [1.0, 1.0]
    compared = {(one["baseline"], one["distance"]): one for one in table["comparisons"]}
    played = ["base_without_memory", "base", "without_memory", "equilibrium"]
    assert set(compared) == {(name, distance) for name in played for distance in ("far", "member")}
    assert compared["without_memory", "far"]["paired"] and not compared["base", "far"]["paired"]
    assert all(one["p"] <= one["p_holm"] <= 1.0 for one in compared.values())


def returns(pool, distance):
    return [row["mean_return"] for row in pool["by_distance"][distance]["overall"]]


def test_an_equilibrium_is_what_it_is_in_expectation(finished):
    """Rock-paper-scissors is worth nothing to a player who mixes evenly, whatever the other does."""
    table = mage.evaluate(finished, agent="base", trials=400, baselines=True)
    (mixed,) = [one for one in table["baselines"] if one["baseline"] == "equilibrium"]
    row = mixed["overall"][0]
    assert row["n"] == 800 and abs(row["mean_return"]) < 4 * np.sqrt(2 * (2 / 3) / 800)


def test_a_game_in_which_nothing_is_drawn_is_counted_once(finished):
    """A best response to a cycle and the cycle draw nothing: four trials a seat are one game."""
    session = reopen(finished)
    game = session.setting.game
    cycle = games.opponent(game, "cycle", start="R", step=1)
    player = games.opponent(game, "best_response", to=cycle.name)
    samples = measure(Arena(session, (cycle,)), ["knows"], trials=8, seed=1, player=player)
    assert [(one.seat, one.returns.tolist(), one.determined, one.repeats) for one in samples] == [
        (0, [[2.0, 2.0]], True, 3),
        (1, [[2.0, 2.0]], True, 3),
    ]
    habit = games.opponent(game, "peaked_habit", move="R", peak=0.8)
    (drawn, _) = measure(Arena(session, (habit,)), ["knows"], trials=8, seed=1, player=player)
    assert (len(drawn.returns), drawn.determined) == (4, False)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"seed": 2**63}, "got seed = 9223372036854775808, expected a whole number from 0 to 2147483647"),
        ({"trials": 2.5}, "got trials = 2.5, expected a whole number from 1"),
        ({"trials": True}, "got trials = True"),
        ({"variants": "upside_down"}, "unknown variant 'upside_down'"),
    ],
)
def test_python_callers_get_one_sentence_too(finished, options, told):
    with pytest.raises(RequestError) as caught:
        mage.evaluate(finished, **options)
    assert told in str(caught.value)


def test_evaluation_deals_are_never_those_of_training():
    deals = {
        stream: [PlayKeys(1, stream, 3).deal(group, episode) for group in range(200) for episode in range(5)]
        for stream in ("train", "validate", "corpus", EVALUATION)
    }
    apart = deals.pop(EVALUATION)
    assert max(map(max, deals.values())) < 2**30 <= min(apart) and max(apart) < 2**31
