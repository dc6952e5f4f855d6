"""Plays two sides of runs against the same opponents with the same draws, and says what sets them apart.

One run is open at a time. Left out: what may be compared (`mage.comparison_plan`), statistics
(`mage.comparison_report`), tables.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mage import keys
from mage.comparison_plan import ComparisonPlan, Entry, Runs, plan
from mage.comparison_report import MeasuredRun, comparison_report
from mage.evaluation import measure
from mage.evaluation_plan import Arena, choose_opponents
from mage.session import reopen

SCHEMA = "mage.comparison/1"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSides:
    """What all runs of a comparison did."""

    a: tuple[MeasuredRun, ...]
    b: tuple[MeasuredRun, ...]
    opponents: tuple[str, ...]
    utility_range: tuple[float, float]  # least and greatest return of one episode


def compare(
    a: Runs,
    b: Runs,
    *,
    opponents: str | Sequence[str] = "held_out",
    memory: str | None = None,
    trials: int | None = None,
    seed: int | None = None,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Play both sides and return the object of `mage compare --json` (docs/comparison.md); differences are B less A.

    a, b: the folder of a run, or those of several seeds of one config. opponents: any of a set's name, an opponent's
    name, RUN (the learners of a run) and RUN:MEMBER, where the run is on neither side. memory, trials (per learner and
    opponent, split over seats) and seed: as the first run of A has them unless given. progress: called with (trials
    done, trials in all). Raises RequestError for what can't be compared.
    """
    asked = plan(a, b, opponents=opponents, memory=memory, trials=trials, seed=seed)
    played = play(asked, progress)
    rng = keys.generator(asked.seed, "bootstrap")
    return {
        "schema": SCHEMA,
        "run_a": [run.name for run in played.a],
        "run_b": [run.name for run in played.b],
        "game": asked.a[0].config.game.name,
        "memory": asked.memory,
        "opponents": list(played.opponents),
        "seed": asked.seed,
        "trials": asked.trials,
        **comparison_report(played.a, played.b, utility_range=played.utility_range, rng=rng),
    }


def play(asked: ComparisonPlan, progress: Progress = lambda done, total: None) -> MeasuredSides:
    """Play the runs of both sides, one after the other; progress: as of `compare`."""
    entries = (*asked.a, *asked.b)
    every = sum(len(entry.learners) for entry in entries)
    before, runs = 0, []
    for entry in entries:
        own = len(entry.learners)
        runs.append(_measured(entry, asked, _share(progress, before, own, every)))
        before += own
    measured = tuple(run for run, _, _ in runs)
    _, opponents, utility_range = runs[0]
    return MeasuredSides(measured[: len(asked.a)], measured[len(asked.a) :], opponents, utility_range)


def _share(progress: Progress, before: int, own: int, every: int) -> Progress:
    """Return the progress of a run with `own` learners, `before` learners having played, of `every` in all."""

    def advance(done: int, total: int) -> None:
        each = total // own
        progress(before * each + done, every * each)

    return advance


def _measured(
    entry: Entry, asked: ComparisonPlan, progress: Progress
) -> tuple[MeasuredRun, tuple[str, ...], tuple[float, float]]:
    """Open one run, play its learners, and let go of it."""
    session = reopen(entry.path)
    for learner in entry.learners:
        session.admit(learner)
    met = choose_opponents(session, asked.opponents)
    arena = Arena(session, met)
    samples = measure(
        arena, entry.learners, trials=asked.trials, seed=asked.seed, memory=asked.memory, progress=progress
    )
    game = session.setting.game
    return MeasuredRun(str(entry.path), tuple(samples)), tuple(one.name for one in met), game.utility_range
