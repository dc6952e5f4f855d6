"""The stages of a run: what is played in each, between which updates, and what must be reached before the next.

A run without [[stage]] tables is one stage of kind rl. Everything that can be refused is refused here, before a run
writes anything; what is tested on is kept out of all stages, not only of its own (design, decision 11). Left out: how a
stage makes an update (`mage.lessons`), measuring (`mage.gates`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from games import exact
from games.bayes_player import BayesExpert
from games.errors import RequestError
from games.naming import inner_opponents, parse
from games.opponents import NamedOpponent, expand
from games.text import TextGame
from mage.config import Config, Gate, Stage, stage_config
from mage.experts import Expert, experts_of
from mage.lengths import longest_context
from mage.paths import RunPaths
from mage.session import Session, Setting, describe
from mage.settings import conditions_of
from mage.settle import settled
from populations.members import Member, Population

RL = "rl"
Opponents = tuple[NamedOpponent, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where examples come from: a stage's game against its training opponents."""

    stage: int  # its place in the chain
    experts: Mapping[str, tuple[Expert, ...]] = field(default_factory=dict)  # by opponent; none: the learner

    def taught_by(self) -> list[Expert]:
        """Return all experts, each once."""
        return list(dict.fromkeys(one for experts in self.experts.values() for one in experts))

    def imitated(self) -> list[NamedOpponent]:
        """Return the opponents among the experts."""
        return [one for one in self.taught_by() if isinstance(one, NamedOpponent)]


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One stage, before anything is opened."""

    name: str  # "" in a run without stages
    kind: str  # a key of `mage.lessons.KINDS`
    start: int  # updates done before it
    stop: int  # and after it
    config: Config  # the run's with what the stage sets
    setting: Setting
    declared: Stage | None = None  # None in a run without stages
    sources: tuple[Source, ...] = ()  # its own first, then those that retention draws from

    @property
    def iterations(self) -> int:
        """Return how many updates it has."""
        return self.stop - self.start

    @property
    def gate(self) -> Gate | None:
        """Return what must be reached."""
        return self.declared.gate if self.declared else None

    def logged(self) -> dict[str, str | int]:
        """Return the fields of the `stage` event."""
        told: dict[str, str | int] = {"stage": self.name, "kind": self.kind, "stop": self.stop}
        return told | {"game": self.config.game.name, "seats": self.setting.game.seats}


@dataclass(frozen=True, slots=True)
class OpenStage:
    """A stage whose game can be played by the run's agents."""

    plan: StagePlan
    session: Session


def plan_stages(config: Config, setting: Setting, paths: RunPaths | None = None) -> tuple[StagePlan, ...]:
    """Return the stages of a run.

    config: settled; setting: what `describe` says of it. Raises RequestError for games, opponents and experts that
    don't go together, gates that can't be measured, and for a stage that trains on what another one tests on.
    """
    if not config.stage:
        return (StagePlan("", RL, 0, config.run.iterations, config, setting),)
    plans: list[StagePlan] = []
    for declared in config.stage:
        of_stage = settled(stage_config(config, declared))
        own = setting if _alike(of_stage, config) else _described(of_stage, setting, paths)
        start = plans[-1].stop if plans else 0
        plan = StagePlan(declared.name, declared.kind, start, start + declared.iterations, of_stage, own, declared)
        _check(plan)
        plans.append(replace(plan, sources=tuple(sources_of(plan, plans))))
    _keep_apart(plans, config, setting)
    return tuple(plans)


def open_stages(session: Session, plans: Sequence[StagePlan]) -> tuple[OpenStage, ...]:
    """Return the stages with a session each, which share the base and the agents.

    Raises RequestError where the base can't read a stage's game, or a whole trial of it.
    """
    if not session.config.stage:
        return tuple(OpenStage(replace(plan, config=session.config), session) for plan in plans)
    return tuple(_opened(session, plan) for plan in plans)


def carried(population: Population, opponents: Sequence[NamedOpponent]) -> Population:
    """Return a population as a stage takes it over: its learners and snapshots, and the opponents of that stage."""
    scripted = [Member(one.name, "scripted") for one in opponents]
    snapshots = [member for member in population if member.kind == "snapshot"]
    taken = Population([*population.learners, *scripted, *snapshots])
    for member in snapshots:
        if population.is_retired(member.name):
            taken.retire(member.name)
    return taken


def _opened(session: Session, plan: StagePlan) -> OpenStage:
    learning = plan.config.learning
    tokens = learning.microbatch_tokens or session.config.learning.microbatch_tokens
    learning = learning.model_copy(update={"microbatch_tokens": tokens})
    config = plan.config.model_copy(update={"learning": learning})
    own = replace(session, config=config, setting=plan.setting).playing(plan.setting.game)
    return OpenStage(replace(plan, config=config), own)


def _alike(of_stage: Config, config: Config) -> bool:
    """Whether a stage plays what the run's own settings say."""
    apart = {"run", "league", "learning", "stage"}
    return of_stage.model_dump(exclude=apart) == config.model_dump(exclude=apart)


def _described(of_stage: Config, setting: Setting, paths: RunPaths | None) -> Setting:
    """Return what is played in a stage, by the reader and with the corpus of the run's one base.

    Held-out opponents are met in the run's own game alone; the corpus may be of another game (`_keep_apart`).
    """
    pretrain = of_stage.model.pretrain.model_copy(update={"corpus": ()})
    model = of_stage.model.model_copy(update={"pretrain": pretrain})
    opponents = of_stage.opponents.model_copy(update={"held_out": ()})
    found = describe(of_stage.model_copy(update={"model": model, "opponents": opponents}), paths)
    needed = longest_context(conditions_of(of_stage, found.game, setting.reader.codec))
    if needed > setting.reader.max_tokens:
        raise RequestError(
            f"a stage of {found.game.name} may take {needed} tokens a trial as the run's base reads it, which reads "
            f"{setting.reader.max_tokens} at most; ask for fewer episodes or a shorter game"
        )
    return replace(found, reader=setting.reader, corpus=setting.corpus)


def _check(plan: StagePlan) -> None:
    """Refuse a stage that has nobody to play, and a gate that can't be measured."""
    opponents, gate, name = plan.setting.opponents, plan.gate, plan.name
    if plan.kind != RL and not opponents.training:
        raise RequestError(f'stage "{name}" has no opponents.training, expected some for kind = "{plan.kind}"')
    if gate is None:
        return
    if not opponents.validation:
        raise RequestError(
            f'stage "{name}" has a gate and no opponents.validation, on which alone it may be measured; declare some, '
            "or leave the gate out"
        )
    if gate.metric == "exploitation" and (reason := exact.refusal(plan.setting.game)) is not None:
        raise RequestError(f'the gate of stage "{name}" asks for exploitation: {reason}; choose another metric')
    if gate.metric == "gain" and plan.config.trial.episodes == 1:
        raise RequestError(f'the gate of stage "{name}" asks for a gain over episodes, but trial.episodes is 1')


def sources_of(plan: StagePlan, earlier: Sequence[StagePlan]) -> Iterator[Source]:
    """Yield where a stage's examples come from; earlier stages without experts of their own borrow this one's."""
    declared = plan.declared
    if declared is None or plan.kind == RL:
        return
    own = len(earlier)
    for number in (own, *range(own)) if declared.retention else (own,):
        other = plan if number == own else earlier[number]
        experts = other.declared.experts if other.declared and other.declared.experts else declared.experts
        try:
            yield Source(number, experts_of(other.setting, experts) if plan.kind != "rft" else {})
        except RequestError as error:
            if number == own:
                raise
            raise RequestError(
                f'stage "{plan.name}" retains stage "{other.name}" by its own experts: {error}'
            ) from None


def _keep_apart(plans: Sequence[StagePlan], config: Config, setting: Setting) -> None:
    """Refuse a stage that meets, or is taught by, what the run or any of its stages tests on; its base was, too."""
    met: list[tuple[str, Opponents, tuple[Expert, ...]]] = [("the base model", setting.corpus, ())]
    for plan in plans:
        taught = dict.fromkeys(one for source in plan.sources for one in source.taught_by())
        met.append((f'stage "{plan.name}"', plan.setting.opponents.training, tuple(taught)))
    tests = {id(own): (own, least) for own, least in _settings(plans, config, setting)}
    for own, least in tests.values():
        tested, apart = own.opponents.validation + own.opponents.held_out, own.opponents.training
        for who, training, taught_by in met:
            for one in _known(own.game, [one for one in training if one not in apart]):
                _refuse_near(who, own.game, one, tested, least)
            for one in _known(own.game, [expert for expert in taught_by if isinstance(expert, NamedOpponent)]):
                _refuse_near(who, own.game, one, tested, 0.0)
            for expert in taught_by:
                if isinstance(expert, BayesExpert):
                    _refuse_copy(who, own.game, expert, tested)


def _refuse_copy(who: str, game: TextGame, expert: BayesExpert, tested: Sequence[NamedOpponent]) -> None:
    """Refuse an expert that is no opponent and plays like one that is tested on, while it knows nothing yet."""
    try:
        expert.check(game)
    except RequestError:  # it can't play there
        return
    if (copied := expert.copied(game, tested)) is not None:
        raise RequestError(
            f'{who} is taught by "{expert.name}", which plays like {copied.name} that is tested on, before it '
            "has seen anything: choose another expert, or test on others"
        )


def _settings(plans: Sequence[StagePlan], config: Config, setting: Setting) -> Iterator[tuple[Setting, float]]:
    """Yield everything that is tested on somewhere, with the least distance to it."""
    yield setting, config.opponents.min_distance
    for plan in plans:
        yield plan.setting, plan.config.opponents.min_distance


def _known(game: TextGame, opponents: Iterable[NamedOpponent]) -> Iterator[NamedOpponent]:
    """Yield the opponents that make sense in a game, and those that they are made of."""
    for one in opponents:
        try:
            found = parse(game, one.name)
        except RequestError:  # of another game, in which it can't be met
            continue
        yield found
        yield from inner_opponents(game, found)


def _refuse_near(
    who: str, game: TextGame, one: NamedOpponent, tested: Sequence[NamedOpponent], distance: float
) -> None:
    try:
        expand(game, [one.name], away_from=tested, min_distance=distance)
    except RequestError as error:
        raise RequestError(f"{who} is trained on what is tested on: {error}") from None
