"""What `games.own` refuses, each in one sentence: names, environments and words that can't be played."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest
from gymnasium import spaces

import games
from games import own
from games.errors import RequestError
from tests.games import own_environments
from tests.games.own_environments import Standoff, Sticks, SticksWords

ENVIRONMENTS = own_environments.__name__


def load_made(monkeypatch, make):
    monkeypatch.setattr(own_environments, "make", make, raising=False)
    return games.load(f"{ENVIRONMENTS}:make")


def test_two_packages_that_register_one_name_are_named(monkeypatch):
    both = [EntryPoint("duel", "one:make", own.GROUP), EntryPoint("duel", "two:make", own.GROUP)]
    monkeypatch.setattr(own, "entry_points", lambda group: both)
    with pytest.raises(RequestError, match="'duel': got it from one:make and from two:make"):
        games.load("duel")


def test_a_name_out_of_a_file_runs_no_code(tmp_path, monkeypatch):
    (tmp_path / "trap.py").write_text("raise SystemExit('it ran')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(RequestError, match="'trap:make': it runs code of its own and was named by a file"):
        games.load("trap:make", own_code=False)
    with pytest.raises(RequestError, match="expected a repeated matrix game"):
        games.load_matrix("trap:make")
    assert "trap" not in sys.modules
    with pytest.raises(SystemExit, match="it ran"):
        games.load("trap:make")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module:make", "there is no module 'no_such_module'"),
        ("games.no_such_module:make", "there is no module 'games.no_such_module'"),
        (f"{ENVIRONMENTS}:Standof", "unknown function of .*own_environments 'Standof': .*; did you mean 'Standoff'"),
        (f"{ENVIRONMENTS}:spaces", "which can't be called, expected a function"),
        ("json:loads", "the function needs s, expected no arguments"),
        (f"{ENVIRONMENTS}:dict", "unknown function"),
        ("a:b:c", "expected package.module:function"),
        ("1a:b", "expected package.module:function"),
        (
            "builtins:dict",
            "the function returned 'dict', expected a PettingZoo AECEnv or ParallelEnv, or a games.TextGame",
        ),
    ],
)
def test_names_that_lead_nowhere_are_refused(name, message):
    with pytest.raises(RequestError, match=message):
        games.load(name)


def changed(**attributes):
    def make():
        env = Standoff()
        for name, value in attributes.items():
            setattr(env, name, value)
        return env

    return make


ONLY = Standoff()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            changed(utility_range=(1, -1)),
            r"got \(1, -1\) as the environment's utility_range, .*write env.utility_range = ",
        ),
        (
            changed(zero_sum=None),
            "got None as the environment's zero_sum, expected whether .*write env.zero_sum = False",
        ),
        (changed(max_turns=True), "got True as the environment's max_turns, expected the most decisions"),
        (changed(possible_agents=["a"]), "got 1 possible_agents, expected two or more"),
        (changed(text="hello"), "env.text has none of rules, opening, legal_moves, action, news"),
        (changed(action_space=lambda agent: spaces.Box(0, 1)), "expected Discrete; give the environment a text with"),
        (changed(observation_space=lambda agent: spaces.Box(0, 1, (40, 40))), "an observation of a has 1600 numbers"),
        (lambda: ONLY, "returned the same environment twice"),
    ],
)
def test_environments_that_can_t_be_played_are_refused_in_one_sentence(make, message, monkeypatch):
    with pytest.raises(RequestError, match=message):
        load_made(monkeypatch, make)


@pytest.mark.parametrize(
    ("method", "replacement", "message"),
    [
        ("rules", lambda seat, episodes: "no newline", "text.rules gave 'no newline', expected a text that ends in"),
        ("opening", lambda env: "sticks\n", "text.opening gave 'sticks.n', expected a text for each of 3 seats"),
        ("opening", lambda env: ["a\n", "b", ""], "text.opening gave 'b', expected a text that ends in a newline"),
        ("legal_moves", lambda env, seat: ["one", "one"], "to seat 0, expected one or more distinct words"),
        ("legal_moves", lambda env, seat: ["one "], "to seat 0, expected one or more distinct words"),
        ("legal_moves", lambda env, seat: [], "to seat 0, expected one or more distinct words"),
        ("news", lambda env, seat, move: ["", ""], "text.news gave .*, expected a text for each of 3 seats"),
    ],
)
def test_words_that_break_the_contract_are_refused_in_one_sentence(method, replacement, message, monkeypatch):
    words = SticksWords()
    setattr(words, method, replacement)
    game = load_made(monkeypatch, lambda: Sticks(words))
    with pytest.raises(RequestError, match=message):
        game.rules(0, 1)
        episode = game.start(seed=0)
        episode.play(episode.legal_moves()[0])


def test_words_with_moves_and_no_actions_are_refused(monkeypatch):
    class Half:
        def legal_moves(self, env, seat):
            return ["one"]

    with pytest.raises(RequestError, match=r"expected both or neither; add action\(env, seat, move\)"):
        load_made(monkeypatch, lambda: Sticks(Half()))
