"""What random play brings up of a game: its moves and the texts of its seats, where they can't be listed.

From it come the longest context that a trial may need, what a tokenizer is tried on, and the words of a tokenizer
that is made for the game. Left out: the rules and the headers, which a game gives itself; checks (`random_play`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from games.text import Episode, Spoken, TextGame

EPISODES = 64  # random ones, each from a seed of its own
MOST_MOVES = 4000  # of all of them together, so that long games don't take long
QUIET = 8  # episodes in a row without a new move


class Fault(Exception):
    """What is wrong with a game; one sentence."""


def random_moves(episode: Episode, seed: int, most: int) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Play uniformly random moves until the episode ends, `most` of them at most.

    Gives each decision before its move is played: the seat, its legal moves, the move. Raises Fault where a seat has
    no legal move.
    """
    rng = np.random.default_rng(seed)
    for _ in range(most):
        seat = episode.seat_to_move
        if seat is None:
            return
        legal = episode.legal_moves()
        if not legal:
            raise Fault(f"seat {seat} is to move and has no move")
        move = legal[int(rng.integers(len(legal)))]
        yield seat, legal, move
        episode.play(move)


def moves_seen(start: Callable[[int], Episode], enough: int) -> tuple[str, ...]:
    """The moves that are legal somewhere in random episodes, in order of first appearance; the same every time.

    start: starts an episode from a seed. Looks until there are more than `enough`, or `QUIET` episodes bring none.
    """
    seen: dict[str, None] = {}
    left, quiet, seed = MOST_MOVES, 0, 0
    while quiet < QUIET and left > 0:
        before = len(seen)
        for _, legal, _ in random_moves(start(seed), seed, left):
            seen.update(dict.fromkeys(legal))
            left -= 1
            if len(seen) > enough:
                return tuple(seen)
        quiet = quiet + 1 if len(seen) == before else 0
        seed += 1
    return tuple(seen)


def by_trying(game: TextGame) -> tuple[Spoken, ...]:
    """What each seat reads and writes in random episodes, in order of first appearance; the same every time."""
    moves: list[dict[str, None]] = [{} for _ in range(game.seats)]
    news: list[dict[str, None]] = [{} for _ in range(game.seats)]
    left = MOST_MOVES
    for seed in range(EPISODES):
        left = _try(game, seed, left, moves, news)
        if left <= 0:
            break
    return tuple(
        Spoken(tuple(written), tuple(read), game.max_turns, game.max_turns + 1)
        for written, read in zip(moves, news, strict=True)
    )


def _try(game: TextGame, seed: int, left: int, moves: list[dict[str, None]], news: list[dict[str, None]]) -> int:
    """Play one episode and take down what is said; returns how many moves of `left` are left."""
    episode = game.start(seed)
    for seat, legal, _ in random_moves(episode, seed, left):
        moves[seat].update(dict.fromkeys(legal))
        if text := episode.news(seat):
            news[seat][text] = None
        left -= 1
    for reader, texts in enumerate(news):
        if text := episode.news(reader):
            texts[text] = None
    return left
