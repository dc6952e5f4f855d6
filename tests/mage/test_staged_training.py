"""A run in stages: what it logs, that it resumes as the run that was not cut short, and what a failed gate does."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import mage
import mage.lessons
import mage.supervision
import mage.training
import mage.training_run
from mage import checkpoint
from mage.cli import main
from mage.failures import RunFailed
from mage.learner import Learner
from tests.mage.small_run import CONFIG, LEARNERS, contents, copy_of, events
from tests.mage.test_resume import Killed, cut

pytest_plugins = ["tests.mage.small_run"]

STAGES = """
[[stage]]
name = "shown"
kind = "sft"
iterations = 2
experts = ["best_response"]
trials = 2
learning_rate = 0.03
final_learning_rate = 0.01
set = { game.rounds = 3, trial.episodes = 1 }

[[stage]]
name = "read"
kind = "pretrain"
iterations = 1
trials = 4
retention = 0.5

[[stage]]
name = "play"
kind = "rl"
iterations = 2
set = { league.groups = 1, "opponents.training" = ["first_legal"] }
gate = { metric = "valid_move_rate", at_least = 1.0, trials = 2 }
"""
TEXT = CONFIG.replace("iterations = 4\n", "", 1) + STAGES
FIRST_GATE = (
    'set = { game.rounds = 3, trial.episodes = 1 }\ngate = { metric = "last_return", at_least = 9, trials = 2 }'
)
FAILING = TEXT.replace("set = { game.rounds = 3, trial.episodes = 1 }", FIRST_GATE)
FIRST_STAGE = 'name = "shown"\nkind = "sft"\niterations = '


def train(folder: Path, text: str = TEXT, resume: bool = False) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "staged.toml").write_text(text)
    return mage.train(folder / "staged.toml", run_dir=folder / "run", resume=resume)


@pytest.fixture(scope="module")
def staged(cache, tmp_path_factory) -> Path:
    """The run in stages that nothing interrupted; only to be read."""
    return train(tmp_path_factory.mktemp("staged"))


def test_the_log_says_when_stages_begin_and_what_they_came_to(staged):
    assert [(e["iteration"], e["stage"], e["kind"], e["stop"]) for e in events(staged, "stage")] == [
        (0, "shown", "sft", 2),
        (2, "read", "pretrain", 3),
        (3, "play", "rl", 5),
    ]
    assert {(event["game"], event["seats"]) for event in events(staged, "stage")} == {("rock_paper_scissors", 2)}
    (gate,) = events(staged, "gate")
    assert (gate["iteration"], gate["stage"], gate["measured"], gate["passed"]) == (5, "play", 1.0, True)
    assert [(e["iteration"], e["stage"], e["of"]) for e in events(staged, "retention")] == [
        (3, "read", "shown"),
        (5, "play", "shown"),
        (5, "play", "read"),
    ]
    assert events(staged, "end") == [{"type": "end", "iteration": 5}]


def test_what_is_forgotten_is_measured_from_the_stage_s_own_end(staged):
    of_shown = [event for event in events(staged, "retention") if event["of"] == "shown"]
    assert of_shown[0]["before"] == of_shown[1]["before"]
    for event in events(staged, "retention"):
        assert set(event["before"]) == set(event["after"]) == {"last_return", "exploitation"}
        assert all(-3.0 <= event[when]["last_return"] <= 3.0 for when in ("before", "after"))
    assert of_shown[0]["before"] != of_shown[0]["after"]  # the learners have changed, the draws have not


def test_rates_warm_up_and_decay_within_each_stage(staged):
    """Two steps an update and a warm-up of three: the last step of a stage's first update takes two thirds."""
    rates = [e["learning_rate"] for e in events(staged, "update") if e["agent"] == "learner_0"]
    assert rates == pytest.approx([0.03 * 2 / 3, 0.01, 0.02 * 2 / 3, 0.02 * 2 / 3, 2e-4])


def test_examples_log_a_loss_and_no_result_and_play_logs_what_it_always_does(staged):
    for event in events(staged, "update"):
        if event["iteration"] < 3:
            assert "reward" not in event and 0.0 < event["loss"] < math.log(512)
        else:
            assert "loss" not in event and -2.0 <= event["reward"] <= 2.0
    assert {event["iteration"] for event in events(staged, "result")} == {3, 4}


def test_experts_are_watched_under_their_own_names_and_play_meets_the_stage_s_opponents(staged):
    shown = [event for event in events(staged, "match") if event["iteration"] < 2]
    assert shown and all(any(name.startswith("best_response(") for name in event["members"]) for event in shown)
    assert {len(event["episodes"]) for event in shown} == {1}
    scripted = {event["column"] for event in events(staged, "result")} - set(LEARNERS)
    assert {name for name in scripted if "@" not in name} <= {"first_legal"}
    assert [m["name"] for m in events(staged, "run")[0]["members"] if m["kind"] == "scripted"] == [
        "peaked_habit(move=R,peak=0.8)",
        "peaked_habit(move=P,peak=0.9)",
        "first_legal",
    ]


def test_one_stage_of_play_is_the_run_without_stages(finished, tmp_path):
    run = train(tmp_path, CONFIG.replace("iterations = 4\n", "", 1) + '[[stage]]\nkind = "rl"\niterations = 4\n')
    weights = {name: data for name, data in contents(finished).items() if name.endswith(".safetensors")}
    assert {name: data for name, data in contents(run).items() if name.endswith(".safetensors")} == weights
    assert events(run, "update") == events(finished, "update")


OWN = """
[[stage]]
kind = "sft"
iterations = 1
experts = ["equilibrium"]
trials = 2

[[stage]]
kind = "rft"
iterations = 2
trials = 4
retention = 0.5
keep = "top"
keep_share = 0.5
set = { agent.move = "free", "agent.reply_tokens" = 4, "agent.on_illegal" = "random", game.rounds = 1 }
"""


def test_own_good_trials_are_learned_from_and_told_with_their_returns(cache, tmp_path):
    text = CONFIG.replace("iterations = 4\n", "", 1).replace("episodes = 2", 'episodes = 2\nmemory = "reflection"')
    run = train(tmp_path, text.replace("[trial]", "[agent]\nreflection_tokens = 4\n\n[trial]") + OWN)
    own = [event for event in events(run, "update") if event["iteration"] > 0]
    assert [(event["iteration"], event["agent"]) for event in own] == [(n, name) for n in (1, 2) for name in LEARNERS]
    for event in own:
        assert event["loss"] > 0.0 and -1.0 <= event["reward"] <= 1.0 and event["reflection_tokens"] > 0.0
        assert event["kept"] == 2  # half of two of its own stage and of two as the first stage was
    assert events(run, "result") == []
    for matches in ([m for m in events(run, "match") if m["iteration"] == number] for number in (1, 2)):
        assert all(set(LEARNERS) & set(match["members"]) for match in matches)
        assert {len(match["episodes"][0]["turns"]) for match in matches} == {2, 4}  # half as the first stage was


def test_an_update_without_a_good_trial_is_told_with_its_returns_and_changes_nothing(cache, tmp_path, monkeypatch):
    monkeypatch.setitem(mage.supervision.KEEP, "wins", lambda trials, share: [])
    stage = '[[stage]]\nkind = "rft"\niterations = 1\ntrials = 2\n'
    run = train(tmp_path, CONFIG.replace("iterations = 4\n", "", 1) + stage)
    told = events(run, "update")
    assert [(event["agent"], event["kept"]) for event in told] == [(name, 0) for name in LEARNERS]
    assert all(-2.0 <= event["reward"] <= 2.0 and "loss" not in event for event in told)


MOMENTS = {
    "in the first update by examples": (Learner, "update", 1),
    "after a stage's last checkpoint": (mage.training_run, "measured", 1),
    "as what was kept is measured": (mage.training_run, "retained", 2),
    "in the second stage": (mage.lessons, "play_all", 4),
    "in the third stage": (Learner, "update", 5),
    "as a checkpoint takes its name": (checkpoint, "write_durably", 2),
    "at the last gate": (mage.training_run, "measured", 3),
    "as the run ends": (mage.training_run.TrainingRun, "finish", 1),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_staged_run_that_is_cut_short_and_resumed_is_the_run_that_was_not(staged, tmp_path, monkeypatch, moment):
    with monkeypatch.context() as patch:
        cut(patch, *MOMENTS[moment])
        with pytest.raises(Killed):
            train(tmp_path)
    assert contents(train(tmp_path, resume=True)) == contents(staged)


def test_resuming_a_finished_staged_run_changes_nothing(staged, tmp_path):
    copy_of(staged, tmp_path)
    assert contents(train(tmp_path, resume=True)) == contents(staged)


def test_a_failed_gate_ends_the_run_with_what_was_measured_and_keeps_the_checkpoint(cache, tmp_path, capsys):
    (tmp_path / "staged.toml").write_text(FAILING)
    assert main(["train", str(tmp_path / "staged.toml"), "--run", str(tmp_path / "run")]) == 1
    told = capsys.readouterr()
    (gate,) = events(tmp_path / "run", "gate")
    assert told.err.count("\n") == 1 and told.err.startswith('mage: the gate of stage "shown" failed: last_return on')
    assert f"is {gate['measured']:.3g} (95% interval" in told.err and "expected at least 9;" in told.err
    assert not gate["passed"] and gate["iteration"] == 2
    assert 'Stage "shown" has ended; its gate failed' in told.out
    assert checkpoint.latest(tmp_path / "run" / "checkpoint").name == "000002"
    assert events(tmp_path / "run")[-1] == gate  # and nothing of the next stage


def test_a_failed_gate_fails_again_and_a_longer_stage_goes_on(cache, tmp_path):
    with pytest.raises(RunFailed):
        train(tmp_path, FAILING)
    before = contents(tmp_path / "run")
    with pytest.raises(RunFailed):
        train(tmp_path, FAILING, resume=True)
    assert contents(tmp_path / "run") == before
    with pytest.raises(RunFailed):
        train(tmp_path, FAILING.replace(FIRST_STAGE + "2", FIRST_STAGE + "3"), resume=True)
    updates = [e["iteration"] for e in events(tmp_path / "run", "update") if e["agent"] == "learner_0"]
    assert updates == [0, 1, 2] and [e["iteration"] for e in events(tmp_path / "run", "gate")] == [3]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (FIRST_STAGE + "2", FIRST_STAGE + "3", 'stage "shown" has ended after iteration 2, got iterations that end it'),
        (FIRST_STAGE + "2", FIRST_STAGE + "1", 'stage "shown" has ended after iteration 2, got iterations that end it'),
        ("iterations = 2\nset = { league", "iterations = 1\nset = { league", 'stage "play": got iterations = 1, but 2'),
        ("at_least = 1.0", "at_least = 0.5", "another stage[2].gate.at_least;"),
    ],
)
def test_a_stage_that_has_ended_stays_as_long_as_it_was(staged, tmp_path, capsys, old, new, told):
    run = copy_of(staged, tmp_path)
    before = contents(run)
    assert old in TEXT
    (tmp_path / "staged.toml").write_text(TEXT.replace(old, new))
    assert main(["train", str(tmp_path / "staged.toml"), "--run", str(run), "--resume"]) == 2
    sentence = capsys.readouterr().err
    assert told in sentence and sentence.count("\n") == 1
    assert contents(run) == before
