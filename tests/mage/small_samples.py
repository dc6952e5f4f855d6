"""What the tests of evaluation reports share: a sample of one opponent, and the report of some."""

from typing import Any

import numpy as np

from mage.evaluation_pools import OpponentSample
from mage.evaluation_report import evaluation_report

UTILITY = (-6.0, 6.0)


def sample(own: Any, **changes: Any) -> OpponentSample:
    own = np.array(own, dtype=float)
    fields: dict[str, Any] = {
        "agent": "learner_0",
        "name": "peaked_habit(move=R,peak=0.8)",
        "family": "peaked_habit",
        "distance": "near",
        "seat": 0,
        "security_value": 0.0,
        "nash_value": 0.0,
        "best_response_value": 4.0,
        "returns": own,
        "others": -own,
        "forfeits": np.zeros(own.shape, dtype=bool),
    }
    return OpponentSample(**(fields | changes))


def report(*samples: OpponentSample, seed: int = 0, **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "run": "runs/first",
        "game": "rock_paper_scissors",
        "memory": "transcript",
        "utility_range": UTILITY,
        "rng": np.random.default_rng(seed),
        "resamples": 200,
    }
    return evaluation_report(samples, **(fields | changes))
