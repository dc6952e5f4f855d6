"""What is certain: opponents that never draw a move, and games without chance; what isn't known counts as drawn."""

import json
from types import SimpleNamespace

import pytest

from games.deterministic import has_chance, is_deterministic
from games.naming import parse
from games.registry import load
from tests.games.usual_games import KUHN, RPS

TICTACTOE = load("tictactoe")
GOODS = load("public_goods")


@pytest.mark.parametrize(
    ("game", "name", "certain"),
    [
        (RPS, "tit_for_tat(start=P)", True),
        (RPS, "tit_for_tat(start=uniform)", False),
        (RPS, "cycle", True),
        (RPS, "win_stay_lose_shift", True),
        (RPS, "peaked_habit(move=R,peak=1.0)", True),
        (RPS, "peaked_habit(move=R,peak=0.999999999999)", False),
        (RPS, "frequency_counter", False),  # its first move is any of three
        (RPS, "best_response(to=random)", True),
        (RPS, "mixture(of=cycle,epsilon=0.0)", True),
        (RPS, "mixture(of=cycle,epsilon=0.1)", False),
        (RPS, "equilibrium", False),
        (load("prisoners_dilemma"), "memory_one(alpha=0.2,seed=1)", False),
        (KUHN, "first_legal", True),
        (KUHN, "aggressive", True),
        (KUHN, "intermediate", False),
        (KUHN, "best_response(to=random)", True),
        (KUHN, "equilibrium", False),
        (KUHN, "is_mcts(simulations=5)", False),
        (TICTACTOE, "preferred_cells", True),
        (TICTACTOE, "equilibrium", True),
        (TICTACTOE, "greedy(blunder=0.0)", True),
        (TICTACTOE, "greedy(blunder=0.2)", False),
        (TICTACTOE, "mcts(simulations=5)", False),
        (load("connect_four"), "first_legal", True),
        (load("connect_four"), "preferred_cells", False),  # too large to look everywhere
        (GOODS, "first_legal", True),
        (GOODS, "mixture(of=first_legal,epsilon=0.0)", True),
        (GOODS, "mixture(of=first_legal,epsilon=0.5)", False),
        (GOODS, "random", False),
    ],
)
def test_an_opponent_is_certain_only_if_each_of_its_moves_is(game, name, certain):
    assert [is_deterministic(game, parse(game, name), seat) for seat in (0, 1)] == [certain, certain]


def test_draws_where_its_own_play_never_leads_do_not_count(tmp_path, monkeypatch):
    """Whoever bets every card at once never has to answer a bet after passing; on the other seat nothing is said."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.json").write_text(json.dumps({card: {"Bet": 1.0} for card in "012"}))
    rival = parse(KUHN, "table(file=policy.json)")
    assert is_deterministic(KUHN, rival, 0)
    assert not is_deterministic(KUHN, rival, 1)


@pytest.mark.parametrize(
    ("name", "chance"),
    [
        ("rock_paper_scissors", False),
        ("public_goods(seats=4)", False),
        ("tictactoe", False),
        ("rps", False),
        ("hex", False),
        ("kuhn_poker", True),
        ("hanabi", True),
        ("leduc_holdem", True),
        ("openspiel:misere(game=tic_tac_toe())", False),
    ],
)
def test_chance_is_what_the_game_is_known_to_have(name, chance):
    assert has_chance(load(name)) is chance


def test_a_game_of_which_nothing_is_known_may_have_chance():
    assert has_chance(SimpleNamespace(name="package.module:function"))
