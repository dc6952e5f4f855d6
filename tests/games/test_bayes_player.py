"""The Bayes-optimal player plays what `adaptation_curve` values: by hand, and on average."""

from types import SimpleNamespace

import numpy as np
import pytest

import games
from games import bayes
from games.bayes_player import BayesExpert
from games.errors import RequestError

GAME = games.load_matrix("rock_paper_scissors", rounds=3)
ROCKS, PAPERS = (games.opponent(GAME, "peaked_habit", move=move, peak=0.8) for move in "RP")


def move(history, earlier=(), seat=0, uniform=0.0, opponents=(ROCKS, PAPERS)):
    player = BayesExpert(opponents).player(GAME, seat, earlier)
    return player.act(SimpleNamespace(history=history), seat, uniform)


def test_before_the_first_round_it_answers_the_mean_of_who_it_may_meet():
    # 0.8 R 0.1 P 0.1 S or 0.1 R 0.8 P 0.1 S: on average 0.45, 0.45, 0.1. R earns -0.35, P 0.35, S 0.
    assert move([]) == "P"


def test_it_answers_whom_its_counts_point_to():
    assert move([(0, 0)]) == "P"  # R came: 8 to 1 for the one who favours R
    assert move([(0, 1)]) == "S"
    assert move([(0, 1), (0, 0), (0, 0)]) == "P"


def test_it_remembers_earlier_episodes_and_reads_the_other_seat():
    seen = [[(0, 1), (0, 1), (2, 0)]]
    assert move([], seen) == "S"  # P twice, R once
    assert move([(0, 0), (0, 0)], seen) == "P"  # then R twice: three to two
    assert move([], [[(1, 0), (1, 0), (0, 2)]], seat=1) == "S"


def test_equally_good_moves_are_equally_likely():
    even = tuple(games.opponent(GAME, "peaked_habit", move=one, peak=0.8) for one in "RPS")
    drawn = [move([], uniform=uniform, opponents=even) for uniform in (0.0, 0.33, 0.34, 0.66, 0.67, 0.999)]
    assert drawn == ["R", "R", "P", "P", "S", "S"]


@pytest.mark.parametrize("met", [ROCKS, games.opponent(GAME, "dirichlet_habit", p="0.2/0.5/0.3")])
def test_on_average_it_earns_what_the_curve_says(met):
    """2,000 trials of two episodes; the bound is 4.5 standard errors."""
    opponents = (ROCKS, PAPERS, games.opponent(GAME, "dirichlet_habit", p="0.3/0.3/0.4"))
    rng = np.random.default_rng(1)
    prior = bayes.habit_prior(GAME, opponents, 0)
    curve = bayes.adaptation_curve(GAME, met, prior, episodes=2, seat=0)
    habit = bayes.habit(GAME, met, 1)
    expert, returns = BayesExpert(opponents), np.zeros((2000, 2))
    for trial in range(len(returns)):
        earlier: list[list[tuple[int, int]]] = []
        for episode in range(2):
            player, history = expert.player(GAME, 0, earlier), []
            for _ in range(GAME.rounds):
                own = "RPS".index(player.act(SimpleNamespace(history=history), 0, rng.random()))
                history.append((own, int(rng.choice(3, p=habit))))
                returns[trial, episode] += GAME.payoffs[0][history[-1]]
            earlier.append(history)
    error = returns.std(axis=0) / np.sqrt(len(returns))
    assert (np.abs(returns.mean(axis=0) - curve) < 4.5 * error).all()


def test_it_is_no_expert_against_memory_nor_in_other_games():
    with pytest.raises(RequestError, match="the expert bayes against tit_for_tat.*memory, expected memoryless ones"):
        BayesExpert((games.opponent(GAME, "tit_for_tat"),)).check(GAME)
    with pytest.raises(RequestError, match="the expert bayes in openspiel:kuhn_poker, expected a repeated"):
        BayesExpert(()).check(games.load("kuhn_poker"))
    BayesExpert((ROCKS, PAPERS)).check(GAME)


def test_an_opponent_with_memory_on_one_seat_alone_is_one_with_memory():
    """Heads pays seat 1 whatever seat 0 does, so who answers a cycle best plays it there, and varies on seat 0."""
    payoffs = [[[1, -1], [-1, 1]], [[1, 0], [1, 0]]]
    game = games.load_matrix("matrix", rounds=4, moves=[["H", "T"], ["H", "T"]], payoffs=payoffs)
    answering = games.opponent(game, "best_response", to="cycle(start=H,step=1)")
    assert bayes.habit(game, answering, 1) is not None and bayes.habit(game, answering, 0) is None
    with pytest.raises(RequestError, match="an opponent with memory"):
        BayesExpert((answering,)).check(game)


def test_it_is_a_copy_of_who_plays_alike_before_anything_is_known():
    """Equal priors on heads and tails: it answers the more frequent move, and the first at random."""
    game = games.load_matrix("matching_pennies", rounds=4)
    even = tuple(games.opponent(game, "peaked_habit", move=move, peak=0.8) for move in "HT")
    counter, copier = (games.opponent(game, name) for name in ("frequency_counter", "tit_for_tat"))
    assert BayesExpert(even).copied(game, (copier, counter)) == counter
    assert BayesExpert(even).copied(game, (copier,)) is None
    assert BayesExpert(even[:1]).copied(game, (counter,)) is None


def test_copies_are_looked_for_in_long_episodes_too():
    """Against rock alone it always plays paper; its counts over 200 rounds would be too many to write down."""
    game = games.load_matrix("rock_paper_scissors", rounds=200)
    habits = [games.opponent(game, "peaked_habit", move="P", peak=peak) for peak in (0.9, 1.0)]
    assert BayesExpert((games.opponent(game, "peaked_habit", move="R", peak=0.8),)).copied(game, habits) == habits[1]
