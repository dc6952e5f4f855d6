"""What the tests of training, resuming and evaluation share: a very small run, and how to compare two of them.

A plugin (`pytest_plugins`), so that all of them use one finished run. Nobody may write into it: take a `copy_of` it.
PYTEST_DONT_REWRITE: tests import it before it is registered, and pytest would warn.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import mage
from mage.cli import main
from mage.reporting import Silent

CONFIG = """
[run]
iterations = 4
threads = 1
checkpoint_every = 2
log_matches = 2

[game]
rounds = 2

[trial]
episodes = 2

[model]
layers = 1
width = 32
heads = 2

[model.pretrain]
steps = 2
batch = 8

[league]
learners = 2
groups = 2
num_generations = 2
snapshot_every = 2
snapshots_kept = 2

[league.matchmaking]
scripted = 0.4
self_play = 0.3
pfsp = 0.3

[learning]
learning_rate = 0.02
warmup_steps = 3

[opponents]
training = ["peaked_habit(move=R,peak=0.8)", "peaked_habit(move=P,peak=0.9)"]
validation = ["dirichlet_habit(p=0.2/0.3/0.5)"]
held_out = ["tit_for_tat(start=R)", "frequency_counter"]

[evaluation]
trials = 4
"""
LEARNERS = ("learner_0", "learner_1")
HELD_OUT = ("tit_for_tat(start=R)", "frequency_counter")


def write_config(folder: Path, text: str = CONFIG) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "small.toml"
    path.write_text(text)
    return path


def train(folder: Path, resume: bool = False, reporter: Silent | None = None, **overrides: object) -> Path:
    """Train or resume `folder`/run; overrides with two underscores for the dot."""
    dotted = {key.replace("__", "."): value for key, value in overrides.items()}
    config = write_config(folder)
    return mage.train(config, run_dir=folder / "run", overrides=dotted, resume=resume, reporter=reporter)


def contents(run: Path) -> dict[str, bytes]:
    """Every file of a run but the timings, by its path within the run."""
    files = (path for path in sorted(run.rglob("*")) if path.is_file())
    return {str(path.relative_to(run)): path.read_bytes() for path in files if path.name != "timings.jsonl"}


def events(run: Path, kind: str | None = None) -> list[dict[str, Any]]:
    told = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    return [event for event in told if kind in (None, event["type"])]


def copy_of(run: Path, folder: Path) -> Path:
    shutil.copytree(run, folder / "run")
    write_config(folder)
    return folder / "run"


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The sentence with which the command line refuses, with exit status 2 and without a traceback."""
    capsys.readouterr()
    assert main([str(argument) for argument in arguments]) == 2
    sentence = capsys.readouterr().err
    assert sentence.startswith("mage: ") and sentence.count("\n") == 1
    return sentence


class Watching(Silent):
    """Calls `look` after every iteration."""

    def __init__(self, look: Any) -> None:
        self._look = look

    @contextmanager
    def iterations(self, done: int, total: int) -> Iterator[Any]:
        yield lambda rewards: self._look()


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of base models that is this test session's own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MAGE_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def finished(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that nothing interrupted; only to be read."""
    return train(tmp_path_factory.mktemp("finished"))
