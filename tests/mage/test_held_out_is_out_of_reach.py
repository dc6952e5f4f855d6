"""Nothing that is tested on is ever met in training: random configs, every matchmaker, every corpus, by behaviour.

Sets of opponents are random, and so are the names that opponents go by; a run's loop is the real one, with a model that
is not there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games
import mage.training_run
from games.errors import RequestError
from games.naming import behaviour, parse
from games.regions import APART
from mage import tiny
from mage.config import Config
from mage.session import describe
from populations.league import League
from populations.matchmaking import MATCHMAKERS
from populations.members import Member
from tests.mage.run_without_a_model import (
    STEPS,
    complaints,
    kept_away,
    leaks,
    met_in_training,
)
from tests.mage.small_run import HELD_OUT, LEARNERS, events

pytest_plugins = ["tests.mage.small_run"]

INNER = "kuhn_tendencies(bluff=0.3,call=0.7,raise=0.2)"

# By game: opponents that differ on every seat, each with the names that it can go by; none is made of another one.
POOLS = {
    "rock_paper_scissors": (
        ("peaked_habit(move=R,peak=0.8)", "dirichlet_habit(p=0.8/0.1/0.1)", "mixture(of=peaked_habit,epsilon=0.0)"),
        ("cycle(start=R,step=1)", "cycle(start=R,step=-2)"),
        ("tit_for_tat(start=P)", "mixture(of=tit_for_tat(start=P),epsilon=0.0)"),
        ("first_legal", "peaked_habit(move=R,peak=1.0)", "best_response(to=dirichlet_habit(p=0/0/1))"),
        ("random", "equilibrium", "mixture(of=cycle(start=S,step=2),epsilon=1.0)"),
        ("peaked_habit(move=P,peak=1.0)", "best_response(to=dirichlet_habit(p=0.9/0.05/0.05))"),
        ("frequency_counter", "mixture(of=frequency_counter,epsilon=0.0)"),
        ("win_stay_lose_shift(start=S)",),
    ),
    "kuhn_poker": (
        ("aggressive", "kuhn_tendencies(bluff=1.0,call=1.0,raise=1.0)", "mixture(of=aggressive,epsilon=0.0)"),
        ("conservative", "kuhn_tendencies(bluff=0.0,call=0.0,raise=0.0)"),
        ("intermediate", "kuhn_tendencies"),
        ("random", "mixture(of=random,epsilon=1.0)", "mixture(of=random,epsilon=0.5)"),
        ("first_legal", "mixture(of=first_legal,epsilon=0.0)"),
        (f"mixture(of={INNER},epsilon=0.3)", f"mixture(of=mixture(of={INNER},epsilon=0.3),epsilon=0.0)"),
    ),
}
SPARE = {  # trained on in every config, and in no pool
    "rock_paper_scissors": "memory_one(alpha=0.5,seed=99)",
    "kuhn_poker": "kuhn_tendencies(bluff=0.9,call=0.1,raise=0.6)",
}
SETS = ("training", "validation", "held_out", "corpus")
DRAWS = {"rock_paper_scissors": "memory_one", "kuhn_poker": None}  # a family whose draws have no region to share

quickly = settings(max_examples=20, deadline=None, derandomize=True, database=None)


@pytest.fixture(scope="module", autouse=True)
def each_game_once() -> Iterator[None]:
    """Games and tokenizers depend on the game's name alone: make each once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "load", cache(games.load))
        patch.setattr(tiny, "build_tokenizer", cache(tiny.build_tokenizer))
        yield


@st.composite
def declared(draw, name):
    """Sets of opponents without overlap: each behaviour is in one set, under any of its names, or in none."""
    sets = {each: [] for each in SETS}
    for aliases in POOLS[name]:
        where = draw(st.sampled_from([*SETS, None]))
        if where is not None:
            sets[where].append(draw(st.sampled_from(aliases)))
    if DRAWS[name] is not None:
        for where in draw(st.lists(st.sampled_from(SETS), unique=True)):
            sets[where].append({"family": DRAWS[name], "count": 2, "seed": draw(st.integers(0, 1))})
    return sets


@st.composite
def league(draw):
    """Any weights of the matchmakers, so that those that need no snapshot have some."""
    weights = {name: draw(st.sampled_from([0.0, 0.3, 1.0])) for name in MATCHMAKERS}
    weights["self_play"] += 0.1
    return {
        "learners": draw(st.integers(2, 3)),
        "groups": draw(st.integers(1, 6)),
        "num_generations": 1,
        "snapshot_every": draw(st.integers(1, 2)),
        "snapshots_kept": draw(st.integers(0, 3)),
        "matchmaking": weights,
    }


def configured(name, sets, wanted=None):
    """A config of these sets, with one more to train on, who is in no pool."""
    return Config.model_validate(
        {
            "run": {"checkpoint_every": 1000, "iterations": STEPS, "log_matches": 1},
            "game": {"name": name, "rounds": 2 if name == "rock_paper_scissors" else None},
            "trial": {"episodes": 2},
            "model": {"layers": 1, "width": 32, "heads": 2, "pretrain": {"corpus": tuple(sets["corpus"])}},
            "league": wanted or {},
            "opponents": {
                "training": (SPARE[name], *sets["training"]),
                "validation": tuple(sets["validation"]),
                "held_out": tuple(sets["held_out"]),
                "min_distance": 0.01,
            },
        }
    )


@pytest.mark.parametrize("name", POOLS)
def test_opponents_of_a_pool_differ_on_every_seat_and_their_names_mean_one(name):
    game = games.load(name)
    for aliases in POOLS[name]:
        assert len({behaviour(game, parse(game, alias)) for alias in aliases}) == 1
    firsts = [parse(game, text) for text in (SPARE[name], *(aliases[0] for aliases in POOLS[name]))]
    assert all(not leaks(game, [own], [other]) for own, other in combinations(firsts, 2))


@pytest.mark.parametrize("name", POOLS)
@quickly
@given(data=st.data())
def test_what_is_tested_on_is_never_met_in_training_nor_in_the_corpus(name, data):
    config = configured(name, data.draw(declared(name)), data.draw(league()))
    setting = describe(config)
    assert len(kept_away(setting)) >= len(config.opponents.validation) + len(config.opponents.held_out)
    assert complaints(config, setting) == []
    assert leaks(setting.game, setting.opponents.validation, setting.opponents.held_out) == []


@pytest.mark.parametrize("matchmaker", MATCHMAKERS)
def test_whomever_a_matchmaker_draws_is_seen(matchmaker):
    """Nearly all the weight on one of them; snapshots are there from the second iteration on."""
    expected = {
        "scripted": SPARE["kuhn_poker"],
        "self_play": "learner_1",
        "uniform": "learner_0@1",
        "pfsp": "learner_0@1",
    }
    weights = {**dict.fromkeys(MATCHMAKERS, 0.0), "self_play": 0.001, matchmaker: 1.0}
    wanted = {"learners": 2, "groups": 4, "num_generations": 1, "snapshot_every": 1, "matchmaking": weights}
    config = configured("kuhn_poker", {each: [] for each in SETS}, wanted)
    played, joined, named = met_in_training(config, describe(config))
    assert expected[matchmaker] in ({one.name for one in played} | named)
    assert (matchmaker == "scripted") == bool(played) and [one.name for one in joined] == [SPARE["kuhn_poker"]]


@pytest.mark.parametrize("name", POOLS)
@quickly
@given(data=st.data())
def test_an_opponent_in_two_sets_under_any_of_its_names_is_refused_in_one_sentence(name, data):
    sets = data.draw(declared(name))
    aliases = data.draw(st.sampled_from(POOLS[name]))
    here, there = data.draw(st.sampled_from(APART))
    names = [one for each in SETS for one in sets[each] if isinstance(one, str)]
    if not set(names) & set(aliases):
        sets[here].append(data.draw(st.sampled_from(aliases)))
        sets[there].append(data.draw(st.sampled_from(aliases)))
    else:  # it is in one set already: into another that must be apart from it
        (own,) = [each for each in SETS if set(aliases) & {one for one in sets[each] if isinstance(one, str)}]
        sets["held_out" if own != "held_out" else there].append(data.draw(st.sampled_from(aliases)))
    with pytest.raises(RequestError, match="which behaves like") as caught:
        describe(configured(name, sets))
    assert "\n" not in str(caught.value)


@quickly
@given(ends=st.lists(st.integers(50, 95), min_size=4, max_size=4), apart=st.sampled_from(["validation", "held_out"]))
def test_ranges_that_overlap_are_refused_and_others_share_no_opponent(ends, apart):
    """Peaks from two ranges, in hundredths; that they share a border is no overlap, and no peak is drawn twice."""
    low, high = sorted(ends[:2]), sorted(ends[2:])
    sets = {each: [] for each in SETS}
    for where, (first, last) in (("training", low), (apart, high)):
        span = (first / 100, last / 100)
        sets[where].append(
            {"family": "peaked_habit", "count": 2, "seed": 1, "parameters": {"move": ("R", "P"), "peak": span}}
        )
    config = configured("rock_paper_scissors", sets)
    between = min(low[1], high[1]) - max(low[0], high[0])
    if between > 0 or (between == 0 and (low[0] == low[1] or high[0] == high[1])):
        with pytest.raises(RequestError, match="expected regions without overlap"):
            describe(config)
    elif all(last > first for first, last in (low, high)):
        setting = describe(config)
        assert leaks(setting.game, setting.opponents.training, kept_away(setting)) == []


class Careless(League):
    """A league that lets a held-out opponent in, under another name."""

    def __init__(self, population, payoffs, wanted):
        population.add(Member(PLANTED, "scripted"))
        super().__init__(population, payoffs, wanted)


PLANTED = "dirichlet_habit(p=0.8/0.1/0.1)"


def test_a_held_out_opponent_in_the_population_is_found_out(monkeypatch):
    """The league would have a language agent of that name asked, which is nobody that may be met."""
    config = configured(
        "rock_paper_scissors", {**{each: [] for each in SETS}, "held_out": [POOLS["rock_paper_scissors"][0][0]]}
    )
    setting = describe(config)
    assert complaints(config, setting) == []
    monkeypatch.setattr(mage.training_run, "League", Careless)
    assert complaints(config, setting) == [f"{PLANTED} was met, who is neither a learner nor a snapshot"]


def test_a_held_out_opponent_among_those_trained_on_that_nobody_checked_is_found_out():
    config = configured("rock_paper_scissors", {**{each: [] for each in SETS}, "held_out": ["tit_for_tat(start=P)"]})
    setting = describe(config)
    alias = parse(setting.game, "mixture(of=tit_for_tat(start=P),epsilon=0.0)")
    trained = replace(setting, opponents=replace(setting.opponents, training=(*setting.opponents.training, alias)))
    found = f"{alias.name} was met, who behaves like tit_for_tat(start=P)"
    for unchecked in (trained, replace(setting, corpus=(*setting.corpus, alias))):
        assert complaints(config, unchecked) == [found]


def test_a_finished_run_names_its_tested_opponents_in_its_config_alone(finished):
    game = games.load("rock_paper_scissors", rounds=2)
    away = [parse(game, name) for name in (*HELD_OUT, "dirichlet_habit(p=0.2/0.3/0.5)")]
    manifest = json.loads((finished / "base" / "manifest.json").read_text())
    assert leaks(game, [parse(game, name) for name in manifest["opponents"]], away) == []
    names = {event["column"] for event in events(finished, "result")}
    names |= {member for event in events(finished, "match") for member in event["members"]}
    names |= {member["name"] for member in events(finished, "run")[0]["members"]}
    scripted = [parse(game, name) for name in names if not name.startswith("learner_")]
    assert len(scripted) == 2 and len(names) > len(LEARNERS) + 2
    assert leaks(game, scripted, away) == []
