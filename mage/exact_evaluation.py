"""How well a run's agents adapt, without the luck of the cards: exact returns given what each agent remembers.

Trials are played as in any evaluation. At the start of every episode the agent's memory is frozen, its policy is asked
for in all information states, and its expected return against the trial's opponent is computed by enumeration; so what
varies between trials is what the agent came to know, and nothing else. Left out: games that can't be enumerated,
opponents without a policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games import exact
from games.aec import AECGame
from games.errors import RequestError
from games.opponents import NamedOpponent
from games.trees.policy import uniform_policy
from mage import evaluation_plan, keys
from mage.evaluation import play_trials
from mage.evaluation_plan import EvaluationPlan
from mage.frozen_policies import Memory, StateReader, Table
from mage.keys import PlayKeys
from mage.statistics import percentile_interval, resampled_sums
from mage.trials import Conditions

SCHEMA = "mage.exact/1"


@dataclass(frozen=True, slots=True, eq=False)
class ExactSample:
    """One agent in one seat against one opponent."""

    agent: str
    opponent: str
    seat: int
    returns: NDArray[np.float64]  # [trials, episodes], each expected, given the memory at the start of the episode


def evaluate_exactly(
    run: str | Path,
    *,
    agent: str | None = None,
    opponents: str | Sequence[str] = "held_out",
    memory: str | None = None,
    trials: int | None = None,
    seed: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Play an evaluation and return the object of `mage evaluate --exact --json` (docs/evaluation.md).

    The arguments are those of `mage.evaluation.evaluate`. Raises RequestError for a game or an opponent without exact
    values, and for fewer than two trials in a seat.
    """
    asked = evaluation_plan.plan(run, agent=agent, opponents=opponents, memory=memory, trials=trials, seed=seed)
    game = _enumerable(asked)
    readers = [StateReader(game, asked.session.model.codec, seat) for seat in range(game.seats)]
    conditions = asked.session.conditions(PlayKeys(asked.seed, "evaluate", 0), asked.memory)
    samples = _measure(asked, game, readers, conditions, progress)
    return {
        "schema": SCHEMA,
        "run": asked.session.paths.root.resolve().name,
        "game": game.name,
        "memory": asked.memory,
        "opponents": [opponent.name for opponent in asked.opponents],
        "agents": [
            {"agent": name, "nash_conv": _first_nash_conv(asked, game, readers, conditions, name)}
            for name in asked.agents
        ],
        "uniform_nash_conv": exact.nash_conv(game, [uniform_policy] * game.seats),
        "seats": [_seat(game, asked, samples, seat) for seat in range(game.seats)],
    }


def _enumerable(asked: EvaluationPlan) -> AECGame:
    """Return the game. Raises RequestError where something in the plan has no exact values."""
    game = asked.session.setting.game
    if not isinstance(game, AECGame) or game.solver is None:
        raise RequestError(
            f"got {game.name}, whose information states can't be listed, expected a game such as kuhn_poker; "
            "evaluate without --exact"
        )
    reason = exact.refusal(game)
    if reason is not None:
        raise RequestError(reason)
    for opponent in asked.opponents:
        if exact.best_response_value(game, opponent, 0) is None:
            raise RequestError(
                f"got opponent {opponent.name}, which has no move probabilities to compute with, expected one that "
                "has; leave it out, or evaluate without --exact"
            )
    if asked.trials < 2 * game.seats:
        raise RequestError(
            f"got trials = {asked.trials}, expected at least {2 * game.seats}, two in each of the {game.seats} seats"
        )
    return game


def _measure(
    asked: EvaluationPlan,
    game: AECGame,
    readers: Sequence[StateReader],
    conditions: Conditions,
    progress: Callable[[int, int], None],
) -> list[ExactSample]:
    """Play, and value what each memory leads to; progress counts trials, which take most of the time."""
    met: dict[tuple[str, str, int], list[list[Memory]]] = {}
    for trial in play_trials(asked.session, asked.agents, asked.opponents, asked.trials, conditions, progress):
        pairing = trial.record.pairing
        met.setdefault((pairing.learner, pairing.opponent, pairing.seat), []).append(trial.memories(pairing.seat))
    rivals = {opponent.name: opponent for opponent in asked.opponents}
    samples = []
    for (agent, opponent, seat), memories in met.items():
        flat = [memory for of_trial in memories for memory in of_trial]
        tables = readers[seat].policies(asked.session.model, asked.session.bank, agent, flat)
        values = np.array([_value(game, rivals[opponent], seat, table) for table in tables])
        samples.append(ExactSample(agent, opponent, seat, values.reshape(len(memories), -1)))
    return samples


def _value(game: AECGame, opponent: NamedOpponent, seat: int, table: Table) -> float:
    players: list[Any] = [opponent] * game.seats
    players[seat] = exact.from_table(game, table)
    values = exact.expected_return(game, *players)
    assert values is not None  # `_enumerable` has refused opponents without a policy
    return values[seat]


def _first_nash_conv(
    asked: EvaluationPlan, game: AECGame, readers: Sequence[StateReader], conditions: Conditions, agent: str
) -> float | None:
    """Return the NashConv of what the agent plays in all seats before it has seen anything."""
    codec = asked.session.model.codec
    policies = []
    for seat, reader in enumerate(readers):
        opening = codec.start + codec.encode(game.rules(seat, conditions.episodes))
        (table,) = reader.policies(asked.session.model, asked.session.bank, agent, [(opening, 1)])
        policies.append(exact.from_table(game, table))
    return exact.nash_conv(game, policies)


def _seat(game: AECGame, asked: EvaluationPlan, samples: Sequence[ExactSample], seat: int) -> dict[str, Any]:
    """Describe one seat: what could be had there, and what the agents got."""
    own = [sample for sample in samples if sample.seat == seat]
    fixed = exact.best_fixed_value(game, asked.opponents, seat)
    best = [exact.best_response_value(game, opponent, seat) for opponent in asked.opponents]
    rng = keys.generator(asked.session.config.evaluation.seed, "bootstrap", seat)
    return {
        "seat": seat,
        "nash_value": exact.nash_value(game, seat),
        "security_value": exact.security_value(game, seat),
        "best_fixed_value": fixed,
        "best_response_value": float(np.mean([value for value in best if value is not None])),
        "greedy_bayes": _greedy_bayes(game, asked, seat),
        "overall": curve([sample.returns for sample in own], fixed, rng),
        "agents": [
            {"agent": name, **curve([sample.returns for sample in own if sample.agent == name], fixed, rng)}
            for name in asked.agents
        ],
    }


def _greedy_bayes(game: AECGame, asked: EvaluationPlan, seat: int) -> list[float] | None:
    """Return what a player gets, by episode, who knows the list of opponents and guesses from play whom it has met."""
    try:
        returns = exact.greedy_bayes_returns(game, asked.opponents, seat, asked.session.config.trial.episodes)
    except RequestError:  # too many beliefs to follow: a column less, not an error
        return None
    return None if returns is None else returns.mean(axis=0).tolist()


def curve(
    strata: Sequence[NDArray[np.float64]], fixed: float | None, rng: np.random.Generator
) -> dict[str, list[dict[str, float]] | dict[str, float] | None]:
    """Return the mean return of each episode, the last one's gain over the first, and its excess over `fixed`.

    strata: [trials, episodes] each; trials are drawn again within each. All with 95% intervals, in game units.
    """
    count = sum(len(stratum) for stratum in strata)
    means = np.sum([stratum.sum(axis=0) for stratum in strata], axis=0) / count
    draws = np.sum([resampled_sums(stratum, rng) for stratum in strata], axis=0) / count
    episodes = [
        {"episode": number + 1, "n": count, **_interval("mean_return", means[number], draws[:, number])}
        for number in range(len(means))
    ]
    return {
        "episodes": episodes,
        "gain": _interval("mean", means[-1] - means[0], draws[:, -1] - draws[:, 0]),
        "excess": None if fixed is None else _interval("mean", means[-1] - fixed, draws[:, -1] - fixed),
    }


def _interval(name: str, value: float, draws: NDArray[np.float64]) -> dict[str, float]:
    got = percentile_interval(value, draws)
    return {name: got.value, "ci_low": got.low, "ci_high": got.high}
