"""Reflections put in the place of an agent's own: nothing is no memory, and another trial's comes from that trial."""

from __future__ import annotations

import pytest

import games
from games.errors import RequestError
from games.opponents import parse
from mage.decisions import Acting
from mage.foreign_reflections import given, numbered, require_reflecting
from mage.keys import PlayKeys
from mage.matches import plan_trials
from mage.sampler import CachedSampler
from mage.scheduler import play_all
from mage.trials import Conditions
from populations.matchmaking import Pairing

KEYS = PlayKeys(0, "evaluate", 0)
EPISODES = 3


@pytest.fixture
def opponents(castling):
    return [games.opponent(castling, "peaked_habit", move=move, peak=0.5).name for move in ("10", "O-O")]


@pytest.fixture
def played(castling, spelled, bank, opponents):
    """Plays two trials of ann against each opponent: `played(memory, reflections, written)`."""
    pairings = [
        Pairing("ann", name, trial % 2, 2 * i + trial, 2 * i + trial, "scripted")
        for i, name in enumerate(opponents)
        for trial in (0, 1)
    ]
    plans = plan_trials(pairings, {name: parse(castling, name) for name in opponents}, KEYS)

    def play(memory: str, reflections: str = "own", written=None):
        changed = given(plans, reflections, written or {}, opponents, EPISODES)
        conditions = Conditions(castling, spelled.codec, KEYS, EPISODES, memory, Acting(reflection_tokens=5))
        return play_all(changed, conditions, CachedSampler(spelled, bank, 64), lane_rows=8)

    return play


def moves(trials):
    return [[turn.move for e in trial.record.episodes for turn in e.turns] for trial in trials]


def test_an_empty_reflection_is_no_memory(played):
    empty, none, own = played("reflection", "empty"), played("none"), played("reflection")
    assert moves(empty) == moves(none) != moves(own)
    for one, other in zip(empty, none, strict=True):
        assert [e.returns for e in one.record.episodes] == [e.returns for e in other.record.episodes]
        begun = [
            context.ids[: len(reference.ids)] for context, reference in zip(one.contexts, other.contexts, strict=True)
        ]
        assert begun == [context.ids for context in other.contexts]  # what is asked for at the end comes after


def test_another_trials_reflections_are_those_of_its_number_against_the_next_opponent(played, opponents):
    own = played("reflection")
    written = numbered(trial.record for trial in own)
    assert written.keys() == {("ann", name, number) for name in opponents for number in (0, 1)}
    assert all(len(texts) == EPISODES - 1 for texts in written.values())
    other = played("reflection", "other", written)
    for trial in other:
        pairing = trial.record.pairing
        foreign = written["ann", opponents[1 - opponents.index(pairing.opponent)], pairing.seat]
        assert tuple(e.reflections[pairing.seat] for e in trial.record.episodes[:-1]) == foreign
        assert not [choice for context in trial.contexts for choice in context.choices if choice.turn < 0]


def test_what_cannot_be_replaced_is_refused():
    require_reflecting("own", "none", 1)
    require_reflecting("other", "both", 2)
    with pytest.raises(RequestError, match='expected "reflection" or "both"'):
        require_reflecting("empty", "transcript", 2)
    with pytest.raises(RequestError, match="name more opponents"):
        require_reflecting("other", "reflection", 1)
    with pytest.raises(RequestError, match="unknown reflections"):
        require_reflecting("mine", "reflection", 2)
