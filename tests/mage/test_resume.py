"""A run that is cut short anywhere and resumed is the run that was not; a resume that is refused loses nothing.

Real kills of a real process are in test_end_to_end_cli.py; here the loop is cut at chosen moments.
"""

import json
import shutil

import pytest

import mage.lessons
import mage.training
import mage.training_run
from mage import checkpoint
from mage.cli import main
from mage.learner import Learner
from tests.mage.small_run import LEARNERS, contents, copy_of, events, refused, train

pytest_plugins = ["tests.mage.small_run"]


class Killed(BaseException):
    """Stands for a process that ends here."""


def cut(patch, place, name, call):
    """End the process as `place.name` is called for the `call`th time."""
    genuine, calls = getattr(place, name), []

    def counted(*arguments, **options):
        calls.append(None)
        if len(calls) == call:
            raise Killed
        return genuine(*arguments, **options)

    patch.setattr(place, name, counted)


MOMENTS = {
    "as the base is made": (mage.training, "build", 1),
    "in the first iteration": (mage.lessons, "play_all", 1),
    "before the first checkpoint": (Learner, "update", 2),
    "as the first snapshot was taken": (mage.training_run.TrainingRun, "_validate", 2),
    "as the first checkpoint is written": (checkpoint, "sync_tree", 1),
    "as the first checkpoint takes its name": (checkpoint, "write_durably", 1),
    "after the first checkpoint": (mage.lessons, "play_all", 3),
    "in an update after the first checkpoint": (Learner, "update", 4),
    "as the second checkpoint takes its name": (checkpoint, "write_durably", 2),
    "as the run ends": (mage.training_run.TrainingRun, "finish", 1),
    "in the evaluation at the end": (mage.training, "held_out_table", 1),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_is_cut_short_and_resumed_is_the_run_that_was_not(finished, tmp_path, monkeypatch, moment):
    with monkeypatch.context() as patch:
        cut(patch, *MOMENTS[moment])
        with pytest.raises(Killed):
            train(tmp_path)
    assert contents(train(tmp_path, resume=True)) == contents(finished)


def test_a_run_that_is_cut_short_again_and_again_still_gets_there(finished, tmp_path, monkeypatch):
    for attempt, (place, name, call) in enumerate(
        [(Learner, "update", 3), (Learner, "update", 1), MOMENTS["as the run ends"]]
    ):
        with monkeypatch.context() as patch:
            cut(patch, place, name, call)
            with pytest.raises(Killed):
                train(tmp_path, resume=attempt > 0)
    assert contents(train(tmp_path, resume=True)) == contents(finished)


def test_resuming_a_finished_run_changes_nothing(finished, tmp_path):
    copy_of(finished, tmp_path)
    assert contents(train(tmp_path, resume=True)) == contents(finished)


def test_a_run_that_ends_between_two_checkpoints_is_not_written_over(cache, tmp_path, monkeypatch):
    run = train(tmp_path, run__iterations=3)
    assert checkpoint.latest(run / "checkpoint").name == "000003"
    before = contents(run)
    with monkeypatch.context() as patch:
        cut(patch, checkpoint, "sync_tree", 1)  # there is no need to write it again
        train(tmp_path, resume=True)
    assert contents(run) == before


def test_a_resumed_run_may_be_longer(finished, tmp_path):
    run = copy_of(finished, tmp_path)
    train(tmp_path, resume=True, run__iterations=5)
    assert [e["iteration"] for e in events(run, "update") if e["agent"] == "learner_0"] == [0, 1, 2, 3, 4]
    assert events(run, "end") == [{"type": "end", "iteration": 5}]
    train(tmp_path, resume=True)  # and stays as long
    assert events(run, "end") == [{"type": "end", "iteration": 5}]


def test_the_older_checkpoint_serves_where_the_newer_is_damaged(finished, tmp_path, capsys):
    run = copy_of(finished, tmp_path)
    (run / "checkpoint" / "000004" / "state.json").write_text('{"schema": "mage.checkp')
    before = contents(run)
    sentence = refused(capsys, "train", tmp_path / "small.toml", "--run", run, "--resume")
    assert "000004 is damaged" in sentence and "LATEST" in sentence
    assert contents(run) == before
    (run / "checkpoint" / "LATEST").write_text("000002\n")
    assert contents(train(tmp_path, resume=True)) == contents(finished)


def test_a_resume_honours_the_settings_of_the_first_start(cache, tmp_path, monkeypatch):
    whole = train(tmp_path / "whole", run__seed=5, run__iterations=3)
    for attempt in range(3):  # each start but the first goes without them
        with monkeypatch.context() as patch:
            cut(patch, Learner, "update", 2)
            with pytest.raises(Killed):
                train(
                    tmp_path / "cut", resume=attempt > 0, **({} if attempt else {"run__seed": 5, "run__iterations": 3})
                )
    assert contents(train(tmp_path / "cut", resume=True)) == contents(whole)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "already holds a run; add --resume"),
        (["--resume", "--set", "run.seed=2"], "another run.seed;"),
        (["--resume", "--set", "lora.rank=4", "--set", "game.rounds=3"], "another game.rounds, lora.rank;"),
        (["--resume", "--set", 'opponents.training=["peaked_habit"]'], "another opponents.training;"),
        (["--resume", "--set", "run.iterations=3"], "4 are done"),
        (["--resume", "--set", "run.iterations=x"], "expected a whole number"),
        (["--resume", "--set", "run.iteration=9"], 'closest: "run.iterations"'),
    ],
)
def test_a_wrong_resume_is_refused_and_loses_nothing(finished, tmp_path, capsys, options, told):
    run = copy_of(finished, tmp_path)
    before = contents(run)
    assert told in refused(capsys, "train", tmp_path / "small.toml", "--run", run, *options)
    assert contents(run) == before


def cut_file(name, size):
    def damage(run):
        (run / name).write_bytes((run / name).read_bytes()[:size])

    return damage


def remove(name):
    def damage(run):
        path = run / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


def reword(name, old, new):
    def damage(run):
        text = (run / name).read_text()
        assert old in text
        (run / name).write_text(text.replace(old, new))

    return damage


LAST = "checkpoint/000004"
DAMAGES = {
    "log cut in a line": (cut_file("events.jsonl", 900), "events.jsonl"),
    "log gone": (remove("events.jsonl"), "events.jsonl"),
    "config cut": (cut_file("config.toml", 40), "config.toml"),
    "config gone": (remove("config.toml"), "without its config.toml"),
    "config with another key": (reword("config.toml", "seed = 1", "sead = 1"), 'unknown key "run.sead"'),
    "overrides cut": (cut_file("overrides.json", 1), "overrides.json"),
    "base gone": (remove("base"), "base"),
    "base weights cut": (cut_file("base/model.safetensors", 3000), "base is not a readable model folder"),
    "base config cut": (cut_file("base/config.json", 50), "base is not a readable model folder"),
    "base tokenizer cut": (cut_file("base/tokenizer.json", 500), "base is not a readable model folder"),
    "base tokenizer gone": (remove("base/tokenizer.json"), "base is not a readable model folder"),
    "checkpoint gone": (remove(LAST), "000004 is damaged"),
    "state empty": (cut_file(f"{LAST}/state.json", 0), "000004 is damaged"),
    "state without a league": (reword(f"{LAST}/state.json", '"league"', '"leek"'), "000004 is damaged"),
    "state of other members": (reword(f"{LAST}/state.json", '"snapshot"', '"snapshoot"'), "000004 is damaged"),
    "adapter cut": (cut_file(f"{LAST}/learners/learner_1/adapter_model.safetensors", 2000), "adapter_model"),
    "adapter config gone": (remove(f"{LAST}/learners/learner_0/adapter_config.json"), "adapter_config.json"),
    "optimiser cut": (cut_file(f"{LAST}/learners/learner_0/optimiser.safetensors", 2000), "000004 is damaged"),
    "optimiser gone": (remove(f"{LAST}/learners/learner_0/optimiser.safetensors"), "000004 is damaged"),
    "snapshot gone": (remove("members/learner_0@4"), "learner_0@4"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_run_is_refused_in_a_sentence_and_left_as_it_is(finished, tmp_path, capsys, damage):
    run = copy_of(finished, tmp_path)
    harm, told = DAMAGES[damage]
    harm(run)
    before = contents(run)
    assert told in refused(capsys, "train", tmp_path / "small.toml", "--run", run, "--resume")
    assert contents(run) == before


def test_a_snapshot_with_other_weights_is_refused(finished, tmp_path, capsys):
    run = copy_of(finished, tmp_path)
    shutil.copytree(run / "members" / LEARNERS[0], run / "members" / "learner_1@4", dirs_exist_ok=True)
    before = contents(run)
    sentence = refused(capsys, "train", tmp_path / "small.toml", "--run", run, "--resume")
    assert "the weights of learner_1@4 are not the ones that were frozen" in sentence
    assert contents(run) == before


def test_there_must_be_a_run_to_resume_and_a_folder_to_write(finished, tmp_path, capsys):
    copy_of(finished, tmp_path)
    config = tmp_path / "small.toml"
    assert "no run in" in refused(capsys, "train", config, "--run", tmp_path / "none", "--resume")
    assert "is a file" in refused(capsys, "train", config, "--run", config)
    assert not (tmp_path / "none").exists()


def test_what_a_cut_start_left_behind_binds_no_other_start(cache, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "overrides.json").write_text(json.dumps({"run.iterations": 99}))
    assert events(train(tmp_path, run__seed=3, run__iterations=1), "end") == [{"type": "end", "iteration": 1}]


def test_resume_of_an_empty_folder_starts_the_run(cache, tmp_path):
    (tmp_path / "run").mkdir()
    train(tmp_path / "other", run__iterations=1)
    options = ["--run", str(tmp_path / "run"), "--resume", "--set", "run.iterations=1"]
    assert main(["train", str(tmp_path / "other" / "small.toml"), *options]) == 0
    assert contents(tmp_path / "run").keys() == contents(tmp_path / "other" / "run").keys()
