"""Greedy players and preferred cells in tic-tac-toe and connect four, by positions that a person can draw."""

import pyspiel
import pytest

from games.errors import RequestError
from games.naming import behaviour, opponent_distance, parse
from games.opponents import expand, split
from games.registry import load
from tests.games.usual_games import TIC_TAC_TOE

FOUR = load("openspiel:connect_four")


def row(game, name, *actions):
    """Move probabilities by action of the seat to move after these actions."""
    state = pyspiel.load_game(game.solver).new_initial_state()
    for action in actions:
        state.apply_action(action)
    seat = state.current_player()
    return dict(zip(state.legal_actions(), parse(game, name).tree_policy(game, seat)(state, seat), strict=True))


def certain(game, name, *actions):
    """The one move that is made."""
    (move,) = [action for action, share in row(game, name, *actions).items() if share > 0]
    return move


def test_greedy_wins_before_it_blocks():
    """x on 0 and 1, o on 3 and 4: both could win, and whoever moves does."""
    assert certain(TIC_TAC_TOE, "greedy(blunder=0)", 0, 3, 1, 4) == 2
    assert certain(TIC_TAC_TOE, "greedy(blunder=0)", 0, 3, 1, 4, 8) == 5


def test_greedy_blocks_where_it_must():
    assert certain(TIC_TAC_TOE, "greedy(blunder=0)", 0, 4, 1) == 2


def test_greedy_prefers_the_centre_then_corners():
    assert certain(TIC_TAC_TOE, "greedy(blunder=0)") == 4
    assert certain(TIC_TAC_TOE, "greedy(blunder=0)", 4) == 0
    assert certain(TIC_TAC_TOE, "greedy(blunder=0)", 4, 0) == 2


def test_a_blunder_is_any_legal_move():
    shares = row(TIC_TAC_TOE, "greedy(blunder=0.18)")
    assert shares[4] == pytest.approx(0.82 + 0.02)
    assert all(shares[cell] == pytest.approx(0.02) for cell in (0, 1, 2, 3, 5, 6, 7, 8))


def test_greedy_completes_and_blocks_a_column_of_four():
    """Seat 0 stacks three on column 3 while seat 1 stacks on column 0."""
    assert certain(FOUR, "greedy(blunder=0)", 3, 0, 3, 0, 3, 0) == 3
    assert certain(FOUR, "greedy(blunder=0)", 3, 0, 3, 0, 3) == 3


def test_greedy_does_not_prepare_the_others_win():
    """Seat 1 has three in the second row, on columns 0 to 2, and column 3 is empty.

    A piece of seat 0 on column 3 would let seat 1 complete its row on top of it: seat 0 takes the next preferred, 2.
    """
    moves = (0, 1, 2, 0, 6, 1, 6, 2)
    assert certain(FOUR, "greedy(blunder=0)", *moves) == 2
    assert certain(FOUR, "preferred_cells", *moves) == 3
    assert certain(FOUR, "greedy(blunder=0)", *moves, 3) == 3  # and so it would


def test_preferred_cells_take_the_first_free_one():
    name = "preferred_cells(order=8/7/6/5/4/3/2/1/0)"
    assert [certain(TIC_TAC_TOE, name, *actions) for actions in ((), (8,), (8, 7))] == [8, 7, 6]
    assert certain(FOUR, "preferred_cells", *[3] * 6) == 2  # column 3 is full


def test_an_order_must_name_every_cell_once():
    for order in ("0/1/2", "0/0/1/2/3/4/5/6/7", "a/b"):
        with pytest.raises(RequestError, match="order="):
            parse(TIC_TAC_TOE, f"preferred_cells(order={order})")
    with pytest.raises(RequestError, match="from 0 to 6 once"):
        parse(FOUR, "preferred_cells(order=0/1/2/3/4/5/6/7/8)")


def test_orders_are_drawn_by_the_cell_that_comes_first():
    corners = {"family": "preferred_cells", "count": 3, "seed": 1, "parameters": {"first": [0, 2, 6, 8]}}
    edges = {"family": "preferred_cells", "count": 3, "seed": 1, "parameters": {"first": [1, 3, 5, 7]}}
    drawn = expand(TIC_TAC_TOE, [corners, edges])
    assert [dict(rival.parameters)["order"][0] % 2 for rival in drawn] == [0] * 3 + [1] * 3
    assert all(sorted(dict(rival.parameters)["order"]) == list(range(9)) for rival in drawn)
    split(TIC_TAC_TOE, training=[corners], held_out=[edges], min_distance=0.01)
    with pytest.raises(RequestError, match="without overlap"):
        split(TIC_TAC_TOE, training=[corners], held_out=[{**edges, "parameters": {"first": 8}}])
    with pytest.raises(RequestError, match="first=9"):
        expand(TIC_TAC_TOE, [{**corners, "parameters": {"first": 9}}])


def test_greedy_is_a_mixture_of_itself_with_random_moves():
    """Half of the moves random, then half of the rest: blunders at 0.75."""
    twice = "mixture(of=greedy(blunder=0.5),epsilon=0.5)"
    for game in (TIC_TAC_TOE, FOUR):
        assert behaviour(game, parse(game, twice)) == behaviour(game, parse(game, "greedy(blunder=0.75)"))
        assert behaviour(game, parse(game, twice)) != behaviour(game, parse(game, "greedy(blunder=0.7)"))


def test_the_distance_of_blunder_rates_is_in_proportion():
    """Greedy at 0.2 and 0.6 is 0.4 times as far apart as greedy at 0 and 1; measured in a sample for connect four."""
    for game in (TIC_TAC_TOE, FOUR):
        far = opponent_distance(game, parse(game, "greedy(blunder=0)"), parse(game, "random"))
        near = opponent_distance(game, parse(game, "greedy(blunder=0.2)"), parse(game, "greedy(blunder=0.6)"))
        assert near == pytest.approx(0.4 * far) and 0.5 < far < 0.9


def test_the_classics_are_played_through_their_openspiel_states():
    for name, expected in (("tictactoe", "b2"), ("connect_four", "4")):
        game = load(name)
        episode = game.start(0)
        seat = episode.seat_to_move
        assert parse(game, "greedy(blunder=0)").player(game, seat).act(episode, seat, 0.5) == expected
