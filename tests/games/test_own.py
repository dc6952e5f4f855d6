"""A person's own environments: AEC, parallel, agents that leave early, words, registered names."""

from __future__ import annotations

import re
import sys
import warnings
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.classic.tictactoe import tictactoe as classic

import games
from games import own
from games.aec import AECGame
from games.errors import RequestError
from games.own_text import METHODS, written
from tests.games import own_environments
from tests.games.playing import play, unread

ENVIRONMENTS = own_environments.__name__
DOCS = Path(__file__).resolve().parents[2] / "docs" / "games.md"


def load(function, **options) -> AECGame:
    return games.load(f"{ENVIRONMENTS}:{function}", **options)


def test_the_example_of_the_docs_is_about_thirty_lines_and_plays(tmp_path, monkeypatch):
    (block,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 40
    (tmp_path / "auction.py").write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        game = games.load("auction:Auction")
        episode = game.start(seed=1)
    sys.modules.pop("auction")
    assert (game.name, game.seats, game.max_turns, game.utility_range) == ("auction:Auction", 3, 1, (-2.0, 3.0))
    assert game.rules(2, 4).startswith("auction seat 2: bid 0 to 3") and game.rules(2, 4).endswith(", 4 episodes\n")
    worth = [int(re.fullmatch(r"worth (\d) to you\n", text)[1]) for text in unread(episode)]
    assert [int(value) for value in np.random.default_rng(1).integers(1, 4, size=3)] == worth
    assert episode.legal_moves() == ("0", "1", "2", "3")
    play(episode, "1", "2")
    assert unread(episode) == ["", "", ""]
    play(episode, "2")
    assert unread(episode) == ["bids 1 2 2\n"] * 3
    assert (episode.seat_to_move, episode.returns) == (None, [0.0, worth[1] - 2.0, 0.0])


def test_the_docs_name_every_attribute_and_method():
    text = DOCS.read_text(encoding="utf-8")
    assert [name for name in own.FACTS if f"| `{name}` |" not in text] == []
    assert [call for call in METHODS.values() if f"| `{call.partition(' ->')[0]}` |" not in text] == []


def test_agents_of_a_parallel_environment_leave_early_and_are_paid():
    episode = load("Standoff").start(seed=0)
    assert unread(episode) == ["see 0 3\n"] * 3
    play(episode, "0", "1")
    assert (episode.seat_to_move, unread(episode)) == (2, ["", "", ""])
    play(episode, "0")
    assert unread(episode) == ["see 1 2\n", "see 1 2\nget 1\n", "see 1 2\n"]
    assert (episode.seat_to_move, episode.returns) == (0, [0.0, 1.0, 0.0])
    play(episode, "0", "1")
    assert unread(episode) == ["see 2 1\n", "", "see 2 1\nget 2\n"]
    play(episode, "1")
    assert unread(episode) == ["see 3 0\nget 3\n", "", ""]
    assert (episode.seat_to_move, episode.returns) == (None, [3.0, 1.0, 2.0])
    assert episode.played == [(0, "0"), (1, "1"), (2, "0"), (0, "0"), (2, "1"), (0, "1")]


def test_a_forfeit_after_another_seat_left_books_the_least_and_leaves_the_rest():
    episode = play(load("Standoff").start(seed=0), "0", "1", "0")
    episode.forfeit()
    assert (episode.returns, episode.forfeits) == ([-2.0, 1.0, 0.0], [1, 0, 0])


def test_agents_of_an_aec_environment_leave_early_and_are_paid():
    episode = play(load("Elimination").start(seed=0), "1")
    assert episode.returns == [0.0, 1.0, 1.0]
    play(episode, "1")
    assert (episode.seat_to_move, episode.returns) == (2, [0.0, 1.0, 2.0])
    play(episode, "0")
    assert episode.seat_to_move == 2
    play(episode, "0")
    assert (episode.seat_to_move, episode.returns) == (None, [0.0, 1.0, 2.0])
    assert unread(episode) == [
        "see 0\nsee 1\n",
        "see 0\nsee 1\nget 1\nsee 2\n",
        "see 0\nsee 1\nget 1\nsee 2\nget 1\nsee 3\nsee 4\n",
    ]


@pytest.mark.parametrize("function", ["Sticks", "sticks_of_infos"])
def test_numbers_come_from_the_space_its_start_and_either_mask(function):
    game = load(function)
    episode = game.start(seed=0)
    sticks = 3 + int(np.random.default_rng(0).integers(3))
    assert unread(episode) == [f"see {sticks}\n"] * 3
    play(episode, *"1" * (sticks - 1))
    assert episode.legal_moves() == ("1",)
    loser = episode.seat_to_move
    play(episode, "1")
    assert episode.returns == [-2.0 if seat == loser else 1.0 for seat in range(3)]
    assert unread(episode)[loser].endswith("see 0\nget -2\n")


def test_an_environment_of_a_library_is_told_its_facts_by_the_function(monkeypatch):
    def make():
        env = classic.env()
        env.utility_range, env.zero_sum, env.max_turns = (-1, 1), True, 5
        return env

    monkeypatch.setattr(own_environments, "make", make, raising=False)
    episode = play(load("make").start(seed=0), *"03142")
    assert (episode.seat_to_move, episode.returns) == (None, [1.0, -1.0])


def test_the_words_of_an_environment_are_used_for_all_that_they_say():
    game = load("spoken_sticks")
    assert game.rules(1, 4) == "sticks seat 1, 4 episodes\n"
    episode = game.start(seed=0)
    sticks = 3 + int(np.random.default_rng(0).integers(3))
    assert unread(episode) == [f"{sticks} sticks\n"] * 3
    assert episode.legal_moves() == ("one", "two")
    play(episode, "two")
    assert unread(episode) == ["", "seat 0 took two\n", "seat 0 took two\n"]


def test_news_of_a_parallel_environment_come_when_all_have_moved():
    game = load("standoff_with_news")
    episode = play(game.start(seed=0), "0", "1")
    assert unread(episode) == ["see 0 3\n"] * 3
    play(episode, "0")
    assert unread(episode) == ["round 1 is over\n"] * 3
    words = episode._env.env.text
    play(episode, "1", "1")
    assert words.calls == [(2, "0", "Standoff", 1), (2, "1", "Standoff", 2)]


def test_without_words_both_renderings_say_the_same():
    compact, full = load("Standoff"), load("Standoff", rendering="full")
    assert compact.rules(1, 2) == f"{ENVIRONMENTS}:Standoff seat 1 of 3: 0 to 1, 2 episodes\n"
    assert full.rules(1, 1).startswith(f"You are seat 1 of 3 in {ENVIRONMENTS}:Standoff, for 1 episode.\n")
    assert unread(full.start(seed=0)) == ["You observe 0 3.\n"] * 3
    assert (
        unread(play(full.start(seed=0), "1", "0", "0"))[0] == "You observe 0 3.\nYou observe 1 2.\nYour reward is 1.\n"
    )


def test_a_function_with_a_rendering_is_told_it():
    assert load("sticks_of_infos", rendering="full").make_env().told == "full"


def test_a_text_game_is_returned_as_it_is(monkeypatch):
    made = games.load("stag_hunt")
    monkeypatch.setattr(own_environments, "hunt", lambda: made, raising=False)
    assert load("hunt") is made


def test_episodes_side_by_side_leave_each_other_alone():
    game = load("Standoff")
    one, two = game.start(seed=0), game.start(seed=0)
    play(one, "1", "1", "1")
    assert (one.seat_to_move, one.returns, two.seat_to_move, two.returns) == (None, [1.0] * 3, 0, [0.0] * 3)


def test_a_registered_game_is_loaded_by_its_name_and_listed(monkeypatch):
    entry = EntryPoint("standoff", f"{ENVIRONMENTS}:Standoff", own.GROUP)
    monkeypatch.setattr(own, "entry_points", lambda group: [entry] if group == "mage.games" else [])
    assert games.load("standoff", own_code=False).name == "standoff"
    assert own.registered() == {"standoff": entry}
    with pytest.raises(RequestError, match="did you mean 'standoff'"):
        games.load("standof")


def test_observations_are_written_as_numbers_rows_and_fields():
    assert written(np.array([[0, 1], [2, 3]])) == "0 1 / 2 3"
    assert written({"observation": np.array([True, False]), "action_mask": np.ones(3)}) == "1 0"
    assert written({"hand": 2, "price": np.float32(0.1), "word": "go"}) == "hand 2; price 0.1; word go"
    assert written((1, np.array([2, 3]))) == "1; 2 3"
