"""Shimmy's OpenSpiel environment, with what keeps episodes whole set right.

Shimmy 2.0.1 loses a game's parameters at each reset, ends episodes early (it counts chance moves against a limit that
leaves them out: Kuhn poker ends after one move), pays a round's rewards again while the next round's moves come in,
stops where a seat of a simultaneous node has no move, and goes on where an episode is over before anyone has moved.
Left out: everything else, which is Shimmy's.
"""

from __future__ import annotations

from typing import Any

import pyspiel
from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

from games.errors import RequestError

# Games that draw their chance themselves, with the parameter that seeds it. Elsewhere chance is Shimmy's `np_random`.
SEED_PARAMETERS = {"bridge_uncontested_bidding": "rng_seed", "negotiation": "rng_seed", "tarok": "rng_seed"}
SEED_LIMIT = 2**31  # OpenSpiel's parameters are signed 32-bit numbers


class OpenSpielEnv(OpenSpielCompatibilityV0):
    """An AEC environment whose rewards sum to the OpenSpiel state's returns.

    game_state: the OpenSpiel state. chance: the chance outcomes so far as (action, OpenSpiel's words for it).
    """

    simultaneous_actions: dict[str, int | None]  # of those who have moved; None for a seat without a move

    def __init__(self, game_string: str) -> None:
        """game_string: as `pyspiel.load_game` takes it."""
        self._given = game_string
        self._loaded = game_string
        self.chance: list[tuple[int, str]] = []
        super().__init__(game_name=game_string)

    @property
    def game_name(self) -> str:
        """What each reset loads."""
        return self._loaded

    @game_name.setter
    def game_name(self, short_name: str) -> None:
        """Nothing: Shimmy sets the name without its parameters."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; the seed fixes every chance move. Raises RequestError where it is over already."""
        name = self.game_type.short_name
        if name in SEED_PARAMETERS and seed is not None:
            parameters = pyspiel.game_parameters_from_string(self._given)
            parameters[SEED_PARAMETERS[name]] = seed % SEED_LIMIT
            self._loaded = pyspiel.game_parameters_to_string(parameters)
        self.chance = []
        self._paid = [0.0] * len(self.possible_agents)
        super().reset(seed=seed, options=options)

    @property
    def waiting(self) -> bool:
        """Whether moves were made that the state hasn't got yet, since others are due at the same time."""
        return any(action is not None for action in self.simultaneous_actions.values())

    def _choose_next_agent(self) -> None:
        if self.agents and self.game_state.is_terminal() and not any(self.terminations.values()):
            raise RequestError(
                f"got OpenSpiel game {self._given!r}, whose episode is over before anyone moves, expected one with "
                "moves; change the parameters"
            )
        super()._choose_next_agent()

    def _update_observation_spaces(self) -> None:
        if not self.observation_spaces:  # they stay what they are; Shimmy makes them again at each step
            super()._update_observation_spaces()

    def _update_action_spaces(self) -> None:
        if not self.action_spaces:
            super()._update_action_spaces()

    def _execute_chance_node(self) -> None:
        state = self.game_state
        while state.is_chance_node():
            actions, probabilities = zip(*state.chance_outcomes(), strict=True)
            action = int(self.np_random.choice(actions, p=probabilities))
            self.chance.append((action, state.action_to_string(state.current_player(), action)))
            state.apply_action(action)

    def _execute_action_node(self, action: Any) -> None:
        state = self.game_state
        if not state.is_simultaneous_node():
            state.apply_action(int(action))
            return
        self.simultaneous_actions[self.agent_selection] = int(action)
        chosen = [self.simultaneous_actions.get(agent) for agent in self.agents]
        if all(choice is not None or not state.legal_actions(seat) for seat, choice in enumerate(chosen)):
            state.apply_actions([choice or 0 for choice in chosen])  # 0 is what OpenSpiel takes for "has no move"
            self.simultaneous_actions = {}

    def _update_rewards(self) -> None:
        returns = list(self.game_state.returns())
        self.rewards = {agent: returns[seat] - self._paid[seat] for seat, agent in enumerate(self.agents)}
        self._paid = returns

    def _update_termination_truncation(self) -> None:
        ended = self.game_state.is_terminal()
        self.terminations = dict.fromkeys(self.agents, ended)
        self.truncations = dict.fromkeys(self.agents, False)
