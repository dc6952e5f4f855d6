"""Names of opponents in every game: nested ones, presets, and refusals that say what would fit."""

import pytest

from games.errors import RequestError
from games.families import FAMILIES, fitting
from games.naming import behaviour, opponent_distance, parse
from games.registry import load
from tests.games.usual_games import KUHN, RPS

NESTED = [
    (RPS, "mixture(of=cycle(start=R,step=-1),epsilon=0.25)"),
    (RPS, "mixture(of=mixture(of=dirichlet_habit(p=0.2/0.3/0.5),epsilon=0.1),epsilon=0.2)"),
    (RPS, "best_response(to=mixture(of=tit_for_tat(start=S),epsilon=0.5))"),
    (RPS, "q_learning(episodes=50,against=memory_one(alpha=0.2,seed=3),seed=7)"),
    (KUHN, "mixture(of=kuhn_tendencies(bluff=0.1,call=0.2,raise=0.3),epsilon=0.1)"),
    (KUHN, "best_response(to=cfr(iterations=10))"),
]


@pytest.mark.parametrize(("game", "name"), NESTED)
def test_a_name_within_a_name_is_read_back(game, name):
    assert parse(game, name).name == name
    assert parse(game, parse(game, name).name) == parse(game, name)


def test_the_inner_name_is_made_canonical():
    assert parse(RPS, "mixture( of = cycle , epsilon = 0.10)").name == "mixture(of=cycle(start=R,step=1),epsilon=0.1)"


@pytest.mark.parametrize(
    "text", ["mixture(of=cycle(),epsilon=0.1", "cycle)(", "mixture(of=cycle(start=R)", "cycle(a),tit"]
)
def test_parentheses_that_do_not_match_are_refused(text):
    with pytest.raises(RequestError, match="expected"):
        parse(RPS, text)


def test_a_mixture_is_near_what_its_inner_opponent_is_near_to():
    assert parse(RPS, "mixture(of=mixture(of=peaked_habit),epsilon=0.2)").rule == "habit"
    assert parse(RPS, "best_response(to=peaked_habit)").rule == "best_response"


def test_a_preset_is_a_name_for_a_row_of_its_family():
    assert parse(KUHN, "aggressive").name == "kuhn_tendencies(bluff=1.0,call=1.0,raise=1.0)"
    assert parse(KUHN, "conservative(call=0.25)").name == "kuhn_tendencies(bluff=0.0,call=0.25,raise=0.0)"
    assert parse(load("leduc_poker"), "intermediate").name == "leduc_tendencies(bluff=0.5,call=0.5,raise=0.5)"


def test_an_opponent_of_another_game_is_refused_with_those_that_fit():
    with pytest.raises(RequestError, match="without a payoff matrix.*choose one of kuhn_tendencies, random"):
        parse(KUHN, "tit_for_tat")
    with pytest.raises(RequestError, match="not Kuhn poker for two.*choose one of peaked_habit"):
        parse(RPS, "aggressive")
    with pytest.raises(RequestError, match="everyone sees everything"):
        parse(KUHN, "mixture(of=mcts)")


def test_the_families_that_fit_depend_on_the_game():
    anywhere = {"random", "first_legal", "mixture"}
    trees = anywhere | {"best_response", "q_learning", "table"}
    assert {family.name for family in fitting(load("public_goods"))} == anywhere
    assert {family.name for family in fitting(KUHN)} == trees | {"kuhn_tendencies", "is_mcts", "cfr", "equilibrium"}
    boards = {"greedy", "preferred_cells", "mcts", "equilibrium"}
    assert {family.name for family in fitting(load("tictactoe"))} == trees | boards
    assert {family.name for family in fitting(load("chess"))} >= anywhere
    assert {"tit_for_tat", "random", "best_response"} < {family.name for family in fitting(RPS)}


def test_every_family_is_in_the_table_by_its_own_name():
    assert all(name == family.name and family.doc and family.ways for name, family in FAMILIES.items())


def test_only_opponents_with_probabilities_have_a_tree_policy():
    assert parse(KUHN, "is_mcts(simulations=5)").tree_policy(KUHN, 0) is None
    policy = parse(KUHN, "random").tree_policy(KUHN, 0)
    assert policy is not None and policy.positional


def test_searches_are_compared_by_name():
    tictactoe = load("tictactoe")
    ten, same, other = (parse(tictactoe, name) for name in ("mcts(simulations=10)", "mcts(simulations=10)", "mcts"))
    assert behaviour(tictactoe, ten) == behaviour(tictactoe, same)
    assert opponent_distance(tictactoe, ten, same) == 0.0 and opponent_distance(tictactoe, ten, other) == 1.0
