"""What the others did in an episode, on episodes short enough to count by hand."""

import pytest

import games
from games.habits import FEW_MOVES, HABITS, MOST_MOVES, both, counted, replies

RPS = (("R", "P", "S"), ("R", "P", "S"))


def rounds(own, other, seat=0):
    """One letter a round: the moves of a seat and of the one other, seat 0 first in every round."""
    pairs = zip(own, other, strict=True)
    return [turn for mine, theirs in pairs for turn in sorted([(seat, mine), (1 - seat, theirs)])]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_others_moves_are_counted_in_the_games_order_and_own_moves_are_not(seat):
    played = rounds("SSSSSS", "PRRRSR", seat)
    assert counted(played, seat, RPS) == "R 4 P 1 S 1"
    assert counted(played, 1 - seat, RPS) == "R 0 P 0 S 6"


def test_without_the_games_order_the_most_frequent_comes_first_and_equals_go_by_name():
    assert counted(rounds("RRRRRR", "SPPSRP"), 0) == "P 3 S 2 R 1"
    assert counted(rounds("RR", "SP"), 0) == "P 1 S 1"


def test_moves_are_taken_from_the_other_seats_list_and_unlisted_ones_follow():
    played = [(0, "bet"), (1, "call"), (0, "bet"), (1, "swear"), (0, "bet"), (1, "swear")]
    assert counted(played, 0, (("bet", "check"), ("fold", "call"))) == "fold 0 call 1 swear 2"


def test_two_others_are_counted_together():
    assert counted([(0, "C"), (1, "D"), (2, "D"), (0, "C"), (1, "C"), (2, "D")], 0, (("C", "D"),) * 3) == "C 1 D 3"


def test_of_many_moves_only_the_eight_most_frequent_are_named_in_the_games_order():
    listed = tuple("abcdefghijkl")
    played = [(1, move) for move in "jjihgfedcba"]
    assert counted(played, 0, (listed, listed)) == "a 1 b 1 c 1 d 1 e 1 f 1 g 1 j 2"
    assert counted([(1, "l"), (1, "b")], 0, (listed, listed)) == "b 1 l 1"
    assert counted(played, 0) == "j 2 a 1 b 1 c 1 d 1 e 1 f 1 g 1"
    assert MOST_MOVES == 8


@pytest.mark.parametrize("seat", [0, 1])
def test_replies_are_what_the_other_does_in_the_next_round(seat):
    """After R came P and P, after P came P, after S came R and P: the first of equals in the game's order."""
    played = rounds("RRPSSR", "SPPPRP", seat)
    assert replies(played, seat, RPS) == "after R: P, after P: P, after S: R"
    assert replies(played, seat, (("S", "R", "P"), ("P", "S", "R"))[:: 1 - 2 * seat]) == (
        "after S: P, after R: P, after P: P"
    )


def test_a_reply_is_a_decision_made_in_sight_of_ours_where_moves_take_turns():
    """Seat 1's second decision is the first that must have followed seat 0's first, whatever the game."""
    assert replies([(0, "a"), (1, "x"), (0, "b"), (1, "y")], 0) == "after a: y"
    assert replies([(1, "x"), (0, "a"), (1, "y"), (0, "b")], 0) == "after a: y"


def test_own_moves_without_a_reply_are_left_out():
    assert replies(rounds("RS", "PP"), 0, RPS) == "after R: P"
    assert replies(rounds("R", "P"), 0, RPS) == ""


def test_there_are_no_replies_where_own_moves_are_many():
    few, many = tuple("abcd"), tuple("abcde")
    assert len(few) == FEW_MOVES
    assert replies(rounds("ab", "xx"), 0, (few, ("x",))) == "after a: x"
    assert replies(rounds("ab", "xx"), 0, (many, ("x",))) == ""
    assert replies(rounds("abcdea", "xxxxxx"), 0) == ""


def test_both_joins_what_there_is():
    assert both(rounds("RR", "SP"), 0, RPS) == "R 0 P 1 S 1; after R: P"
    assert both(rounds("R", "S"), 0, RPS) == "R 0 P 0 S 1"


@pytest.mark.parametrize("habit", HABITS.values(), ids=HABITS)
@pytest.mark.parametrize("played", [[], [(0, "R"), (0, "P")]])
def test_where_the_others_made_no_move_nothing_is_said(habit, played):
    assert habit(played, 0, RPS) == ""
    assert habit(played, 0, ()) == ""


@pytest.mark.parametrize("seat", [0, 1])
def test_an_episode_of_a_game_is_counted_as_it_was_played(seat):
    game = games.load("rock_paper_scissors", rounds=3)
    episode = game.start(0)
    for move in ("R", "P", "S", "P", "R", "R"):  # round by round, seat 0 first
        episode.play(move)
    assert counted(episode.played, seat, game.moves) == ("R 1 P 2 S 0" if seat == 0 else "R 2 P 0 S 1")
    assert replies(episode.played, seat, game.moves) == ("after R: P, after S: R" if seat == 0 else "after P: R")
