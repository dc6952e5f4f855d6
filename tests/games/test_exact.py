"""Exact values: numbers counted by hand, brute force over every plan, OpenSpiel, and simulation."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.best_response import BestResponsePolicy
from open_spiel.python.policy import Policy

from games import exact
from games.errors import RequestError
from games.finite_state import FiniteStatePolicy
from games.opponents import parse
from games.registry import load
from games.stage import maximin
from tests.games.usual_games import RPS

PD = load("prisoners_dilemma", rounds=6)
EVERY_FAMILY = (
    "peaked_habit(move=P,peak=0.7)",
    "dirichlet_habit(p=0.2/0.3/0.5)",
    "memory_one(seed=5)",
    "cycle(start=uniform)",
    "win_stay_lose_shift",
    "tit_for_tat",
    "frequency_counter",
)


def best(game, name, seat=0):
    return exact.best_response_value(game, parse(game, name), seat)


def test_paper_against_a_rock_habit_gains_seven_tenths_a_round():
    assert best(RPS, "peaked_habit(move=R,peak=0.8)") == pytest.approx(6 * (0.8 - 0.1))


def test_a_deterministic_opponent_loses_every_round():
    for name in ("cycle", "tit_for_tat", "win_stay_lose_shift"):
        assert best(RPS, name) == 6.0


def test_a_random_start_costs_the_first_round():
    assert best(RPS, "cycle(start=uniform)") == pytest.approx(5.0)


def test_tit_for_tat_is_betrayed_in_the_last_round():
    assert best(PD, "tit_for_tat") == 5 * 3 + 5


def test_always_defecting_yields_one_a_round():
    assert best(PD, "peaked_habit(move=D,peak=1.0)") == 6.0


def test_values_are_seen_from_the_responders_seat():
    """Against seat 0 on heads, seat 1 wins by tails; against seat 1 on heads, seat 0 wins by heads."""
    pennies = load("matching_pennies", rounds=3)
    heads = parse(pennies, "peaked_habit(move=H,peak=1.0)")
    for seat, move in ((0, 0), (1, 1)):
        assert exact.best_response_value(pennies, heads, seat) == 3.0
        policy = exact.best_response_policy(pennies, heads, seat)
        assert policy.probabilities[policy.start, move] == 1.0


def test_security_and_nash_values_of_the_classics():
    assert exact.security_value(RPS, 0) == pytest.approx(0.0)
    assert exact.security_value(PD, 1) == pytest.approx(6 * 1.0)
    assert exact.security_value(load("stag_hunt", rounds=2), 0) == pytest.approx(2 * 3.0)
    assert exact.nash_value(RPS) == pytest.approx(0.0)
    assert exact.nash_value(PD) is None


def test_a_constant_sum_game_has_a_value_for_each_seat():
    """Matching pennies with 3 to the matcher on heads, 1 on tails: x = 2/6, value 3x - (1 - x) = 1/3."""
    first = np.array([[3.0, -1.0], [-1.0, 1.0]])
    game = load("matrix", rounds=3, moves=(("H", "T"), ("H", "T")), payoffs=[first, 1.0 - first])
    assert exact.nash_value(game, 0) == pytest.approx(3 * (1 / 3))
    assert exact.nash_value(game, 1) == pytest.approx(3 * (1 - 1 / 3))


def test_maximin_agrees_with_openspiel_on_random_matrices():
    """Its CFR+ solver brackets the value: each average policy guarantees what its best responder leaves."""
    rng = np.random.default_rng(0)
    for shape in ((2, 2), (3, 4), (4, 3)):
        payoffs = rng.normal(size=shape)
        game = pyspiel.convert_to_turn_based(pyspiel.create_matrix_game(payoffs.tolist(), (-payoffs).tolist()))
        solver = pyspiel.CFRPlusSolver(game)
        for _ in range(1000):
            solver.evaluate_and_update_policy()
        average, root = solver.average_policy(), game.new_initial_state()
        first = np.array([p for _, p in average.get_state_policy(root)])
        second = np.array([p for _, p in average.get_state_policy(root.child(0))])
        low, high = (first @ payoffs).min(), (payoffs @ second).max()
        assert low - 1e-6 <= maximin(payoffs) <= high + 1e-6
        assert high - low < 0.01


def openspiel_best_response(game, opponent, seat: int) -> float:
    """OpenSpiel's own repeated game with the whole history visible, and its own best response."""
    stage = pyspiel.create_matrix_game(game.payoffs[0].tolist(), game.payoffs[1].tolist())
    parameters = {"num_repetitions": game.rounds, "enable_infostate": True, "recall": game.rounds}
    repeated = pyspiel.convert_to_turn_based(pyspiel.create_repeated_game(stage, parameters))
    rules = opponent.policy(game, 1 - seat)

    class Scripted(Policy):
        def action_probabilities(self, state, player_id=None):
            actions = state.full_history()
            pairs = len(actions) // 2
            current = rules.start
            for first, second in zip(actions[: 2 * pairs : 2], actions[1 : 2 * pairs : 2], strict=True):
                joint = (first.action, second.action)
                current = rules.next_state[current, joint[1 - seat], joint[seat]]
            return dict(enumerate(rules.probabilities[current]))

    scripted = Scripted(repeated, [0, 1])
    return BestResponsePolicy(repeated, seat, scripted).value(repeated.new_initial_state())


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", EVERY_FAMILY)
def test_the_best_response_agrees_with_openspiel(name, seat):
    game = load("rock_paper_scissors", rounds=2)
    rival = parse(game, name)
    assert exact.best_response_value(game, rival, seat) == pytest.approx(openspiel_best_response(game, rival, seat))


def best_plan_by_brute_force(game, opponent: FiniteStatePolicy) -> float:
    """The best of all deterministic plans of seat 0 for two rounds: a move, then one for each answer."""
    payoffs, moves = game.payoffs[0], range(len(game.payoffs[0]))
    first = opponent.probabilities[opponent.start]
    values = []
    for opening, plan in product(moves, product(moves, repeat=len(first))):
        total = first @ payoffs[opening]
        for answer, probability in enumerate(first):
            state = opponent.next_state[opponent.start, answer, opening]
            total += probability * (opponent.probabilities[state] @ payoffs[plan[answer]])
        values.append(total)
    return max(values)


@pytest.mark.parametrize("name", EVERY_FAMILY)
def test_the_best_response_is_the_best_of_all_plans(name):
    game = load("rock_paper_scissors", rounds=2)
    assert best(game, name) == pytest.approx(best_plan_by_brute_force(game, parse(game, name).policy(game, 1)))


@pytest.mark.parametrize("name", EVERY_FAMILY)
@pytest.mark.parametrize("seat", [0, 1])
def test_the_best_response_policy_earns_the_best_response_value(name, seat):
    for game in (RPS, load("matching_pennies", rounds=5)):
        if name.startswith(("peaked", "dirichlet")) and game is not RPS:
            continue
        rival = parse(game, name)
        players = (exact.best_response_policy(game, rival, seat), rival)
        returns = exact.expected_return(game, *(players if seat == 0 else players[::-1]))
        assert returns[seat] == pytest.approx(exact.best_response_value(game, rival, seat))
        assert sum(returns) == pytest.approx(0.0)


def test_expected_returns_agree_with_simulated_players():
    first, second = parse(PD, "memory_one(seed=1,alpha=1.0)"), parse(PD, "memory_one(seed=2,alpha=1.0)")
    rng, episodes = np.random.default_rng(0), 4000
    returns = np.zeros((episodes, 2))
    for number in range(episodes):
        episode = SimpleNamespace(history=[])
        players = first.player(PD, 0), second.player(PD, 1)
        for _ in range(PD.rounds):
            moves = [player.act(episode, seat, rng.random()) for seat, player in enumerate(players)]
            joint = tuple("CD".index(move) for move in moves)
            episode.history.append(joint)
            returns[number] += PD.payoffs[:, joint[0], joint[1]]
    error = returns.std(axis=0) / np.sqrt(episodes)
    expected = exact.expected_return(PD, first, second)
    assert (np.abs(returns.mean(axis=0) - expected) < 4 * error).all()


def test_two_rocks_could_each_gain_a_point_a_round():
    """Paper beats rock: 6 rounds x 1 for each of the two; two of the third of each can't be improved on."""
    rock, thirds = parse(RPS, "peaked_habit(move=R,peak=1.0)"), parse(RPS, "peaked_habit(move=R,peak=0.333333333333)")
    assert exact.nash_conv(RPS, [rock, rock]) == pytest.approx(12.0)
    assert exact.nash_conv(RPS, [thirds, thirds]) == pytest.approx(0.0, abs=1e-9)


def test_a_matrix_game_of_any_size_has_exact_values():
    assert exact.refusal(load("prisoners_dilemma", rounds=1000)) is None
    assert "without a payoff matrix" in exact.refusal(SimpleNamespace(name="texas_holdem"))


def test_an_opponent_of_kuhn_poker_is_worth_more_when_it_is_told_apart():
    """What they are worth is in trees/test_bayes.py; a search has no probabilities to tell it by."""
    game = load("kuhn_poker")
    rivals = [parse(game, name) for name in ("conservative", "aggressive", "intermediate")]
    first, second = exact.greedy_bayes_returns(game, rivals, 1, 2).mean(axis=0)
    assert first == pytest.approx(exact.best_fixed_value(game, rivals, 1))
    assert first < second < np.mean([exact.best_response_value(game, rival, 1) for rival in rivals])
    assert exact.greedy_bayes_returns(game, [*rivals, parse(game, "is_mcts(simulations=5)")], 1, 2) is None


def test_a_policy_for_another_game_is_refused():
    with pytest.raises(ValueError, match="expected"):
        exact.best_response_value(RPS, parse(PD, "tit_for_tat").policy(PD, 1), 0)


def test_a_game_without_payoffs_is_refused():
    with pytest.raises(RequestError, match="without a payoff matrix"):
        exact.security_value(SimpleNamespace(name="kuhn_poker"), 0)


@pytest.mark.parametrize("value", [exact.best_fixed_value, lambda *given: exact.greedy_bayes_returns(*given, 3)])
def test_what_only_trees_have_is_refused_for_a_matrix_in_one_sentence(value):
    with pytest.raises(RequestError, match="a game that OpenSpiel doesn't know"):
        value(RPS, [], 0)
