"""A comparison by hand: what is paired, what counts as one witness. Left out: correction, verdicts."""

from dataclasses import replace

import numpy as np
import pytest

from mage.comparison_report import MeasuredRun, comparison_report
from mage.evaluation_pools import OpponentSample

RANGE = (-6.0, 6.0)


def sample(returns, agent="learner_0", name="cycle", seat=0, distance="near", best=4.0, safe=0.0, **other):
    returns = np.asarray(returns, dtype=float)
    return OpponentSample(
        agent=agent,
        name=name,
        family=name,
        distance=distance,
        seat=seat,
        security_value=safe,
        nash_value=0.0,
        best_response_value=best,
        returns=returns,
        others=-returns,
        forfeits=np.zeros(returns.shape, dtype=bool),
        **other,
    )


def run(*samples):
    return MeasuredRun("run", samples)


def last(*means, name="cycle", **other):
    """A run of one learner for each mean, two equal trials each, whose first episode earns 0."""
    return run(*(sample([[0.0, mean]] * 2, agent=f"learner_{i}", name=name, **other) for i, mean in enumerate(means)))


def report(a, b, seed=0, **other):
    return comparison_report(a, b, utility_range=RANGE, rng=np.random.default_rng(seed), **other)


def figure(table, name="last_return", distance="all"):
    (found,) = (row for row in table["figures"] if (row["figure"], row["distance"]) == (name, distance))
    return found


def test_all_figures_are_b_less_a():
    table = report([run(sample([[0.0, 1.0]] * 2))], [run(sample([[1.0, 4.0]] * 2))])
    shown = {row["figure"]: (row["mean_a"], row["mean_b"], row["difference"]) for row in table["figures"]}
    assert shown == {
        "last_return": (1.0, 4.0, 3.0),
        "gain": (1.0, 3.0, 2.0),
        "mean_return": (0.5, 2.5, 2.0),
        "last_exploitation": (0.25, 1.0, 0.75),
    }


def test_exploitation_is_a_ratio_of_sums_over_the_opponents_that_offer_anything():
    # Against a gap of 2 side B takes 2, against a gap of 6 nothing, of no gap its 5 don't count: 2 / 8.
    def side(first, second, third):
        return run(
            sample([[first]] * 2, name="cycle", best=2.0),
            sample([[second]] * 2, name="habit", best=6.0),
            sample([[third]] * 2, name="even", best=0.01),
        )

    table = report([side(0.0, 0.0, 0.0)], [side(2.0, 0.0, 5.0)])
    got = figure(table, "last_exploitation")
    assert (got["difference"], got["trials"]["n"]) == (0.25, 4)
    assert figure(table)["difference"] == pytest.approx(7 / 3)


def test_trials_that_share_their_draws_are_paired():
    # The trials of both sides range from -5 to 5, but every trial of B earns exactly 1 more.
    returns = np.linspace(-5.0, 5.0, 11)[:, None]
    trials = figure(report([run(sample(returns))], [run(sample(returns + 1.0))]))["trials"]
    assert (trials["ci_low"], trials["ci_high"], trials["n"]) == (1.0, 1.0, 11)
    assert trials["p"] == pytest.approx(2 / 2001)


def test_an_unpaired_order_of_trials_leaves_the_spread_of_both_sides():
    # Differences run from -9 to 11 in steps of 2 instead: deviation 6.63, its mean's error 6.63 / sqrt(11) = 2.
    returns = np.linspace(-5.0, 5.0, 11)[:, None]
    trials = figure(report([run(sample(returns[::-1]))], [run(sample(returns + 1.0))]))["trials"]
    assert (trials["ci_low"], trials["ci_high"]) == pytest.approx((1 - 1.96 * 2, 1 + 1.96 * 2), abs=0.25)


def test_a_run_compared_with_its_equal_shows_exactly_nothing():
    values = np.random.default_rng(1).normal(size=(9, 3))
    same = run(sample(values), sample(values[::-1], agent="learner_1"))
    table = report([same], [same])
    for row in table["figures"]:
        assert (row["difference"], row["p"], row["p_holm"], row["different"]) == (0.0, 1.0, 1.0, None)
        assert {key: row["trials"][key] for key in ("ci_low", "ci_high", "p")} == {"ci_low": 0, "ci_high": 0, "p": 1}


def test_swapping_the_sides_flips_every_sign():
    draw = np.random.default_rng(2)
    a, b = ([run(*(sample(draw.normal(size=(8, 2)), agent=f"learner_{i}") for i in range(3)))] for _ in "ab")
    for one, other in zip(report(a, b)["figures"], report(b, a)["figures"], strict=True):
        assert (one["mean_a"], one["difference"]) == (other["mean_b"], -other["difference"])
        assert (one["ci_low"], one["ci_high"]) == pytest.approx((-other["ci_high"], -other["ci_low"]))
        assert one["p"] == pytest.approx(other["p"]) and one["p_holm"] == pytest.approx(other["p_holm"])
        ends = (-other["trials"]["ci_high"], -other["trials"]["ci_low"])
        assert (one["trials"]["ci_low"], one["trials"]["ci_high"]) == pytest.approx(ends)


def test_two_runs_a_side_are_the_witnesses_however_many_learners_they_have():
    # Run means 0 and 2 against 4 and 6: Welch with 2 degrees of freedom, p = 1 - sqrt(8 / 10).
    table = report([last(-1.0, 1.0), last(2.0, 2.0)], [last(4.0, 4.0), last(6.0, 6.0)])
    assert (table["unit"], table["units_a"], table["units_b"]) == ("runs", 2, 2)
    assert figure(table)["p"] == pytest.approx(1.0 - np.sqrt(0.8))
    assert (figure(table)["mean_a"], figure(table)["mean_b"]) == (1.0, 5.0)


def test_with_one_run_on_a_side_learners_are_the_witnesses():
    table = report([last(0.0, 2.0)], [last(4.0, 6.0)])
    assert (table["unit"], table["units_a"], table["units_b"]) == ("learners", 2, 2)
    assert figure(table)["p"] == pytest.approx(1.0 - np.sqrt(0.8))
    uneven = report([last(0.0, 2.0), last(0.0, 2.0)], [last(4.0, 6.0)])
    assert (uneven["unit"], uneven["units_a"], uneven["units_b"]) == ("learners", 4, 2)


def test_with_one_learner_on_a_side_only_its_trials_speak():
    table = report([last(0.0)], [last(4.0, 6.0)])
    assert (table["unit"], table["units_a"], table["units_b"], table["different"]) == (None,) * 4
    row = figure(table)
    assert [row[key] for key in ("ci_low", "ci_high", "p", "p_holm", "different")] == [None] * 5
    assert (row["difference"], row["trials"]["ci_low"], row["trials"]["ci_high"]) == (5.0, 5.0, 5.0)


def test_learners_that_only_one_side_has_bring_their_own_spread():
    # learner_0 is paired and its difference constant; learner_1 of B ranges over -1 and 1 and weighs one half.
    a = [run(sample([[0.0], [0.0]]))]
    b = [run(sample([[2.0], [2.0]]), sample([[-1.0], [1.0]], agent="learner_1"))]
    trials = figure(report(a, b))["trials"]
    assert figure(report(a, b))["difference"] == 1.0
    assert trials["n"] == 4
    assert 0.0 < trials["ci_high"] - 1.0 <= 0.5 * np.sqrt(2) + 1e-9


def test_distances_stand_apart_where_several_were_met_each_opponent_at_its_closest():
    def side(near, far, of_far="far"):
        return run(
            sample([[near]] * 2, agent="learner_0"),
            sample([[far]] * 2, agent="learner_0", name="habit", distance=of_far),
        )

    table = report([side(0.0, 0.0)], [side(1.0, 3.0)])
    assert figure(table, distance="near")["difference"] == 1.0
    assert figure(table, distance="far")["difference"] == 3.0
    assert figure(table)["difference"] == 2.0
    met_by_one = report([side(0.0, 0.0, "training")], [side(1.0, 3.0)])
    assert {row["distance"] for row in met_by_one["figures"]} == {"all", "training", "near"}
    assert {row["distance"] for row in report([last(0.0)], [last(1.0)])["figures"]} == {"all"}


def test_one_episode_has_no_gain():
    table = report([run(sample([[0.0]] * 2))], [run(sample([[1.0]] * 2))])
    assert [row["figure"] for row in table["figures"]] == ["last_return", "last_exploitation"]
    unsolved = report([run(sample([[0.0]] * 2, best=None))], [run(sample([[1.0]] * 2, best=None))])
    assert [row["figure"] for row in unsolved["figures"]] == ["last_return"]


def test_a_play_that_is_kept_once_counts_as_often_as_it_was_played():
    # Nothing is drawn against the first opponent, so one trial of four is kept: B gains 2 there and 0 elsewhere.
    def side(first):
        kept = sample([[first]], name="cycle", determined=True, repeats=3)
        return run(kept, sample([[0.0]] * 4, name="habit"))

    row = figure(report([side(0.0)], [side(2.0)]))
    assert (row["difference"], row["trials"]["n"], row["trials"]["ci_low"], row["trials"]["ci_high"]) == (1, 8, 1, 1)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([], [last(1.0)], "runs on both sides"),
        ([last(1.0)], [run()], "runs on both sides"),
        ([last(1.0)], [last(1.0, name="habit")], "other trials"),
        ([last(1.0)], [run(sample([[0.0, 1.0]] * 3))], "other trials"),
        ([last(1.0), last(1.0, 2.0)], [last(1.0)], "as many learners"),
        ([last(1.0)], [run(sample([[1.0]] * 2))], "as many episodes"),
    ],
)
def test_what_was_not_played_alike_is_refused(a, b, message):
    with pytest.raises(ValueError, match=message):
        report(a, b)


def test_the_same_generator_gives_the_same_object():
    draw = np.random.default_rng(5)
    a, b = ([run(sample(draw.normal(size=(6, 2))))] for _ in "ab")
    assert report(a, b, seed=3) == report(a, b, seed=3) != report(a, b, seed=4)
    assert report(a, b) == report([replace(a[0], name="elsewhere")], b)
