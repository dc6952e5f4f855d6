"""How tabular Q-learning came to play as it does: the returns of its own training.

Left out: the training (`q_learning`), and the returns of language agents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games import naming, q_learning
from games.errors import RequestError
from games.fits import MATRIX

LEARNER = "q_learning"


def learning_curve(game: Any, name: str, seat: int, points: int = 20) -> NDArray[np.float64]:
    """Mean return of successive stretches of the training of `q_learning(...)` on a seat, [points].

    In game units an episode, exploration included. Trains first where that was not done before. Raises RequestError for
    an opponent that is not learned, a seat that the game does not have, and more points than episodes.
    """
    learned = naming.parse(game, name)
    if learned.family != LEARNER:
        raise RequestError(f"got {learned.name}, which does not learn, expected {LEARNER}(episodes=...,against=...)")
    if seat not in range(game.seats):
        raise RequestError(f"got seat {seat} of {game.name}, expected 0 to {game.seats - 1}")
    given = dict(learned.parameters)
    if not 1 <= points <= given["episodes"]:
        raise RequestError(f"got {points} points of a curve, expected 1 to {given['episodes']}, one an episode at most")
    train = q_learning.train_matrix if MATRIX.test(game) else q_learning.train_tree
    trained = train(game, seat, naming.parse(game, given["against"]), given["episodes"], given["seed"])
    return np.array([part.mean() for part in np.array_split(trained.returns, points)])
