"""What is compared with what: one module for each group of rows, each with a `run`."""

from collections.abc import Callable

from benchmarks.bench import Bench
from benchmarks.results import Outcome
from benchmarks.suites import agents, rollout, tiny, update

SUITES: dict[str, Callable[[Bench], Outcome]] = {
    "tiny": tiny.run,
    "rollout": rollout.run,
    "update": update.run,
    "agents": agents.run,
}
WITHOUT_MODEL = frozenset({"tiny"})  # suites that leave the real model alone
