"""Connect four as text: columns, falling pieces, and OpenSpiel's tree beside it."""

from __future__ import annotations

import pytest

from games.classics import load
from tests.games.classics.board_decoding import Match


def test_the_renderings_name_the_same_columns():
    assert load("connect_four", "compact").start(seed=0).legal_moves() == ("1", "2", "3", "4", "5", "6", "7")
    assert load("connect_four", "full").start(seed=0).legal_moves()[2] == "column 3"


def test_a_column_that_is_full_is_no_longer_legal():
    match = Match.begin("connect_four", "compact").play(*"333333")
    assert match.episode.legal_moves() == ("1", "2", "4", "5", "6", "7")


def test_pieces_stand_on_each_other_and_four_of_them_win():
    moves = [f"column {digit}" for digit in "1212121"]
    match = Match.begin("connect_four", "full").play(*moves)
    assert match.episode.returns == [1.0, -1.0]
    assert match.transcripts[0].startswith(
        "The board is empty.\ncolumn 1\nO plays column 2.\n1 2 3 4 5 6 7\n" + ". . . . . . .\n" * 5 + "X O . . . . .\n"
    )
    assert match.transcripts[0].endswith("column 1\nFour in a line: you win and get 1.\n")
    assert match.transcripts[1].endswith(
        "X plays column 1.\n1 2 3 4 5 6 7\n"
        ". . . . . . .\n"
        ". . . . . . .\n"
        "X . . . . . .\n"
        "X O . . . . .\n"
        "X O . . . . .\n"
        "X O . . . . .\n"
        "Four in a line: you lose and get -1.\n"
    )


def test_the_second_seat_wins_along_a_diagonal():
    """O comes to lie on 1, 2, 3 and 4, one row higher each time."""
    match = Match.begin("connect_four", "compact").play(*"21323345474")
    assert not match.over
    match.play("4")
    assert match.episode.returns == [-1.0, 1.0]
    assert [text.splitlines()[-1] for text in match.transcripts] == ["lose -1", "win 1"]


def test_a_full_board_without_a_line_is_a_draw():
    match = Match.begin("connect_four", "compact")
    match.play(*"121212", *"212121", *"343434", *"434343", *"565656", *"656565", *"777777")
    assert (match.plies, match.over, match.episode.returns) == (42, True, [0.0, 0.0])
    assert [text.splitlines()[-1] for text in match.transcripts] == ["draw 0", "draw 0"]


@pytest.mark.parametrize("rendering", ["compact", "full"])
@pytest.mark.parametrize("seed", range(4))
def test_openspiel_s_connect_four_is_the_same_tree(rendering: str, seed: int):
    match = Match.begin("connect_four", rendering)
    for _ in match.play_randomly(seed):
        state = match.episode.state
        assert state.is_terminal() == match.over
        if not match.over:
            assert state.current_player() == match.episode.seat_to_move
            assert [action + 1 for action in state.legal_actions()] == [
                int(move[-1]) for move in match.episode.legal_moves()
            ]
    assert match.episode.state.returns() == match.episode.returns
    assert match.game.solver == "connect_four"
