"""How often `mage compare` calls seeds of one config different, where nothing but chance sets them apart.

`python -m benchmarks.null_compare RUN RUN [RUN ...]` plays every run once. Then, over and over, it deals the learners
of two runs out to two sides at random (and with four runs or more the runs), draws their trials again within each
opponent and seat, and compares. Beside that stand the runs as they are, each against each. `--simulate` does without
runs (`benchmarks.null_simulation`).

Dealing makes both sides alike whatever the learners of a run share, so it shows that Welch's t, on a handful of means
from such a game, is right about as often as it says. It shows nothing of whether the learners of one run may stand for
its config: they may not, and the runs as they are show it. Left out: training them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks.null_simulation import Rate, simulate
from benchmarks.options import attempt, positive
from games.errors import RequestError
from mage import comparison, comparison_plan, keys
from mage.cli.progress import ConsoleReporter
from mage.comparison_report import MeasuredRun, comparison_report
from mage.statistics import SIGNIFICANT, wilson_interval
from mage.views.figures import columns, grid

REPEATS = 200
RESAMPLES = 200  # of the trials, in each comparison
LEAST_RUNS = 4  # that are dealt out as runs

Sides = tuple[Sequence[MeasuredRun], Sequence[MeasuredRun]]
Deal = Callable[[Sequence[MeasuredRun], np.random.Generator], Sides]


@dataclass(frozen=True, slots=True)
class Called:
    """How many of so many comparisons found something."""

    what: str
    comparisons: int
    headline: int  # the last episode's return over all opponents
    trials: int  # the headline, had its trials been taken for independent witnesses


def learners_of_two(runs: Sequence[MeasuredRun], rng: np.random.Generator) -> Sides:
    """Deal the learners of two runs out to two sides.

    Each stands as a run of its own and under its own name, so that its mean is one witness, as where learners are the
    unit, and the trials that are paired are those that share their draws.
    """
    chosen = rng.choice(len(runs), size=2, replace=False)
    learners = [alone for index in chosen for alone in _learners(runs[index])]
    return whole_runs(learners, rng)


def whole_runs(runs: Sequence[MeasuredRun], rng: np.random.Generator) -> Sides:
    """Deal the runs out to two sides."""
    order = [runs[index] for index in rng.permutation(len(runs))]
    return order[: len(order) // 2], order[len(order) // 2 :]


def resampled(runs: Sequence[MeasuredRun], rng: np.random.Generator) -> list[MeasuredRun]:
    """Draw the trials again within each learner's name, opponent and seat; what runs share stays shared."""
    drawn: dict[tuple[str, str, int, int], np.ndarray] = {}
    found = []
    for run in runs:
        samples = []
        for sample in run.samples:
            trials = len(sample.returns)
            key = (sample.agent, sample.name, sample.seat, trials)
            rows = drawn.setdefault(key, rng.integers(0, trials, size=trials))
            samples.append(
                replace(
                    sample, returns=sample.returns[rows], others=sample.others[rows], forfeits=sample.forfeits[rows]
                )
            )
        found.append(MeasuredRun(run.name, tuple(samples)))
    return found


def null_rate(
    what: str,
    runs: Sequence[MeasuredRun],
    deal: Deal,
    utility_range: tuple[float, float],
    repeats: int,
    rng: np.random.Generator,
) -> Called:
    """Deal the runs out and compare, `repeats` times."""
    sides = (deal(resampled(runs, rng), rng) for _ in range(repeats))
    return _called(what, sides, utility_range, rng)


def as_they_are(runs: Sequence[MeasuredRun], utility_range: tuple[float, float], rng: np.random.Generator) -> Called:
    """Compare each run with each other."""
    sides = (([one], [other]) for one, other in combinations(runs, 2))
    return _called("each run against each, as they are", sides, utility_range, rng)


def _called(
    what: str, compared: Iterable[Sides], utility_range: tuple[float, float], rng: np.random.Generator
) -> Called:
    tables = [comparison_report(a, b, utility_range=utility_range, rng=rng, resamples=RESAMPLES) for a, b in compared]
    return Called(
        what,
        len(tables),
        headline=sum(table["figures"][0]["p_holm"] < SIGNIFICANT for table in tables),
        trials=sum(table["figures"][0]["trials"]["p"] < SIGNIFICANT for table in tables),
    )


def _learners(run: MeasuredRun) -> list[MeasuredRun]:
    """Return each learner of a run as a run of its own."""
    names = dict.fromkeys(sample.agent for sample in run.samples)
    return [MeasuredRun(name, tuple(one for one in run.samples if one.agent == name)) for name in names]


def measure(options: argparse.Namespace) -> list[Called]:
    """Play the runs and compare them."""
    asked = comparison_plan.plan(
        options.runs[:1],
        options.runs[1:],
        opponents="held_out",
        memory=None,
        trials=options.trials,
        seed=options.seed,
    )
    comparison_plan.one_config((*asked.a, *asked.b))
    if len(asked.a[0].learners) == 1 and len(options.runs) < LEAST_RUNS:
        raise RequestError(f"got runs of one learner, expected two learners, or {LEAST_RUNS} runs; train more seeds")
    with ConsoleReporter(Console(stderr=True)).evaluation() as progress:
        played = comparison.play(asked, progress)
    runs, rng = (*played.a, *played.b), keys.generator(asked.seed, "null")
    found = []
    if len(asked.a[0].learners) > 1:
        what = "learners of two runs, dealt out to two sides"
        found.append(null_rate(what, runs, learners_of_two, played.utility_range, options.repeats, rng))
        found.append(as_they_are(runs, played.utility_range, rng))
    if len(runs) >= LEAST_RUNS:
        what = "runs, dealt out to two sides"
        found.append(null_rate(what, runs, whole_runs, played.utility_range, options.repeats, rng))
    return found


def show(console: Console, found: Sequence[Called]) -> None:
    """Print the shares that were called different, with Wilson's 95% interval."""
    drawn = grid()
    columns(drawn, ("", "comparisons", "called different", "by trials alone"))
    for one in found:
        shares = (_share(count, one.comparisons) for count in (one.headline, one.trials))
        drawn.add_row(one.what, str(one.comparisons), *shares)
    console.print(drawn)


def show_simulated(console: Console, found: Sequence[Rate]) -> None:
    """Print the shares that were called different, with Wilson's 95% interval."""
    drawn = grid()
    columns(drawn, ("simulated", "comparisons", "called different"))
    for one in found:
        drawn.add_row(one.what, str(one.comparisons), _share(one.called, one.comparisons))
    console.print(drawn)


def _share(count: int, n: int) -> str:
    rate = wilson_interval(count, n)
    return f"{rate.value:.1%} [{rate.low:.1%}, {rate.high:.1%}]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments ask for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.null_compare", description=__doc__)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="two seeds of one config, or more")
    parser.add_argument("--repeats", type=positive, default=REPEATS, help="comparisons of each kind")
    parser.add_argument("--trials", type=positive, help="of each learner against each opponent")
    parser.add_argument("--seed", type=int, help="root of the randomness")
    parser.add_argument("--simulate", action="store_true", help="simulate runs; takes no RUN")
    options = parser.parse_args(arguments)
    if options.simulate and options.runs:
        parser.error("got --simulate and runs, expected one of them; leave out either")
    console = Console(width=None if sys.stdout.isatty() else 140)
    if options.simulate:
        return attempt(lambda: show_simulated(console, simulate()))
    return attempt(lambda: show(console, measure(options)))


if __name__ == "__main__":
    sys.exit(main())
