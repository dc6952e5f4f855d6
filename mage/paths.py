"""Where things are: the files of a run directory and the cache of base models."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunPaths:
    """The files of one run."""

    root: Path

    @property
    def config(self) -> Path:
        """The resolved config."""
        return self.root / "config.toml"

    @property
    def overrides(self) -> Path:
        """The overrides that the run was started with, as JSON."""
        return self.root / "overrides.json"

    @property
    def events(self) -> Path:
        """The event log: no wall-clock value in it."""
        return self.root / "events.jsonl"

    @property
    def timings(self) -> Path:
        """Where the time went, iteration by iteration."""
        return self.root / "timings.jsonl"

    @property
    def base(self) -> Path:
        """The base model, where it is copied into the run."""
        return self.root / "base"

    @property
    def base_record(self) -> Path:
        """Which base model the run stands on, where it is not copied, as JSON."""
        return self.root / "base.json"

    @property
    def has_base(self) -> bool:
        """Whether the run has got as far as having a base model."""
        return self.base.exists() or self.base_record.exists()

    @property
    def checkpoint(self) -> Path:
        """Checkpoints, the newest named by LATEST."""
        return self.root / "checkpoint"

    @property
    def evaluation(self) -> Path:
        """The table that training ends with, as JSON."""
        return self.root / "evaluation.json"

    @property
    def members(self) -> Path:
        """The PEFT folders of the snapshots, and of the learners when training ended."""
        return self.root / "members"

    def member(self, name: str) -> Path:
        """The PEFT folder of one of `members`."""
        return self.members / name


def cache_folder() -> Path:
    """Return where base models are kept: $MAGE_CACHE, else the user's cache folder."""
    if "MAGE_CACHE" in os.environ:
        return Path(os.environ["MAGE_CACHE"])
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "mage"
