"""What the test of held-out opponents runs: the real training loop and the real corpus, with no model and no play.

Everyone who would have sat in a seat is taken down.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import mage.lessons
import mage.training_run
from games.naming import behaviour, parse
from mage import tiny
from mage.paths import RunPaths
from mage.records import EpisodeRecord, TrialRecord
from mage.stages import open_stages, plan_stages
from mage.trials import PlayedTrial

STEPS = 3  # iterations of the loop


class NoAdapters:
    """Stands in for a bank: it keeps names."""

    def __init__(self):
        self.adapters = {}

    def add(self, name, **settings):
        self.adapters[name] = SimpleNamespace(digest=lambda: "0" * 16)

    def freeze(self, name, copy):
        self.add(copy)

    def remove(self, name):
        del self.adapters[name]

    def save(self, name, folder):
        folder.mkdir(parents=True)


class NoLearner:
    """Stands in for the learner: it learns nothing."""

    def __init__(self, *settings):
        self.work = SimpleNamespace(take=list)

    def update(self, rows, iteration, learning_rate):
        return {}


def invented(plan, rng):
    """What a trial may have come to, for payoffs that differ."""
    first = float(rng.integers(-1, 2))
    members = tuple(seat.member for seat in plan.seats)
    return PlayedTrial(
        TrialRecord(plan.pairing, "a game", "none", members, (EpisodeRecord((first, -first), (0, 0), ()),)), ()
    )


def run_through(config, setting, folder, play):
    """Take the real loop through `STEPS` iterations, with `play` for the playing and nobody who learns."""
    work = SimpleNamespace(take=list)
    session = SimpleNamespace(
        model=None,
        bank=NoAdapters(),
        config=config,
        setting=setting,
        paths=RunPaths(Path(folder)),
        sampler=SimpleNamespace(work=work),
        conditions=lambda play_keys: None,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mage.training_run, "Learner", NoLearner)
        patch.setattr(mage.lessons, "play_all", play)
        patch.setattr(mage.lessons, "build_rows", lambda played, learners, credit: ([], {}))
        stages = open_stages(session, plan_stages(config, setting))
        run = mage.training_run.TrainingRun(session, stages, resumed=False)
        for _ in range(STEPS):
            run.step()
    return session.paths


def met_in_training(config, setting):
    """Who sat in a seat of any trial, and who joined the population; last, the names of those who aren't scripted."""
    plans = []
    rng = np.random.default_rng(0)

    def play(planned, *settings, **more):
        plans.extend(planned)
        return [invented(plan, rng) for plan in planned]

    with tempfile.TemporaryDirectory() as folder:
        lines = run_through(config, setting, folder, play).events.read_text().splitlines()
    members = [one for line in map(json.loads, lines) if line["type"] == "run" for one in line["members"]]
    seats = [seat for plan in plans for seat in plan.seats]
    played = {seat.opponent.name: seat.opponent for seat in seats if seat.opponent is not None}
    joined = [parse(setting.game, one["name"]) for one in members if one["kind"] == "scripted"]
    return list(played.values()), joined, {seat.member for seat in seats if seat.opponent is None}


def met_in_the_corpus(config, setting):
    """Everyone who sits in a seat of the matches that a base is pretrained on."""
    plans = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny, "play_all", lambda planned, *settings, **more: plans.extend(planned) or [])
        tiny.transcripts(setting.game, setting.reader.codec, setting.corpus, 64, tiny.settings_of(config))
    return list({seat.opponent.name: seat.opponent for plan in plans for seat in plan.seats}.values())


def leaks(game, met, tested):
    """Pairs of names, one met and one tested on, that behave alike on some seat."""
    return [
        (own.name, other.name)
        for own in met
        for other in tested
        if any(here == there for here, there in zip(behaviour(game, own), behaviour(game, other), strict=True))
    ]


def kept_away(setting):
    """Whom nobody may meet who trains."""
    return setting.opponents.validation + setting.opponents.held_out


def complaints(config, setting):
    """Who was met in training or in the corpus, and shouldn't have been; a sentence each."""
    played, joined, named = met_in_training(config, setting)
    corpus = met_in_the_corpus(config, setting)
    assert played or joined or named
    learners = {f"learner_{number}" for number in range(config.league.learners)}
    agents = learners | {f"{own}@{step}" for own in learners for step in range(1, STEPS + 1)}
    met = {one.name: one for one in (*played, *joined, *corpus, *setting.corpus)}
    known = {one.name for one in (*setting.opponents.training, *setting.corpus)}
    return [
        *(f"{name} was met, who is neither a learner nor a snapshot" for name in sorted(named - agents)),
        *(f"{name} was met, who is in no set to train on" for name in sorted(met.keys() - known)),
        *(
            f"{own} was met, who behaves like {other}"
            for own, other in leaks(setting.game, met.values(), kept_away(setting))
        ),
    ]
