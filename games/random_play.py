"""Plays random episodes of any game and checks what the game promises of its texts, moves and returns.

For a person's own environment, whose promises nobody else has checked, and for any other game by name. Left out: games
of OpenSpiel, some of which end the process or never come back (`try_all`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from games.aec import RENDERINGS
from games.errors import RequestError
from games.openspiel.try_all import SECONDS_EACH, Attempt
from games.registry import load
from games.text import TextGame

EPISODES = 20  # of each rendering
MOST_DECISIONS = 1000  # of one episode; a longer one is left unfinished
ROUNDING = 1e-6  # of the utility range


@dataclass
class Played:
    """One episode, as far as it was played."""

    transcript: list[str] = field(default_factory=list)  # what seats read and did, in order
    turns: list[int] = field(default_factory=list)  # decisions by seat
    returns: list[float] = field(default_factory=list)
    legal: set[str] = field(default_factory=set)  # every move that was legal somewhere
    ended: bool = False


def try_game(name: str, seconds: float = SECONDS_EACH) -> Attempt:
    """Play the game in both renderings for `seconds` at most, two episodes of each at least.

    An error of the game's own code goes up to the caller.
    """
    seats, longest, ended, moves = None, 0, False, set[str]()
    deadline = time.monotonic() + seconds
    try:
        for rendering in RENDERINGS:
            game = load(name, rendering=rendering)
            seats = game.seats
            for seed in range(EPISODES):
                if seed > 1 and time.monotonic() > deadline:
                    break
                played = play(game, seed)
                longest, ended, moves = max(longest, sum(played.turns)), ended or played.ended, moves | played.legal
                fault = next(faults(game, played), None)
                if fault is None and seed == 0 and play(game, seed).transcript != played.transcript:
                    fault = "the same seed and moves gave other texts: take all chance from the seed of reset"
                if fault is not None:
                    return Attempt(name, seats, False, fault, longest, len(moves))
    except RequestError as error:
        return Attempt(name, seats, False, str(error), longest, len(moves))
    note = "" if ended else f"no episode ended within {longest} decisions"
    return Attempt(name, seats, True, note, longest, len(moves))


def play(game: TextGame, seed: int) -> Played:
    """Play one episode with random moves."""
    rng = np.random.default_rng(seed)
    played = Played(turns=[0] * game.seats)
    episode = game.start(seed)
    while (seat := episode.seat_to_move) is not None and sum(played.turns) < MOST_DECISIONS:
        legal = episode.legal_moves()
        move = legal[int(rng.integers(len(legal)))]
        played.transcript += [episode.news(seat), move]
        played.legal.update(legal)
        played.turns[seat] += 1
        episode.play(move)
    played.transcript += [episode.news(reader) for reader in range(game.seats)]
    played.returns, played.ended = list(episode.returns), episode.seat_to_move is None
    return played


def faults(game: TextGame, played: Played) -> Iterator[str]:
    """What the game said of itself that the episode belies; a sentence each."""
    least, greatest = game.utility_range
    slack = ROUNDING * max(greatest - least, 1.0)
    for seat in range(game.seats):
        if not game.rules(seat, EPISODES).endswith("\n"):
            yield f"the rules of seat {seat} don't end in a newline"
        if played.turns[seat] > game.max_turns:
            yield f"seat {seat} had {played.turns[seat]} decisions, max_turns says {game.max_turns}"
        if played.ended and not least - slack <= played.returns[seat] <= greatest + slack:
            yield f"seat {seat} got {played.returns[seat]:g}, utility_range says {least:g} to {greatest:g}"
    if played.ended and game.zero_sum and abs(sum(played.returns)) > slack:
        yield f"the returns sum to {sum(played.returns):g}, zero_sum says 0"
