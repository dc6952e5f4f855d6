"""Files of a package index, found where pip would look and downloaded so that an interruption costs nothing.

Only the standard library, since it has to work before anything is there. Left out: what is in the files.
"""

import ast
import base64
import hashlib
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from html.parser import HTMLParser
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urldefrag, urljoin, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from games.errors import RequestError

Progress = Callable[[int, int], None]  # bytes here, bytes in all

DEFAULT_INDEX = "https://pypi.org/simple"
FORMATS = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
CHUNK = 1 << 20  # bytes
PATIENCE = 30  # seconds without an answer


def pip_settings() -> dict[str, str]:
    """Return pip's settings by name ("index-url"), of its files and of the environment; empty where pip is missing."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    settings = {}
    for line in done.stdout.splitlines():  # global.index-url='https://...'; the environment comes last, as :env:
        key, found, value = line.partition("=")
        if found:
            settings[key.rpartition(".")[2]] = str(ast.literal_eval(value))  # as repr wrote it: line ends are \n
    for key in ("index-url", "extra-index-url", "cert"):  # where pip is missing, what it would have been told
        told = os.environ.get("PIP_" + key.upper().replace("-", "_"))
        if told:
            settings[key] = told
    return settings


def find(project: str, filename: str, settings: Mapping[str, str]) -> str:
    """Return the address of a project's file on the first of the configured indexes that has it.

    Raises ConnectionError where an index can't be reached, RequestError where none has the file.
    """
    indexes = [settings.get("index-url", DEFAULT_INDEX), *settings.get("extra-index-url", "").split()]
    asked = [index for index in indexes if urlsplit(index).scheme in ("http", "https")]
    for index in asked:
        page = f"{index.rstrip('/')}/{project}/"
        try:
            with closing(_open(page, settings, {"Accept": FORMATS})) as answer:
                links = _links(answer.headers.get_content_type(), answer.read().decode())
        except HTTPError as error:
            if error.code in (403, 404, 410):  # as an index answers that lacks the project
                continue
            raise _unreachable(page, f"status {error.code}", 0) from error
        except (OSError, HTTPException) as error:
            raise _unreachable(page, _reason(error), 0) from error
        except (ValueError, KeyError, TypeError) as error:
            raise RequestError(f"{_shown(page)} does not answer as a package index; correct PIP_INDEX_URL") from error
        for link in links:
            address = urljoin(page, urldefrag(link).url)
            if unquote(urlsplit(address).path).rpartition("/")[2] == filename:
                return address
    shown = ", ".join(_shown(index) for index in asked) or "none, as pip is configured"
    raise RequestError(
        f"{filename} is not on the package index (asked: {shown}); name an index that has it in PIP_INDEX_URL"
    )


def download(url: str, sha256: str, target: Path, settings: Mapping[str, str], progress: Progress) -> None:
    """Put a file at `target`, going on from `target`.part where an earlier download stopped.

    Raises ConnectionError where the download stops early, RequestError where the file is another one than expected;
    a part that proved wrong is deleted.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        _fetch(url, part, settings, progress)
    except HTTPError as error:
        if error.code != 416:  # the part is as long as the file, or longer: its hash decides
            raise RequestError(
                f"{_shown(url)} answered with status {error.code}, expected the file; try again, or name another index "
                "in PIP_INDEX_URL"
            ) from error
    except (URLError, TimeoutError, ConnectionError, HTTPException) as error:
        raise _unreachable(url, _reason(error), _size(part)) from error
    with part.open("rb") as file:
        got = hashlib.file_digest(file, "sha256").hexdigest()
    if got != sha256:
        part.unlink()
        raise RequestError(
            f"{_shown(url)} has sha256 {got}, expected {sha256}; it was deleted, so pull again, or name another index "
            "in PIP_INDEX_URL"
        )
    os.replace(part, target)


def _fetch(url: str, part: Path, settings: Mapping[str, str], progress: Progress) -> None:
    done = _size(part)
    with closing(_open(url, settings, {"Range": f"bytes={done}-"} if done else {})) as answer:
        whole = answer.status != 206  # the server sends everything: an earlier part is of no use
        done = 0 if whole else done
        total = done + int(answer.headers.get("Content-Length", 0))
        with part.open("wb" if whole else "ab") as file:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
                done += len(chunk)
                progress(done, total)
    if done < total:
        raise ConnectionError(f"the connection ended after {done} of {total} bytes")


def _open(url: str, settings: Mapping[str, str], headers: Mapping[str, str]) -> Any:
    """Open an address, with the name and password that it may hold, and with pip's certificates."""
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    secret = {"Authorization": "Basic " + base64.b64encode(unquote(user).encode()).decode()} if user else {}
    request = Request(urlunsplit(parts._replace(netloc=host)))
    for name, value in headers.items():
        request.add_header(name, value)
    for name, value in secret.items():
        request.add_unredirected_header(name, value)
    context = ssl.create_default_context(cafile=settings.get("cert")) if parts.scheme == "https" else None
    return urlopen(request, timeout=PATIENCE, context=context)


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]


def _links(kind: str, text: str) -> list[str]:
    """Return the links of a project's page: JSON (PEP 691) or HTML (PEP 503)."""
    if kind.endswith("json"):
        return [str(file["url"]) for file in json.loads(text)["files"]]
    anchors = _Anchors()
    anchors.feed(text)
    return anchors.links


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", error)) or type(error).__name__


def _shown(url: str) -> str:
    """The address without the name and password in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _unreachable(url: str, reason: str, kept: int) -> ConnectionError:
    goes_on = f" ({kept / 1e6:.1f} MB are here, and it goes on from there)" if kept else ""
    return ConnectionError(
        f"{_shown(url)} was not to be had: {reason}; pull again with a network{goes_on}, or name another index in "
        "PIP_INDEX_URL"
    )
