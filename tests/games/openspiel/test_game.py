"""OpenSpiel's games: their names, what is refused, and what Shimmy gets wrong set right."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pyspiel
import pytest
from pettingzoo.test import api_test

from games.errors import RequestError
from games.openspiel.env import OpenSpielEnv
from games.openspiel.game import WORDS, load
from games.openspiel.names import NAMED
from games.text import Episode
from tests.games.playing import played, unread

SMALL = (
    *(row.game for row in NAMED.values()),
    "openspiel:tic_tac_toe",
    "openspiel:connect_four",
    "openspiel:kuhn_poker(players=3)",
)
OTHERS = (
    "openspiel:dark_hex",
    "openspiel:repeated_game(num_repetitions=3,stage_game=matrix_pd())",
    "openspiel:snake",
    "openspiel:negotiation",
    "openspiel:goofspiel(num_cards=3,players=3)",
)


def random_episode(name: str, seed: int, most: int = 100) -> Episode:
    episode, draws = load(name, "compact").start(seed), random.Random(seed)
    while episode.seat_to_move is not None and len(episode.played) < most:
        episode.play(draws.choice(episode.legal_moves()))
    return episode


@pytest.mark.parametrize("name", (*SMALL, *OTHERS))
def test_rewards_sum_to_openspiel_s_returns_within_what_the_game_promises(name):
    game = load(name, "compact")
    for seed in range(4):
        episode = random_episode(name, seed, most=10**6)
        assert episode.seat_to_move is None and episode.state.is_terminal()
        assert episode.returns == pytest.approx(episode.state.returns())
        assert game.utility_range[0] <= min(episode.returns) <= max(episode.returns) <= game.utility_range[1]
        assert abs(sum(episode.returns)) < 1e-9 or not game.zero_sum
        turns = [sum(mover == seat for mover, _ in episode.played) for seat in range(game.seats)]
        assert max(turns) <= game.max_turns


def test_a_forfeit_of_kuhn_costs_two_chips():
    episode = load("openspiel:kuhn_poker", "compact").start(0)
    episode.forfeit()
    assert episode.returns == [-2.0, 2.0]


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "goofspiel(num_cards=3)", "repeated_game(num_repetitions=2,stage_game=matrix_pd())"]
)
def test_the_environment_keeps_pettingzoo_s_contract(name):
    api_test(OpenSpielEnv(name), num_cycles=50)


def test_payoffs_of_a_round_are_paid_once_though_the_next_round_s_moves_come_one_by_one():
    episode = load("openspiel:repeated_game(num_repetitions=2,stage_game=matrix_pd())", "compact").start(0)
    played(episode, "Cooperate", "Cooperate")
    assert episode.returns == [5.0, 5.0]
    played(episode, "Defect")
    assert episode.returns == [5.0, 5.0]
    assert played(episode, "Cooperate") == ["Cooperate\nreturn 15\n", "Defect\nreturn 5\n"]


@pytest.mark.parametrize("name", (*SMALL, *OTHERS, "openspiel:tarok"))
def test_the_seed_decides_every_chance_move(name):
    texts = []
    for _ in range(2):
        episode = random_episode(name, seed=11, most=15)
        texts.append((unread(episode), episode.played))
    assert texts[0] == texts[1]


def digest() -> str:
    """Of all that is read and legal in an episode of each of some games, in both renderings."""
    whole = hashlib.sha256()
    for name in (*SMALL, "openspiel:dark_hex", "openspiel:negotiation"):
        for rendering in ("compact", "full"):
            game = load(name, rendering)
            episode, draws = game.start(5), random.Random(5)
            whole.update(repr((game.name, game.rules(1, 3), unread(episode))).encode())
            while episode.seat_to_move is not None:
                whole.update(repr(episode.legal_moves()).encode())
                episode.play(draws.choice(episode.legal_moves()))
                whole.update(repr(unread(episode)).encode())
    return whole.hexdigest()


def test_two_processes_with_different_hash_seeds_write_the_same_texts():
    here = Path(__file__).resolve()
    program = f"import sys; sys.path[:0] = [{str(here.parent)!r}]; import {here.stem}; print({here.stem}.digest())"
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    environments = [{**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path} for seed in ("1", "2")]
    outputs = {
        subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True).stdout.strip()
        for environment in environments
    }
    assert outputs == {digest()}


@pytest.mark.parametrize("name", ["openspiel:kuhn_poker", "openspiel:negotiation"])
def test_different_seeds_deal_different_hands(name):
    assert len({tuple(unread(load(name, "compact").start(seed))) for seed in range(40)}) >= 6


def test_names_of_equal_games_are_equal():
    assert load("openspiel:kuhn_poker(players=2)", "compact") == load("openspiel:kuhn_poker", "compact")
    assert load("openspiel:leduc_poker(players=3)", "compact").name == "openspiel:leduc_poker(players=3)"
    one = load("openspiel:goofspiel(num_cards=4,imp_info=True,players=2)", "compact")
    assert one.name == "openspiel:goofspiel(imp_info=True,num_cards=4)"
    assert pyspiel.load_game(one.solver).num_distinct_actions() == 4
    assert load("openspiel:hex(num_rows=11,board_size=3,num_cols=11)", "compact").max_turns == 61  # of 121 cells


@pytest.mark.parametrize("name", NAMED)
def test_named_games_load_by_a_name_of_their_own(name):
    game = load(NAMED[name].game, "full")
    assert game.name == NAMED[name].game and game.seats == 2
    assert game.solver.partition("(")[0] in WORDS


def test_moves_and_the_state_s_actions_are_in_one_order():
    episode = random_episode("openspiel:tic_tac_toe", seed=3, most=4)
    cells = [f"{'abc'[action % 3]}{action // 3 + 1}" for action in episode.state.legal_actions()]
    assert list(episode.legal_moves()) == cells and len(cells) == 5


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("openspiel:kuhn_pokr", r"unknown OpenSpiel game 'kuhn_pokr'.*did you mean 'kuhn_poker'\?"),
        ("openspiel:kuhn_poker(player=3)", r"unknown parameter of kuhn_poker 'player': known are players; did you"),
        ("openspiel:blackjack", "a game of one player, expected two seats or more"),
        ("openspiel:mfg_garnet", "a mean field game, expected a game between seats"),
        ("openspiel:efg_game", r"expected it with its parameters; write efg_game\(filename=\.\.\.\)"),
        ("openspiel:kuhn_poker(players=30)", "got players=30 for OpenSpiel's kuhn_poker, expected .* from 2 to 10"),
        (
            "openspiel:amazons(board_size=7)",
            r"or NAME\(parameter=value,\.\.\.\): CHECK_TRUE\(board_size_",
        ),
    ],
)
def test_a_game_that_cannot_be_played_gives_one_sentence(name, sentence):
    with pytest.raises(RequestError, match=sentence) as caught:
        load(name, "compact")
    assert "\n" not in str(caught.value)


def test_an_unknown_rendering_is_refused():
    with pytest.raises(RequestError, match="unknown rendering 'loud': known are compact, full"):
        load("openspiel:kuhn_poker", "loud")
