"""Chess as text: standard algebraic notation for both colours, and the environment's ways to end a game."""

from __future__ import annotations

import chess
import pytest

from games.classics.chess import MAX_TURNS
from tests.games.classics.board_decoding import Match

PROMOTIONS = {  # by what the pawn becomes: White's moves and Black's
    "Q": ("a4 b5 axb5 a6 bxa6 Bb7 axb7 h6 bxa8=Q", "a3 b5 a4 bxa4 b3 axb3 Ra3 bxc2 Ra2 cxb1=Q"),
    "N": ("a4 b5 axb5 a6 bxa6 Bb7 axb7 h6 bxa8=N", "a3 b5 a4 bxa4 b3 axb3 Ra3 bxc2 Ra2 cxb1=N"),
    "R": ("a4 b5 axb5 a6 bxa6 Bb7 axb7 h6 bxa8=R", "a3 b5 a4 bxa4 b3 axb3 Ra3 bxc2 Ra2 cxd1=R+"),
    "B": ("a4 b5 axb5 a6 bxa6 Bb7 axb7 h6 bxa8=B", "a3 b5 a4 bxa4 b3 axb3 Ra3 bxc2 Ra2 cxd1=B"),
}
STALEMATE = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6"  # Sam Loyd's


def fen_after(moves: str) -> str:
    board = chess.Board()
    for move in moves.split():
        board.push_san(move)
    return board.fen()


def played(moves: str, rendering: str = "compact") -> Match:
    return Match.begin("chess", rendering).play(*moves.split())


def test_moves_are_written_in_standard_algebraic_notation():
    match = Match.begin("chess", "compact")
    first = match.episode.legal_moves()
    assert len(first) == 20
    assert {"e4", "Nf3", "a3"} <= set(first)
    match.play("e4", "e5", "Nf3", "Nc6", "Bb5", "a6")
    assert {"O-O", "Bxc6", "Nxe5"} <= set(match.episode.legal_moves())
    match.play("O-O")
    assert match.env.board.fen() == fen_after("e4 e5 Nf3 Nc6 Bb5 a6 O-O")


@pytest.mark.parametrize(("white", "black"), PROMOTIONS.values(), ids=PROMOTIONS)
def test_a_pawn_of_either_colour_becomes_what_the_move_says(white: str, black: str):
    for moves in (white, black):
        assert played(moves).env.board.fen() == fen_after(moves)


@pytest.mark.parametrize(
    "moves",
    [
        "e4 a6 e5 d5 exd6",
        "a3 e5 a4 e4 d4 exd3",
        "e4 e5 Nf3 Nf6 Be2 Be7 O-O O-O",
        "d4 d5 Bf4 Bf5 Nc3 Nc6 Qd2 Qd7 O-O-O O-O-O",
    ],
)
def test_castling_and_taking_in_passing_work_for_both_colours(moves: str):
    assert played(moves).env.board.fen() == fen_after(moves)


def test_white_mates():
    match = played("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", "full")
    assert match.episode.returns == [1.0, -1.0]
    assert match.transcripts[0].endswith("Qxf7#\nCheckmate: you win and get 1.\n")
    assert match.transcripts[1].endswith(
        "White plays Qxf7#.\n"
        "  a b c d e f g h\n"
        "8 r . b q k b . r\n"
        "7 p p p p . Q p p\n"
        "6 . . n . . n . .\n"
        "5 . . . . p . . .\n"
        "4 . . B . P . . .\n"
        "3 . . . . . . . .\n"
        "2 P P P P . P P P\n"
        "1 R N B . K . N R\n"
        "Checkmate: you lose and get -1.\n"
    )


def test_black_mates():
    match = played("f3 e5 g4 Qh4#")
    assert match.episode.returns == [-1.0, 1.0]
    assert match.transcripts == ["f3\ne5\ng4\nQh4#\nlose -1\n", "f3\ne5\ng4\nQh4#\nwin 1\n"]


def test_stalemate_is_a_draw():
    match = played(STALEMATE, "full")
    assert match.episode.returns == [0.0, 0.0]
    assert match.transcripts[1].endswith("Stalemate: you draw and get 0.\n")


def test_a_draw_is_claimed_once_announcing_a_move_is_enough():
    """After 3... Nf6 Black could announce Ng8, and the first position would be there for the third time."""
    match = played("Nf3 Nf6 Ng1 Ng8 Nf3", "full")
    assert not match.over
    match.play("Nf6")
    assert not match.over
    match.play("Ng1")
    assert (match.over, match.episode.returns) == (True, [0.0, 0.0])
    assert match.transcripts[0].endswith("A threefold repetition can be claimed: you draw and get 0.\n")


def test_fifty_moves_without_a_capture_or_a_pawn_move_are_a_draw():
    match = Match.begin("chess", "full")
    match.env.board.set_fen("7k/8/8/8/8/8/R7/K7 w - - 97 80")
    match.play("Ra3")
    assert not match.over
    match.play("Kg7")  # 99 moves, and White could announce the hundredth
    assert (match.over, match.episode.returns) == (True, [0.0, 0.0])
    assert match.transcripts[1].endswith("The fifty-move rule can be claimed: you draw and get 0.\n")


def test_bare_kings_are_a_draw():
    match = Match.begin("chess", "full")
    match.env.board.set_fen("8/8/8/8/8/8/1q6/K6k w - - 0 1")
    match.play("Kxb2")
    assert (match.over, match.episode.returns) == (True, [0.0, 0.0])
    assert match.transcripts[0].endswith("Neither side has the pieces to give mate: you draw and get 0.\n")


def test_the_most_turns_are_counted_from_the_moves_that_set_the_clock_back():
    """96 pawn moves, 30 captures, and at most a hundred moves before each and after the last."""
    assert MAX_TURNS == 127 * 100 / 2 == 6350


def test_there_is_no_openspiel_state():
    match = Match.begin("chess", "compact")
    assert match.episode.state is None
    assert match.game.solver is None
