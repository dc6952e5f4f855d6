"""Go as text: stones that are taken, ko, the count, the limit, and OpenSpiel's board beside it."""

from __future__ import annotations

import random

import pyspiel
import pytest
from pettingzoo.classic.go.go import raw_env

from games.classics import load
from tests.games.classics.board_decoding import Match, truth

KO = ("C5", "F5", "D6", "E6", "D4", "E4", "A1", "D5")  # Black may take D5 by playing E5


def test_points_are_named_from_the_top_left_and_leave_out_i():
    moves = load("go", "compact").start(seed=0).legal_moves()
    assert len(moves) == 82
    assert moves[:9] == ("A9", "B9", "C9", "D9", "E9", "F9", "G9", "H9", "J9")
    assert moves[-2:] == ("J1", "pass")


def test_both_seats_read_which_stones_were_taken():
    compact = Match.begin("go", "compact").play(*KO, "E5")
    assert compact.transcripts[0].endswith("A1\nD5\nE5\ntakes D5\n")
    assert compact.transcripts[1].endswith("A1\nD5\nE5 takes D5\n")
    full = Match.begin("go", "full").play(*KO, "E5")
    assert full.transcripts[0].endswith("E5\nYou take D5.\n")
    assert full.transcripts[1].endswith(
        "Black plays E5 and takes D5.\n"
        "  A B C D E F G H J\n"
        "9 . . . . . . . . .\n"
        "8 . . . . . . . . .\n"
        "7 . . . . . . . . .\n"
        "6 . . . X O . . . .\n"
        "5 . . X . X O . . .\n"
        "4 . . . X O . . . .\n"
        "3 . . . . . . . . .\n"
        "2 . . . . . . . . .\n"
        "1 X . . . . . . . .\n"
    )


def test_stones_that_are_taken_together_are_named_from_the_top_left():
    match = Match.begin("go", "compact").play("A1", "A3", "A2", "B2", "J9", "B1")
    assert match.transcripts[0].endswith("J9\nB1 takes A2 A1\n")


def test_a_ko_is_not_retaken_at_once():
    match = Match.begin("go", "compact").play(*KO, "E5")
    assert "D5" not in match.episode.legal_moves()
    match.play("A9", "J1")
    assert "D5" in match.episode.legal_moves()
    match.play("D5")
    assert match.transcripts[0].endswith("J1\nD5 takes E5\n")


def test_suicide_is_not_legal():
    match = Match.begin("go", "compact").play("A2", "J9", "B1")
    assert "A1" not in match.episode.legal_moves()  # White's
    match.play("J8")
    assert "A1" in match.episode.legal_moves()  # Black's own eye


def test_two_passes_end_the_game_and_the_komi_counts():
    match = Match.begin("go", "full").play("pass", "pass")
    assert match.episode.returns == [-1.0, 1.0]
    end = "Both passed, and White is ahead by 7.5 points: you"
    assert match.transcripts[0] == f"The board is empty.\npass\nWhite plays pass.\n{EMPTY}{end} lose and get -1.\n"
    assert match.transcripts[1] == f"The board is empty.\nBlack plays pass.\n{EMPTY}pass\n{end} win and get 1.\n"


EMPTY = "  A B C D E F G H J\n" + "".join(f"{row}{' .' * 9}\n" for row in range(9, 0, -1))


def test_whoever_owns_the_whole_board_is_ahead_by_all_points_but_the_komi():
    match = Match.begin("go", "full").play("E5", "pass", "pass")
    assert match.episode.returns == [1.0, -1.0]
    assert match.transcripts[0].endswith("Both passed, and Black is ahead by 73.5 points: you win and get 1.\n")


def test_after_162_moves_only_passing_is_left():
    match, rng = Match.begin("go", "compact"), random.Random(2)
    while match.plies < 162:
        match.play(rng.choice([move for move in match.episode.legal_moves() if move != "pass"] or ["pass"]))
    assert not match.over
    assert match.episode.legal_moves() == ("pass",)
    match.play("pass")
    assert match.episode.legal_moves() == ("pass",)
    match.play("pass")
    assert match.over
    assert match.game.max_turns == 82 == match.plies / 2


def test_another_environment_of_another_size_does_not_disturb_a_game():
    """PettingZoo keeps the size of the board in a global."""
    match = Match.begin("go", "compact").play("A1", "J9")
    raw_env(board_size=19)
    match.play("B1", "J8")
    assert truth("go", match.env)[0] == ("........O", "........O", *["........."] * 6, "XX.......")
    match.play("pass", "pass")
    assert match.episode.returns == [-1.0, 1.0]


@pytest.mark.parametrize("seed", range(2))
def test_openspiel_s_go_takes_the_same_stones(seed: int):
    """Its rules differ in repetitions and limits alone, so its board is the same for as long as it plays along."""
    match = Match.begin("go", "compact")
    state = pyspiel.load_game("go(board_size=9,komi=7.5)").new_initial_state()
    compared = 0
    for _ in match.play_randomly(seed, plies=100):
        if match.episode.played:
            action = match.episode.played[-1][1].lower()
            by_name = {state.action_to_string(legal).split()[1].lower(): legal for legal in state.legal_actions()}
            if action not in by_name:
                break
            state.apply_action(by_name[action])
            compared += 1
        rows = tuple(line[3:] for line in str(state).splitlines() if line[1:2].isdigit())
        assert tuple(row.replace("+", ".") for row in rows) == truth("go", match.env)[0]
    assert compared > 40
