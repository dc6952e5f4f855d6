"""What a player reaches that must first find out whom it faces, in games that OpenSpiel knows.

It knows the opponents that it may face and how often each is met, but not which one it plays a trial against. In every
episode it plays a best response to what it believes, the opponents weighted by their posterior probabilities, and
learns from what it has seen when the episode is over (`endings`). It is greedy: it never gives up return to learn more.

Everything is exact: beliefs follow from the endings met, whatever their order, so equal beliefs are merged and all
that can happen is added up. Left out: trials with more beliefs than `BELIEFS` and `WORK` allow, and the player that is
best over the whole trial, which may explore on purpose (`greedy_bayes_returns` says what is known of it). For repeated
matrix games see `games.bayes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from games.errors import RequestError
from games.trees.endings import endings
from games.trees.sequence import Decisions, Floats, Integers
from games.trees.states import TreeGame, plan_of_sequences, require_tree, resolve

BELIEFS = 100_000  # the most different beliefs in one episode; in Kuhn poker they take some 10 s
WORK = 30_000_000  # the most beliefs x endings x opponents; Leduc poker's thousands of endings allow for some hundred
DIGITS = 12  # beliefs are equal to so many decimal places


def greedy_bayes_returns(
    game: TreeGame, opponents: Sequence[Any], seat: int, episodes: int, weights: Sequence[float] | None = None
) -> Floats | None:
    """The greedy Bayes player's expected return in each episode against each of the opponents, [O, episodes].

    The player sits on `seat`; one of the opponents plays all other seats throughout the trial. weights: how often each
    is met, all equal unless given; against one of weight 0, which the player doesn't expect, the return counts all the
    same. An episode that no expected opponent can bring about teaches nothing. Of equally good moves the player makes
    the first. None if one of the opponents has no policy.

    For the mean over the opponents, by weight: the first episode is exactly `best_fixed_value`, and no episode is below
    the one before. It isn't the most that can be had, since a player that gives up some return early knows more later.
    Over the whole trial it is the lower end of a bracket: greedy total <= total of the Bayes-optimal player <=
    `episodes` x mean of `best_response_value`. Against a single opponent only its own best-response value is a bound.

    Raises RequestError for a game that can't be enumerated and for more beliefs than `BELIEFS` and `WORK` allow;
    ValueError for weights that aren't any.
    """
    solver = require_tree(game)
    prior = _prior(weights, len(opponents))
    plans: list[dict[int, Floats]] = []
    for opponent in opponents:
        policies = {other: resolve(game, opponent, other) for other in range(game.seats) if other != seat}
        known = {other: policy for other, policy in policies.items() if policy is not None}
        if len(known) < len(policies):
            return None
        plans.append({other: plan_of_sequences(solver, policy, other) for other, policy in known.items()})
    told = endings(game, seat)
    likely = np.stack([told.likelihoods(plan) for plan in plans])
    chances = _Chances(told.form.decisions[seat], told.sequences, likely, told.paid)
    return _followed(chances, prior, episodes)


def learned(beliefs: Floats, likelihoods: Floats) -> Floats:
    """The posterior probabilities of the opponents after an ending; beliefs that rule it out stay as they are.

    beliefs: [N, O], rows sum to 1. likelihoods: [O], of the ending under each opponent. Returns [N, O].
    """
    joint = beliefs * likelihoods
    total = joint.sum(axis=1, keepdims=True)
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), beliefs)


@dataclass(frozen=True, eq=False, slots=True)
class _Chances:
    """What an episode can bring against each of O opponents, in one of G endings.

    decisions: the seat's. sequences: [G], the seat's own last one. likely: [O, G], what chance and the opponent make of
    each ending. paid: [G], the seat's return.
    """

    decisions: Decisions
    sequences: Integers
    likely: Floats
    paid: Floats

    def gains(self) -> Floats:
        """What ends with each of the seat's S sequences pays against each opponent, [O, S]."""
        size = int(self.decisions.first[-1])
        return np.stack([np.bincount(self.sequences, row, minlength=size) for row in self.likely * self.paid])

    def plan(self, choices: Integers) -> Floats:
        """The probability, 0 or 1, of playing each sequence, [S]. choices: the move in each information state."""
        return self.decisions.plan(
            [np.eye(self.decisions.moves(number))[choice].tolist() for number, choice in enumerate(choices)]
        )


class _Beliefs:
    """Beliefs that can arise, equal ones merged; N of them about O opponents."""

    def __init__(self, opponents: int, endings: int) -> None:
        """endings: that each of the beliefs has to be followed through."""
        self._most = min(BELIEFS, WORK // (endings * opponents))
        self._numbers: dict[bytes, int] = {}
        self._beliefs: list[Floats] = []
        self._reach = np.zeros((self._most, opponents))

    def add(self, beliefs: Floats, reach: Floats) -> None:
        """Both [M, O]; reach: how likely each belief arises against each opponent. Raises RequestError for too many."""
        numbers = []
        for belief, key in zip(beliefs, np.round(beliefs, DIGITS), strict=True):
            numbers.append(self._numbers.setdefault(key.tobytes(), len(self._beliefs)))
            if numbers[-1] == len(self._beliefs):
                self._beliefs.append(belief)
        if len(self._beliefs) > self._most:
            raise RequestError(
                f"got a trial in which the player can come to more than {self._most:,} beliefs about its opponent, "
                "expected at most that many: ask for fewer episodes or fewer opponents"
            )
        np.add.at(self._reach, numbers, reach)

    def all(self) -> tuple[Floats, Floats]:
        """Beliefs and reach, both [N, O]."""
        return np.array(self._beliefs), self._reach[: len(self._beliefs)]


def _followed(chances: _Chances, prior: Floats, episodes: int) -> Floats:
    """The expected return in each episode against each opponent, [O, episodes]."""
    gains = chances.gains()
    returns = np.zeros((len(prior), episodes))
    beliefs, reach = prior[None], np.ones((1, len(prior)))
    for episode in range(episodes):
        played = _plans(chances, beliefs @ gains)
        for plan, rows in played:
            returns[:, episode] += reach[rows].sum(axis=0) * (gains @ plan)
        if episode + 1 < episodes:
            beliefs, reach = _after(chances, played, beliefs, reach)
    return returns


def _plans(chances: _Chances, gains: Floats) -> list[tuple[Floats, list[int]]]:
    """The plans [S] that are best for some of the rows of gains, [N, S], each with the numbers of those rows."""
    found: dict[bytes, tuple[Floats, list[int]]] = {}
    for number, row in enumerate(gains):
        choices = chances.decisions.best(row)[1]
        key = choices.tobytes()
        if key not in found:
            found[key] = chances.plan(choices), []
        found[key][1].append(number)
    return list(found.values())


def _after(
    chances: _Chances, played: Sequence[tuple[Floats, list[int]]], beliefs: Floats, reach: Floats
) -> tuple[Floats, Floats]:
    """Beliefs and reach (`_Beliefs`) after an episode in which each belief played its plan."""
    after = _Beliefs(*chances.likely.shape)
    for plan, rows in played:
        for likelihoods in chances.likely.T[plan[chances.sequences] > 0]:
            reached = reach[rows] * likelihoods
            met = reached.any(axis=1)
            after.add(learned(beliefs[rows][met], likelihoods), reached[met])
    return after.all()


def _prior(weights: Sequence[float] | None, opponents: int) -> Floats:
    """The weights with a sum of 1, [O]."""
    shares = np.ones(opponents) if weights is None else np.asarray(weights, dtype=np.float64)
    if shares.shape != (opponents,) or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise ValueError(
            f"got weights {weights} for {opponents} opponents, expected one of at least 0 for each, not all 0"
        )
    return shares / shares.sum()
