"""An evaluation answers with documented fields, repeats by its seed, splits trials over seats, and writes nothing."""

import json
import shutil

import pytest

import mage
from mage.cli import main
from mage.evaluation import measure
from mage.evaluation_plan import Arena
from mage.session import reopen
from tests.mage.small_run import HELD_OUT, LEARNERS, Watching, contents, copy_of, refused, train

pytest_plugins = ["tests.mage.small_run"]

ROW = {"episode", "n", "mean_return", "ci_low", "ci_high", "win_rate", "draw_rate", "forfeit_rate"}
ROW |= {"valid_move_rate", "random_move_rate"}
ROW |= {"exploitation", "exploitation_ci_low", "exploitation_ci_high", "bayes_exploitation"}
OPPONENT = {"name", "family", "distance", "security_value", "nash_value", "best_response_value", "repeats", "episodes"}
POOLED = {"overall", "gain", "by_distance"}


@pytest.fixture(scope="module")
def table(finished):
    return mage.evaluate(finished)


def rows_of(table):
    """All the lists of episodes in a table."""
    for level in (table, *table["agents"]):
        yield level["overall"]
        yield from (part["overall"] for part in level["by_distance"].values())
    for agent in table["agents"]:
        yield from (opponent["episodes"] for opponent in agent["opponents"])


def test_the_json_has_the_fields_of_the_design(table):
    asked = {"schema", "run", "game", "variant", "memory", "reflections", "trials", "seed", "held_out", "left_out"}
    assert set(table) == {*asked, "agents", *POOLED, "baselines", "comparisons", "memorised", "variants"}
    assert (table["trials"], table["seed"], table["variant"], table["variants"]) == (4, 1000, None, [])
    assert (table["schema"], table["run"], table["game"]) == ("mage.evaluation/1", "run", "rock_paper_scissors")
    assert (table["memory"], table["held_out"]) == ("transcript", True)
    assert [agent["agent"] for agent in table["agents"]] == list(LEARNERS)
    for level in (table, *table["agents"]):
        assert set(level["gain"]) == {"mean", "ci_low", "ci_high"}
        assert {name: set(part) for name, part in level["by_distance"].items()} == {"far": {"overall", "gain"}}
    for agent in table["agents"]:
        assert set(agent) == {"agent", "opponents", *POOLED}
        assert [opponent["name"] for opponent in agent["opponents"]] == list(HELD_OUT)
        assert all(set(opponent) == OPPONENT for opponent in agent["opponents"])
    for rows in rows_of(table):
        assert [row["episode"] for row in rows] == [1, 2]
        assert all(set(row) == ROW for row in rows)


def test_the_numbers_of_trials_add_up(table):
    assert [row["n"] for row in table["overall"]] == [16, 16]  # 2 agents x 2 opponents x 4
    assert [row["n"] for agent in table["agents"] for row in agent["overall"]] == [8] * 4
    for rows in rows_of(table):
        for row in rows:
            assert row["ci_low"] <= row["mean_return"] <= row["ci_high"] and abs(row["mean_return"]) <= 2  # two rounds
            assert row["win_rate"] + row["draw_rate"] <= 1


def test_training_ends_with_that_table(finished, table):
    assert json.loads((finished / "evaluation.json").read_text()) == table


def test_equal_seeds_give_equal_tables_and_others_do_not(finished, table):
    assert mage.evaluate(finished, opponents=HELD_OUT, trials=4, seed=1000) == table
    assert mage.evaluate(finished, seed=1) != table


def test_who_else_is_evaluated_changes_no_agent(finished, table):
    alone = mage.evaluate(finished, agent="learner_1", opponents=[HELD_OUT[1]])
    (there,) = [o for o in table["agents"][1]["opponents"] if o["name"] == HELD_OUT[1]]
    assert [row["mean_return"] for row in alone["overall"]] == [row["mean_return"] for row in there["episodes"]]


@pytest.mark.parametrize(("trials", "seats"), [(1, {0: 1}), (2, {0: 1, 1: 1}), (5, {0: 3, 1: 2})])
def test_trials_are_split_over_seats(finished, trials, seats):
    session = reopen(finished)
    opponents = session.setting.opponents.held_out
    samples = measure(Arena(session, opponents), ["base"], trials=trials, seed=1)
    assert [(s.name, s.seat, len(s.returns)) for s in samples] == [
        (name, seat, n) for name in HELD_OUT for seat, n in seats.items()
    ]


def test_the_base_and_snapshots_are_agents_too(finished):
    for agent in ("base", "learner_0@2", "learner_1@4"):
        table = mage.evaluate(finished, agent=agent, trials=2)
        assert [each["agent"] for each in table["agents"]] == [agent]


def test_without_memory_every_episode_is_a_first_one(finished, table):
    forgetful = mage.evaluate(finished, memory="none")
    assert forgetful["memory"] == "none" and forgetful != table
    assert forgetful["overall"][0]["mean_return"] == table["overall"][0]["mean_return"]


@pytest.mark.parametrize(
    ("name", "distance"),
    [
        ("peaked_habit(move=R,peak=0.8)", "training"),
        ("dirichlet_habit(p=0.8/0.1/0.1)", "training"),  # the same behaviour by another name
        ("dirichlet_habit(p=0.2/0.3/0.5)", "near"),
        ("peaked_habit(move=S,peak=0.8)", "near"),
        ("cycle(start=R,step=1)", "far"),
    ],
)
def test_distance_goes_by_what_training_met(finished, name, distance):
    table = mage.evaluate(finished, agent="learner_0", opponents=[name], trials=2)
    assert [o["distance"] for o in table["agents"][0]["opponents"]] == [distance]
    assert table["held_out"] is (distance != "training")


def test_what_the_base_met_in_its_corpus_is_not_held_out(cache, tmp_path):
    run = train(tmp_path, run__iterations=1, model__pretrain__corpus=["cycle(start=R,step=1)"])
    names = ["cycle(start=R,step=1)", "cycle(start=R,step=-1)", *HELD_OUT]
    table = mage.evaluate(run, agent="base", opponents=names, trials=1)
    assert [o["distance"] for o in table["agents"][0]["opponents"]] == ["training", "near", "far", "far"]


def test_the_command_line_takes_lists_of_names_and_writes_the_same_json(finished, tmp_path):
    file = tmp_path / "table.json"
    names = "tit_for_tat(start=R), cycle(start=R,step=1),tit_for_tat(start=R)"
    options = ["--opponents", names, "--agent", "learner_0@2", "--trials", "3", "--seed", "9", "--memory", "none"]
    assert main(["evaluate", str(finished), *options, "--json", str(file)]) == 0
    expected = mage.evaluate(
        finished,
        agent="learner_0@2",
        opponents=["tit_for_tat(start=R)", "cycle(start=R,step=1)"],
        trials=3,
        seed=9,
        memory="none",
    )
    assert json.loads(file.read_text()) == expected


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--agent", "learner_7"], "base, learner_0, learner_0@2, learner_0@4, learner_1"),
        (["--agent", "learner_0@3"], "unknown member 'learner_0@3'"),
        (["--agent", "../base"], "unknown member"),
        (["--agent", ""], "expected names of members"),
        (["--opponents", "tat"], "unknown set of opponents, run or family 'tat'"),
        (["--opponents", "held-out"], "held-out"),
        (["--opponents", "peaked_habit(move=X)"], "X"),
        (["--opponents", ","], "expected held_out"),
        (["--memory", "notes"], "known are both, none, reflection, transcript"),
        (["--trials", "0"], "--trials"),
    ],
)
def test_a_wrong_request_is_one_sentence(finished, capsys, options, told):
    assert told in refused(capsys, "evaluate", finished, *options)


def test_a_set_that_a_run_lacks_and_a_wrong_list_are_refused(cache, tmp_path, capsys):
    run = train(tmp_path, run__iterations=1, opponents__validation=[], opponents__held_out=[])
    assert not (run / "evaluation.json").exists()
    assert "no held_out opponents" in refused(capsys, "evaluate", run)
    assert "no validation opponents" in refused(capsys, "evaluate", run, "--opponents", "validation")
    with pytest.raises(ValueError, match="an empty list of opponents"):
        mage.evaluate(run, opponents=[])
    with pytest.raises(ValueError, match="expected a whole number from 1 to"):
        mage.evaluate(run, opponents="training", trials=0)


def test_a_folder_that_is_no_run_or_a_damaged_one_is_refused(finished, tmp_path, capsys):
    assert "is not a run" in refused(capsys, "evaluate", tmp_path)
    run = copy_of(finished, tmp_path)
    weights = run / "members" / "learner_0@2" / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    assert "is damaged" in refused(capsys, "evaluate", run, "--agent", "learner_0@2")
    shutil.rmtree(run / "base")
    assert "no base model yet" in refused(capsys, "evaluate", run)


def test_before_the_first_checkpoint_the_base_alone_can_be_evaluated(finished, tmp_path, capsys):
    run = copy_of(finished, tmp_path)
    shutil.rmtree(run / "members")
    shutil.rmtree(run / "checkpoint")
    assert "known are base" in refused(capsys, "evaluate", run)
    mage.evaluate(run, agent="base", trials=1)


def test_evaluating_changes_no_file_of_the_run(finished, tmp_path):
    run = copy_of(finished, tmp_path)
    times = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    mage.evaluate(run, trials=2)
    mage.evaluate(run, opponents="training", trials=2)
    assert contents(run) == contents(finished)
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == times


def test_evaluating_while_training_goes_on_changes_nothing_and_sees_the_latest_checkpoint(finished, tmp_path):
    seen = []

    def look():
        if (tmp_path / "run" / "checkpoint" / "LATEST").exists():
            seen.append(mage.evaluate(tmp_path / "run", agent="learner_0", trials=2)["overall"])

    train(tmp_path, reporter=Watching(look))
    assert contents(tmp_path / "run") == contents(finished)
    assert len(seen) == 3 and seen[0] == seen[1]
    assert seen[2] == mage.evaluate(finished, agent="learner_0", trials=2)["overall"]


def test_the_newest_weights_of_a_learner_count_while_a_finished_run_goes_on(finished, tmp_path):
    run = copy_of(finished, tmp_path)
    old = run / "checkpoint" / "000004" / "learners"
    shutil.copytree(old / "learner_1", old / "learner_0", dirs_exist_ok=True)
    session = reopen(run)
    session.admit("learner_0")
    assert session.bank.adapters["learner_0"].digest() == reopened_digest(finished, "learner_1")


def reopened_digest(run, name):
    return reopen(run).bank.load(name, run / "members" / name, trainable=False).digest()


def test_a_run_is_evaluated_wherever_it_is_moved_to(finished, table, tmp_path, monkeypatch):
    run = copy_of(finished, tmp_path)
    monkeypatch.setenv("MAGE_CACHE", str(tmp_path / "empty"))
    monkeypatch.chdir(run)
    assert mage.evaluate(".") == table
    assert not (tmp_path / "empty").exists()
