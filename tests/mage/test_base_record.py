"""A run on a base that is not copied starts on a usable one, records which it was, and goes on with that one only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

import mage
from games.errors import RequestError
from mage import places
from mage.cli import main
from mage.paths import RunPaths
from mage.session import reopen
from tests.mage.small_models import llama, write
from tests.mage.small_run import CONFIG, contents, refused

pytest_plugins = ["tests.mage.small_run"]


@pytest.fixture(scope="module")
def trained(cache, tmp_path_factory) -> Path:
    """A run on a folder's model, with that folder beside it."""
    root = tmp_path_factory.mktemp("trained")
    write(root / "model", llama())
    (root / "config.toml").write_text(CONFIG)
    overrides = {"model.name": str(root / "model"), "run.iterations": 1, "run.checkpoint_every": 1}
    mage.train(root / "config.toml", run_dir=root / "run", overrides=overrides)
    return root


def test_a_run_records_its_base_and_does_not_copy_it(trained):
    told = json.loads((trained / "run" / "base.json").read_text())
    assert set(told) == {"schema", "name", "folder", "revision", "digest"}
    assert (told["schema"], told["name"], told["revision"]) == ("mage.base/1", str(trained / "model"), None)
    assert not (trained / "run" / "base").exists()
    adapter = json.loads((trained / "run" / "members" / "learner_0" / "adapter_config.json").read_text())
    assert adapter["base_model_name_or_path"] == f"{trained / 'model'}@{told['digest']}"


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_run_reopens_on_the_files_that_it_was_trained_on_and_refuses_others(trained, name):
    kept, before = (trained / "model" / name).read_bytes(), contents(trained / "run")
    assert reopen(trained / "run").model.name == str(trained / "model")
    (trained / "model" / name).write_bytes(kept + b"\n")
    try:
        with pytest.raises(RequestError, match="the run stands on .*; restore its weights, config and tokenizer, or"):
            reopen(trained / "run")
    finally:
        (trained / "model" / name).write_bytes(kept)
    assert contents(trained / "run") == before


def test_a_run_without_the_record_of_its_base_is_not_gone_on_with(trained, capsys):
    record = trained / "run" / "base.json"
    kept = record.read_bytes()
    record.unlink()
    try:
        settings = ("--set", "run.iterations=2", "--resume")
        sentence = refused(capsys, "train", trained / "config.toml", "--run", trained / "run", *settings)
        assert "the base that the run's adapters belong to, is missing" in sentence
    finally:
        record.write_bytes(kept)


def test_a_damaged_record_is_one_sentence(tmp_path):
    (tmp_path / "base.json").write_text('{"schema": "mage.base/1", "name": "a"}')
    with pytest.raises(RequestError, match="base.json is damaged .*; restore it, or start a new run"):
        places.read_record(RunPaths(tmp_path))


def without_a_tensor(folder: Path) -> Path:
    tensors = load_file(folder / "model.safetensors")
    del tensors["lm_head.weight"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


REFUSALS = {
    "weights that are not whole": ("its weights lack lm_head.weight", lambda: llama(), without_a_tensor, []),
    "nowhere for an adapter": (
        "LlamaForCausalLM has no nn.Linear or Conv1D layer for an adapter to sit on; use another base",
        lambda: llama(num_hidden_layers=0),
        lambda folder: folder,
        [],
    ),
    "an unknown target": ("q_projj", llama, lambda folder: folder, ["--set", 'lora.targets=["q_projj"]']),
}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_base_that_is_refused_leaves_no_run_behind_and_the_corrected_one_starts(cache, tmp_path, capsys, refusal):
    told, network, harm, settings = REFUSALS[refusal]
    folder, run = harm(write(tmp_path / "model", network())), tmp_path / "run"
    (tmp_path / "small.toml").write_text(CONFIG)
    arguments = ["train", str(tmp_path / "small.toml"), "--run", str(run), "--set", f"model.name={folder}"]
    arguments += ["--set", "run.iterations=1", "--set", "learning.microbatch_tokens=512"]
    assert told in refused(capsys, *arguments, *settings)
    assert not run.exists()
    write(folder, llama())
    assert main(arguments) == 0
    assert (run / "base.json").exists()
