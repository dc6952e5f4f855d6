"""Credit over a trial's episodes, by numbers a person can check."""

import pytest

from games.errors import RequestError
from mage.credit import OBJECTIVES, reward_to_go

TRIAL = [[1.0, 0.0], [2.0], [0.0, -1.0]]  # returns 1, 2, -1


def test_undiscounted_sum_is_everything_still_to_come():
    assert reward_to_go(TRIAL) == [[2.0, 1.0], [1.0], [-1.0, -1.0]]


def test_both_discounts_by_hand():
    # last episode: -1, then 0 + 0.5 * -1 = -0.5; second: 2 + 0.1 * -0.5 = 1.95;
    # first: 0 + 0.1 * 1.95 = 0.195, then 1 + 0.5 * 0.195 = 1.0975
    credit = reward_to_go(TRIAL, "sum", gamma_step=0.5, gamma_traj=0.1)
    assert credit[0] == pytest.approx([1.0975, 0.195])
    assert credit[1] == pytest.approx([1.95])
    assert credit[2] == pytest.approx([-0.5, -1.0])


def test_without_gamma_traj_each_episode_stands_alone():
    assert reward_to_go(TRIAL, gamma_traj=0.0) == [[1.0, 0.0], [2.0], [-1.0, -1.0]]


def test_final_credits_gains_so_that_the_first_decision_sees_the_last_return():
    # gains 1, 1, -3 on each last decision
    assert reward_to_go(TRIAL, "final") == [[-1.0, -1.0], [-2.0], [-3.0, -3.0]]
    assert OBJECTIVES["final"](TRIAL) == [[0.0, 1.0], [1.0], [0.0, -3.0]]


def test_final_with_gamma_traj_below_one_weighs_the_earlier_returns_too():
    # R1 + 0.6 (R2 - R1) + 0.36 (R3 - R2) = 0.40 R1 + 0.24 R2 + 0.36 R3
    weights = [reward_to_go([[float(n == k)] for n in range(3)], "final", 1.0, 0.6)[0][0] for k in range(3)]
    assert weights == pytest.approx([0.40, 0.24, 0.36])


def test_an_episode_without_decisions_passes_on_what_follows():
    assert reward_to_go([[1.0], [], [4.0]], gamma_traj=0.5) == [[2.0], [], [4.0]]
    assert reward_to_go([[1.0], [], [4.0]], "final") == [[4.0], [], [3.0]]
    assert reward_to_go([[], []]) == [[], []]
    assert reward_to_go([]) == []


def test_the_rewards_themselves_are_left_alone():
    rewards = [[1.0, 2.0]]
    reward_to_go(rewards)
    assert rewards == [[1.0, 2.0]]


def test_an_unknown_objective_lists_the_known_ones():
    with pytest.raises(RequestError, match="unknown objective 'finale': known are final, sum"):
        reward_to_go(TRIAL, "finale")


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_reward_that_is_not_a_number_stops_here(bad):
    with pytest.raises(ValueError, match="finite"):
        reward_to_go([[0.0, bad]])


@pytest.mark.parametrize("discounts", [(1.1, 1.0), (1.0, -0.1), (float("nan"), 1.0)])
def test_discounts_out_of_range_are_refused(discounts):
    with pytest.raises(ValueError, match="expected both in"):
        reward_to_go(TRIAL, "sum", *discounts)
