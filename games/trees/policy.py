"""Policies of games that OpenSpiel knows: move probabilities in a position, from what one seat may know of it.

A policy is asked with the OpenSpiel state and must read no more of it than the seat's own information state. Left out:
policies of repeated matrix games (`finite_state`), search, which has no probabilities to give (`search`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, TypeVar

from games.players import PlayedEpisode

Move = TypeVar("Move")
Probabilities = Callable[[Any, int], Sequence[float]]  # (OpenSpiel state, seat) -> of each of state.legal_actions(seat)


@dataclass(frozen=True, eq=False)
class TreePolicy:
    """Move probabilities with what they are equal by in games that are too large to compare them state by state.

    probabilities: called as the policy itself is. core: whose moves these are. kept: the share of them; the rest is
    random moves.
    """

    probabilities: Probabilities
    core: str
    kept: float = 1.0

    positional: ClassVar[bool] = True  # where nothing is hidden, the position alone decides

    def __call__(self, state: Any, seat: int) -> Sequence[float]:
        """The probability of each of `state.legal_actions(seat)`."""
        return self.probabilities(state, seat)


@dataclass(frozen=True, slots=True)
class PolicyPlayer:
    """Samples one seat's moves from a policy."""

    probabilities: Probabilities

    def act(self, episode: PlayedEpisode, seat: int, uniform: float) -> str:
        """The move of `seat` now: the inverse distribution function at `uniform`."""
        return chosen(episode.legal_moves(), self.probabilities(episode.state, seat), uniform)


def uniform_policy(state: Any, seat: int) -> list[float]:
    """Every legal move with the same probability."""
    count = len(state.legal_actions(seat))
    return [1.0 / count] * count


def knowledge(state: Any, seat: int) -> str:
    """What names the seat's information state: OpenSpiel's text, or the picture of the position if nothing is hidden.

    Tables are looked up by it. Where nothing is hidden and seats move in turn it forgets how the position came about.
    """
    import pyspiel  # takes a while, and a matrix game needs none of it

    kind = state.get_game().get_type()
    open_to_all = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    if open_to_all and kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL:
        return str(state)
    if kind.provides_information_state_string:
        return str(state.information_state_string(seat))
    return str(state.observation_string(seat))


def chosen(moves: Sequence[Move], probabilities: Sequence[float], uniform: float) -> Move:
    """The move at `uniform` in [0, 1) of the distribution; one of probability 0 is never returned."""
    total = sum(probabilities)
    picked = moves[max(range(len(moves)), key=probabilities.__getitem__)]
    for move, share, cumulative in zip(moves, probabilities, accumulate(probabilities), strict=True):
        if share > 0 and uniform * total < cumulative:
            return move
    return picked
