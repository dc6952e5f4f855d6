"""What tictactoe, connect four, chess and go have in common as text.

Two seats take turns and both see everything, so a seat's news is the other's move, in the full rendering with the board
as it then stands. Left out: what is particular to one game, which its module puts into a `Board`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from games.aec import AECGame

UTILITY_RANGE = (-1.0, 1.0)
PAYOFFS = "A win pays 1, a loss -1, a draw 0."
MARKS = (".", "X", "O")  # on a drawing: a free place, seat 0's, seat 1's


@dataclass(frozen=True, slots=True)
class Twin:
    """The OpenSpiel game that is the very same tree."""

    game: str  # as load_game takes it
    action: Callable[[str], int]  # of a move


def nothing_taken(env: Any) -> str:
    """The answer of games that take nothing off the board, or say so in the move itself."""
    return ""


@dataclass(frozen=True, slots=True)
class Board:
    """One board game as played in PettingZoo's environment, and its words. Functions take the environment."""

    name: str
    sides: tuple[str, str]  # what the seats are called, by seat; seat 0 begins
    moves: str  # what a move looks like, for the compact rules
    explanation: tuple[str, ...]  # lines of the full rules
    opening: str  # opens an episode in the full rendering
    legal_moves: Callable[[Any], tuple[str, ...]]  # of the seat to move
    action: Callable[[Any, str], int]  # what `step` takes for a legal move
    drawing: Callable[[Any], str]  # the board with coordinates
    ending: Callable[[Any], str]  # why a finished game is over
    taken: Callable[[Any], str] = nothing_taken  # the points that the last move emptied, "" for none
    twin: Twin | None = None


def grid(columns: Sequence[str], rows: Sequence[str]) -> str:
    """Return a template of a board: `format` fills in the cells, row by row from the top.

    columns, rows: what to write above and to the left; a row called "" is not labelled. All columns are as wide as the
    longest of their labels.
    """
    labels = [f"{row} " if row else "" for row in rows]
    width = max(map(len, columns))
    header = " " * max(map(len, labels)) + " ".join(f"{column:>{width}}" for column in columns)
    cells = " ".join([f"{{:>{width}}}" if width > 1 else "{}"] * len(columns))
    return "\n".join([header.replace("{", "{{").replace("}", "}}"), *(label + cells for label in labels)]) + "\n"


def episodes_in_words(episodes: int) -> str:
    """Write "1 episode", "3 episodes"."""
    return "1 episode" if episodes == 1 else f"{episodes} episodes"


def compact_rules(board: Board, seat: int, episodes: int) -> str:
    """Write one line: name, seat, side, moves, length."""
    return f"{board.name} seat {seat} {board.sides[seat]}: {board.moves}, {episodes_in_words(episodes)}\n"


def compact_opening(board: Board) -> str:
    """Say nothing: an episode always begins alike."""
    return ""


def compact_move(board: Board, env: Any, seat: int, move: str) -> tuple[str, str]:
    """Write what the mover and the other read: the move, and what it took."""
    taken = board.taken(env)
    return (f"takes {taken}\n", f"{move} takes {taken}\n") if taken else ("", f"{move}\n")


def compact_end(board: Board, env: Any, reward: float) -> str:
    """Write the result and the payoff: "win 1"."""
    return f"{_result(reward)} {reward:g}\n"


def full_rules(board: Board, seat: int, episodes: int) -> str:
    """Write the rules and the payoffs in sentences."""
    lines = [
        f"You are seat {seat} of {board.name} and play {board.sides[seat]}, against one opponent for "
        f"{episodes_in_words(episodes)}.",
        f"In every episode seat 0 ({board.sides[0]}) moves first, then both move in turn.",
        *board.explanation,
    ]
    return "\n".join(lines) + "\n"


def full_opening(board: Board) -> str:
    """Say how the board stands."""
    return f"{board.opening}\n"


def full_move(board: Board, env: Any, seat: int, move: str) -> tuple[str, str]:
    """Write what the mover and the other read: the move and what it took in a sentence, to the other also the board."""
    taken = board.taken(env)
    sentence = f"{board.sides[seat]} plays {move} and takes {taken}." if taken else f"{board.sides[seat]} plays {move}."
    return f"You take {taken}.\n" if taken else "", f"{sentence}\n{board.drawing(env)}"


def full_end(board: Board, env: Any, reward: float) -> str:
    """Write why it is over, the result and the payoff."""
    return f"{board.ending(env)}: {_RESULTS_IN_FULL[_result(reward)]} and get {reward:g}.\n"


def _result(reward: float) -> str:
    return "win" if reward > 0 else "lose" if reward < 0 else "draw"


_RESULTS_IN_FULL = {"win": "you win", "lose": "you lose", "draw": "you draw"}


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a board game is put into words."""

    rules: Callable[[Board, int, int], str]  # seat, episodes
    opening: Callable[[Board], str]
    move: Callable[[Board, Any, int, str], tuple[str, str]]  # env, seat, move -> to the mover, to the other
    end: Callable[[Board, Any, float], str]  # env, the reader's reward


RENDERINGS: dict[str, Rendering] = {
    "compact": Rendering(compact_rules, compact_opening, compact_move, compact_end),
    "full": Rendering(full_rules, full_opening, full_move, full_end),
}


@lru_cache
def _openspiel_game(name: str) -> Any:
    import pyspiel  # takes a while, and most never ask for a state

    return pyspiel.load_game(name)


class BoardAdapter:
    """The `games.text.TextAdapter` of board games; keeps the moves, for the state of the twin."""

    def __init__(self, board: Board, rendering: Rendering) -> None:
        """Nothing is played yet."""
        self._board = board
        self._rendering = rendering
        self._moves: list[str] = []
        self._state: Any = None
        self._replayed = 0  # moves that the state has seen

    def opening(self, env: Any) -> Sequence[str]:
        """The same for both."""
        text = self._rendering.opening(self._board)
        return text, text

    def legal_moves(self, env: Any, seat: int) -> tuple[str, ...]:
        """The game's own, in its order."""
        return self._board.legal_moves(env)

    def action(self, env: Any, seat: int, move: str) -> int:
        """The environment's number of the move."""
        return self._board.action(env, move)

    def news(self, env: Any, seat: int, move: str) -> Sequence[str]:
        """To the other the move, to both what it took and, at the end, the result."""
        self._moves.append(move)
        own, others = self._rendering.move(self._board, env, seat, move)
        if env.terminations[env.agent_selection]:
            agents, end = env.possible_agents, self._rendering.end
            own += end(self._board, env, env.rewards[agents[seat]])
            others += end(self._board, env, env.rewards[agents[1 - seat]])
        return (own, others) if seat == 0 else (others, own)

    def history(self, env: Any) -> Sequence[tuple[int, ...]]:
        """Nobody moves at the same time as another: ()."""
        return ()

    def state(self, env: Any) -> Any:
        """The twin's state, live, to be cloned before it is changed; None where OpenSpiel has no such game."""
        twin = self._board.twin
        if twin is None:
            return None
        if self._state is None:
            self._state = _openspiel_game(twin.game).new_initial_state()
        for move in self._moves[self._replayed :]:
            self._state.apply_action(twin.action(move))
        self._replayed = len(self._moves)
        return self._state


def board_game(board: Board, rendering: str, make_env: Callable[[], Any], max_turns: int) -> AECGame:
    """Return the game as text; rendering: a key of RENDERINGS."""
    words = RENDERINGS[rendering]
    return AECGame(
        name=board.name,
        rendering=rendering,
        seats=2,
        max_turns=max_turns,
        utility_range=UTILITY_RANGE,
        zero_sum=True,
        make_env=make_env,
        make_adapter=partial(BoardAdapter, board, words),
        make_rules=partial(words.rules, board),
        solver=board.twin.game if board.twin is not None else None,
    )
