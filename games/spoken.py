"""What a seat reads and writes in a game whose texts can't be listed: what random play brings up.

From it come the longest context that a trial may need, what a tokenizer is tried on, and the words of a tokenizer
that is made for the game. Left out: the rules and the headers, which a game gives itself.
"""

from __future__ import annotations

import numpy as np

from games.text import Spoken, TextGame

EPISODES = 64  # random ones, each from a seed of its own
MOST_MOVES = 4000  # of all of them together, so that long games don't take long


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
    rng = np.random.default_rng(seed)
    episode = game.start(seed)
    while (seat := episode.seat_to_move) is not None and left > 0:
        legal = episode.legal_moves()
        moves[seat].update(dict.fromkeys(legal))
        if text := episode.news(seat):
            news[seat][text] = None
        episode.play(legal[int(rng.integers(len(legal)))])
        left -= 1
    for reader, texts in enumerate(news):
        if text := episode.news(reader):
            texts[text] = None
    return left
