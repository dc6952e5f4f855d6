"""The public goods game: payoffs by hand, the environment, and what each seat reads, decoded."""

from __future__ import annotations

import re
import warnings
from itertools import product

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel

import games
from games.errors import RequestError
from games.public_goods import PublicGoods, PublicGoodsGame, parse
from games.public_goods_text import load
from tests.games.playing import play

DEFAULT = PublicGoods()
FOUR = PublicGoods(seats=4, rounds=2, multiplier=1.6, levels=3, endowment=10.0)


@pytest.mark.parametrize("rules", [DEFAULT, FOUR], ids=lambda rules: rules.name)
def test_the_environment_passes_pettingzoo_s_own_tests_without_a_warning(rules):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        api_test(PublicGoodsGame(rules), num_cycles=20)
        seed_test(lambda: PublicGoodsGame(rules), num_cycles=20)
        parallel_api_test(aec_to_parallel(PublicGoodsGame(rules)), num_cycles=20)


def test_a_round_pays_what_was_kept_and_a_share_of_twice_what_was_given():
    assert DEFAULT.payoffs((0, 0, 0)) == (3.0, 3.0, 3.0)
    assert DEFAULT.payoffs((1, 1, 1)) == (6.0, 6.0, 6.0)
    assert DEFAULT.payoffs((0, 1, 1)) == (7.0, 4.0, 4.0)
    assert DEFAULT.payoffs((0, 1, 0)) == (5.0, 2.0, 5.0)
    assert FOUR.payoffs((0, 1, 2, 2)) == (20.0, 15.0, 10.0, 10.0)  # 25 given become 40, 10 for each


@pytest.mark.parametrize("rules", [DEFAULT, FOUR, PublicGoods(multiplier=4.0), PublicGoods(seats=2, multiplier=0.5)])
def test_the_range_of_a_round_is_the_least_and_the_greatest_of_all_joint_moves(rules):
    every = [pay for joint in product(range(rules.levels), repeat=rules.seats) for pay in rules.payoffs(joint)]
    np.testing.assert_allclose(rules.payoff_range, (min(every), max(every)))


def test_choices_stay_hidden_until_all_have_moved():
    env = PublicGoodsGame(DEFAULT)
    env.reset()
    env.step(1)
    env.step(0)
    assert [env.observe(agent)[0].tolist() for agent in env.agents] == [[2, 2, 2]] * 3
    assert (env.history, env.rewards) == ([], dict.fromkeys(env.agents, 0.0))
    env.step(1)
    assert [env.observe(agent)[0].tolist() for agent in env.agents] == [[1, 0, 1]] * 3
    assert (list(env.rewards.values()), env.render()) == ([4.0, 7.0, 4.0], "3 0 3")
    with pytest.raises(ValueError, match="player_0: got move 2, expected 0 to 1"):
        env.step(2)


def test_an_episode_sums_the_rounds_and_shows_each_seat_the_others_and_its_own():
    episode = play(games.load("public_goods", rounds=2).start(seed=0), "give", "keep")
    assert [episode.news(seat) for seat in range(3)] == ["", "", ""]
    play(episode, "give", "keep", "keep", "give")
    assert [episode.news(seat) for seat in range(3)] == [
        "keep give 4\nkeep give 5\n",
        "give give 7\nkeep give 5\n",
        "give keep 4\nkeep keep 2\n",
    ]
    assert (episode.seat_to_move, episode.returns) == (None, [9.0, 12.0, 6.0])
    assert episode.history == [(1, 0, 1), (0, 0, 1)]


def test_a_forfeit_books_the_least_and_leaves_the_others_what_they_have():
    episode = play(games.load("public_goods").start(seed=0), "give", "keep", "give", "keep")
    episode.forfeit()
    assert (episode.returns, episode.forfeits) == ([4.0, 12.0, 4.0], [0, 1, 0])  # six rounds of 2, the least


def test_the_rules_say_what_is_given_and_shared():
    compact, full = load(FOUR, "compact"), load(DEFAULT, "full")
    assert compact.rules(3, 2) == (
        "public_goods seat 3 of 4: 0 5 10, 10 units, given x1.6 shared, 2 rounds, 2 episodes\n"
    )
    text = full.rules(1, 1)
    assert text.startswith(
        "You are seat 1 of 3 in a public goods game, with the same others for 1 episode of 6 rounds.\n"
    )
    assert "If all give everything, each has 6 units in that round; if nobody gives, each has 3.\n" in text
    assert "Every unit given brings each seat 0.666667 units.\n" in text


NEWS = {
    "compact": re.compile(r"((?:\S+ )+)(\S+)\n"),
    "full": re.compile(r"(seat .*); the \S+ units given become \S+; you get (\S+) units\n"),
}


def decoded(rules, rendering, seat, own, text):
    """The joint move and the payoff that one seat's line tells, given its own move."""
    others, payoff = NEWS[rendering].fullmatch(text).groups()
    if rendering == "compact":
        amounts = [rules.amounts[rules.moves.index(word)] for word in others.split()]
    else:
        amounts = [float(units) for units in re.findall(r"seat \d+ gave (\S+?)(?:,|$)", others)]
    amounts.insert(seat, rules.amounts[rules.moves.index(own)])
    return tuple(rules.amounts.index(units) for units in amounts), float(payoff)


@pytest.mark.parametrize("rendering", ["compact", "full"])
@pytest.mark.parametrize("rules", [DEFAULT, FOUR], ids=lambda rules: rules.name)
def test_one_seat_s_transcript_tells_every_round(rules, rendering):
    rng = np.random.default_rng(3)
    names = rules.moves
    episode = load(rules, rendering).start(seed=0)
    for number in range(rules.rounds):
        joint = tuple(int(move) for move in rng.integers(rules.levels, size=rules.seats))
        play(episode, *(names[move] for move in joint))
        for seat in range(rules.seats):
            told = decoded(rules, rendering, seat, names[joint[seat]], episode.news(seat))
            assert told == (joint, pytest.approx(rules.payoffs(joint)[seat], rel=1e-5))
        assert episode.history[number] == joint


def test_a_name_gives_the_parameters_and_is_given_back():
    game = games.load("public_goods(levels=4, seats=4)", rounds=2)
    assert game.name == "public_goods(seats=4,rounds=2,levels=4)"
    assert games.load(game.name) == game
    assert (game.seats, game.max_turns, game.zero_sum) == (4, 2, False)
    assert game.start(seed=0).legal_moves() == ("0", "1", "2", "3")
    assert games.load("public_goods(multiplier=1.25)").name == "public_goods(multiplier=1.25)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("public_goods(seats=1)", "seats of public_goods: got 1, expected a whole number from 2 to 100"),
        ("public_goods(seats=2.5)", "seats of public_goods: got '2.5', expected a number; write public_goods.seats=4."),
        ("public_goods(rounds=0)", "rounds of public_goods: got 0"),
        (
            "public_goods(multiplier=nan)",
            "multiplier of public_goods: got nan, expected a number from 0.001 to",
        ),
        ("public_goods(endowment=1e308)", "endowment of public_goods: got 1e.308, expected a number from 0.001 to"),
        ("public_goods(endowment=0)", "endowment of public_goods: got 0.0, expected a number from 0.001 to 1000000"),
        ("public_goods(seats=3,seats=4)", "seats of public_goods: got it twice in .*, expected each parameter once"),
        ("public_goods(seat=3)", "unknown parameter of public_goods 'seat': .*; did you mean 'seats'"),
        ("public_goods(3)", "unknown parameter of public_goods '3'"),
        ("public_goods(seats=3", "got the game 'public_goods.seats=3', expected public_goods.parameter=value"),
    ],
)
def test_parameters_that_make_no_game_are_refused(name, message):
    with pytest.raises(RequestError, match=message):
        games.load(name)


def test_the_greatest_parameters_pay_finite_returns_and_the_least_ones_differ():
    greatest = "public_goods(seats=100,rounds=10000,endowment=1e6,multiplier=1e6,levels=101)"
    low, high = games.load(greatest).utility_range
    assert low == 1e10 and high == pytest.approx(1e16, rel=1e-4)  # 10,000 rounds of 1e6, of 1e6 * 1e6
    assert len(set(PublicGoods(endowment=0.001, levels=101).moves)) == 101


def test_options_of_two_seat_games_are_refused():
    with pytest.raises(RequestError, match="payoffs: got it for 'public_goods'"):
        games.load("public_goods", payoffs=[[1.0]])
    with pytest.raises(RequestError, match="unknown rendering 'brief'"):
        games.load("public_goods", rendering="brief")
    assert parse("public_goods", 2) == PublicGoods(rounds=2)


def test_rounds_that_differ_from_those_in_the_name_are_refused():
    assert parse("public_goods(rounds=4)", 4).rounds == 4
    with pytest.raises(RequestError, match="got rounds = 3 and 'public_goods"):
        parse("public_goods(rounds=4)", 3)
