"""The object of `mage diagnose --json`: every way to move beside random play, and the stage that is due for each.

Pure functions of attempts. Left out: playing (`mage.diagnosing`), the figures (`mage.diagnosis`), the rules
(`mage.stage_due`), drawing (`mage.views.diagnosis_table`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mage import keys
from mage.diagnosis import Attempt, figures
from mage.stage_due import Evidence, due

SCHEMA = "mage.diagnosis/1"
OF_RANDOM = ("pass_at", "mean_return", "gain", "frac_reward_zero_std", "reward_std")  # it writes no replies


def diagnosis_report(
    ways: Mapping[str, Sequence[Attempt]],
    random: Sequence[Attempt],
    *,
    k: Sequence[int],
    group_size: int,
    seed: int,
    about: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the object: `about` as it is, then the figures.

    ways: the attempts of each way to move; random: of random play, in the same groups. group_size: trials of a group in
    training, at most as many as there are here. seed: of the intervals, which resample the same groups for every way.
    Raises ValueError as `diagnosis.figures` does.
    """
    chance = figures(random, k, group_size, keys.generator(seed, "bootstrap"))
    found = {
        way: figures(attempts, k, group_size, keys.generator(seed, "bootstrap"), random)
        for way, attempts in ways.items()
    }
    most = max(k)
    best = max(one.pass_at[most].value for one in found.values())
    rows = [
        {"move": way, **one.to_json(), "due": asdict(due(Evidence(one, best, most, group_size)))}
        for way, one in found.items()
    ]
    told = chance.to_json()
    return {
        "schema": SCHEMA,
        **about,
        "seed": seed,
        "groups": len({one.group for one in random}),
        "num_generations": group_size,
        "rows": rows,
        "random": {name: told[name] for name in OF_RANDOM},
    }
