"""The command line from the outside: a training that is killed three times, and what can be seen of its run."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mage.cli import main
from tests.mage.small_run import contents, events, train, write_config

pytest_plugins = ["tests.mage.small_run"]

pytestmark = pytest.mark.slow

PATIENCE = 120  # seconds
SETTINGS = {"run.iterations": 7, "run.checkpoint_every": 3, "run.log_matches": 3}


def start(run: Path, cache: Path, *options: str) -> subprocess.Popen[str]:
    settings = [word for key, value in SETTINGS.items() for word in ("--set", f"{key}={value}")]
    words = ["train", str(run.parent / "small.toml"), "--run", str(run), *settings, *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MAGE_CACHE": str(cache), "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "mage", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill_when(process: subprocess.Popen[str], reached) -> None:
    """Send SIGKILL as soon as `reached()`; the run must not have ended before."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert process.poll() is None, f"ended too early: {process.communicate()[1]}"
        assert time.monotonic() < deadline, "never got there"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def last_iteration(run: Path, since: float) -> int:
    """The last iteration in the log, -1 where nothing was written to it since `since`."""
    log = run / "events.jsonl"
    if not log.exists() or log.stat().st_mtime < since:
        return -1
    whole = log.read_bytes().rpartition(b"\n")[0].splitlines()
    return max((json.loads(line).get("iteration", -1) for line in whole), default=-1)


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """A run that was killed in base training, before its first checkpoint, and after it, and then went to its end."""
    folder = tmp_path_factory.mktemp("killed")
    run, cache = folder / "run", folder / "cache"
    write_config(folder)
    process = start(run, cache)
    kill_when(process, (run / "config.toml").exists)
    assert not (run / "base").exists() and not (run / "events.jsonl").exists()
    for wanted, checkpoints in ((1, []), (4, ["000003"])):
        since = time.time()
        process = start(run, cache, "--resume")
        kill_when(process, lambda wanted=wanted, since=since: last_iteration(run, since) >= wanted)
        assert sorted(path.name for path in run.glob("checkpoint/0*")) == checkpoints
        assert not events_end(run)
    process = start(run, cache, "--resume")
    assert (process.communicate(timeout=PATIENCE)[1], process.returncode) == ("", 0)
    return run


def events_end(run: Path) -> bool:
    return b'"type":"end"' in (run / "events.jsonl").read_bytes()


def test_a_run_that_was_killed_three_times_equals_the_run_that_was_not(killed, cache, tmp_path):
    whole = train(tmp_path, **{key.replace(".", "__"): str(value) for key, value in SETTINGS.items()})
    assert contents(killed) == contents(whole)


def test_the_timings_of_all_its_lives_are_kept(killed):
    iterations = [json.loads(line)["iteration"] for line in (killed / "timings.jsonl").read_text().splitlines()]
    assert iterations[-4:] == [4, 5, 6, 7] and len(iterations) > 7


def test_watch_through_a_pipe_prints_a_match_of_the_run(killed):
    match = events(killed, "match")[-1]
    words = [sys.executable, "-m", "mage", "watch", str(killed), "--match", match["id"]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert match["id"] in done.stdout
    assert all(member in done.stdout for member in match["members"])


@pytest.mark.parametrize(("command", "schema"), [("standings", "mage.standings/1"), ("evaluate", "mage.evaluation/1")])
def test_its_tables_are_printed_and_written(killed, tmp_path, capsys, command, schema):
    before = contents(killed)
    assert main([command, str(killed), "--json", str(tmp_path / "table.json")]) == 0
    assert "learner_0" in capsys.readouterr().out
    assert json.loads((tmp_path / "table.json").read_text())["schema"] == schema
    assert contents(killed) == before
