"""Comparing runs from the outside: what is played and paired, what is refused in one sentence, what is written."""

import json
import shutil

import pytest

import mage
from games.errors import RequestError
from mage.cli import main
from mage.comparison import compare, play
from mage.comparison_plan import plan, split_runs
from tests.mage.small_run import HELD_OUT, copy_of, refused, train

pytest_plugins = ["tests.mage.small_run"]

FIELDS = {"schema", "run_a", "run_b", "game", "memory", "opponents", "seed", "trials"}
FIELDS |= {"unit", "units_a", "units_b", "different", "figures"}
FIGURE = {"figure", "distance", "mean_a", "mean_b", "difference", "ci_low", "ci_high", "p", "p_holm", "different"}


@pytest.fixture(scope="module")
def second(cache, tmp_path_factory):
    """The finished run's config with another seed; only to be read."""
    return train(tmp_path_factory.mktemp("second"), run__seed=2)


@pytest.fixture(scope="module")
def told(finished, second):
    """What the comparison of the two says, and what it said of its progress."""
    seen = []
    return compare(finished, second, progress=lambda done, total: seen.append((done, total))), seen


@pytest.fixture
def changed(finished, tmp_path):
    """Copies of the finished run whose config says something else."""

    def changed(name, old, new):
        run = copy_of(finished, tmp_path / name)
        text = (run / "config.toml").read_text()
        assert text.count(old) == 1
        (run / "config.toml").write_text(text.replace(old, new))
        return run

    return changed


def asked(a, b, **given):
    return plan(a, b, **{"opponents": "held_out", "memory": None, "trials": None, "seed": None, **given})


def refusal(*arguments, **given):
    with pytest.raises(RequestError) as caught:
        asked(*arguments, **given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_two_seeds_of_one_config_are_compared_by_their_learners(told, finished, second):
    table, seen = told
    assert set(table) == FIELDS
    assert (table["schema"], table["run_a"], table["run_b"]) == ("mage.comparison/1", [str(finished)], [str(second)])
    assert (table["game"], table["memory"], table["opponents"]) == ("rock_paper_scissors", "transcript", [*HELD_OUT])
    assert (table["seed"], table["trials"]) == (1000, 4)
    assert (table["unit"], table["units_a"], table["units_b"]) == ("learners", 2, 2)
    for figure in table["figures"]:
        assert set(figure) == FIGURE | {"trials"} and set(figure["trials"]) == {"ci_low", "ci_high", "p", "n"}
        assert figure["difference"] == pytest.approx(figure["mean_b"] - figure["mean_a"])
        assert figure["ci_low"] <= figure["difference"] <= figure["ci_high"]
    assert [figure["figure"] for figure in table["figures"]][:3] == ["last_return", "gain", "mean_return"]
    assert {figure["different"] for figure in table["figures"]} == {None} == {table["different"]}  # one run a side
    assert table["figures"][0]["trials"]["n"] == 16  # 2 learners x 2 opponents x 4, in pairs
    assert seen[-1] == (32, 32) and [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_its_means_are_those_of_the_evaluation(told, finished, second):
    table, _ = told
    for side, run in (("mean_a", finished), ("mean_b", second)):
        evaluation = mage.evaluate(run)
        last = evaluation["overall"][-1]
        shown = {figure["figure"]: figure[side] for figure in table["figures"] if figure["distance"] == "all"}
        assert shown["last_return"] == pytest.approx(last["mean_return"])
        assert shown["gain"] == pytest.approx(evaluation["gain"]["mean"])
        assert shown["last_exploitation"] == pytest.approx(last["exploitation"])


def test_a_copy_of_a_run_does_exactly_what_the_run_does(finished, tmp_path):
    table = compare(finished, copy_of(finished, tmp_path))
    assert table["different"] is None  # one run a side
    for figure in table["figures"]:
        assert figure["difference"] == 0.0
        assert (figure["trials"]["ci_low"], figure["trials"]["ci_high"], figure["trials"]["p"]) == (0.0, 0.0, 1.0)


def test_swapping_the_sides_flips_the_signs(told, finished, second):
    there, back = told[0], compare(second, finished)
    for one, other in zip(there["figures"], back["figures"], strict=True):
        assert (one["difference"], one["p"]) == pytest.approx((-other["difference"], other["p"]))


def test_several_seeds_a_side_are_compared_by_run(finished, second, cache, tmp_path):
    more = [train(tmp_path / str(seed), run__seed=seed, run__iterations=4) for seed in (3, 4)]
    table = compare([finished, second], more, opponents=[HELD_OUT[0]])
    assert (table["unit"], table["units_a"], table["units_b"]) == ("runs", 2, 2)
    assert (table["run_b"], table["opponents"]) == ([str(run) for run in more], [HELD_OUT[0]])


def test_the_opponents_may_be_named_where_the_sets_differ(finished, changed):
    other = changed("other", '"frequency_counter"', '"win_stay_lose_shift"')
    message = refusal(finished, other)
    assert f"frequency_counter ({finished} alone), win_stay_lose_shift(" in message and f"({other} alone)" in message
    assert "--opponents" in message
    played = play(asked(finished, other, opponents=("tit_for_tat", "random"), trials=4))
    assert len(played.opponents) == 2 and played.utility_range == (-2.0, 2.0)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("rounds = 2", "rounds = 3", "game.rounds"),
        ('name = "rock_paper_scissors"', 'name = "matching_pennies"', "game.name"),
        ("episodes = 2", "episodes = 3", "trial.episodes"),
    ],
)
def test_runs_that_play_something_else_are_refused(finished, changed, old, new, key):
    other = changed("other", old, new)
    message = refusal(finished, other)
    assert key in message and str(finished) in message and str(other) in message


def test_memories_that_differ_have_to_be_decided(finished, changed):
    other = changed("other", 'memory = "transcript"', 'memory = "none"')
    assert "transcript and none" in refusal(finished, other)
    assert asked(finished, other, memory="none").memory == "none"
    assert "transcript" in refusal(finished, other, memory="diary")


def test_a_side_holds_seeds_of_one_config_only(finished, second, changed, tmp_path):
    assert "run.seed = 1" in refusal([finished, copy_of(finished, tmp_path / "twin")], second)
    faster = changed("faster", "learning_rate = 0.02", "learning_rate = 0.03")
    assert "learning.learning_rate" in refusal([second, faster], finished)
    longer = changed("longer", "iterations = 4", "iterations = 5")
    assert "run.iterations" in refusal([second, longer], finished)
    machine = changed("machine", "log_matches = 2", "log_matches = 3")
    assert [len(side) for side in (asked([second, machine], faster).a, asked(finished, faster).b)] == [2, 1]


def test_a_side_holds_runs_that_were_trained_equally_long(finished, second, tmp_path):
    behind = copy_of(second, tmp_path / "behind")
    (behind / "checkpoint" / "LATEST").write_text("000002\n")
    message = refusal([finished, behind], copy_of(finished, tmp_path / "other"))
    assert "after iteration 000004" in message and "after 000002" in message


def test_the_same_run_twice_is_refused(finished, second):
    assert f"got {finished} twice" in refusal(finished, finished)
    assert f"got {second} twice" in refusal([second, second], finished)


def test_a_run_that_is_compared_is_no_opponent_of_either_side(finished, second, tmp_path, monkeypatch):
    for text in (f"{second}", f"{second}:learner_1", f"{finished}:base", f"{second}/../{second.name}"):
        message = refusal(finished, second, opponents=("random", text))
        assert message.startswith(f"got {text} among the opponents") and "another run" in message
    stranger = copy_of(second, tmp_path / "stranger")
    assert asked(finished, second, opponents=(str(stranger), f"{stranger}:base")).trials == 4
    monkeypatch.chdir(second)
    assert asked(finished, ".", opponents=("random",)).opponents == ("random",)
    assert "among the opponents" in refusal(finished, ".", opponents=("random", "."))


def test_what_is_no_trained_run_is_refused(finished, tmp_path, changed):
    assert "is not a run" in refusal(tmp_path / "nowhere", finished)
    assert "no run for side B" in refusal(finished, [])
    empty = changed("empty", "log_matches = 2", "log_matches = 3")
    shutil.rmtree(empty / "checkpoint")
    assert asked(finished, empty).b[0].trained == "000004"  # its members are those of a finished run
    shutil.rmtree(empty / "members")
    assert "no trained learner yet" in refusal(finished, empty)
    shutil.rmtree(empty / "base")
    assert "no base model yet" in refusal(finished, empty)


@pytest.mark.parametrize("trials", [0, 3, 1 << 20])
def test_too_few_trials_for_an_interval_are_refused(finished, second, trials):
    assert f"got {trials} trials" in refusal(finished, second, trials=trials)


def test_folders_are_told_apart_by_commas_unless_one_has_a_comma(tmp_path):
    (tmp_path / "a,b").mkdir()
    assert split_runs(f"{tmp_path}/a,b") == (f"{tmp_path}/a,b",)
    assert split_runs("runs/a, runs/b,") == ("runs/a", "runs/b")


def test_the_command_prints_a_table_and_writes_the_object(finished, second, tmp_path, capsys):
    file = tmp_path / "comparison.json"
    assert main(["compare", str(finished), str(second), "--trials", "6", "--seed", "7", "--json", str(file)]) == 0
    said = capsys.readouterr().out
    assert "Last episode's return over all opponents" in said and "(Welch's t), not over seeds" in said
    table = json.loads(file.read_text())
    assert table == compare(finished, second, trials=6, seed=7)
    assert table != compare(finished, second, trials=6, seed=8)


def test_the_command_refuses_in_one_sentence(finished, second, capsys):
    assert "twice" in refused(capsys, "compare", finished, finished)
    assert "unknown" in refused(capsys, "compare", finished, second, "--opponents", "held_oot")
    assert "expected one at least" in refused(capsys, "compare", finished, ",")
    assert "RUN_B" in refused(capsys, "compare", finished)
