"""Players: they move for one seat of one episode.

Left out: which policy an opponent has (`naming`), and who drives the episode.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from games.finite_state import FiniteStatePolicy


class PlayedEpisode(Protocol):
    """What a player reads of an episode (`games.text.Episode`, or a stand-in to practise in)."""

    @property
    def history(self) -> Sequence[tuple[int, ...]]:
        """The joint moves of the finished rounds, as indices by seat; () where there are no rounds."""

    @property
    def state(self) -> Any:
        """The position as an OpenSpiel state, None where the game has none."""

    def legal_moves(self) -> tuple[str, ...]:
        """The moves of the seat to move."""


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


class RandomPlayer:
    """Every legal move with the same probability."""

    def act(self, episode: PlayedEpisode, seat: int, uniform: float) -> str:
        """The move whose share of [0, 1) `uniform` lies in."""
        moves = episode.legal_moves()
        return moves[min(int(uniform * len(moves)), len(moves) - 1)]


class FirstLegalPlayer:
    """Always the first legal move."""

    def act(self, episode: PlayedEpisode, seat: int, uniform: float) -> str:
        """The first."""
        return episode.legal_moves()[0]


@dataclass(frozen=True, slots=True)
class MixturePlayer:
    """Another player's move, but with probability `epsilon` a random one."""

    player: Player
    epsilon: float

    def act(self, episode: PlayedEpisode, seat: int, uniform: float) -> str:
        """`uniform` below epsilon picks the random move; what is above, stretched to [0, 1), goes to the player."""
        if uniform < self.epsilon:
            return RandomPlayer().act(episode, seat, uniform / self.epsilon)
        return self.player.act(episode, seat, min((uniform - self.epsilon) / (1.0 - self.epsilon), 1.0 - 2.0**-53))
