"""PettingZoo's limit hold'em as text: what both seats read is true and no more than they may know."""

from __future__ import annotations

import pytest
from pettingzoo.test import api_test, seed_test

import games
from games.aec import RENDERINGS
from tests.games.classics.cards_contract import (
    at_random,
    check_decoding,
    check_forfeit,
    check_no_leak,
    check_processes,
    finished,
    line_of,
    returns,
    rigged,
)
from tests.games.classics.cards_decoding import Seen

COMPACT = games.load("texas_holdem")
BOARD = "HA HK D7 C4 S2"


def open_moves(seen: Seen) -> tuple[str, ...]:
    """As the rules say: four raises a round."""
    behind = seen.own < seen.theirs
    truth = {"call": behind, "raise": seen.raises < 4, "fold": True, "check": not behind}
    return tuple(move for move, is_open in truth.items() if is_open)


def test_the_environment_passes_pettingzoo_s_own_tests():
    api_test(COMPACT.make_env(), num_cycles=20)
    seed_test(COMPACT.make_env, num_cycles=20)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rendering", RENDERINGS)
def test_both_transcripts_tell_the_true_state_at_every_ply(rendering: str, seed: int):
    check_decoding(games.load("texas_holdem", rendering=rendering), seed, False, open_moves)


def test_a_pair_of_aces_beats_a_pair_of_kings():
    # Raised once before the flop and once on the river: 2 + 2 + 4 = 8 chips, a return of 4.
    line = ["raise", "call"] + ["check"] * 4 + ["raise", "call"]
    assert returns(COMPACT, ("SA S9", "SK SQ"), BOARD, line) == [4.0, -4.0]


def test_a_hand_that_the_board_outdoes_shares_the_pot():
    # Ten to ace lie on the table: nobody has better.
    straight = "HA HK DQ CJ ST"
    assert returns(COMPACT, ("S2 D3", "C5 D6"), straight, ["call"] + ["check"] * 7) == [0.0, 0.0]


def test_a_fold_loses_what_was_put_in():
    # 2 chips called, then 2 more on the flop by the raiser only.
    assert returns(COMPACT, ("S3 D5", "SA DA"), BOARD, ["call", "check", "raise", "fold"]) == [1.0, -1.0]
    assert returns(COMPACT, ("S3 D5", "SA DA"), BOARD, ["fold"]) == [-0.5, 0.5]


def test_the_longest_and_dearest_line_reaches_the_bounds():
    # 2 + 4 * 2 + 4 * 2 + 4 * 4 + 4 * 4 = 50 chips, 25 big blinds; six moves a round, three of each.
    line = ["call", *["raise"] * 4, "call", *(["check", *["raise"] * 4, "call"] * 3)]
    episode = rigged(COMPACT, ("SA DA", "S3 D5"), "HA HK D7 C9 S2")
    finished(episode, line_of(line))
    assert episode.returns == [25.0, -25.0] == list(reversed(COMPACT.utility_range))
    assert [seat for seat, _ in episode.played].count(0) == 12 == COMPACT.max_turns


def test_public_cards_are_news_to_both_and_hands_only_at_the_showdown():
    texts = finished(rigged(COMPACT, ("SA S9", "SK SQ"), BOARD), line_of(["call"] + ["check"] * 7))
    assert texts == [
        "As 9s small\ncall\nin 2\nthey check\npublic Ah Kh 7d\ncheck\nthey check\npublic 4c\ncheck\nthey check\n"
        "public 2s\ncheck\nthey check\nthey show Ks Qs\nyou get 1\n",
        "Ks Qs big\nthey call 2\ncheck\npublic Ah Kh 7d\nthey check\ncheck\npublic 4c\nthey check\ncheck\n"
        "public 2s\nthey check\ncheck\nthey show As 9s\nyou get -1\n",
    ]


def test_the_other_s_hand_is_hidden_until_the_showdown():
    line = ["raise", "raise", "call"] + ["check", "check"] * 2 + ["check", "raise", "call"]
    for rendering in RENDERINGS:
        check_no_leak(games.load("texas_holdem", rendering=rendering), "SA S9", ("SK SQ", "D8 C8"), BOARD, line)


def test_a_forfeit_costs_the_worst_and_pays_the_other_as_much():
    check_forfeit(COMPACT, at_random(0), -25.0, 25.0)


def test_it_says_the_same_in_every_process_and_nothing_else():
    check_processes("texas_holdem")
