"""Plays random episodes of any game and checks what the game promises of its texts, moves and returns.

For a person's own environment, whose promises nobody else has checked, and for any other game by name. Left out: what
can be asked of OpenSpiel's games alone (`openspiel.trial`), some of which end the process or never come back
(`openspiel.try_all`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from games.aec import RENDERINGS
from games.errors import RequestError
from games.registry import load
from games.spoken import Fault, random_moves
from games.text import Episode, TextGame

SECONDS_EACH = 5.0
SEED = 1
LEAST_EPISODES, MOST_EPISODES = 2, 20
LEAST_DECISIONS, MOST_DECISIONS = 20, 1000  # an episode isn't stopped before the one, and at the latest at the other
ROUNDING = 1e-6  # of the utility range

# (episode, what each seat has just read): at each decision and at the end; raises Fault for what is wrong.
Check = Callable[[Episode, Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of trying one game."""

    name: str  # as `games.load` takes it
    players: int | None  # None when it didn't load
    ok: bool  # whether it can be played as text
    note: str  # one sentence: why not, or what to know; "" when there is nothing to say
    turns: int = 0  # decisions in the longest episode that was played
    moves: int = 0  # distinct moves that were legal somewhere
    kind: str = ""  # as "simultaneous, hidden, chance": how seats move, whether they see all, whether there is chance


@dataclass
class Played:
    """One episode, as far as it was played."""

    texts: list[str]  # by seat, all that it read and did
    turns: list[int]  # decisions by seat
    legal: set[str] = field(default_factory=set)  # every move that was legal somewhere
    ended: bool = False


def no_more(episode: Episode, news: Sequence[str]) -> None:
    """The `Check` of a game of which nothing more is known."""


def try_game(
    name: str,
    seconds: float = SECONDS_EACH,
    check: Check = no_more,
    wrong: tuple[type[Exception], ...] = (Fault, RequestError),
    most: int = MOST_DECISIONS,
) -> Attempt:
    """Play random episodes of the game for so long, two at least where each ends within `most` decisions.

    wrong: the errors that say what is wrong with a game. Any other error of the game's own code goes up to the caller.
    """
    try:
        compact, full = (load(name, rendering=rendering) for rendering in RENDERINGS)
    except RequestError as error:
        return Attempt(name, None, False, str(error))
    longest, ended, moves = 0, False, set[str]()
    try:
        for played in _episodes(compact, full, time.monotonic() + seconds, check, most):
            longest, ended, moves = max(longest, sum(played.turns)), ended or played.ended, moves | played.legal
    except wrong as error:
        return Attempt(name, compact.seats, False, " ".join(str(error).split()), longest, len(moves))
    note = "" if ended else f"no episode ended within {longest} decisions"
    return Attempt(name, compact.seats, True, note, longest, len(moves))


def _episodes(compact: TextGame, full: TextGame, deadline: float, check: Check, most: int) -> Iterator[Played]:
    """Random episodes in compact text; the first ones again, and in full text."""
    for number in range(MOST_EPISODES):
        played = play(compact, SEED + number, most, deadline, check)
        if number < LEAST_EPISODES:
            made = sum(played.turns)
            if play(compact, SEED + number, made, check=check).texts != played.texts:
                raise Fault("the same seed and moves gave other texts: take all chance from the seed of reset")
            play(full, SEED + number, made, check=check)
        yield played
        if not played.ended or (number + 1 >= LEAST_EPISODES and time.monotonic() > deadline):
            return


def play(game: TextGame, seed: int, most: int, deadline: float = math.inf, check: Check = no_more) -> Played:
    """Play one episode with random moves, up to `most` decisions or the deadline; raises Fault for what is wrong."""
    texts = [_line(game.rules(seat, 1)) + _line(game.episode_header(1)) for seat in range(game.seats)]
    played = Played(texts, [0] * game.seats)
    episode = game.start(seed)
    for seat, legal, move in random_moves(episode, seed, most):
        _read(episode, texts, check)
        if sum(played.turns) >= LEAST_DECISIONS and time.monotonic() > deadline:
            break
        _check_moves(legal, seat)
        played.legal.update(legal)
        played.turns[seat] += 1
        texts[seat] += f"> {move}\n"
    _read(episode, texts, check)
    played.ended = episode.seat_to_move is None
    _check_turns(game, played.turns)
    if played.ended:
        _check_end(game, episode.returns)
    return played


def _read(episode: Episode, texts: list[str], check: Check) -> None:
    news = [episode.news(seat) for seat in range(len(texts))]
    for seat, text in enumerate(news):
        texts[seat] += _line(text) if text else ""
    check(episode, news)


def _line(text: str) -> str:
    if not text.endswith("\n"):
        raise Fault(f"a text must end in a newline, got {text[-20:]!r}")
    return text


def _check_moves(legal: Sequence[str], seat: int) -> None:
    if len(set(legal)) < len(legal):
        raise Fault(f"two moves of seat {seat} are written alike")
    for move in legal:
        if not move or move != " ".join(move.split()):
            raise Fault(f"a move must be words in one line, got {move!r}")


def _check_turns(game: TextGame, turns: Sequence[int]) -> None:
    if max(turns) > game.max_turns:
        raise Fault(f"seat {turns.index(max(turns))} had {max(turns)} decisions, max_turns says {game.max_turns}")


def _check_end(game: TextGame, returns: Sequence[float]) -> None:
    least, greatest = game.utility_range
    slack = ROUNDING * max(greatest - least, 1.0)
    for seat, amount in enumerate(returns):
        if not least - slack <= amount <= greatest + slack:
            raise Fault(f"seat {seat} got {amount:g}, utility_range says {least:g} to {greatest:g}")
    if game.zero_sum and abs(sum(returns)) > slack:
        raise Fault(f"the returns sum to {sum(returns):g}, zero_sum says 0")
