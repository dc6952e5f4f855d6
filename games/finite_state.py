"""Finite-state policies: how every scripted opponent of a repeated two-seat matrix game is written down.

A policy is a start state, the move probabilities of each state and the next state after each joint move. From
that alone come exact best responses and returns, a fingerprint that is equal only for equal behaviour, and a
distance. Left out: where policies come from (`families`), playing them (`players`), payoffs (`exact`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PROBABILITY_STEP = 1e-9  # probabilities closer than this count as equal


class RepeatedGame(Protocol):
    """What is needed of a two-seat matrix game that is played `rounds` times in an episode."""

    def __hash__(self) -> int:
        """By content, so that policies can be cached."""

    @property
    def name(self) -> str:
        """The name the game is loaded by."""

    @property
    def payoffs(self) -> Floats:
        """Payoff of each seat for each joint move, [2, M0, M1], in game units a round."""

    @property
    def rounds(self) -> int:
        """Rounds of one episode."""

    @property
    def moves(self) -> Sequence[Sequence[str]]:
        """Names of the moves of each seat."""


def sampling_rows(probabilities: Floats) -> list[list[float]]:
    """Cumulative probabilities by row, for `bisect_right(row, uniform)` with uniform in [0, 1). [S, M], rows sum to 1.

    Every row is exactly 1 from its last move of positive probability on, so that no rounding can select a move of
    probability 0.
    """
    cumulative = np.cumsum(probabilities, axis=1)
    last = probabilities.shape[1] - 1 - np.argmax(probabilities[:, ::-1] > 0, axis=1)
    rows: list[list[float]] = np.where(np.arange(cumulative.shape[1]) >= last[:, None], 1.0, cumulative).tolist()
    return rows


@dataclass(frozen=True, eq=False)
class FiniteStatePolicy:
    """A randomised finite automaton that plays one seat of a repeated two-seat game.

    start: the state before the first round, in [0, S).
    probabilities: [S, M_own], rows sum to 1.
    next_state: [S, M_own, M_other], the state after the joint move (own move, the other's move), in [0, S).
    Raises ValueError when the shapes, ranges or sums don't fit.
    """

    start: int
    probabilities: Floats
    next_state: Integers

    def __post_init__(self) -> None:
        """Copy the arrays, check them and make them read-only."""
        probabilities = np.array(self.probabilities, dtype=np.float64)
        next_state = np.array(self.next_state, dtype=np.int64)
        if probabilities.ndim != 2 or next_state.ndim != 3 or next_state.shape[:2] != probabilities.shape:
            raise ValueError(
                f"got probabilities {probabilities.shape} and next_state {next_state.shape}, expected "
                "[S, M_own] and [S, M_own, M_other]"
            )
        states = len(probabilities)
        if not 0 <= self.start < states or next_state.min() < 0 or next_state.max() >= states:
            raise ValueError(f"got a start or next state outside [0, {states})")
        if not (probabilities >= 0).all() or np.abs(probabilities.sum(axis=1) - 1.0).max() > 1e-9:
            raise ValueError("got move probabilities that are negative or don't sum to 1 in each state")
        for name, array in (("probabilities", probabilities), ("next_state", next_state)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @cached_property
    def minimal(self) -> "FiniteStatePolicy":
        """The smallest policy of the same behaviour, its states numbered breadth first from the start.

        States that the policy's own play cannot reach are dropped; the next state after an own move of
        probability 0 never matters and is written as 0. Moore's partition refinement.
        """
        played, states = self._reachable()
        rounded = np.rint(self.probabilities[states] / PROBABILITY_STEP).astype(np.int64)
        block = np.unique(rounded, axis=0, return_inverse=True)[1].reshape(-1)
        local = np.zeros(len(self.probabilities), dtype=np.int64)
        local[states] = np.arange(len(states))
        following = local[self.next_state[states]]
        mask = played[states][:, :, None]
        while True:
            successors = np.where(mask, block[following], -1).reshape(len(states), -1)
            refined = np.unique(np.column_stack([block, successors]), axis=0, return_inverse=True)[1].reshape(-1)
            if refined.max() == block.max():
                return _renumbered(block, int(local[self.start]), self.probabilities[states], following, mask)
            block = refined

    def fingerprint(self) -> bytes:
        """Canonical bytes of the behaviour: equal for two policies exactly when they behave the same.

        Same behaviour: after every joint history that the policy's own play can reach, over any number of
        rounds, the same move probabilities to within `PROBABILITY_STEP`.
        """
        policy = self.minimal
        rounded = np.rint(policy.probabilities / PROBABILITY_STEP).astype("<i8")
        shape = np.array(policy.next_state.shape, dtype="<i8")
        return shape.tobytes() + rounded.tobytes() + policy.next_state.astype("<i8").tobytes()

    @cached_property
    def sampling_rows(self) -> list[list[float]]:
        """`sampling_rows` of the move probabilities, by state."""
        return sampling_rows(self.probabilities)

    @cached_property
    def transitions(self) -> list[list[list[int]]]:
        """`next_state` as nested lists: fast to index one element at a time."""
        return self.next_state.tolist()

    def _reachable(self) -> tuple[NDArray[np.bool_], Integers]:
        """Which own moves each state ever plays, [S, M_own], and the states reached, in rising order."""
        played = np.rint(self.probabilities / PROBABILITY_STEP) > 0
        seen = np.zeros(len(played), dtype=np.bool_)
        frontier = np.array([self.start])
        while len(frontier):
            seen[frontier] = True
            reached = np.unique(self.next_state[frontier][played[frontier]])
            frontier = reached[~seen[reached]]
        return played, np.flatnonzero(seen)


def _renumbered(
    block: Integers, start: int, probabilities: Floats, following: Integers, mask: NDArray[np.bool_]
) -> FiniteStatePolicy:
    """One state for each block, numbered breadth first; transitions after moves never played are 0."""
    representative = np.unique(block, return_index=True)[1]
    successors = np.where(mask, block[following], -1)[representative]
    order = {int(block[start]): 0}
    queue = [int(block[start])]
    for current in queue:
        for target in successors[current].reshape(-1).tolist():
            if target >= 0 and target not in order:
                order[target] = len(order)
                queue.append(target)
    number = np.zeros(len(representative) + 1, dtype=np.int64)  # the extra entry serves -1: moves never played
    number[queue] = np.arange(len(queue))
    return FiniteStatePolicy(0, probabilities[representative[queue]], number[successors[queue]])


def distance(first: FiniteStatePolicy, second: FiniteStatePolicy, rounds: int) -> float:
    """How differently two policies of one seat move in an episode, in [0, 1].

    The mean over rounds of the total variation between the two move distributions, when both moves of every
    earlier round are uniformly random: 0 exactly when they answer every joint history alike, 1 when they
    never share a move. Exact, by dynamic programming over pairs of states.
    """
    if first.next_state.shape[1:] != second.next_state.shape[1:]:
        raise ValueError("got policies of games with different numbers of moves, expected the same seat and game")
    states, joint_moves = len(second.probabilities), first.next_state[0].size
    variation = 0.5 * np.abs(first.probabilities[:, None] - second.probabilities[None]).sum(axis=2).reshape(-1)
    following = first.next_state.reshape(-1, 1, joint_moves) * states + second.next_state.reshape(-1, joint_moves)
    weight = np.zeros(len(variation))  # of each pair of states, first * states + second
    weight[first.start * states + second.start] = 1.0
    total = 0.0
    for _ in range(rounds):
        total += float(weight @ variation)
        spread = np.repeat(weight / joint_moves, joint_moves)
        weight = np.bincount(following.reshape(-1), spread, len(variation)).astype(np.float64)
    return total / rounds
