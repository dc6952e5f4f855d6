"""The Bayes-optimal player of `bayes`, to play with: it remembers a whole trial, which no scripted opponent does.

It knows who may sit opposite and not who does, and so nothing that a learner couldn't find out: an expert to imitate.
Left out: what it gets on average, which `bayes.adaptation_curve` works out.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from games.bayes import FinitePrior, greedy, habit, habit_prior
from games.counting import counting_policy
from games.errors import RequestError
from games.finite_state import sampling_rows
from games.fits import MATRIX
from games.naming import NamedOpponent
from games.players import PlayedEpisode, Player
from games.stage import own_payoffs

NAME = "bayes"
COMPARED_ROUNDS = 20  # of an episode, whose counts are few enough to write down


@dataclass(frozen=True)
class BayesExpert:
    """Plays a best response to what it believes of whoever sits opposite, one of `opponents`, each as likely.

    Raises RequestError from `check` where that isn't Bayes-optimal: for opponents with memory, and in games other than
    repeated matrix games.
    """

    opponents: tuple[NamedOpponent, ...]

    @property
    def name(self) -> str:
        """What it is called where it plays."""
        return NAME

    def check(self, game: Any) -> None:
        """Refuse a game or an opponent for which this is no expert."""
        if not MATRIX.test(game):
            raise RequestError(f"got the expert {NAME} in {game.name}, expected a repeated matrix game of two seats")
        for opponent in self.opponents:
            if any(habit(game, opponent, seat) is None for seat in (0, 1)):
                raise RequestError(
                    f"got the expert {NAME} against {opponent.name}, an opponent with memory, expected memoryless ones "
                    "such as peaked_habit; choose another expert, or other training opponents"
                )

    def copied(self, game: Any, others: Iterable[NamedOpponent]) -> NamedOpponent | None:
        """The first of `others` that plays like this in an episode that nothing precedes, on some seat; None of them.

        It is asked in a game in which `check` refuses nothing. In episodes of more than `COMPARED_ROUNDS` copies are
        found only among those who count no further: that grows too large.
        """
        rounds = min(game.rounds, COMPARED_ROUNDS)
        answers = [partial(greedy, own_payoffs(game, seat), _prior(self.opponents, game, seat)) for seat in (0, 1)]
        own = [counting_policy(game, seat, answer, NAME, rounds) for seat, answer in enumerate(answers)]
        for other in others:
            if any(other.policy(game, seat).fingerprint() == policy.fingerprint() for seat, policy in enumerate(own)):
                return other
        return None

    def player(self, game: Any, seat: int, earlier: Sequence[Sequence[tuple[int, ...]]] = ()) -> Player:
        """A player for the next episode on `seat`; earlier: the joint moves of the trial's episodes so far."""
        return _Believer(game, seat, _prior(self.opponents, game, seat), earlier)


class _Believer:
    """Counts the other's moves and answers what they make it believe; equally good moves are equally likely."""

    def __init__(self, game: Any, seat: int, prior: FinitePrior, earlier: Sequence[Sequence[tuple[int, ...]]]) -> None:
        self._moves, self._payoffs, self._prior = tuple(game.moves[seat]), own_payoffs(game, seat), prior
        self._counts = np.zeros((1, self._payoffs.shape[1]))
        self._seen = 0
        for history in earlier:
            self._count(history, seat)

    def act(self, episode: PlayedEpisode, seat: int, uniform: float) -> str:
        """Catch up with the rounds played since the last call, then move."""
        self._count(episode.history[self._seen :], seat)
        self._seen = len(episode.history)
        (row,) = sampling_rows(greedy(self._payoffs, self._prior, self._counts))
        return self._moves[bisect_right(row, uniform)]

    def _count(self, history: Sequence[tuple[int, ...]], seat: int) -> None:
        for joint in history:
            self._counts[0, joint[1 - seat]] += 1


@lru_cache(maxsize=64)
def _prior(opponents: tuple[NamedOpponent, ...], game: Any, seat: int) -> FinitePrior:
    prior = habit_prior(game, opponents, seat)
    assert prior is not None  # `check` has seen that all are memoryless
    return prior
