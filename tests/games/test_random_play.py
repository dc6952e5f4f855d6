"""Random play that finds out where a game doesn't keep what it says."""

from __future__ import annotations

import pytest

import games
from games import random_play
from games.random_play import Attempt
from games.spoken import Fault, moves_seen, random_moves
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
        ({"utility_range": (0.0, 0.5)}, "utility_range says 0 to 0.5"),
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


def test_an_episode_that_does_not_end_is_left_and_said():
    attempt = random_play.try_game("public_goods", most=3)
    assert (attempt.ok, attempt.note, attempt.turns) == (True, "no episode ended within 3 decisions", 3)


def test_random_play_gives_each_decision_before_its_move_and_stops_at_the_most():
    episode = games.load("rock_paper_scissors", rounds=3).start(seed=0)
    seen = [(seat, legal, len(episode.played)) for seat, legal, _ in random_moves(episode, 5, most=4)]
    assert seen == [(0, ("R", "P", "S"), 0), (1, ("R", "P", "S"), 1), (0, ("R", "P", "S"), 2), (1, ("R", "P", "S"), 3)]
    assert (len(episode.played), episode.seat_to_move) == (4, 0)
    assert len(list(random_moves(episode, 5, most=10))) == 2  # the third round


def test_the_same_seed_plays_the_same_moves():
    def moves(seed):
        return [move for _, _, move in random_moves(games.load("public_goods").start(seed=0), seed, most=18)]

    assert moves(1) == moves(1) != moves(2)
    assert set(moves(1)) == {"keep", "give"}


class Stuck:
    """An episode in which seat 1 has no move."""

    seat_to_move = 1

    def legal_moves(self):
        return ()


def test_a_seat_without_a_move_is_a_fault():
    with pytest.raises(Fault, match="seat 1 is to move and has no move"):
        next(random_moves(Stuck(), 0, most=1))


def test_moves_are_looked_for_until_there_are_enough_or_no_more_come():
    started = []

    def start(name):
        return lambda seed: started.append(seed) or games.load(name).start(seed)

    assert moves_seen(start("public_goods"), enough=12) == ("keep", "give")
    assert started == list(range(9))  # the first brings both, then eight bring none
    assert len(moves_seen(start("tictactoe"), enough=4)) == 9  # those of the first decision
    assert started[9:] == [0]


@pytest.mark.parametrize(
    ("legal", "sentence"),
    [
        (["a", "a"], "two moves of seat 0 are written alike"),
        (["a b ", "c"], "a move must be words in one line, got 'a b '"),
        (["a", ""], "a move must be words in one line, got ''"),
    ],
)
def test_moves_must_be_distinct_words(legal, sentence):
    with pytest.raises(Fault, match=sentence):
        random_play._check_moves(legal, 0)


def test_a_text_without_a_newline_is_found(monkeypatch):
    game = games.load("public_goods")
    monkeypatch.setattr(type(game), "episode_header", lambda game, number: f"episode {number}")
    with pytest.raises(Fault, match="a text must end in a newline, got 'episode 1'"):
        random_play.play(game, seed=0, most=1)
