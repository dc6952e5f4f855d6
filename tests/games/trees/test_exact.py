"""Exact values of OpenSpiel's games: numbers derived by hand, symmetry, and OpenSpiel's own solvers."""

from types import SimpleNamespace

import pyspiel
import pytest
from open_spiel.python.algorithms import best_response
from open_spiel.python.policy import UniformRandomPolicy

from games import exact
from games.opponents import parse
from games.registry import load
from games.strategies import Plain
from games.trees.policy import TreePolicy, uniform_policy
from games.trees.walk import state_after
from tests.games.usual_games import bare

KUHN, LEDUC, TIC_TAC_TOE = bare("kuhn_poker"), bare("leduc_poker"), bare("tic_tac_toe")
GOOFSPIEL = bare("goofspiel(num_cards=3)")
UNIFORM = TreePolicy(uniform_policy, "uniform")
FIRST = TreePolicy(lambda state, seat: [1.0] + [0.0] * (len(state.legal_actions(seat)) - 1), "first")


def by_text(text, legal_moves):
    """Uniform, as a policy of what design.md calls information-state text and legal moves."""
    assert isinstance(text, str) and all(isinstance(move, str) for move in legal_moves)
    return [1 / len(legal_moves)] * len(legal_moves)


def sides(game, table):
    """A table for one seat from {card and moves so far: probability of betting or calling}."""
    return exact.from_table(game, {key: [1 - bet, bet] for key, bet in table.items()})


# Kuhn's equilibria: the first seat bets its jack with probability alpha and its king with 3 alpha, calls with its queen
# with alpha + 1/3. Cards are 0, 1, 2; p is pass, b is bet.
def first_of_equilibrium(alpha):
    return sides(KUHN, {"0": alpha, "1": 0, "2": 3 * alpha, "0pb": 0, "1pb": alpha + 1 / 3, "2pb": 1})


SECOND_OF_EQUILIBRIUM = {"0p": 1 / 3, "1p": 0, "2p": 1, "0b": 0, "1b": 1 / 3, "2b": 1}


def test_kuhn_poker_costs_the_first_seat_an_eighteenth():
    assert exact.nash_value(KUHN) == pytest.approx(-1 / 18, abs=1e-9)
    assert exact.nash_value(KUHN, 1) == pytest.approx(1 / 18, abs=1e-9)
    assert exact.security_value(KUHN, 0) == pytest.approx(-1 / 18, abs=1e-9)


def test_uniform_kuhn_pays_the_first_seat_an_eighth():
    """Showdowns cancel out: bets don't depend on cards. What is left is folding, which loses the ante of 1.

    Bet and fold, 1/2 x 1/2, wins it; pass, bet, fold, 1/2 x 1/2 x 1/2, loses it: 1/4 - 1/8.
    """
    assert exact.expected_return(KUHN, UNIFORM, UNIFORM) == pytest.approx((1 / 8, -1 / 8))


def test_the_best_response_to_uniform_kuhn_by_hand():
    """First seat. A jack bets: 1/2 x 1 - 1/2 x 2 = -1/2 (passing: -1). A queen bets: 1/2 x 1 + 1/2 x 0, as a call meets
    jack and king alike. A king gets 1/2 x 1 + 1/2 x 2 = 3/2 either way. The mean of -1/2, 1/2, 3/2 is 1/2.

    Second seat, after a pass and a bet in halves. A jack bets (-1/2) or folds (-1): -3/4. A queen bets (1/2) or calls
    (0): 1/4. A king bets (3/2) or calls (2): 7/4. The mean of -3/4, 1/4, 7/4 is 5/12.
    """
    assert exact.best_response_value(KUHN, UNIFORM, 0) == pytest.approx(1 / 2)
    assert exact.best_response_value(KUHN, UNIFORM, 1) == pytest.approx(5 / 12)
    assert exact.nash_conv(KUHN, [UNIFORM, UNIFORM]) == pytest.approx(11 / 12)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_every_equilibrium_of_kuhn_leaves_nothing_to_gain(alpha):
    policies = [first_of_equilibrium(alpha), sides(KUHN, SECOND_OF_EQUILIBRIUM)]
    assert exact.nash_conv(KUHN, policies) == pytest.approx(0.0, abs=1e-12)
    assert exact.expected_return(KUHN, *policies) == pytest.approx((-1 / 18, 1 / 18))


def test_the_likeliest_moves_of_an_equilibrium_are_none():
    """Alpha = 1/3: bets with the king only, calls with queen and king; the second bets and calls with the king only."""
    first = sides(KUHN, {"0": 0, "1": 0, "2": 1, "0pb": 0, "1pb": 1, "2pb": 1})
    second = sides(KUHN, {"0p": 0, "1p": 0, "2p": 1, "0b": 0, "1b": 0, "2b": 1})
    assert exact.nash_conv(KUHN, [first, second]) == pytest.approx(1 / 3)


def test_uniform_leduc_is_worth_what_openspiel_says():
    known = pyspiel.load_game("leduc_poker")
    theirs = pyspiel.nash_conv(known, pyspiel.UniformRandomPolicy(known))
    assert exact.nash_conv(LEDUC, [UNIFORM, UNIFORM]) == pytest.approx(theirs) == pytest.approx(4.747222222222222)
    assert exact.nash_value(LEDUC) == pytest.approx(-0.085606424, abs=1e-8)  # as published with OpenSpiel's solvers


@pytest.mark.parametrize("name", ["kuhn_poker", "liars_dice(dice_sides=3)", "liars_dice(dice_sides=4)"])
def test_the_value_lies_where_openspiel_brackets_it(name):
    """Each average policy of its CFR+ secures what its best responder leaves; the value is between the two."""
    known = pyspiel.load_game(name)
    solver, root = pyspiel.CFRPlusSolver(known), known.new_initial_state()
    for _ in range(60):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    high, low = (pyspiel.TabularBestResponse(known, seat, average).value_from_state(root) for seat in (0, 1))
    assert -low - 1e-9 <= exact.nash_value(bare(name)) <= high + 1e-9
    assert high + low < 0.05


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)", "kuhn_poker(players=3)"])
def test_best_responses_and_returns_agree_with_openspiel(name):
    """Against a policy that differs from one information state to the next."""

    def uneven(state, seat):
        count = len(state.legal_actions(seat))
        weights = [1 + sum(state.information_state_string(seat).encode()) % (move + 2) for move in range(count)]
        return [weight / sum(weights) for weight in weights]

    game, known = bare(name), pyspiel.load_game(name)
    table = {
        state.key: list(zip(state.actions, uneven(state_after(known, state.history), seat), strict=True))
        for seat in range(game.seats)
        for state in exact.information_states(game, seat)
    }
    theirs, root = pyspiel.TabularPolicy(table), known.new_initial_state()
    expected = pyspiel.expected_returns(root, theirs, -1, True)
    assert exact.expected_return(game, *[uneven] * game.seats) == pytest.approx(tuple(expected))
    for seat in range(game.seats):
        value = pyspiel.TabularBestResponse(known, seat, table).value_from_state(root)
        assert exact.best_response_value(game, uneven, seat) == pytest.approx(value)


def test_moves_at_the_same_time_agree_with_openspiel():
    """Its own best response knows simultaneous moves; its value of uniform play is 0 by symmetry."""
    known = pyspiel.load_game(GOOFSPIEL.solver)
    theirs = best_response.BestResponsePolicy(known, 1, UniformRandomPolicy(known)).value(known.new_initial_state())
    assert exact.best_response_value(GOOFSPIEL, UNIFORM, 1) == pytest.approx(theirs)
    assert exact.expected_return(GOOFSPIEL, UNIFORM, UNIFORM) == pytest.approx((0, 0))


@pytest.mark.parametrize(
    "name", ["goofspiel(num_cards=3)", "goofspiel(imp_info=True,num_cards=4,points_order=descending)"]
)
def test_a_symmetric_game_is_worth_nothing(name):
    assert exact.nash_value(bare(name)) == pytest.approx(0.0, abs=1e-9)


def test_the_second_mover_of_one_round_does_not_see_the_first():
    """Rock, paper, scissors: seen, a move would lose 1; unseen, a third of each secures 0 on both seats."""
    game = bare("matrix_rps")
    assert [exact.security_value(game, seat) for seat in (0, 1)] == pytest.approx([0.0, 0.0])
    assert exact.best_response_value(game, FIRST, 1) == pytest.approx(1.0)  # paper against always rock


def test_what_a_seat_secures_without_a_constant_sum():
    """Prisoner's dilemma as OpenSpiel has it: cooperating pays 5 or 0, betraying 10 or 1, so betraying secures 1."""
    game = bare("matrix_pd")
    assert exact.nash_value(game) is None
    assert exact.security_value(game, 0) == pytest.approx(1.0)


def test_tic_tac_toe_is_a_draw():
    assert exact.nash_value(TIC_TAC_TOE) == 0.0
    assert exact.security_value(TIC_TAC_TOE, 1) == 0.0


def test_the_first_to_move_wins_small_hex_and_breakthrough():
    for name in ("hex(board_size=2)", "hex(board_size=3)", "breakthrough(columns=3,rows=4)"):
        assert exact.nash_value(bare(name)) == 1.0


def test_positions_and_histories_give_the_same_values():
    """Uniform play in 2 x 2 hex; a plain function might remember, so its histories are enumerated."""
    game = bare("hex(board_size=2)")
    for seat in (0, 1):
        by_histories = exact.best_response_value(game, uniform_policy, seat)
        assert exact.best_response_value(game, UNIFORM, seat) == pytest.approx(by_histories)
    returns = exact.expected_return(game, uniform_policy, uniform_policy)
    assert exact.expected_return(game, UNIFORM, UNIFORM) == pytest.approx(returns)


@pytest.mark.parametrize("game", [KUHN, LEDUC, GOOFSPIEL, TIC_TAC_TOE], ids=lambda game: game.name)
@pytest.mark.parametrize("seat", [0, 1])
def test_the_best_response_policy_earns_its_value_and_nothing_beats_it(game, seat):
    best = exact.best_response_policy(game, UNIFORM, seat)
    players = [best, UNIFORM] if seat == 0 else [UNIFORM, best]
    value = exact.best_response_value(game, UNIFORM, seat)
    assert exact.expected_return(game, *players)[seat] == pytest.approx(value)
    assert value >= exact.security_value(game, seat)


def test_equally_good_moves_give_the_first():
    """A king in Kuhn poker gets 3/2 from uniform play whether it passes or bets."""
    best = exact.best_response_policy(KUHN, UNIFORM, 0)
    assert best.row("2") == (1.0, 0.0)
    assert best.row("0") == (0.0, 1.0)


def test_one_policy_for_two_opponents_earns_less_than_knowing_them():
    """One never bets nor calls, one always does. Not knowing which, a jack bets: 1/2 x 1 - 1/2 x 2; a queen bets:
    1/2 x 1 + 1/2 x 0; a king gets 1/2 x 1 + 1/2 x 2: the mean is 1/2. Knowing, all bet against the first: 1; against
    the second a jack folds, a queen and a king call: (-1 + 0 + 2) / 3.
    """
    always = TreePolicy(lambda state, seat: [0.0, 1.0], "always")
    assert exact.best_response_value(KUHN, FIRST, 0) == pytest.approx(1)
    assert exact.best_response_value(KUHN, always, 0) == pytest.approx(1 / 3)
    assert exact.best_fixed_value(KUHN, [FIRST, always], 0) == pytest.approx(1 / 2)
    assert exact.best_fixed_value(KUHN, [FIRST, always], 0, weights=[3, 0]) == pytest.approx(1)


def test_the_three_forms_of_a_policy_agree():
    table = {state.key: [0.5, 0.5] for seat in (0, 1) for state in exact.information_states(KUHN, seat)}
    for form in (UNIFORM, uniform_policy, by_text, table, exact.from_table(KUHN, table)):
        assert exact.nash_conv(KUHN, [form, form]) == pytest.approx(11 / 12)


def test_three_seats_have_best_responses_but_no_single_value():
    """Uniform play of three: folding and showdowns still pay what is lost, so the returns sum to 0."""
    game = bare("kuhn_poker(players=3)")
    assert exact.nash_value(game) is None
    assert exact.security_value(game, 0) is None
    returns = exact.expected_return(game, UNIFORM, UNIFORM, UNIFORM)
    assert sum(returns) == pytest.approx(0.0)
    gains = [exact.best_response_value(game, UNIFORM, seat) - own for seat, own in enumerate(returns)]
    assert min(gains) > 0
    assert exact.nash_conv(game, [UNIFORM] * 3) == pytest.approx(sum(gains))


def test_an_opponent_without_probabilities_has_no_exact_values():
    search = SimpleNamespace(strategy=lambda game, seat: Plain(lambda: None, "mcts"))
    assert exact.best_response_value(KUHN, search, 0) is None
    assert exact.best_response_policy(KUHN, search, 0) is None
    assert exact.expected_return(KUHN, UNIFORM, search) is None
    assert exact.nash_conv(KUHN, [search, UNIFORM]) is None


def test_loaded_games_are_solved_too():
    game = load("openspiel:kuhn_poker")
    assert exact.nash_value(game) == pytest.approx(-1 / 18, abs=1e-9)
    assert exact.nash_conv(game, [by_text, by_text]) == pytest.approx(11 / 12)
    assert exact.nash_value(load("tictactoe")) == 0.0


def test_named_opponents_are_exploited_exactly():
    """Conservative Kuhn poker never bets and calls with the king only.

    The first seat bets its jack: 1/2 x 1 - 1/2 x 2 = -1/2. Its queen passes: 0. Its king gets 1. The mean is 1/6.
    """
    game = load("openspiel:kuhn_poker")
    conservative = parse(game, "kuhn_tendencies(bluff=0,call=0,raise=0)")
    assert exact.best_response_value(game, conservative, 0) == pytest.approx(1 / 6)
