"""How a run starts or goes on: where it may be written, and with which settings.

Nothing is written before the settings are known to be good, and, where the base isn't made here, before adapters sit
on it: a refused start leaves no folder behind. Left out: the run itself (`mage.training`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from games.errors import RequestError
from mage import checkpoint, places
from mage.base_models import TINY
from mage.config import Config, differences, load, resolved
from mage.files import write_durably
from mage.paths import RunPaths
from mage.session import Session
from mage.settle import PROBE, adopted, settled


@dataclass(frozen=True, slots=True)
class Start:
    """The resolved config of a run, and the overrides that led to it."""

    paths: RunPaths
    config: Config
    overrides: Mapping[str, object]

    def announce(self) -> None:
        """Write a new run down before its base is made, which takes minutes; not where it is only read."""
        if self.config.model.name == TINY:
            self.write_down(self.config)

    def begin(self, session: Session) -> None:
        """Write a new run down, and which base it stands on, once an adapter is known to sit on that base."""
        session.bank.add(PROBE, trainable=True)
        session.bank.remove(PROBE)
        self.write_down(session.config)  # first, since files of a run without a config bar its folder
        if session.base.record is not None:
            places.write_record(self.paths, session.base.record)

    def write_down(self, config: Config) -> None:
        """Write the overrides and the config, with what it left open and was decided since, into the run directory."""
        self.paths.root.mkdir(parents=True, exist_ok=True)
        write_durably(self.paths.overrides, json.dumps(dict(self.overrides), default=str) + "\n")
        write_durably(self.paths.config, resolved(config))


def plan_start(config: Path, paths: RunPaths, overrides: Mapping[str, object], resume: bool) -> Start:
    """Return how to start a run, or to resume it with nothing but its length changed; writes nothing.

    A resumed run keeps the overrides that it was started with. Raises RequestError for a wrong config, an existing
    run without `resume`, and changed settings with it.
    """
    _refuse_place(paths, resume)
    chosen = {**(_first_overrides(paths) if resume else {}), **overrides}
    return Start(paths, _settings(config, paths, chosen), chosen)


def _refuse_place(paths: RunPaths, resume: bool) -> None:
    """Refuse a folder whose files would be lost, or that has nothing to go on from."""
    if paths.root.exists() and not paths.root.is_dir():
        raise RequestError(f"{paths.root} is a file; choose another --run, a folder that may be new")
    if resume and not paths.root.exists():
        raise RequestError(f"there is no run in {paths.root} to resume; leave --resume out to start it")
    if paths.config.exists() and not resume:
        raise RequestError(f"{paths.root} already holds a run; add --resume to go on with it, or choose another --run")
    leftovers = paths.has_base or paths.events.exists() or paths.checkpoint.exists()
    if leftovers and not paths.config.exists():
        raise RequestError(
            f"{paths.root} holds a run without its {paths.config.name}; restore it, or choose another --run"
        )
    if checkpoint.exists(paths.checkpoint) and not paths.has_base:
        raise RequestError(
            f"{paths.base} (or {paths.base_record.name}), the base that the run's adapters belong to, is missing; "
            "restore it, or start a new run"
        )


def _first_overrides(paths: RunPaths) -> dict[str, object]:
    """Return the overrides that the run was started with; none for a new run."""
    if not paths.overrides.exists():
        return {}
    try:
        return dict(json.loads(paths.overrides.read_text()))
    except (ValueError, TypeError) as error:
        raise RequestError(
            f"{paths.overrides} is damaged ({error}); write the settings of the run's first --set into it as a JSON "
            "object, {} for none"
        ) from error


def _settings(config: Path, paths: RunPaths, overrides: Mapping[str, object]) -> Config:
    """Return the resolved config of a new run, or of a resumed one with nothing but its length changed."""
    wanted = load(config, overrides)
    if not paths.config.exists():
        return settled(wanted)
    recorded = load(paths.config)
    wanted = adopted(wanted, recorded)
    changed = differences(recorded, wanted)
    if changed:
        raise RequestError(
            f"{paths.root} was started with another {', '.join(changed)}; only run.iterations, or the iterations of "
            "stages that have not ended, may change when a run is resumed, so start another run for other settings"
        )
    return wanted
