"""Agents against baselines: paired where draws are shared, corrected as one family, on trials added up by hand."""

import pytest

from mage.evaluation_comparisons import adjust
from mage.evaluation_report import BaselineSample
from tests.mage.small_samples import report, sample


def test_the_same_agent_without_memory_is_compared_trial_by_trial():
    # Trials differ widely, each is worth 2 more with memory: paired, there is nothing left to vary.
    own, without = [[0.0, 4.0], [0.0, -2.0], [0.0, 1.0]], [[0.0, 2.0], [0.0, -4.0], [0.0, -1.0]]
    forgetful = BaselineSample("without_memory", "none", [sample(without)])
    stranger = BaselineSample("base", "transcript", [sample(without, agent="base")])
    paired, apart = report(sample(own), baselines=[forgetful, stranger])["comparisons"]
    assert (paired["paired"], paired["difference"], paired["ci_low"], paired["ci_high"]) == (True, 2.0, 2.0, 2.0)
    assert (apart["paired"], apart["difference"]) == (False, 2.0)
    assert apart["ci_low"] < 2.0 < apart["ci_high"]


def test_an_agent_that_learned_its_opponents_by_heart_shows_in_the_gap_to_near_ones():
    met = sample([[4.0]] * 4, distance="training", name="peaked_habit(move=P,peak=0.9)")
    table = report(met, sample([[-2.0]] * 4))
    assert table["memorised"]["difference"] == 1.0 - -0.5
    assert report(sample([[4.0]] * 4))["memorised"] is None


def test_everything_that_is_compared_in_a_table_is_corrected_as_one_family():
    # Returns of 4 +- 1 less 0: t = 4 / sqrt(4 / 3 / 4) = 6.93 with three degrees of freedom.
    own, nothing = [[3.0], [5.0], [3.0], [5.0]], [[0.0]] * 4
    table = report(sample(own), baselines=[BaselineSample("without_memory", "none", [sample(nothing)])])
    same = report(sample(own), baselines=[BaselineSample("without_memory", "none", [sample(own)])])
    adjust([table, same])
    (different,), (equal,) = table["comparisons"], same["comparisons"]
    assert different["p"] == pytest.approx(0.006165, abs=1e-6)
    assert different["p_holm"] == pytest.approx(2 * different["p"])
    assert (equal["p"], equal["p_holm"]) == (1.0, 1.0)


def test_a_game_that_could_not_come_out_otherwise_stays_paired_and_keeps_its_weight():
    # The agent gets 1 more from both opponents; one side's games against the cycle are all the same one.
    cycle = {"name": "cycle(start=R,step=1)", "family": "cycle"}
    ours = [sample([[3.0], [5.0]] * 4), sample([[2.0]], **cycle, determined=True, repeats=7)]
    theirs = [sample([[2.0], [4.0]] * 4), sample([[1.0]] * 8, **cycle)]
    (paired,) = report(*ours, baselines=[BaselineSample("without_memory", "none", theirs)])["comparisons"]
    assert (paired["paired"], paired["difference"], paired["ci_low"], paired["ci_high"]) == (True, 1.0, 1.0, 1.0)
    strangers = [sample([[2.0], [4.0]] * 4, agent="base"), sample([[1.0]] * 8, agent="base", **cycle)]
    (apart,) = report(*ours, baselines=[BaselineSample("base", "none", strangers)])["comparisons"]
    assert not apart["paired"] and apart["difference"] == 1.0
