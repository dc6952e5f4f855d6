"""Poker tendencies: every corner's moves and returns by hand, and families drawn from regions."""

import pyspiel
import pytest

from games.errors import RequestError
from games.naming import opponent_distance, parse
from games.opponents import expand, split
from games.registry import load
from games.strategies import distance
from games.trees.walk import sequence_form
from tests.games.usual_games import KUHN

LEDUC = load("leduc_poker")
JACK, QUEEN, KING = 0, 1, 2
PASS, BET = 0, 1
FOLD, CALL, RAISE = 0, 1, 2


def row(game, name, seat, *actions):
    """The move probabilities after these actions, the deal included."""
    state = pyspiel.load_game(game.solver).new_initial_state()
    for action in actions:
        state.apply_action(action)
    assert state.current_player() == seat
    return parse(game, name).tree_policy(game, seat)(state, seat)


def expected(game, first, second):
    """The exact expected return of seat 0."""
    form = sequence_form(game.solver)
    plans = {}
    for seat, name in enumerate((first, second)):
        policy, rows = parse(game, name).tree_policy(game, seat), []
        for history in form.decisions[seat].histories:
            state = form.game.new_initial_state()
            for action in history:
                state.apply_action(action)
            rows.append(policy(state, seat))
        plans[seat] = form.decisions[seat].plan(rows)
    return form.expected(plans)[0]


def test_each_tendency_belongs_to_one_card_in_kuhn():
    name = "kuhn_tendencies(bluff=0.1,call=0.2,raise=0.7)"
    opening = [row(KUHN, name, 0, card, (card + 1) % 3) for card in (JACK, QUEEN, KING)]
    assert opening == [[0.9, 0.1], [1.0, 0.0], [pytest.approx(0.3), 0.7]]
    answer = [row(KUHN, name, 1, (card + 1) % 3, card, BET) for card in (JACK, QUEEN, KING)]
    assert answer == [[1.0, 0.0], [0.8, 0.2], [0.0, 1.0]]
    after_a_check = [row(KUHN, name, 1, (card + 1) % 3, card, PASS) for card in (JACK, QUEEN, KING)]
    assert after_a_check == opening
    check_then_bet = [row(KUHN, name, 0, card, (card + 1) % 3, PASS, BET) for card in (JACK, QUEEN, KING)]
    assert check_then_bet == answer


def test_the_corners_are_pure_and_the_middle_is_even():
    assert [row(KUHN, "aggressive", 0, card, (card + 1) % 3)[BET] for card in (JACK, QUEEN, KING)] == [1, 0, 1]
    assert [row(KUHN, "conservative", 0, card, (card + 1) % 3)[BET] for card in (JACK, QUEEN, KING)] == [0, 0, 0]
    assert [row(KUHN, "intermediate", 0, card, (card + 1) % 3)[BET] for card in (JACK, QUEEN, KING)] == [0.5, 0, 0.5]


def test_what_the_corners_win_from_each_other_in_kuhn():
    """Aggressive first, conservative second, by deal: JQ +1, JK -2, QJ +1, QK -1, KJ +1, KQ +1: one sixth.

    Conservative first, aggressive second: JQ -1 (both check), JK -1 (folds to the bet), QJ -1 (folds to a bluff), QK
    -1, KJ +2 (calls the bluff), KQ +1: minus one sixth.
    """
    assert expected(KUHN, "aggressive", "conservative") == pytest.approx(1 / 6)
    assert expected(KUHN, "conservative", "aggressive") == pytest.approx(-1 / 6)


def test_leduc_hands_are_told_by_rank_and_then_by_the_public_card():
    """Cards 0 and 1 are jacks, 2 and 3 queens, 4 and 5 kings; legal actions in order: fold, call, raise."""
    name = "leduc_tendencies(bluff=0.1,call=0.2,raise=0.7)"
    assert [row(LEDUC, name, 0, card, 5 if card < 4 else 0) for card in (0, 3, 4)] == [
        [0.9, 0.1],
        [1.0, 0.0],
        [pytest.approx(0.3), 0.7],
    ]
    assert [row(LEDUC, name, 1, 5 if card < 4 else 0, card, RAISE) for card in (0, 3, 4)] == [
        [1.0, 0.0, 0.0],
        [0.8, 0.2, 0.0],
        [0.0, pytest.approx(0.3), 0.7],
    ]
    public = [row(LEDUC, name, 0, 2, 5, CALL, CALL, card) for card in (3, 0, 4)]  # a queen with queen, jack, king
    assert public == [[pytest.approx(0.3), 0.7], [1.0, 0.0], [0.9, 0.1]]


def test_a_strong_hand_calls_where_no_raise_is_left():
    state = pyspiel.load_game(LEDUC.solver).new_initial_state()
    for action in (4, 5, RAISE, RAISE):
        state.apply_action(action)
    assert state.legal_actions() == [FOLD, CALL]
    assert parse(LEDUC, "aggressive").tree_policy(LEDUC, 0)(state, 0) == [0.0, 1.0]


def test_the_distance_of_two_tendencies_by_hand():
    """Everyone random, seat 0 meets each opening card 1/3 of the time and each answer to a bet 1/12, 5/4 in all; seat 1
    each card after a check 1/6 of the time and after a bet 1/6, 1 in all. Only the jack before a bet differs.
    """
    never, always = (parse(KUHN, f"kuhn_tendencies(bluff={bluff},call=0,raise=0)") for bluff in (0, 1))
    first, second = (distance(never.strategy(KUHN, s), always.strategy(KUHN, s), KUHN, s) for s in (0, 1))
    assert first == pytest.approx((1 / 3) / (5 / 4)) and second == pytest.approx(1 / 6)
    assert opponent_distance(KUHN, never, always) == second


def test_draws_lie_in_their_region_and_differ():
    declared = {
        "family": "kuhn_tendencies",
        "count": 20,
        "seed": 3,
        "parameters": {"bluff": [0.6, 0.9], "call": 0.5, "raise": [0.0, 0.1]},
    }
    drawn = [dict(rival.parameters) for rival in expand(KUHN, [declared])]
    assert len({row["bluff"] for row in drawn}) > 15 and all(row["call"] == 0.5 for row in drawn)
    assert all(0.6 <= row["bluff"] <= 0.9 and 0.0 <= row["raise"] <= 0.1 for row in drawn)
    assert expand(KUHN, [declared]) == expand(KUHN, [declared])


def test_an_alias_in_kuhn_is_refused_with_both_names():
    """Mixing nothing in changes nothing."""
    alias = "mixture(of=conservative,epsilon=0.0)"
    with pytest.raises(RequestError, match=r"which behaves like kuhn_tendencies\(bluff=0.0,call=0.0,raise=0.0\)"):
        split(KUHN, training=["conservative"], held_out=[alias], min_distance=0.0)


def test_held_out_regions_that_overlap_training_are_refused():
    corner = {"family": "kuhn_tendencies", "count": 4, "parameters": {"bluff": [0.0, 0.5]}}
    with pytest.raises(RequestError, match=r"kuhn_tendencies drawn for held_out from bluff=\[0.4, 0.9\]"):
        split(KUHN, training=[corner], held_out=[{**corner, "parameters": {"bluff": [0.4, 0.9]}}])
    apart = {**corner, "seed": 1, "parameters": {"bluff": [0.6, 1.0]}}
    sets = split(KUHN, training=[corner], held_out=[apart], min_distance=0.01)
    assert {sets.distance(rival) for rival in sets.held_out} == {"near"} and len(sets.held_out) == 4
