"""Random play that finds out where a game doesn't keep what it says."""

from __future__ import annotations

import pytest

from games import random_play
from games.openspiel.try_all import Attempt
from tests.games import own_environments
from tests.games.own_environments import Sticks, SticksWords


def tried(monkeypatch, environment, **said) -> Attempt:
    def make():
        env = environment()
        for name, value in said.items():
            setattr(env, name, value)
        return env

    monkeypatch.setattr(own_environments, "make", make, raising=False)
    return random_play.try_game(f"{own_environments.__name__}:make")


def test_a_game_that_keeps_its_word_is_fine(monkeypatch):
    attempt = tried(monkeypatch, own_environments.Standoff)
    assert (attempt.ok, attempt.players, attempt.note, attempt.moves) == (True, 3, "", 2)
    assert 3 < attempt.turns <= 9  # three seats, at most three rounds


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ({"max_turns": 2}, "had 3 decisions, max_turns says 2"),
        ({"utility_range": (0.0, 0.5)}, "got 1, utility_range says 0 to 0.5"),
        ({"zero_sum": True}, "zero_sum says 0"),
        ({"zero_sum": None}, "got None as the environment's zero_sum"),
    ],
)
def test_what_the_environment_says_of_itself_is_checked(said, note, monkeypatch):
    attempt = tried(monkeypatch, own_environments.Standoff, **said)
    assert not attempt.ok and note in attempt.note


def test_chance_that_no_seed_decides_is_found(monkeypatch):
    resets = []

    class Careless(SticksWords):
        def opening(self, env):
            resets.append(env)
            return [f"reset {len(resets)}\n"] * 3

    attempt = tried(monkeypatch, lambda: Sticks(Careless()))
    assert attempt.note == "the same seed and moves gave other texts: take all chance from the seed of reset"


def test_an_episode_that_does_not_end_is_left_and_said(monkeypatch):
    monkeypatch.setattr(random_play, "MOST_DECISIONS", 3)
    attempt = random_play.try_game("public_goods")
    assert (attempt.ok, attempt.note, attempt.turns) == (True, "no episode ended within 3 decisions", 3)
