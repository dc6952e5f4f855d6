"""The training run: starts or resumes it, and the loop that pairs, plays, learns, freezes and writes down.

The loop owns the iteration counter and nothing else does. Left out: how any of the verbs work.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from games.errors import RequestError
from mage import checkpoint, keys
from mage.bound import bounds
from mage.evaluation import held_out_table, measure, report
from mage.evaluation_plan import Arena
from mage.events import SCHEMA, EventLog, match_event
from mage.files import sync, sync_tree, write_durably
from mage.keys import PlayKeys
from mage.learner import Learner, linear_decay
from mage.matches import mirrored, plan_trials, results, spread
from mage.paths import RunPaths
from mage.reporting import Reporter, Silent
from mage.rows import RewardSummary, build_rows
from mage.scheduler import play_all
from mage.session import Session, build, describe
from mage.settings import credit_settings, league_settings, update_settings
from mage.start import plan_start
from mage.timings import Profile, Timer
from mage.trials import PlayedTrial
from mage.update_stats import UpdateStats
from mage.work import Chunk
from populations.league import League
from populations.members import Member, Population
from populations.payoffs import PayoffTable

VALIDATION_TRIALS = 32  # of each learner against each opponent, split over seats


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

    overrides: dotted keys to values. resume: go on from the latest checkpoint; only run.iterations may differ.
    reporter: told how the run goes on, silent unless given; with profile, at the end, where the time went, too.
    Raises RequestError for a wrong config, an existing run without `resume`, and changed settings with it.
    """
    paths = RunPaths(Path(run_dir))
    start = plan_start(Path(config), paths, overrides or {}, resume)
    setting = describe(start.config, paths)
    reporter = reporter or Silent()
    resumed = checkpoint.exists(paths.checkpoint)
    if not resumed:
        start.announce()
    with reporter.base() as progress:
        session = build(start.config, setting, paths, progress)
    if not resumed:
        start.begin(session)
    run = TrainingRun(session, resumed)
    if resumed:  # after everything was read, since a refused resume changes nothing
        start.write_down(session.config)
    with reporter.iterations(run.iteration, start.config.run.iterations) as shown:
        while run.iteration < start.config.run.iterations:
            shown(run.step())
    run.finish()
    _evaluate(session, run.learners, reporter)
    if profile:
        reporter.profile(run.profile())
    return paths.root


class TrainingRun:
    """A run in progress: the session plus everything that a checkpoint holds."""

    def __init__(self, session: Session, resumed: bool) -> None:
        """Start at iteration 0, or where the latest checkpoint left off."""
        self._session, self._config = session, (config := session.config)
        self.learners = list(config.league.names)
        for number, name in enumerate(self.learners):
            seed = keys.integer(config.run.seed, "adapter", number)
            session.bank.add(name, trainable=True, seed=seed)
        self._learner = Learner(session.model, session.bank, self.learners, update_settings(config), config.run.seed)
        self._opponents = {opponent.name: opponent for opponent in session.setting.opponents.training}
        self._league_settings = league_settings(config, session.setting.game.seats)
        self._timer = Timer(session.paths.timings)
        self._chunks: dict[str, list[Chunk]] = {"sampling": [], "training": []}  # of the latest iteration
        self.iteration = 0  # updates completed
        self._saved = 0  # of them in a checkpoint
        if resumed:
            self._restore()
        else:
            self._begin()

    def _begin(self) -> None:
        members = [Member(name, "learner") for name in self.learners]
        members += [Member(name, "scripted") for name in self._opponents]
        self._league = League(Population(members), PayoffTable(), self._league_settings)
        self._session.paths.events.unlink(missing_ok=True)  # of a run that ended before its first checkpoint
        self._log = EventLog(self._session.paths.events)
        told = {"config": self._config.model_dump(mode="json"), "seats": self._session.setting.game.seats}
        self._log.append({"type": "run", "schema": SCHEMA, **told, "members": [asdict(member) for member in members]})

    def _restore(self) -> None:
        paths, bank = self._session.paths, self._session.bank
        state = checkpoint.load(paths.checkpoint, bank, self._learner.optimisers)
        try:
            self._league = League.from_json(state["league"], self._league_settings)
            self.iteration = self._saved = int(state["iteration"])
            offset = int(state["log_offset"])
        except (KeyError, TypeError, ValueError) as error:
            raise checkpoint.damaged(paths.checkpoint, error) from error
        if self.iteration > self._config.run.iterations:
            raise RequestError(
                f"got run.iterations = {self._config.run.iterations}, but {self.iteration} are done; ask for as many "
                "or more"
            )
        for member in self._league.population.snapshots:
            adapter = bank.load(member.name, paths.member(member.name), trainable=False)
            if adapter.digest() != member.digest:
                raise RequestError(
                    f"the weights of {member.name} are not the ones that were frozen; restore its folder"
                )
        self._log = EventLog(paths.events, offset=offset)

    def step(self) -> dict[str, RewardSummary]:
        """Play and learn one iteration; returns each learner's rewards."""
        part = self._timer.stopwatch.part
        played = self._play()
        with part("log"):
            self._record(played)
        with part("training"):
            rows, rewards = build_rows(played, self.learners, credit_settings(self._config))
            stats = self._learner.update(rows, self.iteration, self._learning_rate())
        self._chunks["training"] = self._learner.work.take()
        with part("log"):
            self._log_update(rewards, stats)
        self.iteration += 1
        with part("league"):
            self._freeze()
            self._validate()
        with part("checkpoint"):
            if self.iteration % self._config.run.checkpoint_every == 0:
                self._save()
            self._log.flush()
        tokens = {name: sum(chunk.tokens for chunk in chunks) for name, chunks in self._chunks.items()}
        self._timer.write(self.iteration, tokens)
        return rewards

    def profile(self) -> Profile:
        """Measure what the bare base does on the last iteration's chunks, beside where the time went."""
        timer, session = self._timer, self._session
        return Profile(timer.iterations, timer.spent, bounds(session.model, session.bank, self._chunks))

    def finish(self) -> None:
        """Write the last checkpoint, the learners as members, and the end of the log."""
        if self._saved < self.iteration:
            self._save()
        for name in self.learners:
            self._write_member(name)
        self._log.append({"type": "end", "iteration": self.iteration})
        self._log.sync()
        self._log.close()

    def _play(self) -> list[PlayedTrial]:
        config = self._config
        rng = keys.generator(config.run.seed, "pairings", self.iteration)
        play_keys = PlayKeys(config.run.seed, "train", self.iteration)
        watch, sampler = self._timer.stopwatch, self._session.sampler
        with watch.part("league"):
            pairings = self._league.pair(self.iteration, rng)
        plans = plan_trials(pairings, self._opponents, play_keys, self._league_settings.seats)
        conditions = self._session.conditions(play_keys)
        played = play_all(plans, conditions, sampler, lane_rows=config.learning.batch_rows, stopwatch=watch)
        self._chunks["sampling"] = sampler.work.take()
        return played

    def _record(self, played: list[PlayedTrial]) -> None:
        records = mirrored([trial.record for trial in played])
        events, tallies = results(self.iteration, records)
        for event in events:
            self._log.append(event)
        self._league.record(tallies)
        first = self.iteration * (self._config.league.num_generations + 1)  # another group's turn each time
        for trial in spread(played, self._config.run.log_matches, first):
            self._log.append(match_event(self.iteration, trial.record))

    def _learning_rate(self) -> float:
        learning, iterations = self._config.learning, self._config.run.iterations
        return linear_decay(learning.learning_rate, learning.final_learning_rate, self.iteration, iterations)

    def _log_update(self, rewards: Mapping[str, RewardSummary], stats: Mapping[str, UpdateStats]) -> None:
        for name in self.learners:
            if name in stats:
                event = {"type": "update", "iteration": self.iteration, "agent": name}
                event |= {"learning_rate": self._learning_rate(), **rewards[name].logged(), **stats[name].logged()}
                self._log.append(event)

    def _freeze(self) -> None:
        """Copy the learners that are due into frozen snapshots, and drop the weights of retired ones."""
        bank = self._session.bank
        for name in self._league.snapshots_due(self.iteration):
            digest = bank.adapters[name].digest()
            member = self._league.freeze(name, self.iteration, digest)
            bank.freeze(name, member.name)
            self._write_member(member.name)
            self._log.append({"type": "member", "iteration": self.iteration, **asdict(member)})
        for retired in self._league.retire():
            bank.remove(retired)

    def _write_member(self, name: str) -> None:
        folder = self._session.paths.member(name)
        self._session.bank.save(name, folder)
        sync_tree(folder)  # the checkpoint that counts on it must not outlive it
        sync(folder.parent)

    def _validate(self) -> None:
        every, opponents = self._config.run.validate_every, self._session.setting.opponents.validation
        if not every or self.iteration % every or not opponents:
            return
        seed = self._config.run.seed
        arena = Arena(self._session, opponents)
        samples = measure(arena, self.learners, trials=VALIDATION_TRIALS, seed=seed, stream="validate")
        for agent in report(self._session, samples, trials=VALIDATION_TRIALS, seed=seed)["agents"]:
            event = {"type": "validation", "iteration": self.iteration, "agent": agent["agent"]}
            self._log.append({**event, "episodes": agent["overall"]})

    def _save(self) -> None:
        self._log.sync()
        state = {"iteration": self.iteration, "log_offset": self._log.offset, "league": self._league.to_json()}
        checkpoint.save(self._session.paths.checkpoint, state, self._session.bank, self._learner.optimisers)
        self._saved = self.iteration


def _evaluate(session: Session, learners: list[str], reporter: Reporter) -> None:
    """End with the held-out table, on screen and in evaluation.json."""
    if session.setting.opponents.held_out:
        with reporter.evaluation() as progress:
            table = held_out_table(session, learners, progress)
        write_durably(session.paths.evaluation, json.dumps(table, indent=1) + "\n")
        reporter.table(table)
