"""Pairings become plans, records become results."""

from __future__ import annotations

import pytest

import games
from mage.keys import PlayKeys
from mage.matches import mirrored, plan_trials, results, spread
from mage.records import EpisodeRecord, TrialRecord
from populations.matchmaking import Pairing

KEYS = PlayKeys(0, "train", 0)
HABIT = games.opponent("rock_paper_scissors", "peaked_habit", move="R", peak=0.8)


def seats(pairing: Pairing) -> list[tuple[str, bool, int]]:
    (plan,) = plan_trials([pairing], {HABIT.name: HABIT}, KEYS)
    assert plan.pairing == pairing
    return [(seat.member, seat.opponent is not None, seat.stream) for seat in plan.seats]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_learner_sits_where_the_pairing_says_and_a_scripted_opponent_draws_from_the_groups_stream(seat):
    found = seats(Pairing("ann", HABIT.name, seat, group=4, trial=9, opponent_kind="scripted"))
    expected = [("ann", False, 9), (HABIT.name, True, -5)]
    assert found == (expected if seat == 0 else expected[::-1])


def test_a_snapshot_draws_from_the_groups_stream_too():
    assert seats(Pairing("ann", "ann@1", 0, 4, 9, "snapshot"))[1] == ("ann@1", False, -5)


def test_two_learners_draw_from_the_trials_own_stream():
    assert seats(Pairing("ann", "bob", 1, 4, 9, "learner")) == [("bob", False, 9), ("ann", False, 9)]


def record(pairing: Pairing, *returns: tuple[float, float]) -> TrialRecord:
    by_seat = [pair if pairing.seat == 0 else pair[::-1] for pair in returns]
    members = (pairing.learner, pairing.opponent)
    return TrialRecord(
        pairing,
        "rock_paper_scissors",
        "transcript",
        members if pairing.seat == 0 else members[::-1],
        tuple(EpisodeRecord(pair, (0, 0), ()) for pair in by_seat),
    )


def test_only_matches_between_learners_are_seen_from_both_sides():
    own = record(Pairing("ann", "bob", 1, 0, 0, "learner"), (1.0, -1.0))
    other = record(Pairing("ann", "ann@1", 0, 1, 1, "snapshot"), (1.0, -1.0))
    found = mirrored([own, other])
    assert found[:2] == [own, other]
    assert [r.pairing for r in found[2:]] == [Pairing("bob", "ann", 0, 0, 0, "learner")]
    assert found[2].members == own.members == ("bob", "ann")


def test_a_match_between_learners_gives_two_results_whose_totals_are_opposite():
    # ann's returns are 2 and -4: a win and a loss, mean -1 an episode
    match = record(Pairing("ann", "bob", 1, 0, 0, "learner"), (2.0, -2.0), (-4.0, 4.0))
    events, found = results(3, mirrored([match]))
    assert [(r.row, r.column, r.seat) for r in found] == [("ann", "bob", 1), ("bob", "ann", 0)]
    assert [(e["total"], e["wins"], e["draws"], e["losses"]) for e in events] == [(-1.0, 1, 0, 1), (1.0, 1, 0, 1)]
    assert [e["episode_returns"] for e in events] == [[2.0, -4.0], [-2.0, 4.0]]
    assert all(e["iteration"] == 3 for e in events)


def test_trials_of_a_group_are_one_result_and_of_two_groups_two():
    habit = HABIT.name
    trials = [record(Pairing("ann", habit, 0, group, trial, "scripted"), (float(trial), 0.0)) for group, trial in
              [(0, 1), (0, 2), (1, 3)]]  # fmt: skip
    events, _ = results(0, trials)
    assert [(e["n"], e["total"], e["total_squares"]) for e in events] == [(2, 3.0, 5.0), (1, 3.0, 9.0)]


def test_no_trials_give_no_results():
    assert mirrored([]) == []
    assert results(0, []) == ([], [])


def test_items_are_spread_evenly_from_the_first_on():
    assert spread("abcdefgh", 4) == ["a", "c", "e", "g"]
    assert spread("abc", 5) == ["a", "b", "c"]
    assert spread("abc", 0) == []
    assert spread("", 3) == []


def test_the_first_item_can_be_moved_on_and_goes_around():
    assert spread("abcdefgh", 4, first=3) == ["d", "f", "h", "b"]


def played(returns, group=0, forfeits=(0, 0), learner="learner_0"):
    pairing = Pairing(learner, "cycle", 0, group, 0, "scripted")
    return TrialRecord(pairing, "g", "none", (learner, "cycle"), tuple(EpisodeRecord(r, forfeits, ()) for r in returns))


def test_results_are_summed_by_group_over_trials():
    group = [
        played([(1.0, -1.0), (2.0, -2.0)]),
        played([(-1.0, 1.0), (-2.0, 2.0)]),
        played([(3.0, -3.0), (0.0, 0.0)]),
    ]
    ((event,), (result,)) = results(3, group)
    # scores: (1 + 2) / 2 = 1.5, -1.5, 1.5
    assert (event["n"], event["total"], event["total_squares"]) == (3, 1.5, 6.75)
    assert (event["wins"], event["draws"], event["losses"]) == (3, 1, 2)  # of six episodes
    assert event["episode_returns"] == [1.0, 0.0]
    assert (event["row"], event["column"], event["seat"], event["iteration"]) == ("learner_0", "cycle", 0, 3)
    assert (result.row, result.n, result.total) == ("learner_0", 3, 1.5)


def test_an_equal_return_is_a_draw_and_forfeits_are_the_learners():
    ((event,), _) = results(0, [played([(0.0, 0.0), (2.0, 2.0)], forfeits=(1, 7))])
    assert (event["wins"], event["draws"], event["losses"], event["forfeits"]) == (0, 2, 0, 2)


def test_groups_and_learners_stay_apart_and_in_order():
    one = [(1.0, -1.0)]
    records = [played(one, group=1), played(one), played(one, group=1), played(one, learner="learner_1")]
    events, _ = results(0, records)
    assert [(event["row"], event["n"]) for event in events] == [("learner_0", 2), ("learner_0", 1), ("learner_1", 1)]


def test_a_trial_without_episodes_is_a_programmers_mistake():
    with pytest.raises(ValueError, match="at least one trial and one episode"):
        results(0, [played([])])
