"""Tic-tac-toe as text: how cells are named, what is said, and OpenSpiel's tree beside it."""

from __future__ import annotations

import pytest

from games.classics import load
from tests.games.classics.board_decoding import Match, rebuild


def test_cells_are_named_along_the_rows_although_pettingzoo_counts_down_the_columns():
    match = Match.begin("tictactoe", "compact")
    assert match.episode.legal_moves() == ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
    match.play("a2", "c1")
    assert match.env.board.squares == [0, 1, 0, 0, 0, 0, 2, 0, 0]
    assert rebuild("tictactoe", [("a2", ()), ("c1", ())]) == (("..O", "X..", "..."), "")
    assert match.episode.legal_moves() == ("a1", "b1", "b2", "c2", "a3", "b3", "c3")


def test_the_compact_rendering_says_the_other_s_move_and_the_result():
    match = Match.begin("tictactoe", "compact").play("a1", "b2", "b1", "c2", "c1")
    assert match.transcripts == ["a1\nb2\nb1\nc2\nc1\nwin 1\n", "a1\nb2\nb1\nc2\nc1\nlose -1\n"]
    assert match.episode.returns == [1.0, -1.0]


def test_the_full_rendering_draws_the_board_after_the_other_s_move():
    match = Match.begin("tictactoe", "full").play("a1", "b2", "b1", "c2", "c1")
    assert match.transcripts[0] == (
        "The board is empty.\n"
        "a1\n"
        "O plays b2.\n  a b c\n1 X . .\n2 . O .\n3 . . .\n"
        "b1\n"
        "O plays c2.\n  a b c\n1 X X .\n2 . O O\n3 . . .\n"
        "c1\n"
        "Three in a line: you win and get 1.\n"
    )
    assert match.transcripts[1].endswith(
        "X plays c1.\n  a b c\n1 X X X\n2 . O O\n3 . . .\nThree in a line: you lose and get -1.\n"
    )


def test_the_second_seat_can_win():
    match = Match.begin("tictactoe", "compact").play("a1", "b2", "b1", "c1", "a2", "a3")
    assert match.episode.returns == [-1.0, 1.0]
    assert match.transcripts[0].endswith("a3\nlose -1\n")


def test_a_full_board_without_a_line_is_a_draw():
    moves = ("a1", "b1", "c1", "b2", "a2", "c2", "b3", "a3", "c3")
    compact = Match.begin("tictactoe", "compact").play(*moves)
    assert (compact.episode.returns, compact.over) == ([0.0, 0.0], True)
    assert [text.splitlines()[-1] for text in compact.transcripts] == ["draw 0", "draw 0"]
    full = Match.begin("tictactoe", "full").play(*moves)
    assert full.transcripts[0].splitlines()[-1] == "The board is full: you draw and get 0."


@pytest.mark.parametrize("seed", range(8))
def test_openspiel_s_tic_tac_toe_is_the_same_tree(seed: int):
    match = Match.begin("tictactoe", "compact")
    for _ in match.play_randomly(seed):
        state = match.episode.state
        assert state.is_terminal() == match.over
        if not match.over:
            assert state.current_player() == match.episode.seat_to_move
            assert [state.action_to_string(action) for action in state.legal_actions()] == [
                f"{'xo'[match.plies % 2]}({int(move[1]) - 1},{'abc'.index(move[0])})"
                for move in match.episode.legal_moves()
            ]
    assert match.episode.state.returns() == match.episode.returns


def test_a_state_that_is_asked_for_late_has_seen_every_move():
    match = Match.begin("tictactoe", "compact").play("a1", "b2", "c3")
    state = match.episode.state
    assert str(state) == "x..\n.o.\n..x"
    match.play("a3")
    assert match.episode.state is state  # one replay for the whole episode
    assert str(state) == "x..\n.o.\no.x"
    assert match.game.solver == "tic_tac_toe"


def test_the_rules_are_short_where_they_should_be():
    assert load("tictactoe", "compact").rules(1, 3) == (
        "tictactoe seat 1 O: cells a1 b1 c1 a2 b2 c2 a3 b3 c3, three in a line win, 3 episodes\n"
    )
