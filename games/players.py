"""Players: they move for one seat of one episode.

Left out: which policy an opponent has (`naming`), and who drives the episode.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol

from games.finite_state import FiniteStatePolicy


class PlayedEpisode(Protocol):
    """What a player reads of an episode."""

    @property
    def history(self) -> Sequence[tuple[int, ...]]:
        """The joint moves of the finished rounds, as indices by seat."""


class Player(Protocol):
    """Plays one seat of one episode; take a fresh one for every episode."""

    def act(self, episode: PlayedEpisode, seat: int, uniform: float) -> str:
        """The move of `seat` now; `uniform` in [0, 1) is the only randomness."""


class FiniteStatePlayer:
    """Follows a finite-state policy; the move is the inverse distribution function at `uniform`."""

    __slots__ = ("_moves", "_next", "_rows", "_seen", "_state")

    def __init__(self, policy: FiniteStatePolicy, moves: tuple[str, ...]) -> None:
        """moves: names of the seat's moves."""
        self._rows = policy.sampling_rows
        self._next = policy.transitions
        self._moves = moves
        self._state = policy.start
        self._seen = 0

    def act(self, episode: PlayedEpisode, seat: int, uniform: float) -> str:
        """Catch up with the rounds played since the last call, then move."""
        history = episode.history
        while self._seen < len(history):
            joint = history[self._seen]
            self._state = self._next[self._state][joint[seat]][joint[1 - seat]]
            self._seen += 1
        return self._moves[bisect_right(self._rows[self._state], uniform)]
