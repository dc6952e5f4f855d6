"""Trains the population of a config: starts or resumes the run, takes it through its stages, and evaluates it.

Left out: what a run holds and how it makes an update (`mage.training_run`), where it may be written (`mage.start`).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from mage import checkpoint
from mage.evaluation import held_out_table
from mage.files import write_durably
from mage.paths import RunPaths
from mage.reporting import Reporter, Silent
from mage.session import Session, build, describe
from mage.stages import StagePlan, open_stages, plan_stages
from mage.start import plan_start
from mage.training_run import TrainingRun


def train(
    config: str | Path,
    *,
    run_dir: str | Path,
    overrides: Mapping[str, object] | None = None,
    resume: bool = False,
    reporter: Reporter | None = None,
    profile: bool = False,
) -> Path:
    """Train the population that a config file describes; returns the run directory.

    overrides: dotted keys to values. resume: go on from the latest checkpoint; only how many iterations there are may
    differ. reporter: told how the run goes on, silent unless given; with profile, at the end, where the time went, too.
    Raises RequestError for a wrong config, an existing run without `resume`, and changed settings with it; RunFailed
    where a stage's gate fails.
    """
    paths = RunPaths(Path(run_dir))
    start = plan_start(Path(config), paths, overrides or {}, resume)
    setting = describe(start.config, paths)
    plans = plan_stages(start.config, setting, paths)
    reporter = reporter or Silent()
    resumed = checkpoint.exists(paths.checkpoint)
    if not resumed:
        start.announce()
    with reporter.base() as progress:
        session = build(start.config, setting, paths, progress)
    stages = open_stages(session, plans)
    if not resumed:
        start.begin(session)
    run = TrainingRun(session, stages, resumed)
    if resumed:  # after everything was read, since a refused resume changes nothing
        start.write_down(session.config)
    _take_through(run, plans, reporter)
    run.finish()
    _evaluate(session, run.learners, reporter)
    if profile:
        reporter.profile(run.profile())
    return paths.root


def _take_through(run: TrainingRun, plans: Sequence[StagePlan], reporter: Reporter) -> None:
    """Make every update, stage by stage. Raises RunFailed where a gate fails."""
    with reporter.iterations(run.iteration, plans[-1].stop) as shown:
        while not run.done:
            if run.stage_is_through:
                ended = run.end_stage()
                reporter.stage(ended)
                ended.require_passed()
            else:
                plan = next(plan for plan in plans if run.iteration < plan.stop)
                reporter.enters(plan.name, plan.kind)
                shown(run.step())


def _evaluate(session: Session, learners: list[str], reporter: Reporter) -> None:
    """End with the held-out table, on screen and in evaluation.json."""
    if session.setting.opponents.held_out:
        with reporter.evaluation() as progress:
            table = held_out_table(session, learners, progress)
        write_durably(session.paths.evaluation, json.dumps(table, indent=1) + "\n")
        reporter.table(table)
