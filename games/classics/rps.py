"""PettingZoo's `rps_v2` as text: rock, paper, scissors, round after round.

Said in the words of repeated matrix games, whose payoffs it has. Left out: its variants with more than three moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pettingzoo.classic.rps.rps import raw_env

from games.aec import AECGame
from games.matrix import PAYOFFS, make_spec
from games.matrix_text import RENDERINGS, Rendering

if TYPE_CHECKING:
    from pettingzoo.utils.env import AECEnv

ROUNDS = 6
LABELS = ("rock", "paper", "scissors")  # in the order of the environment's actions


class RockPaperScissorsAdapter:
    """The `games.text.TextAdapter` of PettingZoo's environment, which asks seat 0 first and tells nobody."""

    def __init__(self, rendering: Rendering, moves: tuple[str, ...]) -> None:
        """rendering: of repeated matrix games. moves: in the order of the environment's actions."""
        self._rendering = rendering
        self._moves = moves
        self._rounds: list[tuple[int, ...]] = []
        self._first = ""  # seat 0's move of the round in play

    def opening(self, env: AECEnv[Any, Any, Any]) -> Sequence[str]:
        """Nothing is known before the first round."""
        return "", ""

    def legal_moves(self, env: AECEnv[Any, Any, Any], seat: int) -> tuple[str, ...]:
        """Every move is always legal."""
        return self._moves

    def action(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> int:
        """The move's index."""
        return self._moves.index(move)

    def news(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Sequence[str]:
        """Nothing until both moved; then to each seat the other's move and its own payoff."""
        if seat == 0:
            self._first = move
            return "", ""
        self._rounds.append((self._moves.index(self._first), self._moves.index(move)))
        first, second = (float(env.rewards[agent]) for agent in env.possible_agents)
        return self._rendering.news(move, first), self._rendering.news(self._first, second)

    def history(self, env: AECEnv[Any, Any, Any]) -> Sequence[tuple[int, ...]]:
        """The joint moves of complete rounds."""
        return self._rounds

    def state(self, env: AECEnv[Any, Any, Any]) -> Any:
        """None: OpenSpiel's game has one round."""
        return None


def load(rendering: str, labels: tuple[str, ...] = LABELS) -> AECGame:
    """Load the game in one of the renderings. labels: the moves' names; RequestError for ones that are no words."""
    words = RENDERINGS[rendering]
    spec = make_spec("rps", labels, labels, PAYOFFS["rock_paper_scissors"].payoffs)
    return AECGame(
        name="rps",
        rendering=rendering,
        seats=2,
        max_turns=ROUNDS,
        utility_range=(-float(ROUNDS), float(ROUNDS)),
        zero_sum=True,
        make_env=partial(raw_env, max_cycles=ROUNDS),
        make_adapter=partial(RockPaperScissorsAdapter, words, labels),
        make_rules=partial(words.rules, spec, ROUNDS),
    )
