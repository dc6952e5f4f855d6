"""Search: it finds what must be found, sees no hidden card, and answers the same in every process."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pyspiel
import pytest

from games.draws import uniforms
from games.errors import RequestError
from games.naming import parse
from games.registry import load
from games.search import RESAMPLERS, redrawn
from tests.games.usual_games import KUHN, TIC_TAC_TOE


def at(solver, *actions):
    """An episode that stands after these actions; moves are named by their numbers."""
    state = pyspiel.load_game(solver).new_initial_state()
    for action in actions:
        state.apply_action(action)
    legal = tuple(map(str, state.legal_actions()))
    return SimpleNamespace(state=state, legal_moves=lambda: legal, history=())


def moves(game, name, episode, seat, uniforms=(0.0, 0.2, 0.4, 0.6, 0.8)):
    player = parse(game, name).player(game, seat)
    return {player.act(episode, seat, uniform) for uniform in uniforms}


def play(game, names, seed):
    episode, draw = game.start(seed), uniforms(seed)
    players = [parse(game, name).player(game, seat) for seat, name in enumerate(names)]
    while (seat := episode.seat_to_move) is not None:
        episode.play(players[seat].act(episode, seat, draw()))
    return episode.returns


def test_mcts_wins_at_once_and_stops_a_win():
    assert moves(TIC_TAC_TOE, "mcts(simulations=200)", at("tic_tac_toe", 0, 3, 1, 4), 0) == {"2"}
    assert moves(TIC_TAC_TOE, "mcts(simulations=200)", at("tic_tac_toe", 0, 4, 1), 1) == {"2"}


def test_mcts_1000_never_loses_tic_tac_toe_to_random_in_200_games():
    name = "mcts(simulations=1000)"
    first = [play(TIC_TAC_TOE, [name, "random"], seed)[0] for seed in range(100)]
    second = [play(TIC_TAC_TOE, ["random", name], seed)[1] for seed in range(100)]
    assert min(first + second) == 0.0 or min(first + second) == 1.0
    assert sum(first) > 90 and sum(second) > 60  # it does not merely draw


def test_a_search_is_repeated_by_the_same_uniform_number_and_varies_with_another():
    episode = at("tic_tac_toe")
    answers = [
        moves(TIC_TAC_TOE, "mcts(simulations=5)", episode, 0, [uniform]) for uniform in (0.1, 0.1, 0.3, 0.5, 0.7)
    ]
    assert answers[0] == answers[1] and len({frozenset(answer) for answer in answers}) > 1
    assert episode.state.history() == []  # it searched in a copy


def test_is_mcts_answers_a_bet_in_kuhn_as_one_must():
    """With the king calling wins for certain; with the jack it loses for certain."""
    assert moves(KUHN, "is_mcts(simulations=150)", at("kuhn_poker", 1, 2, 1), 1) == {"1"}
    assert moves(KUHN, "is_mcts(simulations=150)", at("kuhn_poker", 1, 0, 1), 1) == {"0"}


@pytest.mark.parametrize("solver", ["kuhn_poker", "leduc_poker"])
def test_is_mcts_sees_no_hidden_card(solver):
    """The same own card and a different one of the other's: the same move at every uniform number."""
    game = load(solver)
    player = parse(game, "is_mcts(simulations=12)").player(game, 0)
    for step in range(10):
        seen = {player.act(at(solver, 1, other), 0, step / 10) for other in (0, 2)}
        assert len(seen) == 1


def test_a_redrawn_world_keeps_what_the_seat_knows_and_changes_the_rest():
    game, draw = pyspiel.load_game("liars_dice"), uniforms(1)
    state = game.new_initial_state()
    for action in (2, 4, 3):  # dice, then a bid
        state.apply_action(action)
    worlds = [redrawn(state, 1, draw) for _ in range(60)]
    assert {world.information_state_string(1) for world in worlds} == {state.information_state_string(1)}
    assert {world.history()[0] for world in worlds} == set(range(6)) and {world.history()[1] for world in worlds} == {4}


@pytest.mark.parametrize("name", ["leduc_poker", "liars_dice"])
def test_is_mcts_plays_other_games(name):
    game = load(name)
    assert sum(play(game, ["is_mcts(simulations=4)", "is_mcts(simulations=4)"], 1)) == 0


def test_a_game_whose_hidden_part_cannot_be_drawn_is_refused():
    with pytest.raises(RequestError, match="hidden part can be drawn again"):
        parse(load("openspiel:phantom_ttt"), "is_mcts")
    assert "phantom_ttt" not in RESAMPLERS


SCRIPT = """
from games.naming import parse
from games.registry import load
for name, rivals in {
    "kuhn_poker": ["is_mcts(simulations=9)", "cfr(iterations=30)", "q_learning(episodes=200)", "best_response"],
    "leduc_poker": ["is_mcts(simulations=6)"],
    "openspiel:tic_tac_toe": ["mcts(simulations=20)", "mixture(of=greedy,epsilon=0.3)"],
}.items():
    game = load(name)
    for rival in rivals:
        episode, turn = game.start(5), 0
        players = [parse(game, rival).player(game, seat) for seat in (0, 1)]
        while (seat := episode.seat_to_move) is not None:
            turn += 1
            episode.play(players[seat].act(episode, seat, turn * 0.618 % 1.0))
        print(name, rival, episode.played)
"""


def test_two_processes_make_the_same_moves():
    outputs = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1] and outputs[0].count("\n") == 7
