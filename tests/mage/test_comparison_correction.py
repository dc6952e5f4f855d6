"""Which figures of a comparison are corrected together, and when any is called different."""

import numpy as np
import pytest

from mage.statistics import holm
from tests.mage.test_comparison_report import figure, last, report, run, sample


def ladder(level, first=0.0):
    """Four runs of one learner whose last episodes earn 0 to 3 more than `level`, and whose first ones `first`."""
    return [run(sample([[first, level + step]] * 2)) for step in (0.0, 1.0, 2.0, 3.0)]


def test_the_headline_keeps_its_p_and_the_others_are_corrected_together():
    # All figures are multiples of the last return here: variances 5/3, t = 2.9 / sqrt(5/6) = 3.18 with 6 degrees of
    # freedom, p = 0.0192 each. Two others are hypotheses of their own (0.038), the exploitation is the headline's.
    rows = {row["figure"]: row for row in report(ladder(0.0), ladder(2.9))["figures"]}
    assert [row["p"] for row in rows.values()] == pytest.approx([0.0192] * 4, abs=1e-4)
    p = rows["last_return"]["p"]
    assert rows["last_return"]["p_holm"] == p
    assert (rows["gain"]["p_holm"], rows["mean_return"]["p_holm"]) == pytest.approx((2 * p, 2 * p))
    assert rows["last_exploitation"]["p_holm"] == p
    assert all(row["different"] for row in rows.values())


def test_no_figure_is_called_different_unless_the_headline_is():
    # The last returns are equal, but B's first ones are 9 lower: its gain and mean differ as nothing else does.
    rows = {row["figure"]: row for row in report(ladder(0.0), ladder(0.0, first=-9.0))["figures"]}
    assert rows["gain"]["p"] < 1e-4 and rows["mean_return"]["p"] < 1e-3
    assert {(row["p_holm"], row["different"]) for row in rows.values()} == {(1.0, False)}


def test_exploitation_over_the_only_distance_that_has_any_is_no_second_hypothesis():
    # Only near opponents have a best response. Over them, all p are those of multiples, so that the family of others is
    # gain and mean return over all, then all three over near and over far: eight, exploitation adding none to them.
    draw = np.random.default_rng(4)

    def side(level):
        return [
            run(
                sample(level + draw.normal(size=(2, 2))),
                sample(draw.normal(size=(2, 2)), name="habit", distance="far", best=None),
            )
            for _ in range(6)
        ]

    table = report(side(0.0), side(20.0))
    assert [row["distance"] for row in table["figures"] if row["figure"] == "last_exploitation"] == ["all", "near"]
    one, other, returns = (
        figure(table, name, distance)
        for name, distance in (("last_exploitation", "all"), ("last_exploitation", "near"), ("last_return", "near"))
    )
    assert one["p"] == other["p"] == pytest.approx(returns["p"])
    assert one["p_holm"] == other["p_holm"] == returns["p_holm"]
    p_values = {(row["figure"], row["distance"]): row["p"] for row in table["figures"][1:]}
    del p_values["last_exploitation", "all"], p_values["last_exploitation", "near"]
    assert len(p_values) == 8
    expected = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    p = table["figures"][0]["p"]
    for (name, distance), corrected in expected.items():
        assert figure(table, name, distance)["p_holm"] == pytest.approx(max(p, corrected))


def test_the_verdict_is_the_headlines_and_takes_runs():
    low, high = ([last(mean + level) for mean in (0.0, 0.1, 0.2)] for level in (0.0, 4.0))
    assert report(low, high)["different"] is True
    assert report([last(0.0), last(4.0)], [last(1.0), last(5.0)])["different"] is False


def test_learners_bear_out_no_verdict_however_far_apart_they_are():
    table = report([last(0.0, 0.1, 0.2)], [last(4.0, 4.1, 4.2)])
    assert figure(table)["p_holm"] < 1e-4
    assert table["different"] is None and {row["different"] for row in table["figures"]} == {None}
