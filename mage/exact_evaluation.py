"""How well a run's agents adapt, without the luck of the cards: exact returns given what each agent remembers.

Trials are played as in any evaluation. At the start of every episode the agent's memory is frozen, its policy is asked
for in all information states, and its expected return against the trial's opponent is computed by enumeration; so what
varies between trials is what the agent came to know, and nothing else. Left out: games that can't be enumerated,
opponents without a policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from games import exact
from games.aec import AECGame
from games.errors import RequestError
from games.opponents import NamedOpponent
from games.text import TextGame
from games.trees.policy import uniform_policy
from mage import evaluation_plan, keys
from mage.contexts import Memory
from mage.evaluation import code, play_trials
from mage.evaluation_plan import EvaluationPlan
from mage.exact_report import ExactSample, pooled, stratum
from mage.frozen_policies import StateReader
from mage.keys import PlayKeys
from mage.trials import Conditions, opening

SCHEMA = "mage.exact/1"
MOST_STATES = 5_000  # information states of a seat: all are asked for again for each memory


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
    game = require_enumerable(asked.session.setting.game, asked.opponents, asked.trials)
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


def require_enumerable(game: TextGame, opponents: Sequence[NamedOpponent], trials: int) -> AECGame:
    """Return the game. Raises RequestError where something in the plan has no exact values, or would take for ever."""
    if not isinstance(game, AECGame) or game.solver is None:
        raise RequestError(
            f"got {game.name}, whose information states can't be listed, expected a game such as kuhn_poker; "
            "evaluate without --exact"
        )
    reason = exact.refusal(game)
    if reason is not None:
        raise RequestError(reason)
    if max(exact.state_count(game, seat, MOST_STATES) for seat in range(game.seats)) > MOST_STATES:
        raise RequestError(
            f"got {game.name}, expected a game of at most {MOST_STATES:,} information states a seat, since all of them "
            "are asked for again for each memory; evaluate without --exact"
        )
    for opponent in opponents:
        if exact.best_response_value(game, opponent, 0) is None:
            raise RequestError(
                f"got opponent {opponent.name}, which has no move probabilities to compute with, expected one that "
                "has; leave it out, or evaluate without --exact"
            )
    if trials < 2 * game.seats:
        raise RequestError(
            f"got trials = {trials}, expected at least {2 * game.seats}, two in each of the {game.seats} seats"
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
    samples = []
    for (agent, name, seat), memories in met.items():
        flat = [memory for of_trial in memories for memory in of_trial]
        tables = readers[seat].policies(asked.session.model, asked.session.bank, agent, flat)
        policies = {
            memory: exact.from_table(game, table) for memory, table in dict(zip(flat, tables, strict=True)).items()
        }
        (own,) = (opponent for opponent in asked.opponents if opponent.name == name)
        values = {memory: _value(game, own, seat, policy) for memory, policy in policies.items()}
        returns = np.array([[values[memory] for memory in of_trial] for of_trial in memories])
        others = [opponent for opponent in asked.opponents if opponent is not own]
        last = (policies[of_trial[-1]] for of_trial in memories)
        elsewhere = [[_value(game, other, seat, policy) for other in others] for policy in last]
        samples.append(ExactSample(agent, name, seat, returns, np.array(elsewhere).mean(axis=1) if others else None))
    return samples


def _value(game: AECGame, opponent: NamedOpponent, seat: int, policy: Any) -> float:
    players: list[Any] = [opponent] * game.seats
    players[seat] = policy
    values = exact.expected_return(game, *players)
    assert values is not None  # `require_enumerable` has refused opponents without a policy
    return values[seat]


def _first_nash_conv(
    asked: EvaluationPlan, game: AECGame, readers: Sequence[StateReader], conditions: Conditions, agent: str
) -> float | None:
    """Return the NashConv of what the agent plays in all seats before it has seen anything."""
    policies = []
    for seat, reader in enumerate(readers):
        fresh = Memory(opening(game, conditions.codec, seat, conditions.episodes), 1)
        (table,) = reader.policies(asked.session.model, asked.session.bank, agent, [fresh])
        policies.append(exact.from_table(game, table))
    return exact.nash_conv(game, policies)


def _seat(game: AECGame, asked: EvaluationPlan, samples: Sequence[ExactSample], seat: int) -> dict[str, Any]:
    """Describe one seat: what could be had there, and what the agents got."""
    strata = [
        stratum(sample, keys.generator(asked.seed, "bootstrap", seat, code(sample.agent, sample.opponent)))
        for sample in samples
        if sample.seat == seat
    ]
    fixed = exact.best_fixed_value(game, asked.opponents, seat)
    best = [exact.best_response_value(game, opponent, seat) for opponent in asked.opponents]
    return {
        "seat": seat,
        "nash_value": exact.nash_value(game, seat),
        "security_value": exact.security_value(game, seat),
        "best_fixed_value": fixed,
        "best_response_value": float(np.mean([value for value in best if value is not None])),
        "greedy_bayes": _greedy_bayes(game, asked, seat),
        "overall": pooled(strata, fixed),
        "agents": [
            {"agent": name, **pooled([one for one in strata if one.agent == name], fixed)} for name in asked.agents
        ],
    }


def _greedy_bayes(game: AECGame, asked: EvaluationPlan, seat: int) -> list[float] | None:
    """Return what a player gets, by episode, who knows the list of opponents and guesses from play whom it has met."""
    try:
        returns = exact.greedy_bayes_returns(game, asked.opponents, seat, asked.session.config.trial.episodes)
    except RequestError:  # too many beliefs to follow: a column less, not an error
        return None
    return None if returns is None else returns.mean(axis=0).tolist()
