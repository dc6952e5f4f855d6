"""A training run in progress: everything that a checkpoint holds, and the step that plays, learns, freezes and logs.

It owns the iteration counter and nothing else does. Left out: how any of the verbs work; when which is called
(`mage.training`).
"""

from collections.abc import Mapping
from dataclasses import asdict

from games.errors import RequestError
from mage import checkpoint, keys
from mage.bound import bounds
from mage.events import SCHEMA, EventLog, match_event
from mage.files import sync, sync_tree
from mage.gates import judged, measured, validation
from mage.learner import Learner, linear_decay
from mage.lessons import KINDS, Lesson, Played, Room
from mage.matches import mirrored, results, spread
from mage.retention import kept_figures, retained
from mage.rows import RewardSummary
from mage.session import Session
from mage.settings import league_settings
from mage.stage_records import Closed, StageEnd
from mage.stages import OpenStage, carried
from mage.timings import Profile, Timer
from mage.update_stats import UpdateStats
from mage.work import Chunk
from populations.league import League, LeagueSettings
from populations.members import Member, Population
from populations.payoffs import PayoffTable


class TrainingRun:
    """A run in progress: its stages plus everything that a checkpoint holds."""

    def __init__(self, session: Session, stages: tuple[OpenStage, ...], resumed: bool) -> None:
        """Start at iteration 0, or where the latest checkpoint left off. session: in the run's own settings."""
        self._session, self._stages, self._config = session, stages, (config := session.config)
        self.learners = list(config.league.names)
        for number, name in enumerate(self.learners):
            seed = keys.integer(config.run.seed, "adapter", number)
            session.bank.add(name, trainable=True, seed=seed)
        self._timer = Timer(session.paths.timings)
        self._chunks: dict[str, list[Chunk]] = {"sampling": [], "training": []}  # of the latest iteration
        self._closed: list[Closed] = []  # stages that have ended
        self.iteration = 0  # updates completed
        self._saved = 0  # of them in a checkpoint
        if resumed:
            self._restore()
        else:
            self._begin()

    @property
    def done(self) -> bool:
        """Whether every update is made, and every stage closed where there are stages."""
        return len(self._closed) == len(self._stages) if self._config.stage else self.stage_is_through

    @property
    def stage_is_through(self) -> bool:
        """Whether the stage's last update is made."""
        return self.iteration >= self._room.stage.plan.stop

    def _begin(self) -> None:
        learners = [Member(name, "learner") for name in self.learners]
        met = [one.name for stage in self._stages for one in stage.session.setting.opponents.training]
        members = [*learners, *(Member(name, "scripted") for name in dict.fromkeys(met))]
        self._session.paths.events.unlink(missing_ok=True)  # of a run that ended before its first checkpoint
        self._log = EventLog(self._session.paths.events)
        told = {"config": self._config.model_dump(mode="json"), "seats": self._session.setting.game.seats}
        self._log.append({"type": "run", "schema": SCHEMA, **told, "members": [asdict(member) for member in members]})
        self._enter(self._league(Population(learners)))
        self._announce()

    def _restore(self) -> None:
        paths, bank = self._session.paths, self._session.bank
        state = checkpoint.load(paths.checkpoint, bank, {})  # the state alone, which says what stage this is
        try:
            self.iteration = self._saved = int(state["iteration"])
            offset = int(state["log_offset"])
            self._closed = [Closed.from_json(one) for one in state.get("stages", ())]
            league = League.from_json(state["league"], self._league_settings())
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise checkpoint.damaged(paths.checkpoint, error) from error
        self._enter(league)
        checkpoint.load(paths.checkpoint, bank, self._learner.optimisers)
        self._refuse_other_lengths()
        for member in self._room.league.population.snapshots:
            adapter = bank.load(member.name, paths.member(member.name), trainable=False)
            if adapter.digest() != member.digest:
                raise RequestError(
                    f"the weights of {member.name} are not the ones that were frozen; restore its folder"
                )
        self._log = EventLog(paths.events, offset=offset)

    def _refuse_other_lengths(self) -> None:
        """Refuse a change to a stage that has ended, and fewer iterations than are done."""
        for stage, closed in zip(self._stages, self._closed, strict=False):
            if stage.plan.stop != closed.stop:
                raise RequestError(
                    f'stage "{closed.name}" has ended after iteration {closed.stop}, got iterations that end it after '
                    f"{stage.plan.stop}; leave the stages that have ended as they were"
                )
        plan = self._room.stage.plan
        done, asked = self.iteration - plan.start, plan.iterations
        if done > asked:
            key = f'stage "{plan.name}": got iterations' if plan.declared else "got run.iterations"
            raise RequestError(f"{key} = {asked}, but {done} are done; ask for as many or more")

    def _league_settings(self) -> LeagueSettings:
        session = self._stages[len(self._closed)].session
        return league_settings(session.config, session.setting.game.seats)

    def _league(self, population: Population) -> League:
        """Return the league of the stage that comes after those closed, with the learners and snapshots so far."""
        opponents = self._stages[len(self._closed)].session.setting.opponents.training
        return League(carried(population, opponents), PayoffTable(), self._league_settings())

    def _enter(self, league: League) -> None:
        """Make ready for the stage that comes after those closed; its optimisers start afresh."""
        session, place = self._session, len(self._closed)
        config, self._kind = self._stages[place].session.config, KINDS[self._stages[place].plan.kind]
        settings = self._kind.settings(config)
        self._learner = Learner(session.model, session.bank, self.learners, settings, config.run.seed)
        self._room = Room(self._stages, place, league, tuple(self.learners), self._timer.stopwatch)

    def _announce(self) -> None:
        """Log that a stage begins, where stages were declared."""
        plan = self._room.stage.plan
        if plan.declared:
            self._log.append({"type": "stage", "iteration": plan.start, **plan.logged()})

    def step(self) -> dict[str, RewardSummary]:
        """Play and learn one iteration; returns the rewards of each learner that played for any."""
        part, room = self._timer.stopwatch.part, self._room
        played = self._kind.play(room, self.iteration)
        self._chunks["sampling"] = [chunk for stage in self._stages for chunk in stage.session.sampler.work.take()]
        with part("log"):
            self._record(played)
        with part("training"):
            lesson = self._kind.rows(room, played)
            stats = self._learner.update(lesson.rows, self.iteration, self._learning_rate())
        self._chunks["training"] = self._learner.work.take()
        with part("log"):
            self._log_update(lesson, stats)
        self.iteration += 1
        with part("league"):
            self._freeze()
            self._validate()
        with part("checkpoint"):
            ends = self.stage_is_through and room.stage.plan.declared is not None
            if ends or self.iteration % self._config.run.checkpoint_every == 0:
                self._save()  # at a stage's end before its gate, which is measured anew after a resume
            self._log.flush()
        tokens = {name: sum(chunk.tokens for chunk in chunks) for name, chunks in self._chunks.items()}
        self._timer.write(self.iteration, tokens)
        return lesson.rewards

    def end_stage(self) -> StageEnd:
        """Measure what a stage has reached and made forgotten; the next begins, or the run is over if a gate fails."""
        stage = self._room.stage
        with self._timer.stopwatch.part("league"):
            figures = measured(stage, self.learners)
            kept = retained(self._stages, self._closed, self.learners)
            ended = StageEnd(stage.plan.name, judged(stage, figures), tuple(kept))
        for event in ended.events():
            self._log.append({**event, "iteration": self.iteration})
        if ended.passed:
            self._closed.append(Closed(stage.plan.name, stage.plan.stop, kept_figures(figures)))
            if not self.done:
                self._enter(self._league(self._room.league.population))
                self._announce()
        self._log.sync()
        if not ended.passed:
            self._log.close()
        return ended

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

    def _record(self, played: Played) -> None:
        trials = [trial for source in played for trial in source]
        if self._kind.counts:
            events, tallies = results(self.iteration, mirrored([trial.record for trial in trials]))
            for event in events:
                self._log.append(event)
            self._room.league.record(tallies)
        first = self.iteration * (self._config.league.num_generations + 1)  # another group's turn each time
        for trial in spread(trials, self._config.run.log_matches, first):
            self._log.append(match_event(self.iteration, trial.record))

    def _learning_rate(self) -> float:
        plan = self._room.stage.plan
        learning, length = plan.config.learning, plan.iterations
        return linear_decay(learning.learning_rate, learning.final_learning_rate, self.iteration - plan.start, length)

    def _log_update(self, lesson: Lesson, stats: Mapping[str, UpdateStats]) -> None:
        for name in self.learners:
            if name in stats or name in lesson.rewards:
                event = {"type": "update", "iteration": self.iteration, "agent": name, **lesson.logged(name)}
                if name in stats:
                    event |= {"learning_rate": stats[name].learning_rate, **self._kind.figures(stats[name])}
                self._log.append(event)

    def _freeze(self) -> None:
        """Copy the learners that are due into frozen snapshots, and drop the weights of retired ones."""
        bank, league = self._session.bank, self._room.league
        for name in league.snapshots_due(self.iteration):
            digest = bank.adapters[name].digest()
            member = league.freeze(name, self.iteration, digest)
            bank.freeze(name, member.name)
            self._write_member(member.name)
            self._log.append({"type": "member", "iteration": self.iteration, **asdict(member)})
        for retired in league.retire():
            bank.remove(retired)

    def _write_member(self, name: str) -> None:
        folder = self._session.paths.member(name)
        self._session.bank.save(name, folder)
        sync_tree(folder)  # the checkpoint that counts on it must not outlive it
        sync(folder.parent)

    def _validate(self) -> None:
        every = self._config.run.validate_every
        if every and self.iteration % every == 0:
            for event in validation(self._room.stage.session, self.learners):
                self._log.append({**event, "iteration": self.iteration})

    def _save(self) -> None:
        self._log.sync()
        state = {
            "iteration": self.iteration,
            "log_offset": self._log.offset,
            "league": self._room.league.to_json(),
            **({"stages": [closed.to_json() for closed in self._closed]} if self._config.stage else {}),
        }
        checkpoint.save(self._session.paths.checkpoint, state, self._session.bank, self._learner.optimisers)
        self._saved = self.iteration
