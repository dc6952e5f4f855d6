"""PettingZoo's Leduc hold'em as text: what both seats read is true and no more than they may know."""

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

COMPACT = games.load("leduc_holdem")


def open_moves(seen: Seen) -> tuple[str, ...]:
    """As the rules say: two raises a round."""
    behind = seen.own < seen.theirs
    truth = {"call": behind, "raise": seen.raises < 2, "fold": True, "check": not behind}
    return tuple(move for move, is_open in truth.items() if is_open)


def test_the_environment_passes_pettingzoo_s_own_tests():
    api_test(COMPACT.make_env(), num_cycles=20)
    seed_test(COMPACT.make_env, num_cycles=20)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rendering", RENDERINGS)
def test_both_transcripts_tell_the_true_state_at_every_ply(rendering: str, seed: int):
    check_decoding(games.load("leduc_holdem", rendering=rendering), seed, False, open_moves)


def test_a_pair_with_the_public_card_beats_a_higher_card():
    # Both put in the big blind of 2 chips, and check: 2 chips are a return of 1.
    assert returns(COMPACT, ("SK", "HQ"), "SQ", ["call", "check", "check", "check"]) == [-1.0, 1.0]


def test_without_a_pair_the_higher_card_wins():
    # A raise of 2 chips over the big blind in the first round: 4 chips.
    assert returns(COMPACT, ("SK", "HQ"), "SJ", ["raise", "call", "check", "check"]) == [2.0, -2.0]


def test_equal_cards_share_the_pot():
    assert returns(COMPACT, ("SK", "HK"), "SJ", ["call", "check", "raise", "call"]) == [0.0, 0.0]


def test_a_fold_loses_what_was_put_in():
    # The big blind of 2 chips, and the small one of 1.
    assert returns(COMPACT, ("SJ", "HK"), "SQ", ["raise", "fold"]) == [1.0, -1.0]
    assert returns(COMPACT, ("SJ", "HK"), "SQ", ["fold"]) == [-0.5, 0.5]


def test_the_longest_and_dearest_line_reaches_the_bounds():
    # 2 chips, two raises of 2 and two of 4 are 14 chips: 7 big blinds. Each acts twice in either round.
    line = ["call", "raise", "raise", "call", "check", "raise", "raise", "call"]
    episode = rigged(COMPACT, ("SK", "SQ"), "HK")
    finished(episode, line_of(line))
    assert episode.returns == [7.0, -7.0] == list(reversed(COMPACT.utility_range))
    assert [seat for seat, _ in episode.played] == [0, 1] * 4
    assert COMPACT.max_turns == 4


def test_the_second_round_is_opened_by_the_one_who_did_not_close_the_first():
    episode = rigged(COMPACT, ("SK", "SQ"), "HK")
    finished(episode, line_of(["call", "raise", "call", "check", "check"]))
    assert [seat for seat, _ in episode.played] == [0, 1, 0, 1, 0]


def test_no_card_is_shown_after_a_fold():
    texts = finished(rigged(COMPACT, ("SK", "HQ"), "SJ"), line_of(["call", "check", "raise", "fold"]))
    assert texts == [
        "Ks small\ncall\nin 2\nthey check\npublic Js\nraise\nin 6\nthey fold\nyou get 1\n",
        "Qh big\nthey call 2\ncheck\npublic Js\nthey raise 6\nfold\nyou get -1\n",
    ]


def test_the_full_rendering_reads_like_a_table():
    game = games.load("leduc_holdem", rendering="full")
    texts = finished(rigged(game, ("SK", "HQ"), "SJ"), line_of(["call", "check", "raise", "call"]))
    assert texts[1] == (
        "Your card: Q♥. You have the big blind: you put in 2 chips, they put in 1; the pot is 3 chips. "
        "They act first.\n"
        "They play call: they now have 2 chips in, you have 2; the pot is 4 chips.\n"
        "check\n"
        "Dealt face up: J♠. They act first.\n"
        "They play raise: they now have 6 chips in, you have 2; the pot is 8 chips.\n"
        "call\n"
        "You now have 6 chips in, they have 6; the pot is 12 chips.\n"
        "They show K♠.\n"
        "You lose 6 chips: your return is -3.\n"
    )


def test_the_other_s_card_is_hidden_until_the_showdown():
    for rendering in RENDERINGS:
        game = games.load("leduc_holdem", rendering=rendering)
        line = ["raise", "raise", "call", "check", "raise", "call"]
        check_no_leak(game, "SQ", ("HK", "SK"), "HJ", line)


def test_a_forfeit_costs_the_worst_and_pays_the_other_as_much():
    check_forfeit(COMPACT, at_random(0), -7.0, 7.0)


def test_it_says_the_same_in_every_process_and_nothing_else():
    check_processes("leduc_holdem")


def test_it_is_not_passed_off_as_openspiel_s_leduc():
    assert COMPACT.start(1).state is None and COMPACT.solver is None
