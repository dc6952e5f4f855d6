"""Games as text: what a game offers a driver, and one episode of any AEC environment played by AEC rules.

`Episode` owns the rules of PettingZoo's agent-environment cycle: `None` to finished agents, the rewards of
every agent up to the very end, forfeits. What a position says in words is left to a `TextAdapter`, one per
kind of environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pettingzoo.utils.env import AECEnv


@dataclass(frozen=True, slots=True)
class Spoken:
    """The texts of one seat."""

    moves: tuple[str, ...]  # distinct
    news: tuple[str, ...]  # distinct, each as it is read at once: before a decision, or at the end of an episode
    turns: int  # the most decisions in an episode
    readings: int  # the most news in an episode


class TextGame(Protocol):
    """A game that agents play by reading and writing text. Values are in game units."""

    @property
    def name(self) -> str:
        """The name it is loaded by."""

    @property
    def seats(self) -> int:
        """How many seats there are; seats are numbered from 0."""

    @property
    def max_turns(self) -> int:
        """The most decisions that one seat can have in an episode."""

    @property
    def utility_range(self) -> tuple[float, float]:
        """The least and the greatest return of an episode, over all seats."""

    @property
    def zero_sum(self) -> bool:
        """Whether the returns of all seats always sum to 0."""

    def rules(self, seat: int, episodes: int) -> str:
        """The text that opens a trial of `episodes` episodes for this seat; ends in a newline."""

    def episode_header(self, number: int) -> str:
        """The text that opens an episode; `number` counts from 1; ends in a newline."""

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        """What each seat reads and writes, by seat; `games.spoken.by_trying` finds it where it can't be listed."""

    def start(self, seed: int) -> Episode:
        """Start an episode; the seed fixes every chance move."""


class TextAdapter(Protocol):
    """Puts one kind of environment into words. Each list of texts has one entry per seat, "" for nothing new.

    Texts are appended to what the seat has read, so they never repeat or correct it, and they never show what
    the seat may not know. A seat's own move isn't among them: whoever writes the transcript puts it there. A
    text ends in a newline, never in a space.
    """

    def opening(self, env: AECEnv[Any, Any, Any]) -> Sequence[str]:
        """What each seat reads after the reset (a hand that was dealt, say)."""

    def legal_moves(self, env: AECEnv[Any, Any, Any], seat: int) -> tuple[str, ...]:
        """The moves of the seat to move, distinct, in a fixed order."""

    def action(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Any:
        """What the environment's `step` takes for a legal move."""

    def news(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Sequence[str]:
        """What each seat reads after `seat` played `move`; `env` has stepped, finished agents still in it."""

    def history(self, env: AECEnv[Any, Any, Any]) -> Sequence[tuple[int, ...]]:
        """The live list of complete joint moves (indices by seat) for scripted players; else ()."""

    def state(self, env: AECEnv[Any, Any, Any]) -> Any:
        """The position as an OpenSpiel state, for players that search or look positions up; None without one.

        While `seat` is to move, its `legal_actions(seat)` and `legal_moves(env, seat)` are in the same order.
        """


class Episode:
    """One play of a game, from reset to the end.

    The driver asks `seat_to_move`, reads `news(seat)` and `legal_moves()`, and answers with `play(move)` or
    `forfeit()`, until `seat_to_move` is None.

    seat_to_move: the seat whose decision is due, None when the episode is over.
    returns: the sum of rewards so far, by seat, in game units.
    forfeits: by seat, 1 for the one that forfeited, else 0.
    history: the adapter's joint moves of complete rounds; live, read only.
    played: every move so far with the seat that made it, in order of play; live, read only.
    """

    def __init__(
        self,
        env: AECEnv[Any, Any, Any],
        adapter: TextAdapter,
        seed: int,
        utility_range: tuple[float, float],
        zero_sum: bool,
    ) -> None:
        """Reset `env`, which this episode alone drives from now on; the rest as in `TextGame`."""
        env.reset(seed=seed)
        self._env = env
        self._adapter = adapter
        self._utility_minimum = utility_range[0]
        self._zero_sum = zero_sum
        self._seats = {agent: seat for seat, agent in enumerate(env.possible_agents)}
        seats = len(self._seats)
        self.returns = [0.0] * seats
        self.forfeits = [0] * seats
        self._unread = list(adapter.opening(env))
        self._unpaid = [0.0] * seats  # rewards not yet asked for by rewards_since
        self._legal: tuple[str, ...] | None = None
        self.history = adapter.history(env)
        self.played: list[tuple[int, str]] = []
        self.seat_to_move: int | None = None
        self._advance()

    def legal_moves(self) -> tuple[str, ...]:
        """The moves of the seat to move. Raises ValueError when the episode is over."""
        if self._legal is None:
            self._legal = self._adapter.legal_moves(self._env, self._mover())
        return self._legal

    def news(self, seat: int) -> str:
        """The text this seat hasn't been given yet, "" when there is none; each call consumes it."""
        text = self._unread[seat]
        self._unread[seat] = ""
        return text

    @property
    def state(self) -> Any:
        """The position as `TextAdapter.state` has it: for scripted players, which must not look at hidden parts."""
        return self._adapter.state(self._env)

    def rewards_since(self, seat: int) -> float:
        """The reward of this seat since the last call; over an episode they sum to its return."""
        reward = self._unpaid[seat]
        self._unpaid[seat] = 0.0
        return reward

    def play(self, move: str) -> None:
        """Play a legal move of the seat to move.

        Raises ValueError for an illegal move or a finished episode; an agent's mistake is a `forfeit()`.
        """
        seat, legal = self.seat_to_move, self.legal_moves()
        if seat is None or move not in legal:
            raise ValueError(f"seat {seat}: got move {move!r}, expected one of {legal}; or call forfeit()")
        env, adapter = self._env, self._adapter
        env.step(adapter.action(env, seat, move))
        self.played.append((seat, move))
        for agent, reward in env.rewards.items():  # of every agent, finished or not
            if reward:
                paid, amount = self._seats[agent], float(reward)
                self.returns[paid] += amount
                self._unpaid[paid] += amount
        for reader, text in enumerate(adapter.news(env, seat, move)):
            if text:
                self._unread[reader] += text
        self._advance()

    def forfeit(self) -> None:
        """End the episode because the seat to move can't make a legal move.

        The offender's return becomes the game's minimum utility. In a two-player zero-sum game the other's
        becomes the negative of it; elsewhere the others keep what they have so far. Raises ValueError when
        the episode is over.
        """
        offender = self._mover()
        booked = {offender: self._utility_minimum}
        if self._zero_sum and len(self.returns) == 2:
            booked[1 - offender] = -self._utility_minimum
        for seat, utility in booked.items():
            self._unpaid[seat] += utility - self.returns[seat]
            self.returns[seat] = utility
        self.forfeits[offender] = 1
        for reader in range(len(self.returns)):
            self._unread[reader] += "you forfeit\n" if reader == offender else f"seat {offender} forfeits\n"
        self.seat_to_move = None
        self._legal = None

    def _mover(self) -> int:
        if self.seat_to_move is None:
            raise ValueError("the episode is over: no seat is to move; start another episode")
        return self.seat_to_move

    def _advance(self) -> None:
        """Step finished agents out of the environment and find the seat whose decision is due."""
        env = self._env
        self._legal = None
        while env.agents:
            agent = env.agent_selection
            if not (env.terminations[agent] or env.truncations[agent]):
                self.seat_to_move = self._seats[agent]
                return
            # Pays nothing: PettingZoo clears the rewards, Shimmy leaves those of the last move lying there.
            env.step(None)
        self.seat_to_move = None
