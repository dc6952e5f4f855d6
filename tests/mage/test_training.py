"""A run writes what it says, repeats byte for byte, freezes what it freezes, and keeps away from held-out opponents."""

import hashlib
import json

import numpy as np
import peft
import pytest
import torch
from transformers import AutoModelForCausalLM

import mage.training
from mage import standings
from mage.cli import main
from mage.reporting import Silent
from mage.session import reopen
from mage.timings import PARTS
from tests.mage.small_run import HELD_OUT, LEARNERS, Watching, contents, events, refused, train, write_config

pytest_plugins = ["tests.mage.small_run"]

ADAPTER = ("adapter_config.json", "adapter_model.safetensors")
SNAPSHOTS = ("learner_0@2", "learner_1@2", "learner_0@4", "learner_1@4")


def adapters(run):
    """The bytes of every adapter and every optimiser of a run."""
    return {name: data for name, data in contents(run).items() if name.endswith(".safetensors")}


def test_a_run_writes_the_files_of_its_directory(finished):
    base = ["config.json", "generation_config.json", "manifest.json", "model.safetensors"]
    expected = {"config.toml", "overrides.json", "events.jsonl", "evaluation.json", "checkpoint/LATEST"}
    expected |= {f"base/{name}" for name in [*base, "tokenizer.json", "tokenizer_config.json"]}
    expected |= {f"members/{name}/{file}" for name in (*LEARNERS, *SNAPSHOTS) for file in ADAPTER}
    for folder in ("checkpoint/000002", "checkpoint/000004"):
        expected.add(f"{folder}/state.json")
        expected |= {f"{folder}/learners/{n}/{f}" for n in LEARNERS for f in (*ADAPTER, "optimiser.safetensors")}
    assert set(contents(finished)) == expected
    timings = [json.loads(line) for line in (finished / "timings.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in timings] == [1, 2, 3, 4]


def test_a_line_of_timings_says_what_its_seconds_went_into(finished):
    lines = [json.loads(line) for line in (finished / "timings.jsonl").read_text().splitlines()]
    assert any(line["seconds"]["checkpoint"] > 0 for line in lines)  # between checkpoints it may round to nothing
    for line in lines:
        assert set(line) == {"iteration", "seconds", "tokens", "tokens_per_second"}
        assert sorted(line["seconds"]) == sorted(PARTS)
        assert all(line["seconds"][part] > 0 for part in ("sampling", "games", "training", "log"))
        assert min(line["tokens"].values()) > 0
        for part in ("sampling", "training"):
            assert line["tokens_per_second"][part] == pytest.approx(
                line["tokens"][part] / line["seconds"][part], rel=0.01
            )


def test_a_profiled_run_is_the_same_run_and_tells_where_the_time_went(finished, tmp_path):
    class Asking(Silent):
        def profile(self, profile):
            told.append(profile)

    told = []
    run = mage.train(write_config(tmp_path), run_dir=tmp_path / "run", reporter=Asking(), profile=True)
    assert contents(run) == contents(finished)
    (profile,) = told
    lines = [json.loads(line) for line in (run / "timings.jsonl").read_text().splitlines()]
    assert profile.iterations == 4
    assert profile.spent.tokens == {
        part: sum(line["tokens"][part] for line in lines) for part in ("sampling", "training")
    }
    assert min(profile.bounds["sampling"], profile.bounds["training"]) > 0
    mage.train(write_config(tmp_path), run_dir=run, reporter=Asking(), resume=True, profile=True)
    assert (told[1].iterations, told[1].bounds) == (0, {"sampling": None, "training": None})


def test_the_log_tells_every_iteration_and_the_end(finished):
    told = events(finished)
    assert (told[0]["type"], told[-1]) == ("run", {"type": "end", "iteration": 4})
    for iteration in range(4):
        of_one = [event for event in told if event.get("iteration") == iteration]
        assert {event["type"] for event in of_one} >= {"result", "match", "update"}
        assert [e["agent"] for e in of_one if e["type"] == "update"] == list(LEARNERS)
        assert len([e for e in of_one if e["type"] == "match"]) == 2
        pairs = [e for e in of_one if e["type"] == "result" and e["row"] in LEARNERS]
        assert sum(e["n"] for e in pairs) >= 8  # 2 learners x 2 groups x 2 trials, and mirrored matches


def test_no_file_of_a_run_names_a_folder_of_the_machine(finished, cache):
    for name, data in contents(finished).items():
        assert str(finished.parent).encode() not in data, name
        assert str(cache).encode() not in data, name


def test_the_learners_learn_and_differ(finished):
    weights = contents(finished)
    states = {hashlib.sha256(weights[f"members/{n}/adapter_model.safetensors"]).hexdigest() for n in LEARNERS}
    states |= {hashlib.sha256(weights[f"members/{n}/adapter_model.safetensors"]).hexdigest() for n in SNAPSHOTS}
    assert len(states) == 4  # two learners, twice; a learner's end is its snapshot after the last iteration
    for name in LEARNERS:
        assert (
            weights[f"members/{name}/adapter_model.safetensors"]
            == (weights[f"checkpoint/000004/learners/{name}/adapter_model.safetensors"])
        )


def test_the_same_config_gives_the_same_bytes_with_its_base_made_anew(finished, tmp_path, monkeypatch):
    monkeypatch.setenv("MAGE_CACHE", str(tmp_path / "another cache"))
    assert contents(train(tmp_path)) == contents(finished)


def test_another_seed_gives_another_run(finished, tmp_path):
    assert (
        adapters(train(tmp_path, run__seed=2))["members/learner_0/adapter_model.safetensors"]
        != (adapters(finished)["members/learner_0/adapter_model.safetensors"])
    )


def test_validation_in_between_changes_no_adapter_and_adds_its_events_alone(finished, tmp_path):
    run = train(tmp_path, run__validate_every=1)
    assert adapters(run) == adapters(finished)
    validations = events(run, "validation")
    assert [(e["iteration"], e["agent"]) for e in validations] == [(i, n) for i in (1, 2, 3, 4) for n in LEARNERS]
    assert all([row["episode"] for row in event["episodes"]] == [1, 2] for event in validations)
    others = [event for event in events(run) if event["type"] != "validation"]
    assert others[1:] == events(finished)[1:]  # the first holds the config


def test_snapshots_stay_as_they_were_frozen_and_retired_ones_leave_the_bank(finished, tmp_path, monkeypatch):
    opened, seen, files = [], [], {}

    def build(*arguments):
        opened.append(mage_build(*arguments))
        return opened[0]

    def look():
        bank = opened[0].bank.adapters
        seen.append({name: adapter.digest() for name, adapter in bank.items() if "@" in name})
        assert not any(p.requires_grad for name in seen[-1] for p in bank[name].parameters())
        assert all(p.requires_grad for name in LEARNERS for p in bank[name].parameters())
        for path in (tmp_path / "run" / "members").glob("*@*/*"):
            assert files.setdefault(path, path.read_bytes()) == path.read_bytes()

    mage_build = mage.training.build
    monkeypatch.setattr(mage.training, "build", build)
    run = train(tmp_path, reporter=Watching(look))
    assert [sorted(digests) for digests in seen] == [
        [],
        ["learner_0@2", "learner_1@2"],
        ["learner_0@2", "learner_1@2"],
        ["learner_0@4", "learner_1@4"],
    ]
    assert seen[1] == seen[2]
    assert {e["name"]: e["digest"] for e in events(run, "member")} == seen[1] | seen[3]
    assert len(files) == 8
    assert contents(run) == contents(finished)


@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing. is deprecated")  # of transformers, from peft
def test_a_snapshot_loads_in_plain_peft_and_is_the_same_policy(finished):
    session = reopen(finished)
    adapter = session.bank.load("learner_0@2", finished / "members" / "learner_0@2", trainable=False)
    (frozen,) = [e for e in events(finished, "member") if e["name"] == "learner_0@2"]
    assert adapter.digest() == frozen["digest"]
    ids = torch.tensor([[0, 5, 9, 17, 33]])
    with torch.no_grad(), session.bank.routed(["learner_0@2"]):
        ours = session.model.network(input_ids=ids).logits
    base = AutoModelForCausalLM.from_pretrained(finished / "base").eval()
    with torch.no_grad():
        untrained = base(input_ids=ids).logits.clone()
        plain = peft.PeftModel.from_pretrained(base, finished / "members" / "learner_0@2").eval()(input_ids=ids).logits
    np.testing.assert_allclose(plain, ours, atol=1e-6)
    assert float((plain - untrained).abs().max()) > 1e-3


def test_held_out_opponents_appear_in_no_event_and_not_in_the_base(finished):
    first, *others = events(finished)
    assert tuple(first["config"]["opponents"].pop("held_out")) == HELD_OUT  # what was asked for, not what was met
    told = json.dumps([first, *others])
    assert "peaked_habit" in told
    assert "tit_for_tat" not in told and "frequency_counter" not in told
    manifest = json.loads((finished / "base" / "manifest.json").read_text())
    assert (manifest["families"], len(manifest["opponents"])) == (["peaked_habit"], 2)
    assert "tit_for_tat" not in json.dumps(manifest) and "dirichlet" not in json.dumps(manifest)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ('opponents.held_out=["peaked_habit(move=R,peak=0.8)"]', "peaked_habit(move=R,peak=0.8)"),
        ('opponents.held_out=["dirichlet_habit(p=0.8/0.1/0.1)"]', "peaked_habit(move=R,peak=0.8)"),
        ('opponents.validation=["tit_for_tat(start=R)"]', "tit_for_tat(start=R)"),
        ('model.pretrain.corpus=["tit_for_tat(start=R)"]', "tit_for_tat(start=R)"),
        ('opponents.held_out=["tat_for_tit"]', "did you mean 'tit_for_tat'"),
        ("model.name=builtin:tony", "builtin:tiny"),
        ("game.name=rock", "rock_paper_scissors"),
        ("trial.episodes=2000", "4096 at most"),
    ],
)
def test_a_wrong_run_is_refused_before_anything_is_written(cache, tmp_path, capsys, setting, told):
    config = write_config(tmp_path)
    exact = ("--set", "opponents.min_distance=0")  # so that an alias is found by what it does
    sentence = refused(capsys, "train", config, "--run", tmp_path / "run", "--set", setting, *exact)
    assert told in sentence
    assert not (tmp_path / "run").exists()


def test_after_a_refusal_the_corrected_config_runs(cache, tmp_path, capsys):
    config, run = write_config(tmp_path), tmp_path / "run"
    short = ("--set", "run.iterations=1", "--run", run)
    refused(capsys, "train", config, *short, "--set", 'opponents.held_out=["peaked_habit(move=R,peak=0.8)"]')
    assert main(["train", str(config), *map(str, short)]) == 0


def test_a_self_play_run_meets_learners_and_snapshots_alone_and_logs_both_sides(cache, tmp_path):
    run = train(
        tmp_path,
        league__matchmaking__scripted=0.0,
        opponents__training=[],
        model__pretrain__corpus=["peaked_habit(move=R,peak=0.8)"],
    )
    results = events(run, "result")
    assert {event["column"].split("@")[0] for event in results} == set(LEARNERS)
    between = [event for event in results if event["column"] in LEARNERS]
    sides = {learner: [e for e in between if e["row"] == learner] for learner in LEARNERS}
    assert sum(e["n"] for e in sides["learner_0"]) == sum(e["n"] for e in sides["learner_1"]) > 0
    assert sum(e["wins"] for e in sides["learner_0"]) == sum(e["losses"] for e in sides["learner_1"])
    assert sum(e["total"] for e in between) == pytest.approx(0.0)  # a zero-sum game


def test_the_standings_add_up_to_what_was_played(finished):
    table, results = standings.standings(finished), events(finished, "result")
    assert (table["rows"], table["iteration"]) == (list(LEARNERS), 3)
    assert {kind for kind in table["kinds"].values()} == {"learner", "snapshot", "scripted"}
    for row, cells in zip(table["rows"], table["cells"], strict=True):
        own = [event for event in results if event["row"] == row]
        assert sum(cell["n"] for cell in cells if cell) == sum(event["n"] for event in own)
        met = {event["column"] for event in own}
        assert met <= {name for names in table["members"].values() for name in names}
    assert len(results) > 0 and not any(name in json.dumps(table) for name in HELD_OUT)
