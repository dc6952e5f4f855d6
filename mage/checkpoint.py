"""Checkpoints: everything a run needs to go on as if it had not stopped, written aside and renamed into place.

A checkpoint is a folder: `state.json` (iteration, the log's offset, the league) and per learner a PEFT adapter and the
optimiser's moments, keyed by name. Left out: what the state means (`mage.training`).
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from games.errors import RequestError
from mage.adapter_files import read_adapter
from mage.adapters import AdapterBank
from mage.files import sync_tree, write_durably

SCHEMA = "mage.checkpoint/1"
LATEST = "LATEST"
LEARNERS = "learners"
KEPT = 2  # folders; the older one survives a damaged newer one


def save(
    root: Path, state: Mapping[str, Any], bank: AdapterBank, optimisers: Mapping[str, torch.optim.Optimizer]
) -> None:
    """Write the checkpoint of `state["iteration"]` under `root` and make it the latest."""
    name = f"{state['iteration']:06d}"
    root.mkdir(parents=True, exist_ok=True)
    aside = root / f".{name}"
    shutil.rmtree(aside, ignore_errors=True)
    for learner, optimiser in optimisers.items():
        folder = aside / LEARNERS / learner
        bank.save(learner, folder)
        save_file(_moments(bank, learner, optimiser), folder / "optimiser.safetensors")
    (aside / "state.json").write_text(json.dumps({"schema": SCHEMA, **state}, sort_keys=True) + "\n")
    sync_tree(aside)
    shutil.rmtree(root / name, ignore_errors=True)
    os.replace(aside, root / name)
    write_durably(root / LATEST, name + "\n")
    for old in sorted(path for path in root.iterdir() if path.is_dir())[:-KEPT]:
        shutil.rmtree(old)


def exists(root: Path) -> bool:
    """Tell whether there is a checkpoint to go on from."""
    return (root / LATEST).exists()


def learners(root: Path) -> Path:
    """Return the folder in which the latest checkpoint keeps the learners' adapters."""
    return latest(root) / LEARNERS


def load(root: Path, bank: AdapterBank, optimisers: Mapping[str, torch.optim.Optimizer]) -> dict[str, Any]:
    """Restore the latest checkpoint into the bank and the optimisers; returns its state."""
    folder = latest(root)
    try:
        state: dict[str, Any] = json.loads((folder / "state.json").read_text())
        if state["schema"] != SCHEMA:
            raise RequestError(f"{folder} has the schema {state['schema']!r}, expected {SCHEMA!r}; use its own version")
        for learner, optimiser in optimisers.items():
            where = folder / LEARNERS / learner
            bank.adapters[learner].load(read_adapter(where, bank.settings, bank.base_name), str(where))
            _restore(bank, learner, optimiser, load_file(where / "optimiser.safetensors"))
    except (OSError, json.JSONDecodeError, UnicodeDecodeError, SafetensorError, KeyError, TypeError) as error:
        raise damaged(root, error) from error
    return state


def latest(root: Path) -> Path:
    """Return the folder of the latest checkpoint."""
    return root / (root / LATEST).read_text().strip()


def damaged(root: Path, error: Exception) -> RequestError:
    """Return the error for a latest checkpoint that can't be read, because of `error`."""
    return RequestError(
        f"the checkpoint {latest(root)} is damaged ({error!r}); put the name of an older folder into {root / LATEST}, "
        "or start a new run"
    )


def _moments(bank: AdapterBank, learner: str, optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {}
    for name, parameter in bank.adapters[learner].named_parameters():
        for key, value in optimiser.state.get(parameter, {}).items():
            tensors[f"{name}.{key}"] = value.clone()
    return tensors


def _restore(bank: AdapterBank, learner: str, optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    for name, parameter in bank.adapters[learner].named_parameters():
        own = {key.removeprefix(f"{name}."): value for key, value in tensors.items() if key.startswith(f"{name}.")}
        if own:  # the step count stays on the CPU, as the optimiser keeps it
            optimiser.state[parameter] = {
                key: value if key == "step" else value.to(parameter.device) for key, value in own.items()
            }
