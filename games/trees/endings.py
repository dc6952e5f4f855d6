"""What a seat knows when an episode is over: the endings of a game, as far as that seat can tell them apart.

It knows its own moves, all that it has read in the game's own words (a hand that was shown at the end, say), and its
own return. A game without words, or one where nothing is hidden, is told by OpenSpiel's text of the information state.
Left out: what follows from it (`bayes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pyspiel

from games.aec import AECGame
from games.trees.sequence import Floats, Integers, SequenceForm
from games.trees.states import TreeGame, require_tree
from games.trees.transcript import steered_episode
from games.trees.walk import information_key, sequence_form


@dataclass(frozen=True, slots=True)
class Ending:
    """All that one seat knows of an episode that is over."""

    sequence: int  # the seat's own last one (`sequence`)
    told: str  # all that it has read
    paid: float  # its return, in game units


@dataclass(frozen=True, eq=False, slots=True)
class Endings:
    """The endings that a seat can tell apart, G of them.

    form: the game; its terminal histories are ordered as in `of`. seen: [G]. of: [Z], the ending of each history.
    """

    form: SequenceForm
    seen: tuple[Ending, ...]
    of: Integers

    @property
    def sequences(self) -> Integers:
        """The seat's own last sequence in each ending, [G]."""
        return np.array([ending.sequence for ending in self.seen], dtype=np.int64)

    @property
    def paid(self) -> Floats:
        """The seat's return in each ending, [G]."""
        return np.array([ending.paid for ending in self.seen])

    def likelihoods(self, plans: Mapping[int, Floats]) -> Floats:
        """How likely chance and the plans of all other seats (`Decisions.plan`) let each ending happen, [G].

        What the seat itself adds is the probability of its own sequence.
        """
        return np.bincount(self.of, self.form.reach(plans), minlength=len(self.seen)).astype(np.float64)


def endings(game: TreeGame, seat: int) -> Endings:
    """The endings of the game for the seat, made once. Raises RequestError for a game that can't be enumerated."""
    return _endings(require_tree(game), seat, game if isinstance(game, AECGame) else None)


@lru_cache(maxsize=8)
def _endings(solver: str, seat: int, words: AECGame | None) -> Endings:
    form = sequence_form(solver)
    open_to_all = form.game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
    key = information_key(form.game)
    numbers: dict[Ending, int] = {}
    of, chance, played, returns = [], [], [], []
    for state, weight, own in _ends(form):
        told = key(state, seat) if words is None or open_to_all else _told(words, state.history(), seat)
        ending = Ending(own[seat], told, state.returns()[seat])
        of.append(numbers.setdefault(ending, len(numbers)))
        chance.append(weight)
        played.append(own)
        returns.append(state.returns())
    ordered = replace(form, played=np.array(played), chance=np.array(chance), returns=np.array(returns))
    return Endings(ordered, tuple(numbers), np.array(of, dtype=np.int64))


def _ends(form: SequenceForm) -> Iterator[tuple[Any, float, tuple[int, ...]]]:
    """Every terminal state with the probability of its chance moves and the last sequence of every seat."""
    key = information_key(form.game)
    first = [dict(zip(own.keys, own.first[:-1].tolist(), strict=True)) for own in form.decisions]
    pending: list[tuple[Any, float, tuple[int, ...]]] = [(form.game.new_initial_state(), 1.0, (0,) * len(first))]
    while pending:
        state, weight, own = pending.pop()
        if state.is_terminal():
            yield state, weight, own
        elif state.is_chance_node():
            pending += [
                (state.child(action), weight * share, own) for action, share in state.chance_outcomes() if share
            ]
        else:
            for child, moved in _moves(state):
                after = list(own)
                for seat, place in moved.items():
                    after[seat] = first[seat][key(state, seat)] + place
                pending.append((child, weight, tuple(after)))


def _moves(state: Any) -> Iterator[tuple[Any, dict[int, int]]]:
    """The states after each move, or each joint move, with the place of the move of every seat that has one."""
    seats = range(state.num_players()) if state.is_simultaneous_node() else [state.current_player()]
    legal = {seat: state.legal_actions(seat) for seat in seats}
    for actions in product(*(options or [pyspiel.INVALID_ACTION] for options in legal.values())):
        child = state.clone()
        if state.is_simultaneous_node():
            child.apply_actions(list(actions))
        else:
            child.apply_action(actions[0])
        moved = zip(seats, actions, strict=True)
        yield child, {seat: legal[seat].index(action) for seat, action in moved if legal[seat]}


def _told(game: AECGame, history: Sequence[int], seat: int) -> str:
    """All that the seat reads in the episode with these moves, chance included."""
    episode = steered_episode(game, history)
    told = episode.news(seat)
    while episode.seat_to_move is not None:
        mover, state = episode.seat_to_move, episode.state
        done = len(state.history())
        action = history[done + mover if state.is_simultaneous_node() else done]
        episode.play(episode.legal_moves()[state.legal_actions(mover).index(action)])
        told += episode.news(seat)
    return told
