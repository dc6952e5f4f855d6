"""Tries one OpenSpiel game as text: random play in both renderings, with everything checked that can be.

Run as a program it reads requests, one JSON object a line with `name` and `seconds`, and writes a `Findings` for each:
some of OpenSpiel's games end the process or never come back, so `try_all` keeps this at arm's length. Left out: whether
the text is any good.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count

import pyspiel

from games.aec import AECGame
from games.errors import RequestError
from games.openspiel.game import load
from games.text import Episode

SEED = 1
LEAST_TURNS, MOST_TURNS = 20, 300  # an episode isn't stopped before so many decisions, and at the latest after so many
LEAST_EPISODES = 2
MOST_EPISODES = 20


class Fault(Exception):
    """What is wrong with a game; one sentence."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What came of trying a game."""

    players: int | None  # None when it didn't load
    ok: bool
    note: str  # one sentence, "" when there is nothing to say
    turns: int  # decisions in the longest episode that was played
    moves: int  # distinct moves that were legal somewhere
    kind: str  # as "simultaneous, hidden, chance"; "" when it didn't load


@dataclass(frozen=True, slots=True)
class Played:
    """One episode as it was played."""

    texts: tuple[str, ...]  # by seat, all that it read
    moves: tuple[str, ...]  # in order
    legal: frozenset[str]  # every move that was legal somewhere
    ended: bool


def try_game(name: str, seconds: float) -> Findings:
    """Play random episodes of the game for so long, at least two where each ends in time."""
    try:
        compact, full = load(name, "compact"), load(name, "full")
    except RequestError as error:
        return Findings(None, False, str(error), 0, 0, "")
    longest, legal, ended = 0, set[str](), False
    try:
        for played in _episodes(compact, full, time.monotonic() + seconds):
            longest = max(longest, len(played.moves))
            legal |= played.legal
            ended |= played.ended
    except (Fault, pyspiel.SpielError) as error:
        reason = " ".join(str(error).split())
        return Findings(compact.seats, False, reason, longest, len(legal), _kind(compact))
    note = "" if ended else f"no episode ended within {longest} decisions"
    return Findings(compact.seats, True, note, longest, len(legal), _kind(compact))


def _episodes(compact: AECGame, full: AECGame, deadline: float) -> Iterator[Played]:
    """Random episodes in compact text; the first ones again, and in full text."""
    for number in count():
        played = play(compact, SEED + number, None, deadline)
        if number < LEAST_EPISODES:
            again = play(compact, SEED + number, played.moves, deadline)
            if again.texts[: len(played.texts)] != played.texts:
                raise Fault("the same seed and the same moves gave another text")
            play(full, SEED + number, played.moves, deadline)
        yield played
        enough = number + 1 >= LEAST_EPISODES and time.monotonic() > deadline
        if enough or number + 1 == MOST_EPISODES or not played.ended:
            return


def play(game: AECGame, seed: int, moves: Sequence[str] | None, deadline: float) -> Played:
    """Play the moves, or random ones, until the end or the deadline; raises Fault for what is wrong."""
    draws = random.Random(seed)
    texts = [_checked(game.rules(seat, 1) + game.episode_header(1)) for seat in range(game.seats)]
    episode = game.start(seed)
    made: list[str] = []
    legal_somewhere: set[str] = set()
    turns = [0] * game.seats
    _read(episode, texts)
    while (seat := episode.seat_to_move) is not None:
        if _is_over(len(made), moves, deadline):
            break
        legal = episode.legal_moves()
        _check_moves(legal, episode, seat)
        legal_somewhere.update(legal)
        move = draws.choice(legal) if moves is None else moves[len(made)]
        episode.play(move)
        made.append(move)
        turns[seat] += 1
        texts[seat] += f"> {move}\n"
        _read(episode, texts)
        _check_returns(episode.returns, episode.state.returns())
    if max(turns) > game.max_turns:
        raise Fault(f"a seat had {max(turns)} decisions, at most {game.max_turns} were expected")
    if episode.seat_to_move is None:
        _check_end(game, episode.returns)
    return Played(tuple(texts), tuple(made), frozenset(legal_somewhere), episode.seat_to_move is None)


def _is_over(made: int, moves: Sequence[str] | None, deadline: float) -> bool:
    if moves is not None:
        return made == len(moves)
    return made >= MOST_TURNS or (made >= LEAST_TURNS and time.monotonic() > deadline)


def _read(episode: Episode, texts: list[str]) -> None:
    for seat in range(len(texts)):
        texts[seat] += _checked(episode.news(seat))


def _checked(text: str) -> str:
    if text and (not text.endswith("\n") or text.endswith((" \n", "\n\n"))):
        raise Fault(f"a text must end in one newline, without a space before it; got {text[-20:]!r}")
    return text


def _check_moves(legal: Sequence[str], episode: Episode, seat: int) -> None:
    if not legal:
        raise Fault(f"seat {seat} is to move and has no move")
    if len(set(legal)) < len(legal):
        raise Fault(f"two moves of seat {seat} are written alike")
    if len(legal) != len(episode.state.legal_actions(seat)):
        raise Fault(f"the moves of seat {seat} aren't those of OpenSpiel")
    for move in legal:
        if not move or move != " ".join(move.split()):
            raise Fault(f"a move must be words in one line, got {move!r}")


def _check_returns(returns: Sequence[float], truth: Sequence[float]) -> None:
    if not all(math.isclose(got, expected, abs_tol=1e-6) for got, expected in zip(returns, truth, strict=True)):
        raise Fault(f"the rewards sum to {list(returns)}, OpenSpiel's returns are {list(truth)}")


def _check_end(game: AECGame, returns: Sequence[float]) -> None:
    least, most = game.utility_range
    if min(returns) < least - 1e-6 or max(returns) > most + 1e-6:
        raise Fault(f"the returns {list(returns)} are outside OpenSpiel's range from {least:g} to {most:g}")
    if game.zero_sum and abs(sum(returns)) > 1e-6:
        raise Fault(f"the returns {list(returns)} of a zero-sum game don't sum to 0")


def _kind(game: AECGame) -> str:
    game_type = pyspiel.load_game(game.solver).get_type()
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
