"""PettingZoo's chess as text, moves in standard algebraic notation as python-chess writes them.

The environment ends a game as soon as a draw can be claimed, by announcing a move too. OpenSpiel's chess plays on, so
it is no twin.
"""

from __future__ import annotations

from typing import Any

import chess
from pettingzoo.classic.chess import chess_utils

from games.aec import AECGame
from games.classics.boards import PAYOFFS, Board, board_game, grid
from games.classics.environments import import_quietly

# A pawn move or a capture sets back the count towards the fifty-move rule. There are at most 16 * 6 of the former and
# 30 of the latter, and never more than 100 moves of both seats together from one to the next, nor after the last.
MAX_TURNS = (16 * 6 + 30 + 1) * 100 // 2
_GRID = grid("abcdefgh", "87654321")
_ENDINGS = {
    chess.Termination.CHECKMATE: "Checkmate",
    chess.Termination.STALEMATE: "Stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "Neither side has the pieces to give mate",
    chess.Termination.THREEFOLD_REPETITION: "A threefold repetition can be claimed",
    chess.Termination.FIFTY_MOVES: "The fifty-move rule can be claimed",
}


def _legal_moves(env: Any) -> tuple[str, ...]:
    board = env.board
    return tuple([board.san(move) for move in board.legal_moves])


def _action(env: Any, move: str) -> int:
    """Number a move as AlphaZero does: seen from the mover's side, a promotion to a queen as a plain move."""
    board = env.board
    parsed = board.parse_san(move)
    uci = (parsed if board.turn == chess.WHITE else chess_utils.mirror_move(parsed)).uci()
    if uci not in chess_utils.moves_to_actions:  # PettingZoo numbers a move when it first lists it as legal
        chess_utils.make_move_mapping(uci)
    action: int = chess_utils.moves_to_actions[uci]
    return action


def _drawing(env: Any) -> str:
    return _GRID.format(*str(env.board).split())


def _ending(env: Any) -> str:
    return _ENDINGS[env.board.outcome(claim_draw=True).termination]


CHESS = Board(
    name="chess",
    sides=("White", "Black"),
    moves="moves as e4 Nf3 exd5 O-O e8=Q Qh7#, draws are claimed as soon as they can be",
    explanation=(
        "The rules are those of chess. A game is drawn by stalemate, when neither side has the pieces to give mate, "
        "and as soon as the seat to move could claim a draw, if need be by announcing a move, because a position comes "
        "up for the third time or fifty moves of each side pass without a capture or a pawn move.",
        PAYOFFS,
        "A move is written in standard algebraic notation: e4, Nf3, exd5, Nbd2, O-O, O-O-O, e8=Q, with + for check and "
        "# for mate.",
        "The board is drawn with White's pieces as KQRBNP and Black's as kqrbnp, each empty square a dot; an episode "
        "begins with:",
        _GRID.format(*str(chess.Board()).split()).removesuffix("\n"),
    ),
    opening="The pieces stand where they begin.",
    legal_moves=_legal_moves,
    action=_action,
    drawing=_drawing,
    ending=_ending,
)


def load(rendering: str) -> AECGame:
    """Return chess as text; rendering: "compact" or "full"."""
    environment = import_quietly("pettingzoo.classic.chess.chess")
    return board_game(CHESS, rendering, environment.raw_env, MAX_TURNS)
