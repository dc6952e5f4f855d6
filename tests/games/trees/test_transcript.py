"""What a seat has read at an information state, and a reader of such texts solved exactly."""

from dataclasses import replace

import pyspiel
import pytest

from games import exact
from games.registry import load
from games.trees.policy import uniform_policy
from games.trees.states import InformationState
from games.trees.walk import state_after
from tests.games.usual_games import KUHN


def at(game, seat, key):
    """What the seat has read at the information state of this key."""
    return exact.transcript(game, next(state for state in exact.information_states(game, seat) if state.key == key))


def histories_by_key(state, seat, found):
    """Every history at which the seat is to move, by its information state."""
    if state.is_terminal():
        return found
    if state.is_simultaneous_node() or state.current_player() == seat:
        found.setdefault(state.information_state_string(seat), []).append(tuple(state.history()))
    if state.is_simultaneous_node():
        for first in state.legal_actions(0):
            for second in state.legal_actions(1):
                child = state.clone()
                child.apply_actions([first, second])
                histories_by_key(child, seat, found)
    else:
        for action in state.legal_actions():
            histories_by_key(state.child(action), seat, found)
    return found


def test_a_queen_that_passed_and_met_a_bet_has_read_so():
    read = at(KUHN, 0, "1pb")
    assert read.turns == (("card Q\n", "pass"),)
    assert (read.news, read.legal_moves) == ("bet\n", ("pass", "bet"))


def test_the_second_seat_has_read_its_card_and_the_first_move():
    read = at(KUHN, 1, "2p")
    assert (read.turns, read.news) == ((), "card K\npass\n")


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel(num_cards=3)", "liars_dice(dice_sides=2)"])
@pytest.mark.parametrize("seat", [0, 1])
def test_an_information_state_reads_the_same_however_it_came_about(name, seat):
    """And no two read alike: the text says all that OpenSpiel says the seat knows."""
    game = load(f"openspiel:{name}")
    found = histories_by_key(pyspiel.load_game(name).new_initial_state(), seat, {})
    states = exact.information_states(game, seat)
    assert sorted(found) == sorted(state.key for state in states)
    texts = {state.key: exact.transcript(game, state) for state in states}
    assert len(set(texts.values())) == len(states)
    for state in states:
        for history in found[state.key]:
            assert exact.transcript(game, replace(state, history=history)) == texts[state.key]


def test_a_reader_that_bets_kings_only_breaks_even_with_uniform_play():
    """A jack loses its ante, whatever comes: -1. A queen passes: 1/2 x 0 in a showdown, 1/2 x -1 folding.

    A king bets: 1/2 x 1 + 1/2 x 2. The mean of -1, -1/2 and 3/2 is 0.
    """
    table = {}
    for state in exact.information_states(KUHN, 0):
        read = exact.transcript(KUHN, state)
        text = "".join(f"{news}{move}\n" for news, move in read.turns) + read.news
        table[state.key] = [float((move == "bet") == ("card K" in text)) for move in read.legal_moves]
    reader = exact.from_table(KUHN, table)
    assert exact.expected_return(KUHN, reader, uniform_policy) == pytest.approx((0.0, 0.0))


def test_a_classic_without_chance_is_played_again_in_its_own_words():
    """Cell 4 is the middle of tic-tac-toe: the game's text and OpenSpiel's actions name the same moves."""
    game = load("tictactoe")
    key = state_after(pyspiel.load_game("tic_tac_toe"), (4, 0)).information_state_string(0)
    state = InformationState(key, 0, (4, 0), (1, 2, 3, 5, 6, 7, 8), ())
    read = exact.transcript(game, state)
    assert len(read.turns) == 1 and len(read.legal_moves) == 7
    assert read.turns[0][1] not in read.legal_moves
