"""The league: snapshots come due, pile up no higher than the cap, and everything survives JSON."""

import json

import numpy as np
import pytest

from populations import League, LeagueSettings, Member, PayoffTable, Population, Result

WEIGHTS = {"scripted": 0.5, "self_play": 0.25, "uniform": 0.0, "pfsp": 0.25}


def league_of(**settings) -> League:
    members = [Member("learner_0", "learner"), Member("learner_1", "learner"), Member("bot", "scripted")]
    return League(Population(members), PayoffTable(), LeagueSettings(WEIGHTS, **settings))


def freeze_all(league: League, iteration: int) -> None:
    for name in league.snapshots_due(iteration):
        league.freeze(name, iteration, digest=f"{name}{iteration}")


def test_snapshots_are_due_every_tenth_update_and_not_before_the_first():
    league = league_of(snapshot_every=10)
    assert [i for i in range(31) if league.snapshots_due(i)] == [10, 20, 30]
    assert league.snapshots_due(10) == ("learner_0", "learner_1")


def test_a_snapshot_taken_before_a_crash_is_not_due_again():
    league = league_of(snapshot_every=10)
    league.freeze("learner_0", 10, "ab")
    assert league.snapshots_due(10) == ("learner_1",)


@pytest.mark.parametrize("settings", [{"snapshot_every": 0}, {"snapshots_kept": 0}])
def test_no_snapshot_is_ever_due_when_none_is_wanted(settings):
    league = league_of(**settings)
    assert not any(league.snapshots_due(i) for i in range(40))


def test_fifty_snapshots_under_a_cap_of_three_leave_three_the_newest():
    league = league_of(snapshot_every=1, snapshots_kept=3)
    gone: list[str] = []
    for iteration in range(1, 26):
        freeze_all(league, iteration)
        gone += league.retire()
        assert len(league.population.snapshots) <= 3
    assert [m.name for m in league.population.snapshots] == ["learner_1@24", "learner_0@25", "learner_1@25"]
    assert len(gone) == len(set(gone)) == 47
    assert gone[:2] == ["learner_0@1", "learner_1@1"]


def test_retiring_below_the_cap_retires_nobody():
    league = league_of(snapshots_kept=8)
    freeze_all(league, 10)
    assert league.retire() == () and len(league.population.snapshots) == 2


def test_pairing_follows_the_settings():
    pairings = league_of(groups=4, num_generations=3).pair(0, np.random.default_rng(0))
    assert len(pairings) == 2 * 4 * 3


def test_recording_reaches_the_payoffs():
    league = league_of()
    league.record([Result("learner_0", "bot", 0, 2, 1.0, 1.0, 1, 1, 0, 0)])
    assert league.payoffs.mean("learner_0", "bot") == 0.5


def test_a_result_of_a_stranger_is_refused_and_nothing_is_recorded():
    league = league_of()
    good, bad = (
        Result("learner_0", "bot", 0, 1, 1, 1, 1, 0, 0, 0),
        Result("learner_0", "bott", 0, 1, 1, 1, 1, 0, 0, 0),
    )
    with pytest.raises(ValueError, match="'bott'; closest: bot"):
        league.record([good, bad])
    assert league.payoffs.results() == ()


def test_a_league_restored_from_json_pairs_as_the_one_that_went_on():
    league = league_of(snapshot_every=10, snapshots_kept=3)
    freeze_all(league, 10)
    freeze_all(league, 20)
    league.retire()
    league.record([Result("learner_0", "learner_1@10", 1, 4, 0.1, 0.3, 3, 0, 1, 0)])
    again = League.from_json(json.loads(json.dumps(league.to_json())), league.settings)
    assert again.to_json() == league.to_json()
    for iteration in range(20, 30):
        expected = league.pair(iteration, np.random.default_rng(iteration))
        assert again.pair(iteration, np.random.default_rng(iteration)) == expected
    assert again.snapshots_due(20) == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("groups", 0),
        ("num_generations", 0),
        ("snapshot_every", -1),
        ("snapshots_kept", -1),
        ("pfsp_power", -0.5),
    ],
)
def test_settings_out_of_range_are_refused(name, value):
    with pytest.raises(ValueError, match=f"league.{name} got {value}"):
        LeagueSettings(WEIGHTS, **{name: value})


def test_an_unknown_matchmaker_in_the_settings_is_refused():
    with pytest.raises(ValueError, match="unknown matchmaker 'selfplay'; closest: self_play"):
        LeagueSettings({"selfplay": 1.0})
