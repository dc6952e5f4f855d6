"""Repeated matrix games as text: compact for small models, full for models that read English.

Own moves aren't rendered here; the transcript's writer puts them, each ended by a newline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from games.errors import RequestError, unknown
from games.matrix import MatrixSpec, RepeatedMatrixGame
from games.text import Episode, Spoken

if TYPE_CHECKING:
    from pettingzoo.utils.env import AECEnv


def plain_number(value: float) -> str:
    """Write a payoff: -1.0 as "-1", 0.5 as "0.5"."""
    return str(int(value)) if value == int(value) else repr(value)


def _count(amount: int, noun: str) -> str:
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def compact_rules(spec: MatrixSpec, rounds: int, seat: int, episodes: int) -> str:
    """Write one line: name, seat, own moves, lengths."""
    moves = " ".join(spec.moves[seat])
    return f"{spec.name} seat {seat}: {moves}, {_count(rounds, 'round')}, {_count(episodes, 'episode')}\n"


def compact_news(move: str, payoff: float) -> str:
    """Write the other's move and one's own payoff: "P -1"."""
    return f"{move} {plain_number(payoff)}\n"


def full_rules(spec: MatrixSpec, rounds: int, seat: int, episodes: int) -> str:
    """Write the rules and the payoffs in sentences."""
    lines = [
        f"You are seat {seat} of {spec.name}, against one opponent for {_count(episodes, 'episode')} "
        f"of {_count(rounds, 'round')}.",
        "In each round both choose a move at the same time; then both see the moves.",
        "Your result is the sum of your payoffs.",
    ]
    for own, own_move in enumerate(spec.moves[seat]):
        for other, other_move in enumerate(spec.moves[1 - seat]):
            pair = spec.rewards[(own, other) if seat == 0 else (other, own)]
            lines.append(
                f"If you play {own_move} and they play {other_move}, "
                f"you get {plain_number(pair[seat])} and they get {plain_number(pair[1 - seat])}."
            )
    return "\n".join(lines) + "\n"


def full_news(move: str, payoff: float) -> str:
    """Write the other's move and one's own payoff as a sentence."""
    return f"they played {move}; you get {plain_number(payoff)}\n"


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a matrix game is put into words."""

    rules: Callable[[MatrixSpec, int, int, int], str]  # spec, rounds, seat, episodes
    news: Callable[[str, float], str]  # the other's move, own payoff


RENDERINGS: dict[str, Rendering] = {
    "compact": Rendering(compact_rules, compact_news),
    "full": Rendering(full_rules, full_news),
}


class MatrixAdapter:
    """The `games.text.TextAdapter` of `RepeatedMatrixGame`; every text is made once, ahead of play."""

    def __init__(self, spec: MatrixSpec, rendering: Rendering) -> None:
        """spec: the stage game."""
        self._moves = spec.moves
        self._actions = tuple({move: index for index, move in enumerate(moves)} for moves in spec.moves)
        self.texts = {
            (first, second): (
                rendering.news(spec.moves1[second], payoffs[0]),
                rendering.news(spec.moves0[first], payoffs[1]),
            )
            for (first, second), payoffs in spec.rewards.items()
        }

    def opening(self, env: AECEnv[Any, Any, Any]) -> Sequence[str]:
        """Nothing is known before the first round."""
        return "", ""

    def legal_moves(self, env: AECEnv[Any, Any, Any], seat: int) -> tuple[str, ...]:
        """Every move is always legal."""
        return self._moves[seat]

    def action(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> int:
        """The move's index."""
        return self._actions[seat][move]

    def news(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Sequence[str]:
        """Nothing until both moved; then to each seat the other's move and its own payoff."""
        return ("", "") if seat == 0 else self.texts[env.history[-1]]

    def history(self, env: AECEnv[Any, Any, Any]) -> Sequence[tuple[int, ...]]:
        """The joint moves of complete rounds."""
        return env.history

    def state(self, env: AECEnv[Any, Any, Any]) -> Any:
        """None: finite-state policies are all that plays these games."""
        return None


@dataclass(frozen=True)
class MatrixGame:
    """A repeated matrix game as a `games.text.TextGame`, with what exact solvers need.

    Equal by content, and hashable.
    """

    spec: MatrixSpec
    rounds: int  # joint rounds in an episode, at least 1
    rendering: str = "compact"  # a key of RENDERINGS

    def __post_init__(self) -> None:
        """Raises RequestError for rounds below 1 and an unknown rendering."""
        if isinstance(self.rounds, bool) or not isinstance(self.rounds, int) or self.rounds < 1:
            raise RequestError(f"rounds: got {self.rounds!r}, expected a whole number of at least 1; set rounds = 6")
        if self.rendering not in RENDERINGS:
            raise unknown("rendering", self.rendering, RENDERINGS)

    @property
    def name(self) -> str:
        """The stage game's name."""
        return self.spec.name

    @property
    def seats(self) -> int:
        """Two."""
        return 2

    @property
    def max_turns(self) -> int:
        """One decision of each seat per round."""
        return self.rounds

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """The least and the greatest payoff of either seat, times the rounds."""
        return float(self.payoffs.min()) * self.rounds, float(self.payoffs.max()) * self.rounds

    @cached_property
    def zero_sum(self) -> bool:
        """Whether the payoffs of both seats always sum to 0."""
        return self.spec.zero_sum

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """The stage game, [2, M0, M1]: payoffs[seat, move of seat 0, move of seat 1]; read-only."""
        return self.spec.payoffs

    @property
    def moves(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The moves of each seat, in the order of the payoffs' indices."""
        return self.spec.moves

    def rules(self, seat: int, episodes: int) -> str:
        """The text that opens a trial for this seat."""
        return RENDERINGS[self.rendering].rules(self.spec, self.rounds, seat, episodes)

    def episode_header(self, number: int) -> str:
        """The text that opens an episode, numbered from 1."""
        return f"episode {number}\n"

    def every_news(self, seat: int) -> tuple[str, ...]:
        """Every text that a round can bring to the seat."""
        return tuple(texts[seat] for texts in self._adapter.texts.values())

    @cached_property
    def spoken(self) -> tuple[Spoken, ...]:
        """Everything that each seat can read and write; it reads once a round."""
        return tuple(Spoken(self.moves[seat], self.every_news(seat), self.rounds, self.rounds) for seat in (0, 1))

    def start(self, seed: int) -> Episode:
        """Start an episode. A matrix game has no chance moves: the seed goes down, and decides nothing."""
        env = RepeatedMatrixGame(self.spec, self.rounds)
        return Episode(env, self._adapter, seed, self.utility_range, self.zero_sum)

    @cached_property
    def _adapter(self) -> MatrixAdapter:
        return MatrixAdapter(self.spec, RENDERINGS[self.rendering])
