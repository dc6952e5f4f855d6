"""The contract of `games.text`, asked of every listed game in both renderings by random play from seeds.

Left out: whether what is shown is the true state (each game's own decoder), the environments' own tests.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import games
from games.aec import RENDERINGS
from games.descriptions import CUSTOM_MATRIX
from games.text import Episode, TextGame

PACKAGE = str(Path(games.__file__).parent)
LISTED = [name for name in games.names() if name != CUSTOM_MATRIX]
EPISODES = 17
MOST_PLIES = 40  # of one episode; a game of chess is longer
FORFEITED_PLY = 3  # the offender's, from 0

every_game = pytest.mark.parametrize(
    ("name", "rendering"), [(name, rendering) for name in LISTED for rendering in RENDERINGS]
)


@dataclass(frozen=True)
class Walk:
    """One episode of random moves, as far as it was played."""

    episode: Episode
    texts: list[str] = field(default_factory=list)  # all that any seat read, in order
    lines: list[str] = field(default_factory=list)  # the transcript: seat, text read or move made
    offers: list[tuple[str, ...]] = field(default_factory=list)  # the legal moves of each decision


def walk(game: TextGame, seed: int, plies: int) -> Walk:
    """Play `plies` random moves, or fewer if the episode ends."""
    rng = np.random.default_rng(seed)
    walked = Walk(game.start(seed))
    episode = walked.episode
    while (seat := episode.seat_to_move) is not None and len(episode.played) < plies:
        legal = episode.legal_moves()
        move = legal[int(rng.integers(len(legal)))]
        _read(walked, seat)
        walked.offers.append(legal)
        walked.lines.append(f"{seat} plays {move}")
        episode.play(move)
    for reader in range(game.seats):
        _read(walked, reader)
    return walked


def _read(walked: Walk, seat: int) -> None:
    if text := walked.episode.news(seat):
        walked.texts.append(text)
        walked.lines.append(f"{seat} reads {text}")


@cache
def load(name: str, rendering: str) -> TextGame:
    return games.load(name, rendering=rendering)


@every_game
def test_moves_are_distinct_words_and_texts_end_in_a_newline(name, rendering):
    walked = walk(load(name, rendering), 1, MOST_PLIES)
    assert walked.offers and walked.texts
    for legal in walked.offers:
        assert legal and len(set(legal)) == len(legal)
        assert all(move and move == move.strip() and "\n" not in move for move in legal)
    assert [text for text in walked.texts if not text.endswith("\n") or text.endswith(" \n")] == []


@pytest.mark.parametrize("name", LISTED)
def test_seeds_up_to_the_largest_of_31_bits_start_an_episode(name):
    game = games.load(name)
    for seed in (0, 2**31 - 1):
        assert len(walk(game, seed, 2).episode.played) >= 1


@every_game
def test_the_same_seed_and_moves_give_the_same_transcript(name, rendering):
    game = load(name, rendering)
    first, second = walk(game, 2, MOST_PLIES), walk(game, 2, MOST_PLIES)
    assert first.lines == second.lines
    assert first.episode.returns == second.episode.returns


@every_game
def test_returns_and_decisions_keep_to_what_the_game_says(name, rendering):
    game = load(name, rendering)
    least, greatest = game.utility_range
    for seed in (3, 4):
        episode = walk(game, seed, MOST_PLIES).episode
        movers = [seat for seat, _ in episode.played]
        assert max(movers.count(seat) for seat in range(game.seats)) <= game.max_turns
        if episode.seat_to_move is None:
            assert all(least - 1e-9 <= amount <= greatest + 1e-9 for amount in episode.returns)
            assert not game.zero_sum or abs(sum(episode.returns)) < 1e-9
            assert episode.forfeits == [0] * game.seats


@every_game
def test_a_forfeit_in_mid_game_is_booked_as_the_design_says_and_counted_once(name, rendering):
    game = load(name, rendering)
    episode = walk(game, 5, min(FORFEITED_PLY, game.max_turns * game.seats - 1)).episode
    offender, before = episode.seat_to_move, list(episode.returns)
    if offender is None:  # over before its third move: forfeit the first
        episode = game.start(5)
        offender, before = episode.seat_to_move, list(episode.returns)
    episode.forfeit()
    least = game.utility_range[0]
    expected = [least if seat == offender else kept for seat, kept in enumerate(before)]
    if game.zero_sum and game.seats == 2:
        expected[1 - offender] = -least
    assert (episode.returns, sum(episode.forfeits), episode.forfeits[offender]) == (expected, 1, 1)
    assert episode.seat_to_move is None
    assert episode.news(offender).endswith("you forfeit\n")
    with pytest.raises(ValueError, match="the episode is over"):
        episode.legal_moves()


@every_game
def test_the_rules_of_every_seat_tell_the_number_of_episodes(name, rendering):
    game = load(name, rendering)
    for seat in range(game.seats):
        text = game.rules(seat, EPISODES)
        assert text.endswith("\n") and not text.endswith(" \n")
        assert re.search(rf"\b{EPISODES}\b", text), text
    assert game.episode_header(EPISODES).endswith("\n")
    assert game.rules(0, EPISODES) == game.rules(0, EPISODES)


@every_game
def test_a_game_is_loaded_again_by_its_own_name(name, rendering):
    game = load(name, rendering)
    assert game.seats == next(row.seats for row in games.describe() if row.name == name)
    assert games.load(game.name, rendering=rendering) == game


@pytest.mark.parametrize("name", LISTED)
def test_no_file_of_ours_causes_a_deprecation_warning(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        walk(games.load(name), 6, FORFEITED_PLY)
    ours = [warning for warning in caught if warning.filename.startswith(PACKAGE)]
    assert [str(warning.message) for warning in ours if issubclass(warning.category, DeprecationWarning)] == []


TRANSCRIPTS = """
import hashlib, games
from tests.games.test_contract import LISTED, walk
for name in LISTED:
    lines = walk(games.load(name, rendering="full"), 7, 12).lines
    print(name, hashlib.sha256("\\n".join(lines).encode()).hexdigest())
"""


def test_two_processes_with_different_hash_seeds_write_the_same_transcripts():
    printed = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", TRANSCRIPTS],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=Path(PACKAGE).parent,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        printed.append(done.stdout.splitlines())
    assert len(printed[0]) == len(LISTED)
    assert printed[0] == printed[1]
