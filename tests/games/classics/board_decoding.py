"""Rebuilds a board from what one seat has read and written, by the text alone; plays random games to read from.

Nothing of `games.classics` is used for reading: where words and truth disagree, a test must see it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import chess
import numpy as np

from games.aec import AECGame
from games.classics import load
from games.text import Episode

NAMES = ("tictactoe", "connect_four", "chess", "go")
COLUMNS = {"tictactoe": "abc", "connect_four": "1234567", "chess": "abcdefgh", "go": "ABCDEFGHJ"}
HEIGHTS = {"tictactoe": 3, "connect_four": 6, "chess": 8, "go": 9}
SIDES = {"tictactoe": "XO", "connect_four": "XO", "chess": ("White", "Black"), "go": ("Black", "White")}
MARKS = "XO"  # of stones and pieces, by seat

PLAYED = re.compile(r"(\w+) plays (.+?)(?: and takes (.+))?\.")
RESULTS = {"compact": r"(win|lose|draw) (-?\d)", "full": r".+: you (win|lose|draw) and get (-?\d)\."}
PAYS = {"win": "1", "lose": "-1", "draw": "0"}

Rows = tuple[str, ...]  # of the board, from the top, one character a place


@dataclass
class Decoded:
    """What one seat's transcript says."""

    moves: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)  # with the points that it took
    drawn: list[tuple[int, Rows]] = field(default_factory=list)  # boards, each after how many moves
    result: str | None = None  # "win", "lose", "draw" once it is over


def decode(name: str, rendering: str, transcript: str) -> Decoded:
    """Read one episode of one seat's transcript, from the line after its header."""
    seen, lines = Decoded(), iter(transcript.splitlines())
    for line in lines:
        if seen.result is not None:
            raise ValueError(f"after the end: {line!r}")
        if result := re.fullmatch(RESULTS[rendering], line):
            assert PAYS[result[1]] == result[2]
            seen.result = result[1]
        elif taken := re.fullmatch(r"takes (.+)" if rendering == "compact" else r"You take (.+)\.", line):
            seen.moves[-1] = (seen.moves[-1][0], tuple(taken[1].split()))
        elif rendering == "compact":
            move, _, points = line.partition(" takes ")
            seen.moves.append((move, tuple(points.split())))
        else:
            _read_full(name, line, lines, seen)
    return seen


def _read_full(name: str, line: str, lines: Iterator[str], seen: Decoded) -> None:
    if line in ("The board is empty.", "The pieces stand where they begin."):
        assert not seen.moves
    elif line.split() == list(COLUMNS[name]):
        seen.drawn.append((len(seen.moves), _read_board(name, lines)))
    elif played := PLAYED.fullmatch(line):
        assert played[1] == SIDES[name][len(seen.moves) % 2]
        seen.moves.append((played[2], tuple((played[3] or "").split())))
    else:
        seen.moves.append((line, ()))


def _read_board(name: str, lines: Iterator[str]) -> Rows:
    rows = []
    for row in range(HEIGHTS[name]):
        label, cells = "", next(lines).split()
        if name != "connect_four":
            label = cells.pop(0)
            assert int(label) == (row + 1 if name == "tictactoe" else HEIGHTS[name] - row)
        assert len(cells) == len(COLUMNS[name])
        rows.append("".join(cells))
    return tuple(rows)


def place(name: str, point: str) -> tuple[int, int]:
    """Return (row from the top, column) of "b2", "C3"."""
    row = int(point[1:]) - 1
    return row if name == "tictactoe" else HEIGHTS[name] - 1 - row, COLUMNS[name].index(point[0])


def rebuild(name: str, moves: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[Rows, str]:
    """Return the board after these moves, and in chess its FEN."""
    if name == "chess":
        position = chess.Board()
        for move, taken in moves:
            assert not taken
            position.push_san(move)
        return chess_rows(position), position.fen()
    board = [["."] * len(COLUMNS[name]) for _ in range(HEIGHTS[name])]
    for ply, (move, taken) in enumerate(moves):
        if move == "pass":
            continue
        if name == "connect_four":
            column = int(move.removeprefix("column ")) - 1
            row = max(row for row in range(6) if board[row][column] == ".")
        else:
            row, column = place(name, move)
        assert board[row][column] == "."
        board[row][column] = MARKS[ply % 2]
        for point in taken:
            row, column = place(name, point)
            assert board[row][column] == MARKS[1 - ply % 2]
            board[row][column] = "."
    return tuple("".join(row) for row in board), ""


def truth(name: str, env: Any) -> tuple[Rows, str]:
    """Return the board as PettingZoo shows it to its agents, and in chess its FEN."""
    if name == "chess":
        return chess_rows(env.board), env.board.fen()
    if name == "go":  # its newest planes belong to the last mover and the other, whoever looks
        first = 0 if env.agent_selection == env.possible_agents[1] else 1
        planes = env.observe(env.agent_selection)["observation"][:, :, [first, 1 - first]]
    else:
        planes = env.observe(env.possible_agents[0])["observation"]
        planes = planes.transpose(1, 0, 2) if name == "tictactoe" else planes  # its first index is the column
    marks = np.where(planes[:, :, 0] == 1, "X", np.where(planes[:, :, 1] == 1, "O", "."))
    return tuple("".join(row) for row in marks), ""


def chess_rows(board: chess.Board) -> Rows:
    """Return the rows from the eighth to the first."""
    return tuple(
        "".join(str(board.piece_at(chess.square(file, rank)) or ".") for file in range(8)) for rank in range(7, -1, -1)
    )


@dataclass
class Match:
    """An episode under way, with its environment and what each seat has read and written so far."""

    game: AECGame
    env: Any
    episode: Episode
    transcripts: list[str]
    plies: int = 0

    @classmethod
    def begin(cls, name: str, rendering: str) -> Match:
        """Start an episode whose environment is in view."""
        game = load(name, rendering)
        env = game.make_env()
        episode = Episode(env, game.make_adapter(), 0, game.utility_range, game.zero_sum)
        match = cls(game, env, episode, ["", ""])
        match.listen()
        return match

    def listen(self) -> None:
        """Give both seats their news."""
        for seat in (0, 1):
            self.transcripts[seat] += self.episode.news(seat)

    def play(self, *moves: str) -> Match:
        """Play these moves; each goes into its mover's transcript."""
        for move in moves:
            seat = self.episode.seat_to_move
            assert seat is not None
            self.transcripts[seat] += f"{move}\n"
            self.episode.play(move)
            self.plies += 1
            self.listen()
        return self

    def play_randomly(self, seed: int, plies: int = 1000) -> Iterator[Match]:
        """Play to the end or for so many plies; yields itself before every ply and after the last."""
        rng = random.Random(seed)
        yield self
        while self.episode.seat_to_move is not None and self.plies < plies:
            yield self.play(rng.choice(self.episode.legal_moves()))

    @property
    def over(self) -> bool:
        """Whether nobody is to move."""
        return self.episode.seat_to_move is None
