"""PettingZoo's no-limit hold'em as text: what both seats read is true and no more than they may know."""

from __future__ import annotations

import pytest
from pettingzoo.test import api_test, seed_test

import games
from games.aec import RENDERINGS
from tests.games.classics.cards_contract import (
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

COMPACT = games.load("texas_holdem_no_limit")
BOARD = "HA HK D7 C4 S2"
STACK = 100  # chips


def open_moves(seen: Seen) -> tuple[str, ...]:
    """As the rules say: a raise must put the raiser ahead, and be affordable."""
    behind, left, pot = seen.theirs - seen.own, STACK - seen.own, seen.own + seen.theirs
    truth = {
        "fold": True,
        "call": behind > 0,
        "check": behind == 0,
        "raise half pot": behind < pot // 2 <= left,
        "raise pot": behind < pot <= left,
        "all in": behind < left,
    }
    return tuple(move for move, is_open in truth.items() if is_open)


def test_the_environment_passes_pettingzoo_s_own_tests():
    api_test(COMPACT.make_env(), num_cycles=20)
    seed_test(COMPACT.make_env, num_cycles=20)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rendering", RENDERINGS)
def test_both_transcripts_tell_the_true_state_at_every_ply(rendering: str, seed: int):
    check_decoding(games.load("texas_holdem_no_limit", rendering=rendering), seed, True, open_moves)


def test_returns_are_chips_not_half_of_them():
    # The small blind puts in a pot of 3 chips: 4 in all; the big blind calls, and two pairs lose to three of a kind.
    line = ["raise pot", "call"] + ["check"] * 6
    assert returns(COMPACT, ("SA SK", "S7 C7"), BOARD, line) == [-4.0, 4.0]


def test_a_raise_is_measured_by_the_pot_before_it():
    # 2 chips each after the call; half the pot of 4 is 2, then the pot of 6 is put in, and 2 + 6 = 8 against 4.
    texts = finished(
        rigged(COMPACT, ("SA SK", "S7 C7"), BOARD), line_of(["call", "raise half pot", "raise pot", "fold"])
    )
    assert texts == [
        "As Ks small\ncall\nin 2\nthey raise half pot 4\nraise pot\nin 8\nthey fold\nyou get 4\n",
        "7s 7c big\nthey call 2\nraise half pot\nin 4\nthey raise pot 8\nfold\nyou get -4\n",
    ]


def test_cards_that_rlcard_deals_after_a_fold_are_nobody_s_news():
    episode = rigged(COMPACT, ("SA SK", "S7 C7"), BOARD)
    texts = finished(episode, line_of(["all in", "fold"]))
    assert len(episode._env.env.game.public_cards) == 5
    assert texts == [
        "As Ks small\nall in\nin 100\nthey fold\nyou get 2\n",
        "7s 7c big\nthey all in 100\nfold\nyou get -2\n",
    ]


def test_all_in_deals_the_rest_of_the_board_at_once():
    game = games.load("texas_holdem_no_limit", rendering="full")
    episode = rigged(game, ("SA SK", "S7 C7"), BOARD)
    texts = finished(episode, line_of(["all in", "call"]))
    assert texts[0].endswith(
        "They play call: they now have 100 chips in, you have 100; the pot is 200 chips.\n"
        "Dealt face up: A♥ K♥ 7♦ 4♣ 2♠.\nThey show 7♠ 7♣.\nYou lose 100 chips: your return is -100.\n"
    )
    assert episode.returns == [-100.0, 100.0] == list(game.utility_range)


def test_the_dealer_has_the_big_blind_and_the_other_opens_every_round():
    episode = rigged(COMPACT, ("SA SK", "S7 C7"), BOARD)
    assert episode._env.env.game.dealer_id == 1
    finished(episode, line_of(["raise pot", "raise half pot", "call"] + ["check"] * 6))
    assert [seat for seat, _ in episode.played] == [0, 1, 0] + [0, 1] * 3


def test_the_longest_line_reaches_the_most_turns():
    # The first to act has one move in each of two rounds, and four in each of two: raises by half, from a pot of 4.
    half = "raise half pot"
    line = ["call", *["check"] * 4, *[half] * 5, "call", "check", *[half] * 4, "all in", "call"]
    episode = rigged(COMPACT, ("SA SK", "S7 C7"), BOARD)
    finished(episode, line_of(line))
    assert [seat for seat, _ in episode.played].count(0) == 10 == COMPACT.max_turns


def test_the_other_s_hand_is_hidden_until_the_showdown():
    line = ["raise pot", "call"] + ["check", "raise half pot", "call"] * 3
    for rendering in RENDERINGS:
        game = games.load("texas_holdem_no_limit", rendering=rendering)
        check_no_leak(game, "SA S9", ("SK SQ", "D8 C8"), BOARD, line)


def test_a_forfeit_costs_the_stack_and_pays_the_other_as_much():
    check_forfeit(COMPACT, line_of(["call"]), -100.0, 100.0)


def test_it_says_the_same_in_every_process_and_nothing_else():
    check_processes("texas_holdem_no_limit")
