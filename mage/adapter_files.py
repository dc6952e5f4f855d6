"""Adapters on disk, in PEFT's own format: `adapter_config.json` and `adapter_model.safetensors`.

Left out: what the tensors do (`mage.adapters`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from games.errors import RequestError

ALL_LINEAR = "all-linear"
SCALES_OTHERWISE = ("use_rslora", "alpha_pattern")  # PEFT's settings that change alpha / rank unseen by the weights


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """One rank and target set per run."""

    rank: int
    alpha: float
    targets: str | tuple[str, ...] = ALL_LINEAR  # last parts of layer names, such as "q_proj"

    @property
    def scale(self) -> float:
        """Return alpha / rank, the factor before B A."""
        return self.alpha / self.rank


def write_adapter(
    folder: Path,
    tensors: Mapping[str, Tensor],
    settings: LoraSettings,
    layers: Sequence[str],
    base_name: str,
    *,
    transposed: bool,
) -> None:
    """Write an adapter; layers: the last parts of the target layers' names, base_name: `name@digest` of its base.

    transposed: whether the base stores its weights [in, out], as `Conv1D` does; the adapter's own never are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base_name,
        "r": settings.rank,
        "lora_alpha": settings.alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "fan_in_fan_out": transposed,
        "target_modules": list(layers),
        "inference_mode": True,
    }
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    save_file(dict(tensors), folder / "adapter_model.safetensors")


def read_adapter(folder: Path, settings: LoraSettings, base_name: str) -> dict[str, Tensor]:
    """Return the tensors of a PEFT folder; refused in one sentence: a missing or broken file, another rank or base.

    base_name: `name@digest` of this run's base; a folder that names a base with another digest is refused, one that
    names none (PEFT's own) is not.
    """
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        if not (folder / name).exists():
            raise RequestError(f"{folder} is not an adapter folder: {name} is missing")
    try:
        config = json.loads((folder / "adapter_config.json").read_text())
        tensors = load_file(folder / "adapter_model.safetensors")
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"{folder}/adapter_config.json is not JSON ({error}); copy the folder again") from error
    except OSError as error:
        raise RequestError(f"{folder} cannot be read: {error}") from error
    except SafetensorError as error:
        raise RequestError(f"{folder}/adapter_model.safetensors is damaged ({error}); copy it again") from error
    if not isinstance(config, dict):
        raise RequestError(f"{folder}/adapter_config.json holds no table of settings; copy the folder again")
    if (config.get("r"), config.get("lora_alpha")) != (settings.rank, settings.alpha):
        raise RequestError(
            f"{folder} has rank {config.get('r')} and alpha {config.get('lora_alpha')}, "
            f"this run has {settings.rank} and {settings.alpha}; train or load with the same"
        )
    trained_on = str(config.get("base_model_name_or_path"))
    if "@" in trained_on and trained_on != base_name:
        raise RequestError(f"{folder} was trained on the base {trained_on}, this run has {base_name}; use its own run")
    for name in SCALES_OTHERWISE:
        if config.get(name):
            raise RequestError(
                f"{folder} sets {name} to {config[name]!r}, which this bank does not read; train without it"
            )
    return tensors
