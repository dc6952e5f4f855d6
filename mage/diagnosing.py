"""Plays the untrained base against a config's validation opponents, to say which stage of training is due.

Every way to move plays the same groups, and so does uniformly random play; no run folder is written. Left out: what is
made of the trials (`mage.diagnosis`, `mage.diagnosis_report`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from games import exact
from games.errors import RequestError
from games.opponents import NamedOpponent, parse
from games.text import TextGame
from mage.adapters import BASE
from mage.config import load
from mage.diagnosis import Attempt, attempt
from mage.diagnosis_report import diagnosis_report
from mage.evaluation import SummedProgress
from mage.evaluation_plan import TRIAL_BITS
from mage.keys import PlayKeys
from mage.paths import RunPaths
from mage.reporting import Advance, Reporter, Silent
from mage.scheduler import play_waves
from mage.seats import SeatPlan, TrialPlan
from mage.session import Session, build, describe
from mage.settle import adopted, settled
from populations.matchmaking import Pairing

STREAM = "diagnose"  # of its draws
WAYS: Mapping[str, Mapping[str, object]] = {  # to move, that are always looked at: what a config of that way says
    "constrained": {"agent.move": "constrained", "agent.thinking_tokens": 0},
    "free": {"agent.move": "free"},
}
RANDOM = "random"  # the family of uniformly random play
MOST_TRIALS = (1 << TRIAL_BITS) - 1
# Nothing is trained: there is no budget to find out, and stages needn't go together with every way to move.
UNTRAINED: Mapping[str, object] = {"learning.microbatch_tokens": 1, "stage": ()}


@dataclass(frozen=True, slots=True)
class Group:
    """Trials that differ by the agent's sampling only."""

    number: int  # from 0; keys the deals and the opponent's draws
    opponent: NamedOpponent
    seat: int  # the agent's
    bar: float | None  # the return that passes, game units; see `bar`


def diagnose(
    config: str | Path,
    *,
    overrides: Mapping[str, object] | None = None,
    k: Sequence[int] = (4, 16),
    trials: int | None = None,
    reporter: Reporter | None = None,
) -> dict[str, Any]:
    """Measure the base of a config and return the object of `mage diagnose --json` (docs/diagnosis.md).

    k: of pass@k; the largest is the size of a group. trials: with each opponent, split over seats and rounded up to
    whole groups; as many as an evaluation plays unless given. reporter: told how far it is. Raises RequestError for a
    wrong config, one without validation opponents, a k below 1, and for fewer trials than a group in each seat takes.
    """
    reporter, given = reporter or Silent(), {**(overrides or {}), **UNTRAINED}
    own, attempts = load(config, given), _group_size(k)
    if not own.opponents.validation:
        raise RequestError(f"{config}: got no opponents.validation, expected some to play against; declare them")
    own = settled(own)
    ways = {**WAYS, own.agent.move: {}}
    configs = [adopted(load(config, {**given, **changes}), own) for changes in ways.values()]
    setting = describe(own)
    game, opponents = setting.game, setting.opponents.validation
    groups = _groups(game, opponents, attempts, trials, own.evaluation.trials)
    with TemporaryDirectory() as folder:
        with reporter.base() as made:
            session = build(own, setting, RunPaths(Path(folder)), made)
        sessions = [replace(session, config=one).playing(game) for one in configs]  # all refusals before any play
        with reporter.evaluation() as progress:
            told = SummedProgress(progress, (1 + len(sessions)) * len(groups) * attempts)
            random = measured(session, RANDOM, groups, attempts, told, parse(game, RANDOM))
            found: dict[str, list[Attempt]] = {
                one.config.agent.move: measured(one, BASE, groups, attempts, told) for one in sessions
            }
    about = {
        "config": str(config),
        "game": game.name,
        "model": own.model.name,
        "memory": own.trial.memory,
        "opponents": [opponent.name for opponent in opponents],
        "trials": len(groups) * attempts // len(opponents),
        "episodes": own.trial.episodes,
        "attempts": attempts,
        "bars": _bars(groups),
    }
    size = min(own.league.num_generations, attempts)
    return diagnosis_report(found, random, k=k, group_size=size, seed=own.run.seed, about=about)


def measured(
    session: Session,
    agent: str,
    groups: Sequence[Group],
    attempts: int,
    progress: Advance = lambda done, total: None,
    player: NamedOpponent | None = None,
) -> list[Attempt]:
    """Play `attempts` trials of an agent in every group, in order, and return what counts of them.

    agent: a member that is in the bank, or the base; player: a scripted player in its place. progress: told the trials
    done, of all here, as they are played.
    """
    play_keys = PlayKeys(session.config.run.seed, STREAM, 0)
    seats = session.setting.game.seats
    plans = [plan for group in groups for plan in _plans(group, agent, player, attempts, play_keys, seats)]
    conditions, rows = session.conditions(play_keys), session.config.learning.batch_rows
    found: list[Attempt] = []
    for wave in play_waves(plans, conditions, session.sampler, lane_rows=rows):
        found += [attempt(trial.record, groups[trial.record.pairing.group].bar) for trial in wave]
        session.sampler.work.take()  # only training's rollouts are profiled
        progress(len(found), len(plans))
    return found


def bar(game: TextGame, opponent: NamedOpponent, seat: int) -> float | None:
    """Return the return of an episode that passes: halfway from the security value to the best response's.

    None where either is unknown: there an episode must be won. Where there is nothing to gain from an opponent, as from
    a perfect player, both values are the same, and what can be secured passes; else it is an exploitation of one half.
    """
    if exact.refusal(game) is not None:
        return None
    secured, best = exact.security_value(game, seat), exact.best_response_value(game, opponent, seat)
    return None if secured is None or best is None else (secured + best) / 2.0


def _group_size(k: Sequence[int]) -> int:
    """Return how many trials a group needs for every k; two at least, since one doesn't vary."""
    if not k or min(k) < 1 or max(k) > MOST_TRIALS:
        raise RequestError(f"--k: got {list(k)}, expected whole numbers from 1 to {MOST_TRIALS}, such as 4,16")
    return max(2, *k)


def _groups(
    game: TextGame, opponents: Sequence[NamedOpponent], size: int, trials: int | None, usual: int
) -> tuple[Group, ...]:
    """Return as many groups of every opponent in every seat as make up the trials with an opponent, rounded up."""
    least = game.seats * size
    if trials is not None and not least <= trials <= MOST_TRIALS:
        raise RequestError(
            f"--trials: got {trials}, expected {least} to {MOST_TRIALS}, a group of {size} or more in each of "
            f"{game.seats} seats; ask for more trials or for a smaller --k"
        )
    repeats = -(-(trials or usual) // least)
    seats = [(one, seat, bar(game, one, seat)) for one in opponents for seat in range(game.seats)]
    return tuple(Group(number, *place) for number, place in enumerate(seats * repeats))


def _plans(
    group: Group, agent: str, player: NamedOpponent | None, attempts: int, play_keys: PlayKeys, seats: int
) -> Iterator[TrialPlan]:
    first = group.number * attempts
    other = SeatPlan(group.opponent.name, group.opponent, play_keys.shared(group.number))
    for number in range(first, first + attempts):
        pairing = Pairing(agent, group.opponent.name, group.seat, group.number, number, "scripted")
        yield TrialPlan.of(pairing, SeatPlan(agent, player, number), other, seats)


def _bars(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return the bar of every opponent in every seat, each once."""
    places = {(group.opponent.name, group.seat): group.bar for group in groups}
    return [{"opponent": name, "seat": seat, "bar": value} for (name, seat), value in places.items()]
