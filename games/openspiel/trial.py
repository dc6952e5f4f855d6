"""Tries one OpenSpiel game as text: random play, with what OpenSpiel itself knows of the position checked as well.

Run as a program it reads requests, one JSON object a line with `name` and `seconds`, and writes an `Attempt` for each:
some of OpenSpiel's games end the process or never come back, so `try_all` keeps this at arm's length. Left out: whether
the text is any good.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace

import pyspiel

from games import random_play
from games.errors import RequestError
from games.openspiel.game import load
from games.random_play import Attempt
from games.spoken import Fault
from games.text import Episode

MOST_DECISIONS = 300  # of one episode


def try_game(name: str, seconds: float) -> Attempt:
    """Play random episodes of the game for so long, as `games.random_play` does, with the check below."""
    wrong = (Fault, RequestError, pyspiel.SpielError)
    attempt = random_play.try_game(name, seconds, check, wrong, MOST_DECISIONS)
    return attempt if attempt.players is None else replace(attempt, kind=_kind(name))


def check(episode: Episode, news: Sequence[str]) -> None:
    """The `games.random_play.Check` of a game of OpenSpiel's."""
    for text in news:
        if text.endswith((" \n", "\n\n")):
            raise Fault(f"a text must end in one newline, without a space before it; got {text[-20:]!r}")
    seat, state = episode.seat_to_move, episode.state
    if seat is not None and len(episode.legal_moves()) != len(state.legal_actions(seat)):
        raise Fault(f"the moves of seat {seat} aren't those of OpenSpiel")
    check_returns(episode.returns, state.returns())


def check_returns(returns: Sequence[float], truth: Sequence[float]) -> None:
    """Raises Fault where the rewards so far don't sum to what OpenSpiel says; both by seat."""
    if not all(math.isclose(got, expected, abs_tol=1e-6) for got, expected in zip(returns, truth, strict=True)):
        raise Fault(f"the rewards sum to {list(returns)}, OpenSpiel's returns are {list(truth)}")


def _kind(name: str) -> str:
    game_type = pyspiel.load_game(load(name, "compact").solver).get_type()
    kinds = pyspiel.GameType
    simultaneous = game_type.dynamics == kinds.Dynamics.SIMULTANEOUS
    hidden = game_type.information == kinds.Information.IMPERFECT_INFORMATION
    chance = game_type.chance_mode != kinds.ChanceMode.DETERMINISTIC
    words = ["simultaneous" if simultaneous else "in turn"]
    return ", ".join(words + ["hidden"] * hidden + ["chance"] * chance)


def main() -> None:
    """Answer requests until there are no more."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print must not get between the replies
    print("ready", file=replies, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(asdict(try_game(request["name"], request["seconds"]))), file=replies, flush=True)


if __name__ == "__main__":
    main()
