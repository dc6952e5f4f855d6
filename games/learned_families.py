"""Families that come from learning or from a file: tabular Q-learning and policy tables.

Left out: how they learn (`q_learning`) and what a file holds (`policy_file`).
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from games.family import Family, Way
from games.finite_state import FiniteStatePolicy
from games.fits import MATRIX, TREE
from games.opponent_parameters import Text, opponent_text
from games.parameters import Whole
from games.strategies import RANDOM
from games.trees.policy import TreePolicy


def _learned_matrix(game: Any, seat: int, *, episodes: int, against: Any, seed: int) -> FiniteStatePolicy:
    from games import q_learning  # pyspiel takes a while to import

    trained = q_learning.train_matrix(game, seat, against, episodes, seed)
    return q_learning.matrix_policy(game, seat, trained)


def _learned_tree(game: Any, seat: int, *, episodes: int, against: Any, seed: int) -> TreePolicy:
    from games import q_learning

    trained = cache(partial(q_learning.train_tree, game, seat, against, episodes, seed))  # asked at every move
    return q_learning.tree_policy(trained, f"q_learning {episodes} {against.name} {seed}")


def _file_text(game: Any, text: str) -> str:
    from games import policy_file

    return policy_file.file_text(game, text)


def _table(game: Any, seat: int, *, file: str) -> TreePolicy:
    from games import policy_file

    return policy_file.policy_table(game, seat, file=file)


LEARNED_FAMILIES: tuple[Family, ...] = (
    Family(
        "q_learning",
        "q_learning",
        "what tabular Q-learning has learned against another opponent; it knows no language",
        (
            Whole("episodes", "of training, at least 1", low=1, usual=10_000, choices=(1000, 10_000)),
            Text("against", "the opponent that it trains with, by name", opponent_text, RANDOM, RANDOM),
            Whole("seed", "of its exploration, at least 0", low=0, usual=0),
        ),
        (Way(MATRIX, _learned_matrix), Way(TREE, _learned_tree)),
        inner="against",
    ),
    Family(
        "table",
        "table",
        "move probabilities from a JSON file: information state -> move -> probability",
        (Text("file", "the file's path; its digest is added", _file_text, "policy.json"),),
        (Way(TREE, _table),),
    ),
)
