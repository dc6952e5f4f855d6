"""Times things side by side: the arms of a comparison take turns in one process, and medians are compared.

Left out: what is timed, and what the numbers mean (`benchmarks.results`).
"""

import statistics
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import torch

from benchmarks.teller import Tell
from mage.models import wait_for

MICROBATCHES = (512, 1024, 2048, 4096, 8192, 16384, 32768)  # tokens; tried for ours and for the bound alike


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed run."""

    amount: float  # of what it processed: decisions, tokens or passes
    seconds: float

    @property
    def rate(self) -> float:
        """Amount per second."""
        return self.amount / self.seconds


Arm = Callable[[], Sample]


@dataclass(frozen=True, slots=True)
class Series:
    """The runs of one arm, in order."""

    samples: tuple[Sample, ...]

    @property
    def rates(self) -> tuple[float, ...]:
        """Each run's amount per second."""
        return tuple(sample.rate for sample in self.samples)

    @property
    def durations(self) -> tuple[float, ...]:
        """Each run's seconds."""
        return tuple(sample.seconds for sample in self.samples)

    @property
    def seconds(self) -> float:
        """The median duration."""
        return statistics.median(self.durations)


def timed(device: torch.device, work: Callable[[], float]) -> Sample:
    """Run `work`, which returns the amount it processed, and wait until the device is done with it."""
    wait_for(device)
    start = time.perf_counter()
    amount = work()
    wait_for(device)
    return Sample(amount, time.perf_counter() - start)


def alternate(arms: Mapping[str, Arm], repeats: int, tell: Tell, single: Collection[str] = ()) -> dict[str, Series]:
    """Run all arms in turn, `repeats` times over; those named in `single` in the first turn only.

    What drifts on the machine meanwhile (temperature, neighbours) meets every arm alike.
    """
    runs: dict[str, list[Sample]] = {name: [] for name in arms}
    for turn in range(repeats):
        for name, arm in arms.items():
            if turn == 0 or name not in single:
                sample = arm()
                runs[name].append(sample)
                tell(f"{name}, run {turn + 1}: {sample.seconds:.2f} s")
    return {name: Series(tuple(samples)) for name, samples in runs.items()}


def microbatch_candidates(tokens: int) -> list[int]:
    """Return the sizes of microbatches, in tokens, that are worth trying for so many tokens."""
    return [size for size in MICROBATCHES if size <= tokens] or [MICROBATCHES[0]]


def fastest(candidates: Sequence[int], run: Callable[[int], Sample]) -> int:
    """Return the candidate whose run has the highest rate; each is run once, so that a best case is a measured one."""
    return max(candidates, key=lambda candidate: run(candidate).rate)
