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
from games.text import TextGame
from games.trees.policy import uniform_policy
from games.trees.states import TablePolicy
from mage import evaluation_plan, keys
from mage.contexts import Memory
from mage.evaluation import code, play_trials
from mage.evaluation_plan import Arena, scripted_only
from mage.exact_report import ExactSample, by_episode, pooled, stratum
from mage.frozen_policies import StateReader
from mage.keys import EVALUATION, PlayKeys
from mage.session import Session
from mage.trials import Conditions, opening

SCHEMA = "mage.exact/1"
MOST_STATES = 5_000  # information states of a seat: all are asked for again for each memory


@dataclass(frozen=True, slots=True)
class _Study:
    """What is played and valued."""

    session: Session
    game: AECGame
    agents: tuple[str, ...]
    opponents: tuple[NamedOpponent, ...]
    trials: int
    seed: int
    conditions: Conditions
    readers: tuple[StateReader, ...]  # by seat


@dataclass(frozen=True, slots=True)
class _Met:
    """One agent in one seat against one opponent."""

    agent: str
    opponent: NamedOpponent
    seat: int
    policies: list[list[TablePolicy]]  # by trial and episode: what it would play everywhere when the episode began


def evaluate_exactly(
    run: str | Path,
    *,
    agent: str | Sequence[str] | None = None,
    opponents: str | Sequence[str] = "held_out",
    memory: str | None = None,
    trials: int | None = None,
    seed: int | None = None,
    nash_conv: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Play an evaluation and return the object of `mage evaluate --exact --json` (docs/evaluation.md).

    The arguments are those of `mage.evaluation.evaluate`; nash_conv: also value the NashConv of what an agent plays
    given the memories that it came to have, not that of the first episode alone. Raises RequestError for a game or an
    opponent without exact values, and for fewer than two trials in a seat.
    """
    asked = evaluation_plan.plan(run, agent=agent, opponents=opponents, memory=memory, trials=trials, seed=seed)
    known = scripted_only(asked.opponents, "leave it out, or evaluate without --exact")
    session, game = asked.session, require_enumerable(asked.session.setting.game, known, asked.trials)
    conditions = session.conditions(PlayKeys(asked.seed, EVALUATION, 0), asked.memory)
    _require_policies(conditions)
    readers = tuple(StateReader(game, conditions.codec, seat, conditions.prompt) for seat in range(game.seats))
    study = _Study(session, game, asked.agents, known, asked.trials, asked.seed, conditions, readers)
    met = _play(study, progress)
    samples = [_sample(study, one) for one in met]
    return {
        "schema": SCHEMA,
        "run": session.paths.root.resolve().name,
        "game": game.name,
        "memory": asked.memory,
        "trials": asked.trials,
        "seed": asked.seed,
        "opponents": [opponent.name for opponent in known],
        "agents": [
            {
                "agent": name,
                "nash_conv": _first_nash_conv(study, name),
                "nash_conv_by_episode": _nash_convs(study, [one for one in met if one.agent == name], name)
                if nash_conv
                else None,
            }
            for name in asked.agents
        ],
        "uniform_nash_conv": exact.nash_conv(game, [uniform_policy] * game.seats),
        "seats": [_seat(study, samples, seat) for seat in range(game.seats)],
    }


def _require_policies(conditions: Conditions) -> None:
    """Refuse agents whose move probabilities in a state can't be asked for, or who write their memory themselves."""
    if conditions.acting.move != "constrained" or conditions.prompt.legal_moves != "none":
        raise RequestError(
            f'got agent.move = "{conditions.acting.move}" and prompt.legal_moves = "{conditions.prompt.legal_moves}", '
            'expected "constrained" and "none": policies are asked for by state; evaluate without --exact'
        )
    if conditions.memory not in ("transcript", "none"):
        raise RequestError(
            f"got memory {conditions.memory!r}, expected transcript or none; choose one with --memory, or evaluate "
            "without --exact"
        )


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


def _play(study: _Study, progress: Callable[[int, int], None]) -> list[_Met]:
    """Play, and ask for what each memory leads to; progress counts trials, which take most of the time."""
    session = study.session
    memories: dict[tuple[str, str, int], list[list[Memory]]] = {}
    arena = Arena(session, study.opponents)
    played = play_trials(arena, study.agents, study.trials, study.conditions, progress)
    for trial in played:
        pairing = trial.record.pairing
        memories.setdefault((pairing.learner, pairing.opponent, pairing.seat), []).append(trial.memories(pairing.seat))
    named = {opponent.name: opponent for opponent in study.opponents}
    met = []
    for (agent, name, seat), of_trials in memories.items():
        distinct = list(dict.fromkeys(memory for of_trial in of_trials for memory in of_trial))
        tables = study.readers[seat].policies(session.model, session.bank, agent, distinct)
        policies = {memory: exact.from_table(study.game, table) for memory, table in zip(distinct, tables, strict=True)}
        met.append(_Met(agent, named[name], seat, [[policies[memory] for memory in one] for one in of_trials]))
    return met


def _sample(study: _Study, met: _Met) -> ExactSample:
    """Value every memory's policy once against its own opponent, and the last episode's against the others."""
    distinct = {id(policy): policy for of_trial in met.policies for policy in of_trial}
    values = {key: _value(study.game, met.opponent, met.seat, policy) for key, policy in distinct.items()}
    returns = np.array([[values[id(policy)] for policy in of_trial] for of_trial in met.policies])
    others = [opponent for opponent in study.opponents if opponent is not met.opponent]
    elsewhere = [[_value(study.game, other, met.seat, of_trial[-1]) for other in others] for of_trial in met.policies]
    mean = np.array(elsewhere).mean(axis=1) if others else None
    return ExactSample(met.agent, met.opponent.name, met.seat, returns, mean)


def _value(game: AECGame, opponent: NamedOpponent, seat: int, policy: Any) -> float:
    players: list[Any] = [opponent] * game.seats
    players[seat] = policy
    values = exact.expected_return(game, *players)
    assert values is not None  # `require_enumerable` has refused opponents without a policy
    return values[seat]


def _first_nash_conv(study: _Study, agent: str) -> float | None:
    """Return the NashConv of what the agent plays in all seats before it has seen anything."""
    policies = []
    for seat, reader in enumerate(study.readers):
        fresh = Memory(opening(study.conditions, seat), 1)
        (table,) = reader.policies(study.session.model, study.session.bank, agent, [fresh])
        policies.append(exact.from_table(study.game, table))
    return exact.nash_conv(study.game, policies)


def _nash_convs(study: _Study, met: Sequence[_Met], agent: str) -> list[dict[str, float]]:
    """Return the NashConv by episode of what an agent plays given its memories of one opponent, one for each seat.

    A trial in one seat is taken together with the trial of the same rank against the same opponent in each other seat.
    """
    values: list[NDArray[np.float64]] = []  # by opponent [T, E]
    for opponent in study.opponents:
        by_seat = [one.policies for one in sorted(met, key=lambda one: one.seat) if one.opponent is opponent]
        found = [
            [exact.nash_conv(study.game, policies) for policies in zip(*of_trials, strict=True)]
            for of_trials in zip(*by_seat, strict=False)
        ]
        values.append(np.array(found, dtype=np.float64))
    beyond_seats = len(study.readers)  # the draws of a seat's own figures have its number in this place
    return by_episode(values, keys.generator(study.seed, "bootstrap", beyond_seats, code(agent, "")))


def _seat(study: _Study, samples: Sequence[ExactSample], seat: int) -> dict[str, Any]:
    """Describe one seat: what could be had there, and what the agents got."""
    game, opponents = study.game, study.opponents
    strata = [
        stratum(sample, keys.generator(study.seed, "bootstrap", seat, code(sample.agent, sample.opponent)))
        for sample in samples
        if sample.seat == seat
    ]
    fixed = exact.best_fixed_value(game, opponents, seat)
    best = [exact.best_response_value(game, opponent, seat) for opponent in opponents]
    return {
        "seat": seat,
        "nash_value": exact.nash_value(game, seat),
        "security_value": exact.security_value(game, seat),
        "best_fixed_value": fixed,
        "best_response_value": float(np.mean([value for value in best if value is not None])),
        "greedy_bayes": _greedy_bayes(study, seat),
        "overall": pooled(strata, fixed),
        "agents": [
            {"agent": name, **pooled([one for one in strata if one.agent == name], fixed)} for name in study.agents
        ],
    }


def _greedy_bayes(study: _Study, seat: int) -> list[float] | None:
    """Return what a player gets, by episode, who knows the list of opponents and guesses from play whom it has met."""
    try:
        returns = exact.greedy_bayes_returns(study.game, study.opponents, seat, study.conditions.episodes)
    except RequestError:  # too many beliefs to follow: a column less, not an error
        return None
    return None if returns is None else returns.mean(axis=0).tolist()
