"""The contract of PettingZoo's board games: what is read is what is there, and what is booked is what was paid."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from games.classics import load
from tests.games.classics.board_decoding import COLUMNS, HEIGHTS, NAMES, Match, decode, rebuild, truth

ROOT = Path(__file__).resolve().parents[3]
RENDERINGS = ("compact", "full")
SEEDS = {"tictactoe": range(8), "connect_four": range(4), "chess": (31,), "go": (1, 2)}  # of short random games
GAMES = [(name, seed) for name in NAMES for seed in SEEDS[name]]
RENDERED_GAMES = [(name, rendering, seed) for name, seed in GAMES for rendering in RENDERINGS]

every_game = pytest.mark.parametrize("name", NAMES)
every_rendering = pytest.mark.parametrize("rendering", RENDERINGS)


@every_game
def test_the_environment_passes_pettingzoo_s_own_tests(name: str, capsys: pytest.CaptureFixture[str]):
    make_env = load(name, "compact").make_env
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tests themselves
        api_test(make_env(), num_cycles=20)
        seed_test(make_env, num_cycles=10)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "rendering", "seed"), RENDERED_GAMES)
def test_each_seat_can_rebuild_the_board_at_every_ply(name: str, rendering: str, seed: int):
    match = Match.begin(name, rendering)
    boards = []
    for _ in match.play_randomly(seed):
        expected = truth(name, match.env)
        boards.append(expected[0])
        for seat in (0, 1):
            seen = decode(name, rendering, match.transcripts[seat])
            assert len(seen.moves) == match.plies
            assert rebuild(name, seen.moves) == expected
    assert len(boards) == match.plies + 1
    assert match.over
    results = {1.0: "win", -1.0: "lose", 0.0: "draw"}
    assert [seen_by(match, seat).result for seat in (0, 1)] == [results[paid] for paid in match.episode.returns]
    if rendering == "full":
        for seat in (0, 1):  # each sees the board after every move of the other
            drawn = seen_by(match, seat).drawn
            assert [plies for plies, _ in drawn] == list(range(2 - seat, match.plies + 1, 2))
            assert all(rows == boards[plies] for plies, rows in drawn)


def seen_by(match: Match, seat: int):
    return decode(match.game.name, match.game.rendering, match.transcripts[seat])


@pytest.mark.parametrize(("name", "seed"), GAMES)
def test_the_moves_are_distinct_and_are_the_environment_s_legal_actions(name: str, seed: int):
    match = Match.begin(name, "compact")
    adapter = match.game.make_adapter()
    for _ in match.play_randomly(seed):
        if match.over:
            break
        moves = match.episode.legal_moves()
        mask = match.env.observe(match.env.agent_selection)["action_mask"]
        actions = [adapter.action(match.env, match.plies % 2, move) for move in moves]
        assert len(set(moves)) == len(moves)
        assert sorted(actions) == list(np.flatnonzero(mask))
    assert match.plies > 4


@every_game
def test_the_returns_are_those_of_pettingzoo_s_own_loop(name: str):
    """`last()` adds up what an agent was paid, up to the step that takes the finished agent out."""
    match = Match.begin(name, "compact")
    list(match.play_randomly(SEEDS[name][0]))
    assert match.over
    adapter, env, returns = match.game.make_adapter(), match.game.make_env(), {}
    env.reset(seed=0)
    moves = iter(match.episode.played)
    for agent in env.agent_iter():
        _, paid, terminated, truncated, _ = env.last()
        if terminated or truncated:
            returns[agent] = float(paid)
            env.step(None)
        else:
            env.step(adapter.action(env, *next(moves)))
    assert [returns[agent] for agent in env.possible_agents] == match.episode.returns
    assert sum(match.episode.returns) == 0.0
    assert [match.episode.rewards_since(seat) for seat in (0, 1)] == match.episode.returns


@every_game
@every_rendering
def test_random_games_keep_within_what_the_game_declares(name: str, rendering: str):
    game = load(name, rendering)
    assert (game.name, game.rendering, game.seats) == (name, rendering, 2)
    assert (game.utility_range, game.zero_sum) == ((-1.0, 1.0), True)
    for seed in SEEDS[name]:
        match = Match.begin(name, rendering)
        list(match.play_randomly(seed))
        turns = [sum(seat == mover for mover, _ in match.episode.played) for seat in (0, 1)]
        assert max(turns) <= game.max_turns
        assert sorted(match.episode.returns) in ([-1.0, 1.0], [0.0, 0.0])


@every_game
@every_rendering
def test_an_illegal_move_changes_nothing_and_a_forfeit_is_a_loss_and_a_win(name: str, rendering: str):
    match = Match.begin(name, rendering)
    episode = match.episode
    match.play(episode.legal_moves()[0])
    before = episode.legal_moves()
    with pytest.raises(ValueError, match="got move 'nonsense', expected one of"):
        episode.play("nonsense")
    assert (episode.seat_to_move, episode.legal_moves()) == (1, before)
    episode.forfeit()
    assert episode.seat_to_move is None
    assert (episode.returns, episode.forfeits) == ([1.0, -1.0], [0, 1])
    assert (episode.news(0), episode.news(1)) == ("seat 1 forfeits\n", "you forfeit\n")


@every_game
@every_rendering
def test_every_text_ends_in_a_newline_and_no_line_in_a_space(name: str, rendering: str):
    match = Match.begin(name, rendering)
    list(match.play_randomly(SEEDS[name][0]))
    texts = [match.game.rules(seat, 3) for seat in (0, 1)] + match.transcripts
    for text in texts:
        lines = text.split("\n")
        assert lines.pop() == ""
        assert all(line and line == line.rstrip() for line in lines)


@every_game
def test_the_rules_name_seat_side_and_episodes(name: str):
    compact, full = load(name, "compact"), load(name, "full")
    sides = {"chess": ("White", "Black"), "go": ("Black", "White")}.get(name, ("X", "O"))
    for seat in (0, 1):
        assert compact.rules(seat, 1).startswith(f"{name} seat {seat} {sides[seat]}: ")
        assert compact.rules(seat, 1).endswith(", 1 episode\n")
        assert compact.rules(seat, 3).count("\n") == 1
        assert full.rules(seat, 3).startswith(
            f"You are seat {seat} of {name} and play {sides[seat]}, against one opponent for 3 episodes.\n"
            f"In every episode seat 0 ({sides[0]}) moves first"
        )
        assert "A win pays 1, a loss -1" in full.rules(seat, 3)
    drawn = full.rules(0, 3).splitlines()[-HEIGHTS[name] - 1 :]
    assert drawn[0].split() == list(COLUMNS[name])  # the rules end with the board as an episode begins


@every_game
def test_episodes_that_take_turns_leave_each_other_alone(name: str):
    alone = Match.begin(name, "full")
    list(alone.play_randomly(seed=5, plies=12))
    together = [Match.begin(name, "full") for _ in range(2)]
    players = [match.play_randomly(seed, 12) for match, seed in zip(together, (5, 6), strict=True)]
    for _ in range(13):
        for player in players:
            next(player, None)
    assert together[0].transcripts == alone.transcripts
    assert together[1].transcripts != alone.transcripts


SCRIPT = """
import warnings
warnings.simplefilter("error", DeprecationWarning)
import random, sys
from games.classics import load
for name, plies in {"tictactoe": 9, "connect_four": 42, "chess": 24, "go": 60}.items():
    for rendering in ("compact", "full"):
        game, rng = load(name, rendering), random.Random(name)
        episode = game.start(seed=7)
        print(name, game.rules(0, 2), game.rules(1, 2), sep="\\n")
        while episode.seat_to_move is not None and len(episode.played) < plies:
            print(repr(episode.news(0)), repr(episode.news(1)))
            episode.play(rng.choice(episode.legal_moves()))
        print(repr(episode.news(0)), repr(episode.news(1)), episode.returns)
assert not sys.modules["pygame"].display.get_init()
"""


def in_a_fresh_process(hash_seed: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYGAME", "SDL"))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**environment, "PYTHONHASHSEED": hash_seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_two_processes_write_the_same_and_nothing_else_is_printed():
    """A DeprecationWarning or an open display would stop them; pygame's greeting would come first."""
    one, other = in_a_fresh_process("1"), in_a_fresh_process("2")
    assert one.startswith("tictactoe\ntictactoe seat 0 X")
    assert "pygame" not in one.lower()
    assert one == other
