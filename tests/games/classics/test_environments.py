"""Copies of PettingZoo's environments are as good as new ones, and pygame is not heard of."""

from __future__ import annotations

import os

import pytest
from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.tictactoe import tictactoe

from games.classics.environments import copies_of, import_quietly

MODULES = pytest.mark.parametrize("module", [tictactoe, connect_four])


@MODULES
def test_a_copy_has_what_the_constructor_gives(module):
    copy, built = copies_of(module.raw_env())(), module.raw_env()
    assert type(copy) is module.raw_env
    assert vars(copy).keys() == vars(built).keys()
    for env in (copy, built):
        env.reset(seed=0)
        env.step(2)
        env.step(4)
    assert vars(copy).keys() == vars(built).keys()
    known = {name for name, value in vars(built).items() if isinstance(value, list | dict | str | int | tuple)}
    assert {"agents", "rewards", "terminations", "action_spaces", "observation_spaces", "agent_selection"} <= known
    assert all(getattr(copy, name) == getattr(built, name) for name in known)
    assert str(copy.board) == str(built.board)
    assert copy._agent_selector == built._agent_selector


@MODULES
def test_two_copies_share_nothing_that_changes(module):
    make = copies_of(module.raw_env())
    one, other = make(), make()
    changing = {name for name, value in vars(one).items() if not isinstance(value, str | int | tuple | None)}
    assert {"board", "agents", "action_spaces", "observation_spaces"} <= changing
    shared = {name for name in changing if getattr(one, name) is getattr(other, name)}
    assert shared == {"observation_spaces"}
    for agent in one.possible_agents:
        assert one.action_space(agent) is not other.action_space(agent)
    one.reset()
    other.reset()
    untouched = str(other.board)
    one.step(3)
    assert str(one.board) != untouched
    assert str(other.board) == untouched


def test_a_module_is_imported_and_the_surroundings_are_as_before(monkeypatch: pytest.MonkeyPatch):
    for before in ({}, {"PYGAME_HIDE_SUPPORT_PROMPT": "no"}):
        monkeypatch.delenv("PYGAME_HIDE_SUPPORT_PROMPT", raising=False)
        for name, value in before.items():
            monkeypatch.setenv(name, value)
        assert import_quietly("pettingzoo.classic.tictactoe.tictactoe") is tictactoe
        assert os.environ.get("PYGAME_HIDE_SUPPORT_PROMPT") == before.get("PYGAME_HIDE_SUPPORT_PROMPT")
