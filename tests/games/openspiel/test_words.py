"""What each seat reads in OpenSpiel's games, by hand."""

from __future__ import annotations

from collections.abc import Iterable

from games.openspiel.game import load
from games.openspiel.names import NAMED
from games.openspiel.text import amount, changes, distinct, plain_word
from games.text import Episode
from tests.games.playing import played, unread


def dealt(name: str, *openings: str, rendering: str = "compact", seeds: Iterable[int] = range(2000)) -> Episode:
    """The first episode, by its seed, in which the seats read these openings."""
    game = load(name, rendering)
    for seed in seeds:
        episode = game.start(seed)
        if tuple(episode.news(seat) for seat in range(len(openings))) == openings:
            return episode
    raise AssertionError(f"no seed deals {openings}")


def test_kuhn_by_hand_seat_0_bluffs_with_the_jack_and_is_called_by_the_queen():
    episode = dealt("openspiel:kuhn_poker", "card J\n", "card Q\n")
    assert episode.legal_moves() == ("pass", "bet")
    assert played(episode, "bet") == ["", "bet\n"]
    assert played(episode, "bet") == ["bet\ntheir card Q\nreturn -2\n", "their card J\nreturn 2\n"]
    assert episode.returns == [-2.0, 2.0]


def test_kuhn_by_hand_the_folded_and_the_winning_card_stay_unknown():
    episode = dealt("openspiel:kuhn_poker", "card K\n", "card Q\n")
    assert played(episode, "pass", "bet") == ["bet\n", "pass\n"]
    assert played(episode, "pass") == ["return -1\n", "pass\nreturn 1\n"]


def test_kuhn_in_full_text():
    episode = dealt("openspiel:kuhn_poker", "your card: J\n", "your card: K\n", rendering="full")
    assert played(episode, "pass", "pass") == [
        "seat 1 plays pass\nseat 1 shows its card: K\nthe episode is over: you get -1 chip\n",
        "seat 0 plays pass\nseat 0 shows its card: J\nthe episode is over: you get 1 chip\n",
    ]


def test_kuhn_for_three_has_an_ace_and_shows_the_cards_of_those_who_bet():
    episode = dealt("openspiel:kuhn_poker(players=3)", "card A\n", "card J\n", "card Q\n")
    assert played(episode, "pass", "bet") == ["seat 1: bet\n", "seat 0: pass\n", "seat 0: pass\nseat 1: bet\n"]
    assert played(episode, "pass", "bet") == [
        "seat 2: pass\nseat 1 card J\nreturn 3\n",
        "seat 2: pass\nseat 0: bet\nseat 0 card A\nreturn -2\n",
        "seat 0: bet\nseat 0 card A\nseat 1 card J\nreturn -1\n",
    ]


def test_leduc_by_hand_a_pair_beats_a_king():
    seeds = iter(range(2000))
    while True:  # until the public card is the other queen
        episode = dealt("openspiel:leduc_poker", "card Ks\n", "card Qh\n", seeds=seeds)
        first, second = played(episode, "raise", "call")
        if "Qs" in first:
            break
    assert (first, second) == ("call\npublic Qs\n", "raise\npublic Qs\n")
    assert episode.legal_moves() == ("call", "raise")
    assert played(episode, "call", "raise") == ["raise\n", "call\n"]
    assert played(episode, "call") == ["their card Qh\nreturn -7\n", "call\ntheir card Ks\nreturn 7\n"]


def test_a_folded_leduc_hand_stays_unknown():
    episode = dealt("openspiel:leduc_poker", "your card: J♠\n", "your card: J♥\n", rendering="full")
    assert played(episode, "raise", "fold") == [
        "seat 1 plays fold\nthe episode is over: you get 1 chip\n",
        "seat 0 plays raise\nthe episode is over: you get -1 chip\n",
    ]


def test_liars_dice_by_hand_a_six_is_wild():
    episode = dealt("openspiel:liars_dice", "dice 5\n", "dice 6\n")
    assert played(episode, "2-5") == ["", "2-5\n"]
    assert episode.legal_moves() == ("2-6", "liar")
    assert played(episode, "liar") == ["liar\ntheir dice 6\nreturn 1\n", "their dice 5\nreturn -1\n"]


def test_goofspiel_bids_stay_hidden_until_both_have_bid():
    episode = load(NAMED["goofspiel"].game, "compact").start(0)
    assert unread(episode) == ["prize 4\n", "prize 4\n"]
    assert played(episode, "2") == ["", ""]
    assert (episode.seat_to_move, episode.legal_moves()) == (1, ("1", "2", "3", "4"))
    assert played(episode, "3") == ["lost\nprize 3\n", "won\nprize 3\n"]
    assert played(episode, "1", "1") == ["tie\nprize 2\n", "tie\nprize 2\n"]
    # seat 0 wins the 2 with 4 against 2, then the last cards, 3 and 4, are bid for the prize of 1
    assert played(episode, "4", "2") == ["won\nprize 1\nlost\nreturn -1\n", "lost\nprize 1\nwon\nreturn 1\n"]


def test_goofspiel_in_the_open_shows_the_bids_once_all_have_bid():
    episode = load("openspiel:goofspiel(num_cards=3,points_order=ascending)", "compact").start(0)
    assert unread(episode) == ["prize 1\n", "prize 1\n"]
    assert played(episode, "3") == ["", ""]
    assert played(episode, "1") == ["1\nwon\nprize 2\n", "3\nlost\nprize 2\n"]


def test_bargaining_by_hand_the_values_stay_private():
    episode = load("openspiel:bargaining(max_num_instances=1)", "compact").start(0)  # one way to deal
    assert unread(episode) == ["pool 1 2 3\nvalues 8 1 0\n", "pool 1 2 3\nvalues 4 0 2\n"]
    assert episode.legal_moves()[:2] == ("keep 0 0 0", "keep 1 0 0")
    assert played(episode, "keep 1 2 0") == ["", "keep 1 2 0\n"]
    assert played(episode, "agree") == ["agree\nreturn 10\n", "return 6\n"]  # 8 + 2, and 3 basketballs of 2


def test_tic_tac_toe_in_full_draws_the_board_for_the_seat_that_is_due():
    episode = load("openspiel:tic_tac_toe", "full").start(0)
    unread(episode)
    assert played(episode, "b3") == ["", "seat 0 plays b3\nyou see:\n  a b c\n1 . . .\n2 . . .\n3 . x .\n"]


def test_the_other_s_move_is_all_that_compact_says_of_a_board_game():
    assert played(load("openspiel:connect_four", "compact").start(0), "4") == ["", "4\n"]
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"  # no words of its own: the start is shown
    assert played(load("openspiel:chess", "compact").start(0), "e4") == [f"{start}e4\n", start]


def test_rules_say_seat_units_and_episodes():
    compact, full = load("openspiel:kuhn_poker", "compact"), load("openspiel:kuhn_poker", "full")
    assert compact.rules(1, 3) == "kuhn_poker seat 1 of 2: cards J Q K, pass or bet, 3 episodes\n"
    assert full.rules(0, 1).startswith("You are seat 0 of the 2 seats of kuhn_poker, numbered from 0, for 1 episode.\n")
    assert "An episode pays each seat between -2 and 2 chips;" in full.rules(0, 1)
    assert full.rules(0, 1).endswith("Write a move as it is written here: pass, bet.\n")


def test_rules_list_the_moves_of_any_position_where_they_are_few_and_some_examples_elsewhere():
    last = {
        name: load(f"openspiel:{name}", "full").rules(0, 1).splitlines()[-1]
        for name in ("leduc_poker", "hex(board_size=3)", "hex(board_size=4)")
    }
    assert last == {
        "leduc_poker": "Write a move as it is written here: call, raise, fold.",  # nobody can fold at first
        "hex(board_size=3)": "Write a move as it is written here: a1, b1, c1, a2, b2, c2, a3, b3, c3.",
        "hex(board_size=4)": "Write a move the way these are written: a1, b1, c1, d1, a2, b2, c2, d2.",  # of 16
    }


def test_changes_say_which_line_became_what():
    assert changes(["a", "b", "c"], ["a", "B", "c d"]) == ["2: B", "3+ d"]
    assert changes(["a", "b"], ["a"]) == ["1 lines"]
    assert changes([], ["x", "", "y"]) == ["1: x", "2:", "3: y"]
    assert changes(["a"], ["a"]) == []


def test_moves_are_short_words_that_differ():
    facts = None  # the words don't depend on the game
    assert plain_word(facts, 3, "[P0]Bid: 1") == "Bid: 1"
    assert plain_word(facts, 3, "player=1 move=Fold") == "Fold"
    assert plain_word(facts, 3, "\x1b[91mxb8\x1b[0m \n now;") == "xb8 now"
    assert plain_word(facts, 3, " ") == "move 3"
    assert distinct(["up", "down", "up"], [4, 5, 6]) == ("up #4", "down", "up #6")


def test_amounts_are_plain():
    assert [amount(value) for value in (2.0, -0.5, 0.1 + 0.2, -0.0)] == ["2", "-0.5", "0.3", "0"]
