"""Normalisation in cells, by numbers a person can check; no NaN, and no learner moves another's."""

import numpy as np
import pytest

from games.errors import RequestError
from mage.advantages import CELL_FIELDS, CellKey, encode, normalise


def key_of(n: int, **columns) -> CellKey:
    return CellKey(**{name: np.array(columns.get(name, [0] * n), dtype=np.int64) for name in CELL_FIELDS})


def advantages(returns, trial, cell=CELL_FIELDS, scale="none", eps=0.0, **columns):
    key = key_of(len(returns), **columns)
    result = normalise(np.array(returns, float), key, np.array(trial, np.int64), cell, scale, eps)
    assert np.isfinite(result.advantages).all()
    return result


def random_batch(learners: int, seed: int = 0, trials: int = 24):
    """Ragged trials per learner; some turns are reached by one trial only."""
    rng = np.random.default_rng(seed)
    rows = [
        (learner, 0, trial % 2, trial % 3, episode, turn, 100 * learner + trial)
        for learner in range(learners)
        for trial in range(trials)
        for episode in range(3)
        for turn in range(1 + int(rng.integers(6)) + 4 * (trial == 5))
    ]
    table = np.array(rows, dtype=np.int64)
    return rng.normal(size=len(rows)).round(1), table


def run_batch(returns, table, scale, cell=CELL_FIELDS):
    return normalise(returns, CellKey(*table[:, :6].T), table[:, 6], cell, scale)


def test_two_trials_in_a_cell_stand_on_either_side_of_their_mean():
    assert advantages([1.0, 3.0], [0, 1]).advantages.tolist() == [-1.0, 1.0]


def test_group_scale_divides_by_the_cells_own_deviation():
    # opponent 0: mean 2, deviation 1; opponent 1: mean 20, deviation 10
    result = advantages([1.0, 3.0, 10.0, 30.0], [0, 1, 2, 3], scale="group", opponent=[0, 0, 1, 1])
    assert result.advantages.tolist() == [-1.0, 1.0, -1.0, 1.0]
    softened = advantages([1.0, 3.0], [0, 1], scale="group", eps=1.0)
    assert softened.advantages.tolist() == [-0.5, 0.5]


def test_batch_scale_divides_by_the_learners_deviation_over_all_its_decisions():
    # learner 0: returns 1 3 5 7, deviation sqrt(5); learner 1: 0 and 200, deviation 100
    result = advantages(
        [1.0, 3.0, 5.0, 7.0, 0.0, 200.0],
        [0, 1, 2, 3, 4, 5],
        scale="batch",
        learner=[0, 0, 0, 0, 1, 1],
        opponent=[0, 0, 1, 1, 0, 0],
    )
    np.testing.assert_allclose(result.advantages, [-(5**-0.5), 5**-0.5, -(5**-0.5), 5**-0.5, -1.0, 1.0])


def test_trials_weigh_equally_however_many_decisions_they_have():
    # Without `turn`, trial 0 has three decisions at 0 and trial 1 has one at 4: mean 2, not 1; deviation 2.
    cell = ("learner", "episode")
    result = advantages([0.0, 0.0, 0.0, 4.0], [0, 0, 0, 1], cell)
    assert result.advantages.tolist() == [-2.0, -2.0, -2.0, 2.0]
    assert advantages([0.0, 0.0, 0.0, 4.0], [0, 0, 0, 1], cell, "group").advantages.tolist() == [
        -1,
        -1,
        -1,
        1,
    ]


@pytest.mark.parametrize("field", CELL_FIELDS)
def test_each_field_splits_cells_when_chosen_and_only_then(field):
    returns, trial, column = [1.0, 3.0, 11.0, 13.0], [0, 1, 2, 3], {field: [0, 0, 1, 1]}
    assert advantages(returns, trial, **column).advantages.tolist() == [-1.0, 1.0, -1.0, 1.0]
    others = [name for name in CELL_FIELDS if name != field]
    assert advantages(returns, trial, others, **column).advantages.tolist() == [-6.0, -4.0, 4.0, 6.0]


def test_no_field_at_all_is_one_cell():
    assert advantages([1.0, 3.0], [0, 1], (), opponent=[0, 1]).advantages.tolist() == [-1.0, 1.0]


def test_a_turn_reached_by_one_trial_is_compared_within_its_episode():
    # Turn 0: 1 and 3. Turn 1: trial 1 alone, so its episode: trial means 1 and (3 + 7) / 2 = 5, mean 3.
    result = advantages([1.0, 3.0, 7.0], [0, 1, 1], turn=[0, 0, 1])
    assert result.advantages.tolist() == [-1.0, 1.0, 4.0]


def test_an_episode_reached_by_one_trial_is_compared_within_the_trial_set():
    # Episode 1 is trial 1's alone at turn and at episode: trial means 1 and (3 + 7) / 2, mean 3.
    result = advantages([1.0, 3.0, 7.0], [0, 1, 1], episode=[0, 0, 1])
    assert result.advantages.tolist() == [-1.0, 1.0, 4.0]


def test_a_cell_of_one_gets_zero_and_counts_as_without_spread():
    for scale in ("group", "batch", "none"):
        result = advantages([5.0, 1.0, 3.0], [0, 1, 2], scale=scale, eps=1e-4, opponent=[0, 1, 1])
        assert result.advantages[0] == 0.0
        assert result.frac_reward_zero_std == {0: 0.5}


def test_many_decisions_of_a_single_trial_are_still_alone():
    result = advantages([1.0, 2.0, 9.0], [7, 7, 7], scale="group", turn=[0, 1, 2])
    assert result.advantages.tolist() == [0.0, 0.0, 0.0]
    assert result.frac_reward_zero_std == {0: 1.0}


@pytest.mark.parametrize("value", [0.0, 0.1, -3.3, 1e9])
def test_equal_returns_give_exactly_zero_even_without_epsilon(value):
    for scale in ("group", "none"):
        result = advantages([value] * 7, range(7), scale=scale)
        assert result.advantages.tolist() == [0.0] * 7
        assert result.frac_reward_zero_std == {0: 1.0}


def test_equal_returns_in_one_cell_leave_its_neighbour_alone():
    result = advantages([2.0, 2.0, 1.0, 3.0], [0, 1, 2, 3], scale="group", seat=[0, 0, 1, 1])
    assert result.advantages.tolist() == [0.0, 0.0, -1.0, 1.0]
    assert result.frac_reward_zero_std == {0: 0.5}


def test_the_share_without_spread_is_per_learner():
    result = advantages([2.0, 2.0, 1.0, 3.0], [0, 1, 2, 3], learner=[7, 7, 4, 4])
    assert result.frac_reward_zero_std == {7: 1.0, 4: 0.0}


def test_an_empty_batch_gives_nothing():
    result = advantages([], [])
    assert result.advantages.tolist() == [] and result.frac_reward_zero_std == {}


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_a_learners_advantages_are_the_same_to_the_bit_whoever_else_is_in_the_batch(scale):
    returns, table = random_batch(learners=5)
    together = run_batch(returns, table, scale)
    for learner in range(5):
        mine = table[:, 0] == learner
        alone = run_batch(returns[mine], table[mine], scale)
        np.testing.assert_array_equal(together.advantages[mine], alone.advantages)
        assert together.frac_reward_zero_std[learner] == alone.frac_reward_zero_std[learner]


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_another_learners_returns_move_nothing_of_mine(scale):
    returns, table = random_batch(learners=2)
    mine = table[:, 0] == 0
    louder = np.where(mine, returns, 1000.0 * returns + 5.0)
    before, after = run_batch(returns, table, scale), run_batch(louder, table, scale)
    np.testing.assert_array_equal(before.advantages[mine], after.advantages[mine])


def test_what_numbers_stand_for_the_codes_makes_no_difference():
    returns, table = random_batch(learners=3)
    far_apart = table * (2**55) - 2**58
    for scale in ("group", "batch", "none"):
        near, far = run_batch(returns, table, scale), run_batch(returns, far_apart, scale)
        np.testing.assert_array_equal(near.advantages, far.advantages)


@pytest.mark.parametrize("cell", [CELL_FIELDS, ("learner", "seat", "episode"), ("learner", "turn"), ("learner",)])
def test_vectorised_cells_equal_a_plain_loop(cell):
    returns, table = random_batch(learners=2, seed=3, trials=9)
    columns = dict(zip((*CELL_FIELDS, "trial"), table.T, strict=True))
    expected = np.zeros(len(returns))
    for row in range(len(returns)):
        for dropped in ((), ("turn",), ("turn", "episode")):
            names = [name for name in cell if name not in dropped]
            same = np.all([columns[name] == columns[name][row] for name in names], axis=0)
            trials = np.unique(columns["trial"][same])
            if len(trials) >= 2:
                by_trial = [returns[same & (columns["trial"] == trial)] for trial in trials]
                mean = np.mean([values.mean() for values in by_trial])
                std = np.sqrt(np.mean([((values - mean) ** 2).mean() for values in by_trial]))
                expected[row] = (returns[row] - mean) / (std + 1e-4)
                break
    np.testing.assert_allclose(run_batch(returns, table, "group", cell).advantages, expected, atol=1e-9)


def test_encode_shares_a_number_between_equal_labels_only():
    assert encode(["b", "a", "b"]).tolist() == [0, 1, 0]
    assert encode([("a", "bc"), ("ab", "c")]).tolist() == [0, 1]
    assert encode([]).tolist() == []


def test_unknown_names_list_the_known_ones():
    with pytest.raises(RequestError, match="unknown cell field 'seats'.*did you mean 'seat'"):
        advantages([1.0], [0], ("seats",))
    with pytest.raises(RequestError, match="unknown scale_rewards 'std': known are batch, group, none"):
        advantages([1.0], [0], scale="std")


def test_returns_that_are_not_numbers_or_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="finite"):
        advantages([1.0, float("nan")], [0, 1])
    with pytest.raises(ValueError, match=r"trial \(1,\)"):
        advantages([1.0, 2.0], [0])
    with pytest.raises(ValueError, match="cell columns"):
        key_of(2, seat=[0, 1, 2])
