"""pass@k, groups that don't vary, and what is counted of a trial: numbers to check by hand."""

from itertools import combinations

import numpy as np
import pytest

from mage import keys
from mage.diagnosis import NAMED, Attempt, attempt, chance_alike, figures, pass_at_k
from mage.records import EpisodeRecord, TrialRecord, Turn
from populations.matchmaking import Pairing

RNG = keys.generator(0, "test")


def tried(group, *returns, passed=False, decisions=4, readable=4, valid=4, forfeits=0, thinking=0):
    return Attempt(group, returns, passed, forfeits, decisions, readable, valid, thinking)


def turn(seat=0, illegal=(), forfeit=False, thinking=0, episode=0):
    return Turn(
        episode, 0, seat, "", ("R", "P"), "" if forfeit else "R", None, 0.0, forfeit, thinking=thinking, illegal=illegal
    )


def trial(*episodes, seat=0):
    members = ("base", "rival") if seat == 0 else ("rival", "base")
    return TrialRecord(Pairing("base", "rival", seat, 7, 70, "scripted"), "game", "transcript", members, episodes)


def episode(returns, *turns, forfeits=(0, 0)):
    return EpisodeRecord(returns, forfeits, turns)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (4, 1, 2, 0.5),  # 3 of the 6 pairs hold the one that passed
        (4, 1, 1, 0.25),
        (4, 0, 2, 0.0),
        (4, 4, 1, 1.0),
        (4, 3, 2, 1.0),  # every pair holds one that passed
        (16, 1, 16, 1.0),
    ],
)
def test_pass_at_k_of_n_attempts_of_which_c_passed(n, c, k, expected):
    assert pass_at_k(n, c, k) == expected


def test_pass_at_k_is_the_share_of_all_choices_of_k_that_hold_a_pass():
    attempts = [True] * 3 + [False] * 5
    chosen = [any(some) for some in combinations(attempts, 4)]
    assert pass_at_k(8, 3, 4) == pytest.approx(sum(chosen) / len(chosen))


def test_pass_at_k_stays_exact_where_the_counts_are_huge():
    assert pass_at_k(5000, 2500, 2500) == 1.0
    assert pass_at_k(10_000, 1, 5000) == 0.5


@pytest.mark.parametrize(("n", "c", "k"), [(4, 1, 5), (4, 5, 2), (4, -1, 2), (4, 1, 0), (0, 0, 1)])
def test_pass_at_k_refuses_more_than_there_is(n, c, k):
    with pytest.raises(ValueError, match="expected 0 <= passes"):
        pass_at_k(n, c, k)


def test_two_of_three_equal_outcomes_and_another_are_alike_in_one_pair_of_three():
    assert chance_alike(["a", "a", "b"], 2) == pytest.approx(1 / 3)
    assert chance_alike(["a", "a", "b"], 3) == 0.0


def test_what_never_differs_is_always_alike_and_one_outcome_is_alike_by_itself():
    assert chance_alike([(1.0, 2.0)] * 5, 3) == 1.0
    assert chance_alike(["a", "b"], 1) == 1.0
    with pytest.raises(ValueError, match="got 3 of 2 outcomes"):
        chance_alike(["a", "b"], 3)


def test_a_trial_passes_when_its_last_episode_reaches_the_bar():
    record = trial(episode((9.0, -9.0)), episode((1.0, -1.0)))
    assert attempt(record, 1.0).passed
    assert not attempt(record, 1.5).passed
    assert attempt(record, 1.0).returns == (9.0, 1.0)


def test_without_a_bar_a_trial_passes_when_its_last_episode_is_won_and_a_draw_is_no_win():
    assert attempt(trial(episode((-1.0, 2.0)), seat=1), None).passed
    assert not attempt(trial(episode((2.0, 2.0))), None).passed


def test_replies_are_counted_by_what_their_first_try_was():
    record = trial(
        episode(
            (0.0, 0.0),
            turn(thinking=5),
            turn(illegal=(NAMED,)),
            turn(illegal=("none_named", NAMED), thinking=2),
            turn(seat=1, illegal=("empty",), thinking=100),
        ),
        episode((-1.0, 1.0), turn(illegal=("empty",), forfeit=True, episode=1), forfeits=(1, 0)),
    )
    counted = attempt(record, 0.0)
    assert (counted.decisions, counted.readable, counted.valid, counted.forfeits) == (4, 2, 1, 1)
    assert counted.thinking == 7 and counted.group == 7


def test_figures_are_means_over_groups_and_rates_over_decisions():
    attempts = [
        tried(0, 0.0, 4.0, passed=True, readable=2, valid=1, thinking=6),
        tried(0, 0.0, 0.0, forfeits=1),
        tried(1, 1.0, 1.0),
        tried(1, 1.0, 1.0, decisions=0, readable=0, valid=0),
    ]
    beside = [tried(group, 1.0, -1.0) for group in (0, 0, 1, 1)]
    found = figures(attempts, [2], 2, RNG, beside)
    assert {k: rate.value for k, rate in found.pass_at.items()} == {1: 0.25, 2: 0.5}
    assert found.mean_return.value == 1.0 and found.over_random is not None and found.over_random.value == 1.0
    assert found.gain is not None and found.gain.value == 1.0  # (4 + 0) / 2 and 0
    assert found.frac_reward_zero_std == 0.5
    assert found.reward_std == pytest.approx(np.sqrt(2) / 2)  # of 2 and 0: sqrt(2); of 1 and 1: 0
    assert (found.parse_rate, found.valid_move_rate) == (10 / 12, 9 / 12)
    assert (found.forfeit_rate, found.thinking_tokens) == (1 / 8, 0.5)


def test_the_interval_of_a_chance_is_within_what_a_chance_can_be():
    attempts = [tried(group, 0.0, passed=group > 0) for group in (0, 0, 1, 1)]  # one group never, one always
    rate = figures(attempts, [2], 2, RNG).pass_at[2]
    assert (rate.low, rate.value, rate.high) == (0.0, 0.5, 1.0)


def test_trials_of_one_episode_gain_nothing_and_random_play_is_not_compared_with_itself():
    found = figures([tried(0, 1.0), tried(0, 1.0)], [2], 2, RNG)
    assert found.gain is None and found.over_random is None
    assert found.to_json()["gain"] is None
    assert found.to_json()["pass_at"] == [{"k": k, "mean": 0.0, "ci_low": 0.0, "ci_high": 0.0} for k in (1, 2)]


def test_figures_refuse_what_cannot_be_compared():
    pair = [tried(0, 1.0), tried(0, 1.0)]
    with pytest.raises(ValueError, match="0 groups"):
        figures([], [1], 1, RNG)
    with pytest.raises(ValueError, match="two or more"):
        figures([*pair, tried(1, 1.0)], [1], 1, RNG)
    with pytest.raises(ValueError, match="k = 3"):
        figures(pair, [3], 1, RNG)
    with pytest.raises(ValueError, match="other groups"):
        figures(pair, [1], 1, RNG, [tried(5, 1.0), tried(5, 1.0)])
