"""Enumerating a game: its information states and positions, tables of them as policies, and what is refused."""

from types import SimpleNamespace

import pyspiel
import pytest

from games import exact
from games.errors import RequestError
from games.registry import load
from games.trees import positions
from games.trees import walk as walks
from games.trees.policy import uniform_policy
from games.trees.positions import visit
from games.trees.walk import state_after, walk
from tests.games.usual_games import bare

KUHN = bare("kuhn_poker")


def test_information_states_are_listed_in_order_of_own_moves():
    """Seat 0 of Kuhn poker decides with each card at the start, and again after pass and bet."""
    states = exact.information_states(KUHN, 0)
    assert sorted(state.key for state in states[:3]) == ["0", "1", "2"]
    assert sorted(state.key for state in states[3:]) == ["0pb", "1pb", "2pb"]
    for state in states:
        position = state_after(pyspiel.load_game("kuhn_poker"), state.history)
        assert position.information_state_string(0) == state.key
        assert (state.actions, state.moves) == ((0, 1), ("Pass", "Bet"))


def test_a_table_with_faults_is_refused():
    with pytest.raises(ValueError, match="no information state of kuhn_poker"):
        exact.from_table(KUHN, {"3": [0.5, 0.5]})
    for row in ([1.0], [0.6, 0.6], [1.5, -0.5], [float("nan"), 1.0]):
        with pytest.raises(ValueError, match="expected 2 of at least 0 that sum to 1"):
            exact.from_table(KUHN, {"0": row})
    with pytest.raises(ValueError, match="expected some for every information state"):
        exact.expected_return(KUHN, {"0": [0.5, 0.5]}, uniform_policy)
    with pytest.raises(ValueError, match="got 1 players, expected one for each of the 2 seats"):
        exact.nash_conv(KUHN, [uniform_policy])


def test_a_game_beyond_the_limit_is_refused_in_one_sentence():
    """Kuhn poker has 58 histories, tic-tac-toe 5,478 positions: one less is too few."""
    assert len(walk(pyspiel.load_game("kuhn_poker"), 58).chance) == 30
    with pytest.raises(RequestError, match="more than 57 histories, expected at most that many"):
        walk(pyspiel.load_game("kuhn_poker"), 57)
    with pytest.raises(RequestError, match="more than 5,477 positions"):
        visit(pyspiel.load_game("tic_tac_toe"), 5477)


@pytest.mark.parametrize(
    ("name", "limit", "unit"),
    [
        ("chess", positions.POSITIONS, "positions"),
        ("connect_four", positions.POSITIONS, "positions"),
        ("goofspiel", walks.HISTORIES, "histories"),
    ],
)
def test_a_game_that_is_far_too_large_is_refused_at_once(name, limit, unit):
    assert f"more than {limit:,} {unit}" in exact.refusal(bare(name))
    with pytest.raises(RequestError, match="choose a smaller game"):
        exact.security_value(bare(name), 0)


def test_a_game_of_imperfect_recall_is_refused():
    assert "forgets its own moves" in exact.refusal(bare("liars_dice_ir(dice_sides=3)"))


def test_a_game_that_draws_its_own_chance_is_refused():
    assert "chance outcomes can't be listed" in exact.refusal(bare("bridge_uncontested_bidding"))


def test_a_game_that_hides_something_and_tells_no_seat_what_it_knows_is_refused():
    """Pathfinding of two at the same time has no information-state text."""
    assert "don't say what a seat knows" in exact.refusal(bare("pathfinding(players=2)"))


def test_positions_tell_how_they_can_be_reached():
    """Every history leads to its position; the start, which comes last, has none."""
    tree = visit(pyspiel.load_game("hex(board_size=2)"), 100)
    assert tree.histories[-1] == ()
    for key, number in tree.numbers.items():
        assert positions.position_key(state_after(tree.game, tree.histories[number])) == key


def test_a_game_unknown_to_both_solvers_is_refused():
    assert "OpenSpiel doesn't know" in exact.refusal(SimpleNamespace(name="texas_holdem", solver=None))
    assert exact.refusal(KUHN) is None
    assert exact.refusal(load("rock_paper_scissors")) is None
