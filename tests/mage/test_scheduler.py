"""Trials in company: what else is in the batch changes nothing."""

from __future__ import annotations

import gc
import time

import pytest

from games.opponents import parse
from mage.keys import PlayKeys
from mage.matches import plan_trials
from mage.scheduler import play_all, play_waves
from mage.seats import SeatPlan, TrialPlan
from mage.timings import Stopwatch
from mage.trials import Conditions
from populations.matchmaking import Pairing
from tests.mage.test_trials import Drawing

HABIT = "peaked_habit(move=R,peak=0.6)"


class Nobody:
    """A sampler that must not be asked."""

    def open(self, agents):
        raise AssertionError(agents)


def crowd() -> list[Pairing]:
    """Forty trials of several kinds and agents."""
    kinds = [(HABIT, "scripted"), ("ann@1", "snapshot"), ("base", "snapshot"), ("cid", "learner")]
    learners = ("bob", "dan")
    return [Pairing(learners[t % 2], kinds[t % 4][0], t // 4 % 2, t, t, kinds[t % 4][1]) for t in range(40)]


def moves(trial) -> list[str]:
    return [turn.move for episode in trial.record.episodes for turn in episode.turns]


@pytest.mark.parametrize(
    ("name", "kind", "memory", "lane_rows"),
    [
        (HABIT, "scripted", "transcript", 8),
        (HABIT, "scripted", "none", 64),
        ("ann@1", "snapshot", "transcript", 64),
        ("bob", "learner", "none", 8),
    ],
)
def test_a_trial_alone_and_among_forty_others_picks_the_same_moves(name, kind, memory, lane_rows, play, rps):
    own = Pairing("ann", name, seat=1, group=77, trial=77, opponent_kind=kind)
    (alone,) = play(rps, [own], memory=memory)
    others = crowd()
    (among,) = play(rps, [*others[:13], own, *others[13:]], memory=memory, lane_rows=lane_rows)[13:14]
    assert among.record.pairing == own
    assert moves(among) == moves(alone)
    assert [c.ids for c in among.contexts] == [c.ids for c in alone.contexts]
    for here, there in zip(among.contexts, alone.contexts, strict=True):
        assert [c.log_prob for c in here.choices] == pytest.approx([c.log_prob for c in there.choices], abs=1e-5)


def test_trials_come_back_in_the_order_of_the_plans(play, rps):
    pairings = crowd()
    played = play(rps, pairings, lane_rows=5, episodes=1)
    assert [trial.record.pairing for trial in played] == pairings


def test_the_order_of_the_plans_changes_no_trial(play, rps):
    pairings = crowd()[:12]
    forwards, backwards = play(rps, pairings, episodes=2), play(rps, pairings[::-1], episodes=2)
    assert [moves(trial) for trial in forwards] == [moves(trial) for trial in backwards[::-1]]


def test_another_seed_gives_other_moves(play, rps):
    pairings = crowd()[:4]
    assert [moves(t) for t in play(rps, pairings, seed=0)] != [moves(t) for t in play(rps, pairings, seed=1)]


def test_sampling_leaves_no_route_and_no_gradient(bank, play, rps):
    play(rps, crowd()[:8], episodes=1)
    assert bank.route == ()
    assert all(p.grad is None for adapter in bank.adapters.values() for p in adapter.parameters())


def test_no_plans_ask_nobody_and_waves_are_twice_the_rows_of_a_lane(base, rps):
    keys = PlayKeys(0, "train", 0)
    conditions = Conditions(rps, base.codec, keys, 1, "none")
    assert play_all([], conditions, Nobody(), lane_rows=4) == []
    scripted = SeatPlan(HABIT, parse(rps, HABIT), 0)
    plans = [TrialPlan(pairing, (scripted, scripted)) for pairing in crowd()[:10]]
    waves = list(play_waves(plans, conditions, Nobody(), lane_rows=2))
    assert [len(wave) for wave in waves] == [4, 4, 2]
    assert [trial for wave in waves for trial in wave] == play_all(plans, conditions, Nobody(), lane_rows=2)


def test_the_samplers_seconds_and_the_games_are_told_apart(spelling, castling):
    class Slow(Drawing):
        def choose(self, requests, keys):
            time.sleep(0.02)
            return super().choose(requests, keys)

    stopwatch = Stopwatch()
    plans = plan_trials([Pairing("ann", "bob", 0, 0, 0, "learner")], {}, PlayKeys(0, "train", 0))
    conditions = Conditions(castling, spelling, PlayKeys(0, "train", 0), 1, "none")
    play_all(plans, conditions, Slow(spelling), lane_rows=4, stopwatch=stopwatch)
    seconds = stopwatch.take()
    assert seconds["sampling"] >= 6 * 0.02  # three rounds, two seats that ask one after the other
    assert 0 < seconds["games"] < seconds["sampling"]


def test_what_is_played_leaves_no_cycles_to_the_collector_that_rests_meanwhile(play, rps):
    own = [Pairing("ann", HABIT, seat=t % 2, group=t, trial=t, opponent_kind="scripted") for t in range(8)]
    play(rps, own, episodes=1)  # what is made once is made by now
    gc.collect()
    gc.disable()
    try:
        play(rps, own, episodes=1)
        assert gc.collect() == 0
    finally:
        gc.enable()
