"""The null test of a comparison: dealt out at random, nothing but chance is left, and nothing is dealt twice."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks import null_compare
from benchmarks.null_compare import as_they_are, learners_of_two, main, null_rate, resampled, whole_runs
from benchmarks.null_simulation import Rate
from mage.comparison_report import MeasuredRun, comparison_report
from mage.evaluation_pools import OpponentSample

RANGE = (-9.0, 9.0)


def run(name: str, learners: np.ndarray) -> MeasuredRun:
    """learners: [learners, trials], the returns of trials of one episode."""
    samples = [
        OpponentSample(
            f"learner_{index}",
            "habit",
            "habit",
            "near",
            0,
            0.0,
            0.0,
            None,
            returns[:, None],
            -returns[:, None],
            np.zeros((len(returns), 1), dtype=bool),
        )
        for index, returns in enumerate(learners)
    ]
    return MeasuredRun(name, tuple(samples))


def firsts(side: Sequence[MeasuredRun]) -> list[float]:
    """The first return of every learner, which tells learners apart here."""
    return [float(sample.returns[0, 0]) for one in side for sample in one.samples]


def drawn(runs: int, learners: int, trials: int = 4, shift: float = 0.0, seed: int = 1) -> list[MeasuredRun]:
    """Runs whose levels lie `shift` apart from one another; learners differ by chance."""
    rng = np.random.default_rng(seed)
    levels = shift * np.arange(runs)[:, None] + rng.normal(size=(runs, learners))
    return [run(str(i), level[:, None] + 0.1 * rng.normal(size=(learners, trials))) for i, level in enumerate(levels)]


def test_every_learner_of_two_runs_is_dealt_to_one_side():
    runs = [run("a", np.array([[0.0], [1.0]])), run("b", np.array([[2.0], [3.0]])), run("c", np.array([[4.0], [5.0]]))]
    pairs = {(0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 4.0, 5.0), (2.0, 3.0, 4.0, 5.0)}
    met = set()
    for seed in range(30):
        a, b = learners_of_two(runs, np.random.default_rng(seed))
        assert len(a) == len(b) == 2
        met.add(tuple(sorted(firsts(a) + firsts(b))))
    assert met == pairs


def test_dealt_learners_pair_with_those_alone_that_share_their_draws():
    # Both runs' learner_0 earn 0 to 3, both learner_1 a constant: where equal names face each other, pairs differ by
    # exact constants; where they stand on one side, their trials stand for themselves, 4 in all for either name.
    level = np.array([0.0, 1.0, 2.0, 3.0])
    runs = [run("a", np.array([level, 0.0 * level])), run("b", np.array([level + 5.0, 0.0 * level + 5.0]))]
    widths = set()
    for seed in range(30):
        a, b = learners_of_two(runs, np.random.default_rng(seed))
        facing = {one.name for one in a} == {one.name for one in b}
        table = comparison_report(a, b, utility_range=RANGE, rng=np.random.default_rng(0), resamples=100)
        trials = table["figures"][0]["trials"]
        assert (trials["ci_low"] == trials["ci_high"], trials["n"]) == (facing, 8)
        assert (table["unit"], table["units_a"], table["units_b"]) == ("runs", 2, 2)
        widths.add(facing)
    assert widths == {True, False}


def test_dealt_learners_are_judged_as_learners_of_one_run_would_be():
    first, second = drawn(2, 2, seed=3)
    whole = comparison_report([first], [second], utility_range=RANGE, rng=np.random.default_rng(0), resamples=1)
    alone = [learners_of_two([one, one], np.random.default_rng(0)) for one in (first, second)]
    sides = [list({sample.name: sample for sample in (*a, *b)}.values()) for a, b in alone]
    dealt = comparison_report(*sides, utility_range=RANGE, rng=np.random.default_rng(0), resamples=1)
    assert (whole["unit"], dealt["unit"]) == ("learners", "runs")
    assert whole["figures"][0]["p"] == pytest.approx(dealt["figures"][0]["p"])


def test_every_run_is_dealt_to_one_side():
    a, b = whole_runs([run(name, np.array([[float(name)]])) for name in "12345"], np.random.default_rng(0))
    assert (len(a), len(b)) == (2, 3)
    assert sorted(firsts(a) + firsts(b)) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_trials_that_runs_share_are_drawn_together():
    returns = np.arange(12.0).reshape(2, 6)
    one, other = resampled([run("a", returns), run("b", returns + 100.0)], np.random.default_rng(0))
    for here, there in zip(one.samples, other.samples, strict=True):
        np.testing.assert_array_equal(here.returns + 100.0, there.returns)
        np.testing.assert_array_equal(here.returns, -here.others)
        assert set(here.returns[:, 0]) < set(returns[int(here.agent[-1])])


def test_runs_that_lie_far_apart_are_called_different_as_they_are_but_not_when_dealt_out():
    runs = drawn(2, 4, shift=50.0)
    assert as_they_are(runs, RANGE, np.random.default_rng(0)).headline == 1
    called = null_rate("dealt", runs, learners_of_two, RANGE, 300, np.random.default_rng(0))
    # 2 of the 70 ways to deal keep the runs together; all others mix them. The binomial band of 300 is 3.2 points.
    assert called.comparisons == 300
    assert called.headline / 300 == pytest.approx(2 / 70, abs=0.032)


def test_learners_that_differ_by_chance_are_called_different_about_one_time_in_twenty():
    called = null_rate("dealt", drawn(3, 8), learners_of_two, RANGE, 500, np.random.default_rng(2))
    assert called.headline / 500 == pytest.approx(0.05, abs=0.032)  # the binomial band of 500
    assert called.trials > 2 * called.headline


def test_what_it_cannot_deal_out_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert "is not a run" in capsys.readouterr().err


def test_shares_are_printed_with_their_intervals(capsys: pytest.CaptureFixture[str], monkeypatch):
    found = [null_compare.Called("dealt", 200, headline=10, trials=80)]
    monkeypatch.setattr(null_compare, "measure", lambda options: found)
    assert main(["a", "b"]) == 0
    said = capsys.readouterr().out
    assert all(text in said for text in ("200", "5.0% [2.7%, 9.0%]", "40.0% [33.5%, 46.9%]"))


def test_simulated_shares_are_printed_with_their_intervals_and_take_no_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch
):
    monkeypatch.setattr(null_compare, "simulate", lambda: [Rate("2 means v 2", 10, 200)])
    assert main(["--simulate"]) == 0
    said = capsys.readouterr().out
    assert all(text in said for text in ("2 means v 2", "200", "5.0% [2.7%, 9.0%]"))
    with pytest.raises(SystemExit):
        main(["--simulate", "a"])
    assert "expected one of them" in capsys.readouterr().err
    assert main([]) == 2
    assert "got no run for side A" in capsys.readouterr().err
