"""Games whose payoffs are turned round: every return has the opposite sign, all else is as it was.

An agent reads the game as it knows it, with a line more in the rules, and results as they now are. Exact values come
from OpenSpiel's own `misere` of the game, which is the same tree. Left out: games that OpenSpiel doesn't know (those of
repeated matrix games are negated in `changes`), and those whose chance OpenSpiel draws by a seed of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pettingzoo.utils.wrappers.base import BaseWrapper

from games.aec import AECGame
from games.fits import load_solver
from games.text import TextAdapter

LINES = {  # by rendering, after the rules
    "compact": "misere: every payoff has the opposite sign\n",
    "full": "But this is a misere game: whatever the rules above pay a seat, it gets the opposite of it, so that what "
    "would win loses. The results that you read are what you truly get.\n",
}
PREFIX = "openspiel:"


def misere(game: AECGame) -> AECGame:
    """The game with every return turned round. It is for games whose chance moves OpenSpiel lists."""
    assert game.solver is not None
    inner = game.solver if game.solver.endswith(")") else f"{game.solver}()"  # by which OpenSpiel tells it from a text
    solver = f"misere(game={inner})"
    least, greatest = game.utility_range
    ours = game.name.startswith(PREFIX)
    return replace(
        game,
        name=f"{PREFIX}{solver}" if ours else f"{game.name}/misere",
        utility_range=(0.0 - greatest, 0.0 - least),
        make_env=_openspiel_env(solver) if ours else partial(_turned, game.make_env),
        make_adapter=game.make_adapter if ours else partial(_looked_up, game.make_adapter, solver),
        make_rules=partial(_rules, game.make_rules, LINES[game.rendering]),
        solver=solver,
    )


def _rules(plain: Callable[[int, int], str], line: str, seat: int, episodes: int) -> str:
    return plain(seat, episodes) + line


def _openspiel_env(solver: str) -> Callable[[], Any]:
    from games.openspiel.env import OpenSpielEnv  # pyspiel takes a while to import

    return partial(OpenSpielEnv, solver)


class TurnedRewards(BaseWrapper[str, Any, Any]):
    """An environment that pays the opposite."""

    @property
    def rewards(self) -> dict[str, float]:
        """Of the last step, by agent."""
        return {agent: 0.0 - reward for agent, reward in self.env.rewards.items()}


def _turned(make_env: Callable[[], Any]) -> TurnedRewards:
    return TurnedRewards(make_env())


class LookedUp:
    """Another adapter's words, with positions as states of another game of the same moves."""

    def __init__(self, adapter: TextAdapter, solver: str) -> None:
        """solver: the other game, as OpenSpiel loads it."""
        self._adapter = adapter
        self._state = load_solver(solver).new_initial_state()
        self._replayed = 0  # actions that the state has seen

    def opening(self, env: Any) -> Sequence[str]:
        """As the other adapter has it."""
        return self._adapter.opening(env)

    def legal_moves(self, env: Any, seat: int) -> tuple[str, ...]:
        """As the other adapter has it."""
        return self._adapter.legal_moves(env, seat)

    def action(self, env: Any, seat: int, move: str) -> Any:
        """As the other adapter has it."""
        return self._adapter.action(env, seat, move)

    def news(self, env: Any, seat: int, move: str) -> Sequence[str]:
        """As the other adapter has it, of rewards that are turned round."""
        return self._adapter.news(env, seat, move)

    def history(self, env: Any) -> Sequence[tuple[int, ...]]:
        """As the other adapter has it."""
        return self._adapter.history(env)

    def state(self, env: Any) -> Any:
        """The position, live; to be cloned before it is changed."""
        for action in self._adapter.state(env).history()[self._replayed :]:
            self._state.apply_action(action)
            self._replayed += 1
        return self._state


def _looked_up(make_adapter: Callable[[], TextAdapter], solver: str) -> LookedUp:
    return LookedUp(make_adapter(), solver)
