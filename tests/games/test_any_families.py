"""Families for any game: random and first legal moves, and mixtures, in every kind of game."""

from types import SimpleNamespace

import numpy as np
import pytest

from games.errors import RequestError
from games.naming import behaviour, opponent_distance, parse
from games.opponents import split
from games.players import FirstLegalPlayer, MixturePlayer
from games.registry import load
from tests.games.usual_games import KUHN, RPS

GOODS = load("public_goods")
UNIFORMS = [i / 10 for i in range(10)]


def episode(*moves):
    return SimpleNamespace(legal_moves=lambda: moves, history=[], state=None)


def test_random_shares_the_unit_interval_equally():
    player = parse(GOODS, "random").player(GOODS, 2)
    assert [player.act(episode(*"abcde"), 2, uniform) for uniform in UNIFORMS] == list("aabbccddee")
    assert player.act(episode(*"abc"), 2, 1.0 - 2.0**-53) == "c"


def test_first_legal_takes_the_first():
    assert parse(GOODS, "first_legal").player(GOODS, 0).act(episode("x", "y"), 0, 0.99) == "x"


def test_a_mixture_is_random_below_epsilon_and_the_other_player_above():
    """Epsilon 0.4 over two moves: a below 0.2, b below 0.4, and from there on the first legal move."""
    player = MixturePlayer(FirstLegalPlayer(), 0.4)
    assert [player.act(episode("a", "b"), 0, uniform) for uniform in UNIFORMS] == list("aabbaaaaaa")


def test_a_mixture_hands_the_rest_of_the_uniform_number_on():
    inner = SimpleNamespace(act=lambda episode, seat, uniform: uniform)
    player = MixturePlayer(inner, 0.5)
    assert player.act(episode("a"), 0, 0.75) == 0.5 and player.act(episode("a"), 0, 1.0 - 2.0**-53) < 1.0


def test_a_mixture_in_a_matrix_game_is_a_policy_of_the_same_states():
    policy = parse(RPS, "mixture(of=cycle,epsilon=0.3)").policy(RPS, 0)
    np.testing.assert_allclose(policy.probabilities[policy.start], [0.8, 0.1, 0.1])
    np.testing.assert_allclose(policy.probabilities[policy.next_state[policy.start, 0, 2]], [0.1, 0.8, 0.1])


def test_a_mixture_in_a_tree_mixes_the_probabilities():
    state = KUHN.start(0).state
    policy = parse(KUHN, "mixture(of=first_legal,epsilon=0.5)").tree_policy(KUHN, 0)
    assert policy(state, 0) == [0.75, 0.25]


def test_two_mixtures_one_in_the_other_are_one_mixture():
    """Half of half of the moves are the inner player's: that is a mixture with epsilon 0.75."""
    for game in (RPS, KUHN, GOODS):
        twice = parse(game, "mixture(of=mixture(of=first_legal,epsilon=0.5),epsilon=0.5)")
        assert behaviour(game, twice) == behaviour(game, parse(game, "mixture(of=first_legal,epsilon=0.75)"))


def test_nothing_but_random_moves_is_random_by_whatever_name():
    for game in (RPS, KUHN, GOODS, load("connect_four")):
        known = behaviour(game, parse(game, "random"))
        for name in ("mixture(of=first_legal,epsilon=1.0)", "mixture(of=random,epsilon=0.3)"):
            assert behaviour(game, parse(game, name)) == known
        assert behaviour(game, parse(game, "mixture(of=first_legal,epsilon=0.9)")) != known


def test_the_distance_to_random_is_the_share_of_the_first_move_that_is_missing():
    """First legal against random over two moves: 1/2 apart, over three 2/3; an even mixture is half as far."""
    first, even, chance = ("first_legal", "mixture(of=first_legal,epsilon=0.5)", "random")
    for game, expected in ((KUHN, 1 / 2), (RPS, 2 / 3)):
        assert opponent_distance(game, parse(game, first), parse(game, chance)) == pytest.approx(expected)
        assert opponent_distance(game, parse(game, even), parse(game, chance)) == pytest.approx(expected / 2)


def test_any_game_can_be_played_out_by_them():
    for name in ("rps", "public_goods", "kuhn_poker", "rock_paper_scissors", "connect_four"):
        game = load(name)
        opponents = [parse(game, text) for text in ("random", "mixture(of=first_legal)", "random")][: game.seats]
        episode = game.start(3)
        players = [opponent.player(game, seat) for seat, opponent in enumerate(opponents)]
        turn = 0
        while (seat := episode.seat_to_move) is not None:
            turn += 1
            episode.play(players[seat].act(episode, seat, turn * 0.618 % 1.0))
        assert episode.forfeits == [0] * game.seats and turn == len(episode.played)


def test_what_never_plays_its_own_move_is_the_random_player_under_any_name():
    kuhn = load("kuhn_poker")
    with pytest.raises(RequestError, match="which behaves like random"):
        split(kuhn, training=["random"], held_out=["mixture(of=is_mcts(simulations=5),epsilon=1.0)"])
