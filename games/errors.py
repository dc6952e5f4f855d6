"""Errors of a request: what a person asked for and can put right.

Leaves out programmer's mistakes (plain ValueError, TypeError) and a model's mistakes (data: forfeits).
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class RequestError(ValueError):
    """A request that can't be served; its message is one sentence: got, expected, what to do."""


def unknown(kind: str, got: str, known: Iterable[str]) -> RequestError:
    """Make the error for a name that no table row has: it lists the known names and the closest one.

    kind: what the name should be of ("game"); got: the name asked for; known: the names there are.
    """
    names = sorted(known)
    closest = get_close_matches(got, names, n=1, cutoff=0.5)
    hint = f"; did you mean {closest[0]!r}?" if closest else ""
    return RequestError(f"unknown {kind} {got!r}: known are {', '.join(names) or 'none'}{hint}")
