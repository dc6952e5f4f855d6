"""Finite-state policies: validation, fingerprints that mean behaviour, distances that are counted by hand."""

import numpy as np
import pytest

from games.finite_state import FiniteStatePolicy, distance


def habit(*probabilities: float) -> FiniteStatePolicy:
    count = len(probabilities)
    return FiniteStatePolicy(0, np.array([probabilities]), np.zeros((1, count, count), dtype=np.int64))


def copycat(start: int = 0) -> FiniteStatePolicy:
    return FiniteStatePolicy(start, np.eye(2), np.tile([0, 1], (2, 2, 1)))


def test_rows_that_do_not_sum_to_one_are_refused():
    with pytest.raises(ValueError, match="sum to 1"):
        habit(0.5, 0.6)


def test_negative_probabilities_are_refused():
    with pytest.raises(ValueError, match="negative"):
        habit(1.5, -0.5)


def test_a_next_state_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="outside"):
        FiniteStatePolicy(0, np.array([[1.0, 0.0]]), np.ones((1, 2, 2), dtype=np.int64))


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="expected"):
        FiniteStatePolicy(0, np.array([[1.0, 0.0]]), np.zeros((1, 3, 2), dtype=np.int64))


def test_a_policy_is_a_read_only_copy():
    probabilities = np.array([[0.5, 0.5]])
    policy = FiniteStatePolicy(0, probabilities, np.zeros((1, 2, 2), dtype=np.int64))
    probabilities[0] = [1.0, 0.0]
    assert policy.probabilities.tolist() == [[0.5, 0.5]]
    with pytest.raises(ValueError, match="read-only"):
        policy.probabilities[0, 0] = 1.0


def test_twin_states_and_unreachable_states_do_not_change_the_fingerprint():
    doubled = FiniteStatePolicy(
        2,
        np.array([[0.0, 1.0], [0.3, 0.7], [0.3, 0.7]]),
        np.array([[[0, 0], [0, 0]], [[2, 1], [2, 2]], [[1, 1], [2, 1]]]),
    )
    assert doubled.fingerprint() == habit(0.3, 0.7).fingerprint()
    assert doubled.minimal.probabilities.tolist() == [[0.3, 0.7]]


def test_numbering_does_not_change_the_fingerprint():
    renumbered = FiniteStatePolicy(1, np.eye(2)[::-1], np.tile([1, 0], (2, 2, 1)))
    assert renumbered.fingerprint() == copycat().fingerprint()


def test_what_follows_a_move_that_is_never_played_does_not_matter():
    alternating = FiniteStatePolicy(0, np.eye(2), np.array([[[1, 1], [0, 0]], [[0, 0], [0, 0]]]))
    other = FiniteStatePolicy(0, np.eye(2), np.array([[[1, 1], [1, 1]], [[1, 1], [0, 0]]]))
    assert alternating.fingerprint() == other.fingerprint()


def test_a_late_difference_changes_the_fingerprint():
    """Three rounds of the first move, then the second or the first for ever."""
    chain = np.array([1, 2, 3, 3])[:, None, None] * np.ones((1, 2, 2), dtype=np.int64)
    late = FiniteStatePolicy(0, np.eye(2)[[0, 0, 0, 1]], chain)
    assert late.fingerprint() != habit(1.0, 0.0).fingerprint()
    assert len(late.minimal.probabilities) == 4


def test_rounding_errors_do_not_change_the_fingerprint():
    assert habit(0.1 + 0.2, 0.7).fingerprint() == habit(0.3, 0.7).fingerprint()
    assert habit(0.301, 0.699).fingerprint() != habit(0.3, 0.7).fingerprint()


def test_the_distance_of_two_habits_is_their_total_variation():
    assert distance(habit(0.8, 0.1, 0.1), habit(0.1, 0.8, 0.1), 6) == pytest.approx(0.7)


def test_two_copycats_with_other_starts_differ_in_the_first_round_only():
    assert distance(copycat(0), copycat(1), 5) == pytest.approx(1 / 5)


def test_a_copycat_is_half_a_constant_player_after_the_first_round():
    assert distance(copycat(0), habit(1.0, 0.0), 4) == pytest.approx((0 + 3 * 0.5) / 4)


def test_the_distance_to_oneself_is_zero():
    assert distance(copycat(), copycat(), 6) == 0.0


def test_policies_of_different_games_have_no_distance():
    with pytest.raises(ValueError, match="same seat and game"):
        distance(copycat(), habit(0.2, 0.3, 0.5), 6)


def test_no_uniform_number_selects_a_move_of_probability_zero():
    rows = habit(0.0, 0.1, 0.2, 0.7, 0.0).sampling_rows
    assert rows[0][0] == 0.0 and rows[0][3] == rows[0][4] == 1.0
