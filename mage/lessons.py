"""What an update learns from, by kind of stage: who plays whom, and which rows are made of it.

`rl` plays the league and learns by credit; the others learn from examples: `pretrain` from all tokens of transcripts,
`sft` from the experts' own tokens, `rft` from the learners' own good trials. Left out: the update itself
(`mage.learner`), which rows they are made into (`mage.rows`, `mage.supervision`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mage import keys
from mage.config import Config, Stage
from mage.contexts import Context
from mage.keys import PlayKeys
from mage.learner import UpdateSettings
from mage.matches import plan_trials
from mage.rows import RewardSummary, Row, build_rows
from mage.scheduler import play_all
from mage.seats import SeatPlan, TrialPlan
from mage.settings import credit_settings, supervised_settings, update_settings
from mage.stages import OpenStage, Source
from mage.supervision import every_token, examples, kept, own_tokens
from mage.timings import Stopwatch
from mage.trials import PlayedTrial
from mage.update_stats import UpdateStats
from populations.league import League
from populations.matchmaking import Pairing

STREAM = "examples"  # of the draws of trials that are learned from as examples

Played = list[list[PlayedTrial]]  # by where they come from, the stage's own first
Rewards = dict[str, RewardSummary]  # by learner; of those that played for rewards


@dataclass(frozen=True, slots=True)
class Lesson:
    """What an update learns from."""

    rows: list[Row]
    rewards: Rewards = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)  # by learner: trials of its own that were good enough

    def logged(self, learner: str) -> dict[str, float]:
        """Return what a learner earned and how many trials it kept, where there is such a thing."""
        earned = self.rewards[learner].logged() if learner in self.rewards else {}
        return {**earned, "kept": self.kept[learner]} if learner in self.kept else earned


@dataclass(frozen=True, slots=True)
class Room:
    """What a stage has at hand."""

    stages: tuple[OpenStage, ...]
    place: int  # of the stage among them
    league: League
    learners: tuple[str, ...]
    stopwatch: Stopwatch

    @property
    def stage(self) -> OpenStage:
        """Return the stage."""
        return self.stages[self.place]

    @property
    def declared(self) -> Stage:
        """Return how the stage was declared."""
        declared = self.stage.plan.declared
        assert declared is not None  # stages that aren't declared are of kind rl
        return declared


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of stage makes its updates."""

    play: Callable[[Room, int], Played]  # int: the iteration
    rows: Callable[[Room, Played], Lesson]
    settings: Callable[[Config], UpdateSettings]
    counts: bool  # whether what was played counts in the league, and so in standings
    figures: Callable[[UpdateStats], dict[str, float]]  # of an update, for its event


def play_league(room: Room, iteration: int) -> Played:
    """Play the pairings of the league."""
    session, league = room.stage.session, room.league
    seed = session.config.run.seed
    rng = keys.generator(seed, "pairings", iteration)
    play_keys = PlayKeys(seed, "train", iteration)
    with room.stopwatch.part("league"):
        pairings = league.pair(iteration, rng)
    scripted = {opponent.name: opponent for opponent in session.setting.opponents.training}
    plans = plan_trials(pairings, scripted, play_keys, league.settings.seats)
    return [_play(room.stage, plans, play_keys, room.stopwatch)]


def play_examples(room: Room, iteration: int) -> Played:
    """Play trials for the learners to learn from: experts in their seats, or the learners themselves.

    Each meets one of the training opponents, drawn anew; the share of retention is spread over the earlier stages.
    """
    seed, sources = room.stage.session.config.run.seed, room.stage.plan.sources
    rng = keys.generator(seed, "example-pairings", iteration)
    counts = shares(room.declared.trials, room.declared.retention, len(sources), iteration)
    played: Played = []
    first = 0
    for source, count in zip(sources, counts, strict=True):
        stage = room.stages[source.stage]
        plans = _example_plans(stage, source, room.learners, count, first, rng)
        first += len(plans)
        played.append(_play(stage, plans, PlayKeys(seed, STREAM, iteration), room.stopwatch))
    return played


def shares(trials: int, retention: float, sources: int, iteration: int) -> list[int]:
    """Split trials over where they are played: [sources], the stage's own first, summing to `trials`.

    retention: the share of the others, in [0, 1), rounded; they take turns, another one first with each iteration.
    """
    others = sources - 1
    counts = [0] * sources
    for number in range(round(retention * trials) if others else 0):
        counts[1 + (iteration + number) % others] += 1
    counts[0] = trials - sum(counts)
    return counts


def credited(room: Room, played: Played) -> Lesson:
    """Return the rows of what the learners chose, by what came of it."""
    return Lesson(*build_rows(played[0], room.learners, credit_settings(room.stage.session.config)))


def of_every_token(room: Room, played: Played) -> Lesson:
    """Return the rows of whole transcripts."""
    return Lesson(_examples(played, every_token))


def of_own_tokens(room: Room, played: Played) -> Lesson:
    """Return the rows of what the experts wrote."""
    return Lesson(_examples(played, own_tokens))


def of_good_trials(room: Room, played: Played) -> Lesson:
    """Return the rows of what the learners wrote in the trials that are kept."""
    declared = room.declared
    good = [kept(trials, declared.keep, declared.keep_share) for trials in played]
    counts = dict.fromkeys(room.learners, 0)
    for trial in (trial for trials in good for trial in trials):
        counts[trial.record.pairing.learner] += 1
    return Lesson(_examples(good, own_tokens), credited(room, played).rewards, counts)


def by_examples(stats: UpdateStats) -> dict[str, float]:
    """Return the figures of an update by examples.

    loss: the mean -log p of the first minibatch's trained tokens before the first step, nats: their log-probability
    when sampled counts as 0.
    """
    return {"loss": stats.logp_difference_mean, "entropy": stats.entropy, "grad_norm": stats.grad_norm}


KINDS: dict[str, Kind] = {
    "pretrain": Kind(play_examples, of_every_token, supervised_settings, False, by_examples),
    "sft": Kind(play_examples, of_own_tokens, supervised_settings, False, by_examples),
    "rft": Kind(play_examples, of_good_trials, supervised_settings, False, by_examples),
    "rl": Kind(play_league, credited, update_settings, True, UpdateStats.logged),
}


def _examples(played: Sequence[Sequence[PlayedTrial]], make: Callable[[str, Context], Row]) -> list[Row]:
    return [row for trials in played for row in examples(trials, make)]


def _play(stage: OpenStage, plans: Sequence[TrialPlan], play_keys: PlayKeys, stopwatch: Stopwatch) -> list[PlayedTrial]:
    session = stage.session
    conditions, rows = session.conditions(play_keys), session.config.learning.batch_rows
    return play_all(plans, conditions, session.sampler, lane_rows=rows, stopwatch=stopwatch)


def _example_plans(
    stage: OpenStage, source: Source, learners: Sequence[str], count: int, first: int, rng: np.random.Generator
) -> list[TrialPlan]:
    """Plan `count` trials for each learner, numbered from `first` on.

    Seats take turns, from a drawn one on where there are not as many trials of each: else an update of a single trial
    would show the same seat every time.
    """
    setting = stage.session.setting
    training, seats = setting.opponents.training, setting.game.seats
    turn = int(rng.integers(seats)) if count % seats else 0
    plans: list[TrialPlan] = []
    for learner in learners:
        for _ in range(count):
            number = first + len(plans)
            met = training[int(rng.integers(len(training)))]
            experts = source.experts.get(met.name, ())
            expert = experts[int(rng.integers(len(experts)))] if experts else None
            own = SeatPlan(expert.name if expert else learner, expert, number, transcribed=expert is not None)
            pairing = Pairing(learner, met.name, (number + turn) % seats, number, number, "scripted")
            plans.append(TrialPlan.of(pairing, own, SeatPlan(met.name, met, number), seats))
    return plans
