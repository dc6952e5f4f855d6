"""A policy from a file: JSON of information state -> move -> probability.

An information state is named as `trees.policy.knowledge` names it, a move as OpenSpiel writes it ("Pass", "Bet");
letter case and spaces around it don't matter. States that the file leaves out are played at random. The name of the
opponent carries a digest of what the file says, so that another file by the same name is noticed. Left out: matrix
games.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from games.errors import RequestError
from games.fits import load_solver
from games.trees.policy import Probabilities, TreePolicy, knowledge, uniform_policy

MARK = "#"  # between the file and its digest
DIGITS = 12  # of the digest in a name
SUM_TOLERANCE = 1e-6
FORM = 'expected a JSON object such as {"0": {"Pass": 0.8, "Bet": 0.2}}'

Table = Mapping[str, Mapping[str, float]]


def file_text(game: Any, text: str) -> str:
    """The canonical text of a policy file: the path as it was given and the digest.

    Raises RequestError for a file that isn't there or doesn't hold a policy, and for one that isn't what it was.
    """
    path, _, claimed = text.strip().partition(MARK)
    if any(letter in path for letter in "(),=") or not path:
        raise RequestError(f"got the policy file {path!r}, expected a path without ( ) , =: rename it")
    found = read(path)[0]
    if claimed and claimed != found:
        raise RequestError(
            f"got the policy file {path} with the digest {found}, expected {claimed}: it has changed since it was "
            "named; restore it, or leave the digest out for the file as it is"
        )
    return f"{path}{MARK}{found}"


def read(path: str) -> tuple[str, Table]:
    """The digest of a policy file and the policy, moves in lower case. Raises RequestError."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RequestError(f"got the policy file {path}, which can't be read ({error}), {FORM}") from None
    if not isinstance(content, dict):
        raise RequestError(f"got the policy file {path} with {type(content).__name__}, {FORM}")
    table = {state: _checked_row(path, state, row) for state, row in content.items()}
    canonical = json.dumps(table, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:DIGITS], table


def _checked_row(path: str, state: str, row: Any) -> dict[str, float]:
    """The probabilities of one information state by move."""
    where = f"got the policy file {path} with {row!r} for {state!r}"
    if not isinstance(row, dict) or not all(isinstance(p, int | float) and p >= 0 for p in row.values()):
        raise RequestError(f"{where}, expected a probability of at least 0 for each move: {FORM}")
    moves = {move.strip().lower(): float(share) for move, share in row.items()}
    if len(moves) < len(row) or not abs(sum(moves.values()) - 1.0) <= SUM_TOLERANCE:
        raise RequestError(f"{where}, expected probabilities of distinct moves that sum to 1: correct them")
    return moves


def policy_table(game: Any, seat: int, *, file: str) -> TreePolicy:
    """The policy of a file. In a game that is small enough to walk, a state that the game lacks is refused at once."""
    path, _, digest = file.partition(MARK)
    policy = _loaded(game.solver, path, digest)
    return TreePolicy(policy, f"table {digest}")


@lru_cache(maxsize=32)
def _loaded(solver: str, path: str, digest: str) -> Probabilities:
    """One policy for all seats, checked against the game."""
    from games.trees import behaviour  # pyspiel takes a while to import
    from games.trees.walk import state_after

    table = read(path)[1]

    def policy(state: Any, seat: int) -> list[float]:
        row = table.get(knowledge(state, seat))
        if row is None:
            return uniform_policy(state, seat)
        return _shares(path, row, state, seat)

    known: set[str] = set()
    complete = True
    for seat in range(load_solver(solver).num_players()):
        where = behaviour.situations(solver, seat)
        complete = complete and where.reached is not None
        for history in where.histories:
            state = state_after(where.game, history)
            known.add(knowledge(state, seat))
            policy(state, seat)
    strange = [state for state in table if state not in known]
    if complete and strange:
        raise RequestError(
            f"got the policy file {path} with the information state {strange[0]!r}, which {solver} doesn't have, "
            f"expected one such as {min(known)!r}: write states as OpenSpiel does"
        )
    return policy


def _shares(path: str, row: Mapping[str, float], state: Any, seat: int) -> list[float]:
    """The row in the order of the legal actions. Raises RequestError for a move that isn't legal."""
    words = [state.action_to_string(seat, action).strip().lower() for action in state.legal_actions(seat)]
    for move in row:
        if move not in words:
            raise RequestError(
                f"got the policy file {path} with the move {move!r} in {knowledge(state, seat)!r}, expected one of "
                f"{', '.join(words)}: correct it"
            )
    return [row.get(word, 0.0) for word in words]
