"""What a seat can tell apart when an episode is over: counted by hand, and against the sequence form."""

import numpy as np
import pytest

from games import exact
from games.registry import load
from games.trees.endings import endings
from games.trees.policy import TreePolicy
from games.trees.states import plan_of_sequences
from games.trees.walk import sequence_form
from tests.games.usual_games import bare


def ends(game, seat, own):
    """[the rest of what was read] of all endings whose text begins with `own`, in order."""
    return sorted(ending.told[len(own) :] for ending in endings(game, seat).seen if ending.told.startswith(own))


def test_a_queen_in_kuhn_poker_tells_eight_endings_apart():
    """Both pass, or either bets and the other calls: three showdowns, each with a jack or a king. Or the other folds,
    which wins 1, or the queen folds, which loses 1. "bet" is what the other did, a bet or a call.
    """
    assert ends(load("kuhn_poker"), 0, "card Q\n") == [
        "bet\nreturn -1\n",  # pass, bet, fold
        "bet\ntheir card J\nreturn 2\n",  # bet, call
        "bet\ntheir card J\nreturn 2\n",  # pass, bet, call
        "bet\ntheir card K\nreturn -2\n",
        "bet\ntheir card K\nreturn -2\n",
        "pass\nreturn 1\n",  # bet, fold
        "pass\ntheir card J\nreturn 1\n",
        "pass\ntheir card K\nreturn -1\n",
    ]


def test_without_words_a_jack_does_not_know_who_called():
    """With a queen it follows from the return. Each of the three showdowns of a jack, and of a king, is one ending
    instead of two.
    """
    silent, spoken = endings(bare("kuhn_poker"), 0).seen, endings(load("kuhn_poker"), 0).seen
    assert [sum(ending.told == "0bb" for ending in silent), sum(ending.told == "1bb" for ending in silent)] == [1, 2]
    assert len(spoken) - len(silent) == 6


@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)", "goofspiel(num_cards=3)", "matrix_rps"])
def test_histories_are_those_of_the_sequence_form(name):
    """In another order; their likelihoods and returns add up to the same expected returns."""

    def uneven(state, seat):
        weights = [1.0 + (7 * move + seat) % 5 for move in range(len(state.legal_actions(seat)))]
        return [weight / sum(weights) for weight in weights]

    game, policy = bare(name), TreePolicy(uneven, "uneven")
    plans = {seat: plan_of_sequences(name, policy, seat) for seat in range(game.seats)}
    expected = exact.expected_return(game, *[policy] * game.seats)
    for seat in range(game.seats):
        known = endings(game, seat)
        assert len(known.of) == len(sequence_form(name).chance)
        others = {other: plan for other, plan in plans.items() if other != seat}
        likely = known.likelihoods(others) * plans[seat][known.sequences]
        assert likely.sum() == pytest.approx(1.0)
        assert likely @ known.paid == pytest.approx(expected[seat])
        np.testing.assert_allclose(known.form.expected(plans), expected)
