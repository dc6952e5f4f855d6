"""What the benchmarks refuse, and when: in one sentence, before anything is measured."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

import games
from benchmarks import __main__ as table
from benchmarks import bases, machine, options, scaling
from benchmarks.bench import Bench, Sizes
from games.errors import RequestError
from games.matrix_text import MatrixGame
from mage import settle
from mage.base_models import TINY

Main = Callable[[Sequence[str]], int]
MAINS = pytest.mark.parametrize("main", [table.main, scaling.main], ids=["benchmarks", "scaling"])


@pytest.fixture(autouse=True)
def nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(device: torch.device) -> None:
        raise AssertionError("measuring began")

    monkeypatch.setattr(machine, "describe", measured)


def refusal(main: Main, arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return the exit status and the last line, whoever refuses."""
    try:
        status = main([*arguments, "--threads", "1"] if "--threads" not in arguments else arguments)
    except SystemExit as stop:
        status = int(str(stop.code))
    said = capsys.readouterr()
    assert said.out == ""
    return status, said.err.splitlines()[-1]


@MAINS
@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--device", "gpu", "choose from"),
        ("--threads", "0", "at least 1"),
        ("--threads", "two", "at least 1"),
        ("--dtype", "float16", "choose from"),
        ("--json", "/proc/version/bench.json", "cannot be written"),
        ("--json", "/proc", "cannot be written"),
    ],
)
def test_a_wrong_option_is_refused(
    main: Main, option: str, value: str, expected: str, capsys: pytest.CaptureFixture[str]
):
    status, line = refusal(main, [option, value], capsys)
    assert status == 2
    assert f"error: argument {option}: " in line
    assert value in line and expected in line


def test_no_repeats_are_refused(capsys: pytest.CaptureFixture[str]):
    status, line = refusal(table.main, ["--repeats", "0"], capsys)
    assert (status, line.partition("--repeats: ")[2]) == (2, "got '0', expected a whole number of at least 1")


def test_a_plot_without_what_draws_it_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(options, "find_spec", lambda name: None)
    status, line = refusal(scaling.main, ["--plot", "plot.svg"], capsys)
    assert status == 2
    assert line.endswith("matplotlib is not installed; install the extra `bench`, or leave this out")


@MAINS
def test_a_model_that_is_not_there_is_refused(main: Main, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    status, line = refusal(main, ["--model", str(tmp_path / "nowhere")], capsys)
    assert status == 2
    assert line.startswith("error: ") and str(tmp_path / "nowhere") in line


@MAINS
def test_a_gpu_that_is_not_there_is_refused(main: Main, capsys: pytest.CaptureFixture[str]):
    if torch.cuda.is_available():
        pytest.skip("there is one")
    status, line = refusal(main, ["--device", "cuda"], capsys)
    assert status == 2
    assert 'got "cuda", which is not to be had here' in line


@MAINS
@pytest.mark.parametrize("error", [ConnectionError("no route to the index"), OSError("no route to the index")])
def test_a_network_that_is_down_is_one_sentence_and_another_status(
    main: Main, error: OSError, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def pull(*arguments: object) -> Path:
        raise error

    monkeypatch.setattr(bases, "pull", pull)
    assert refusal(main, ["--dtype", "float32"], capsys) == (1, "error: no route to the index")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("speed: 3", "is not JSON"),
        ("[1]", "got schema None"),
        (json.dumps({"schema": "mage.bench-scaling/1"}), "got schema 'mage.bench-scaling/1', expected 'mage.bench/1'"),
    ],
)
def test_what_is_no_report_is_refused(
    text: str | None, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "report.json"
    if text is not None:
        file.write_text(text)
    status, line = refusal(table.main, ["--markdown", str(file)], capsys)
    assert status == 2
    assert line.startswith(f"error: {file}: ") and expected in line


def test_the_number_type_is_the_one_that_a_run_would_take(monkeypatch: pytest.MonkeyPatch):
    name = str(Path.cwd())  # any folder: it is not looked into yet
    for faster in ("float32", "bfloat16"):
        monkeypatch.setattr(settle, "faster_dtype", lambda faster=faster: faster)
        assert bases.settings(name).run.dtype == faster
        assert bases.settings(TINY).run.dtype == "float32"
        assert bases.settings(name, dtype="bfloat16").run.dtype == "bfloat16"


def test_the_rendering_reaches_the_trials(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def measure(asked: argparse.Namespace, sizes: Sizes) -> dict:
        bench = Bench(bases.prepare(bases.settings(TINY)), sizes, 1, torch.device("cpu"), lambda line: None)
        raise RequestError(one_line(bench.trials.conditions.game))

    monkeypatch.setattr(table, "measure", measure)
    compact, full = (
        one_line(games.load_matrix("rock_paper_scissors", rounds=4, rendering=way)) for way in ("compact", "full")
    )
    assert len(full) > 3 * len(compact)
    assert refusal(table.main, [], capsys) == (2, f"error: {compact}")
    assert refusal(table.main, ["--rendering", "full"], capsys) == (2, f"error: {full}")


def one_line(game: MatrixGame) -> str:
    return " ".join(game.rules(0, Sizes().episodes).split())
