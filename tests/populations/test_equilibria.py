"""Equilibria by hand where a person can, against OpenSpiel and SciPy where not; copies of a member change nothing."""

import time

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import exploitability
from scipy.optimize import linprog, minimize

from populations.equilibria import max_entropy_nash, nash, nash_averaging, nash_conv

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
# A rock that beats scissors counts double: each weight is what the other two play for.
BIASED = np.array([[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-2.0, 1.0, 0.0]])
MATCHING_PENNIES = np.array([[1.0, -1.0], [-1.0, 1.0]])
LADDER = np.sign(np.subtract.outer([3.0, 2.0, 1.0, 0.0], [3.0, 2.0, 1.0, 0.0]))
ANGLES = np.arange(8) * np.pi / 4.0
DISC = np.sin(np.subtract.outer(ANGLES, ANGLES))  # eight players around a disc, each beats the half turn behind it

BY_HAND = {
    "rock-paper-scissors": (ROCK_PAPER_SCISSORS, [1 / 3] * 3, [1 / 3] * 3, 0.0),
    "biased rock-paper-scissors": (BIASED, [0.25, 0.5, 0.25], [0.25, 0.5, 0.25], 0.0),
    "matching pennies": (MATCHING_PENNIES, [0.5, 0.5], [0.5, 0.5], 0.0),
    "a ladder": (LADDER, [1, 0, 0, 0], [1, 0, 0, 0], 0.0),
    "a disc": (DISC, [1 / 8] * 8, [1 / 8] * 8, 0.0),
    "one member": ([[0.0]], [1.0], [1.0], 0.0),
    "one cell that is not zero": ([[-7.0]], [1.0], [1.0], -7.0),
    "nothing to win": (np.zeros((3, 3)), [1 / 3] * 3, [1 / 3] * 3, 0.0),
    "the same everywhere": (np.full((2, 4), 5.0), [0.5] * 2, [0.25] * 4, 5.0),
    "a saddle point": ([[3.0, 1.0], [5.0, 2.0]], [0, 1], [0, 1], 2.0),
    "two rows alike": ([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], [0.5, 0.5, 0], [0.5, 0.5, 0], 0.0),
    # row: 3x - (1 - x) = -x + (1 - x) at x = 1/3, worth 1/3; column: 3y - (1 - y) = -y + (1 - y) at y = 1/3
    "two by two": ([[3.0, -1.0], [-1.0, 1.0]], [1 / 3, 2 / 3], [1 / 3, 2 / 3], 1 / 3),
    "a copied column": ([[1, -1, 1], [-1, 1, -1]], [0.5, 0.5], [0.25, 0.5, 0.25], 0.0),
}


def random_games(count, seed=0):
    """Games of 1 to 8 rows and columns, half of them of small whole numbers, so that ties abound."""
    rng = np.random.default_rng(seed)
    for index in range(count):
        rows, columns = rng.integers(1, 9, size=2)
        yield (
            rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-3, 4)
            if index % 2
            else rng.integers(-2, 3, size=(rows, columns)).astype(float)
        )


@pytest.mark.parametrize("name", BY_HAND)
def test_the_maximum_entropy_equilibrium_is_the_one_found_by_hand(name):
    payoff, row, column, value = BY_HAND[name]
    found = max_entropy_nash(payoff)
    np.testing.assert_allclose(found.row, row, atol=1e-6)
    np.testing.assert_allclose(found.column, column, atol=1e-6)
    assert found.value == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("name", BY_HAND)
def test_the_value_found_by_hand_cannot_be_bettered(name):
    payoff, _, _, value = BY_HAND[name]
    found = nash(payoff)
    assert found.value == pytest.approx(value, abs=1e-7)
    assert nash_conv(payoff, found.row, found.column) < 1e-7


def test_openspiel_agrees_with_nash_conv_and_finds_nothing_to_gain_in_50_random_games():
    """To 1e-6 of the largest payoff; of the greatest entropy, to the 1e-6 (log 8 + log 8) that entropy may cost."""
    rng = np.random.default_rng(1)
    for payoff in random_games(50):
        size = np.abs(payoff).max() or 1.0
        game = pyspiel.convert_to_turn_based(pyspiel.create_matrix_game(payoff, -payoff))
        anyone = rng.dirichlet(np.ones(payoff.shape[0])), rng.dirichlet(np.ones(payoff.shape[1]))
        assert nash_conv(payoff, *anyone) == pytest.approx(by_openspiel(game, *anyone), abs=1e-6 * size)
        found = nash(payoff)
        assert by_openspiel(game, found.row, found.column) == pytest.approx(0.0, abs=1e-6 * size)
        unique = max_entropy_nash(payoff)
        assert by_openspiel(game, unique.row, unique.column) == pytest.approx(0.0, abs=4.2e-6 * size)
        assert unique.value == pytest.approx(found.value, abs=2.1e-6 * size)


def by_openspiel(game, row, column):
    table = policies.TabularPolicy(game)
    for state in table.states:
        player = state.current_player()
        mixture = (row, column)[player]
        table.policy_for_key(state.information_state_string(player))[: len(mixture)] = mixture
    return exploitability.nash_conv(game, table)


def test_nash_conv_of_a_game_that_is_not_zero_sum_agrees_with_openspiel():
    """To 1e-6 in payoff units; payoffs are normal, of deviation 1."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        shape = tuple(rng.integers(1, 6, size=2))
        own, other = rng.normal(size=shape), rng.normal(size=shape)
        game = pyspiel.convert_to_turn_based(pyspiel.create_matrix_game(own, other))
        row, column = rng.dirichlet(np.ones(shape[0])), rng.dirichlet(np.ones(shape[1]))
        assert nash_conv((own, other), row, column) == pytest.approx(by_openspiel(game, row, column), abs=1e-6)


def test_nash_conv_of_always_rock_is_what_paper_wins():
    assert nash_conv(ROCK_PAPER_SCISSORS, [1, 0, 0], [1 / 3] * 3) == pytest.approx(1.0)  # the column gains 1, the row 0
    # two prisoners who both stay silent: each gains 5 - 3 by talking
    silent = ([[3.0, 0.0], [5.0, 1.0]], [[3.0, 5.0], [0.0, 1.0]])
    assert nash_conv(silent, [1, 0], [1, 0]) == pytest.approx(4.0)
    assert nash_conv(silent, [0, 1], [0, 1]) == 0.0


def test_scipys_linear_program_finds_the_same_value_in_50_random_games():
    """To 1e-6 of the largest payoff."""
    for payoff in random_games(50, seed=3):
        rows, columns = payoff.shape
        program = linprog(
            [*np.zeros(rows), -1.0],
            A_ub=np.hstack([-payoff.T, np.ones((columns, 1))]),
            b_ub=np.zeros(columns),
            A_eq=[[*np.ones(rows), 0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * rows + [(None, None)],
        )
        assert nash(payoff).value == pytest.approx(-program.fun, abs=1e-6 * (np.abs(payoff).max() or 1.0))


def test_no_equilibrium_that_scipy_finds_has_more_entropy():
    rng = np.random.default_rng(4)
    for _ in range(10):
        half = np.triu(rng.integers(-1, 2, size=(6, 6)), 1)
        payoff = (half - half.T).astype(float)
        found = max_entropy_nash(payoff).row
        other = minimize(
            lambda x: float(np.sum(x * np.log(np.maximum(x, 1e-12)))),
            nash(payoff).row,
            bounds=[(0.0, 1.0)] * 6,
            constraints=[
                {"type": "eq", "fun": lambda x: x.sum() - 1.0},
                {"type": "ineq", "fun": lambda x, payoff=payoff: x @ payoff},
            ],
            options={"ftol": 1e-12, "maxiter": 200},
        )
        np.testing.assert_allclose(found, other.x, atol=5e-3)  # how far SciPy's search stops short, at most
        assert (found @ payoff).min() >= -2e-6
        assert np.sum(found * np.log(np.maximum(found, 1e-12))) <= other.fun + 1e-5


def test_skill_is_what_a_member_earns_against_the_mixture():
    # A fourth member loses to rock and to paper, and ties with scissors: -1/3 - 1/3
    payoff = np.zeros((4, 4))
    payoff[:3, :3] = ROCK_PAPER_SCISSORS
    payoff[3, :2], payoff[:2, 3] = -1.0, 1.0
    mixture, skill = nash_averaging(payoff)
    np.testing.assert_allclose(mixture, [1 / 3, 1 / 3, 1 / 3, 0.0], atol=1e-6)
    np.testing.assert_allclose(skill, [0.0, 0.0, 0.0, -2 / 3], atol=1e-6)
    _, ladder = nash_averaging(LADDER)
    np.testing.assert_allclose(ladder, [0, -1, -1, -1], atol=1e-6)


def test_scale_and_shift_move_no_equilibrium():
    for factor in (1e-6, 1e6):
        np.testing.assert_allclose(max_entropy_nash(BIASED * factor).row, [0.25, 0.5, 0.25], atol=1e-6)
        np.testing.assert_allclose(max_entropy_nash(BIASED * factor + 3.0 * factor).row, [0.25, 0.5, 0.25], atol=1e-6)


@pytest.mark.slow
def test_a_thousand_members_take_seconds():
    rng = np.random.default_rng(5)
    half = rng.normal(size=(1000, 1000))
    payoff = half - half.T
    began = time.process_time()
    found = nash(payoff)
    assert time.process_time() - began < 30.0  # 3.7 s on one core beside other work
    assert nash_conv(payoff, found.row, found.column) < 1e-6 * np.abs(payoff).max()


@pytest.mark.parametrize(
    ("payoff", "message"),
    [
        ([], "shape"),
        ([1.0, 2.0], "shape"),
        (np.zeros((0, 3)), "shape"),
        ([[0.0, float("nan")], [0.0, 0.0]], "1 of 4 entries are missing"),
        ([[0.0, float("inf")], [0.0, 0.0]], "missing or infinite"),
    ],
)
@pytest.mark.parametrize("function", [nash, max_entropy_nash, nash_averaging])
def test_what_is_no_payoff_matrix_is_refused(function, payoff, message):
    with pytest.raises(ValueError, match=message):
        function(payoff)


def test_nash_averaging_refuses_what_is_not_antisymmetric():
    with pytest.raises(ValueError, match="got 1 for row 0 against 1 and 1 the other way round"):
        nash_averaging([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="as many rows as columns"):
        nash_averaging([[0.0, 1.0]])


def test_nash_conv_refuses_what_is_no_mixture():
    with pytest.raises(ValueError, match="row mixture: got probabilities .* with sum 0.5"):
        nash_conv(MATCHING_PENNIES, [0.5, 0.0], [0.5, 0.5])
    with pytest.raises(ValueError, match="column mixture: got shape .*3.*, expected 2"):
        nash_conv(MATCHING_PENNIES, [0.5, 0.5], [1 / 3] * 3)
    with pytest.raises(ValueError, match="probabilities from -1"):
        nash_conv(MATCHING_PENNIES, [2.0, -1.0], [0.5, 0.5])
    with pytest.raises(ValueError, match="the same for both players"):
        nash_conv((MATCHING_PENNIES, [[1.0]]), [0.5, 0.5], [0.5, 0.5])
