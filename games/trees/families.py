"""Families for Kuhn and Leduc poker: how often to bluff with a weak hand, to call with a fair one, to raise with a
strong one. Conservative, aggressive and intermediate are corners of that cube and its middle.

Hands are read from the seat's own information state. Left out: families for other trees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from games.family import Family, Way
from games.fits import Fit, of_kind
from games.parameters import Real
from games.trees.policy import TreePolicy

WEAK, FAIR, STRONG = range(3)


@dataclass(frozen=True, slots=True)
class Poker:
    """A game in which one bets, calls and folds, as tendencies see it.

    strength: the seat's information state -> WEAK, FAIR or STRONG.
    moves: (state, seat) -> how many moves there are, and the places among them of folding (None without a bet to
    answer), calling or checking, raising (None where it can't).
    """

    strength: Callable[[str], int]
    moves: Callable[[Any, int], tuple[int, int | None, int, int | None]]


def kuhn_strength(text: str) -> int:
    """The rank of the card: jack weak, queen fair, king strong. The text is the card's number and the moves."""
    return (WEAK, FAIR, STRONG)[int(text[0])]


def kuhn_moves(state: Any, seat: int) -> tuple[int, int | None, int, int | None]:
    """Passing folds after a bet and checks before one; betting calls after a bet and raises before one."""
    facing = "b" in state.information_state_string(seat)
    return (2, 0, 1, None) if facing else (2, None, 0, 1)


def leduc_strength(text: str) -> int:
    """Before the public card the rank, as in Kuhn; after it a pair is strong, a higher card fair, a lower one weak.

    Cards are numbered by rank, two of each.
    """
    own = int(_found(r"\[Private: (\d+)\]", text)) // 2
    public = re.search(r"\[Public: (\d+)\]", text)
    if public is None:
        return (WEAK, FAIR, STRONG)[own]
    rank = int(public[1]) // 2
    return STRONG if own == rank else FAIR if own > rank else WEAK


def leduc_moves(state: Any, seat: int) -> tuple[int, int | None, int, int | None]:
    """Actions 0, 1 and 2 are fold, call or check, and raise; there is no folding without a bet to answer."""
    actions = state.legal_actions(seat)
    places = [actions.index(action) if action in actions else None for action in range(3)]
    fold, call, raising = places
    assert call is not None
    return len(actions), fold, call, raising


def tendencies(poker: Poker, state: Any, seat: int, *, bluff: float, call: float, raising: float) -> list[float]:
    """A weak hand bets first with `bluff` and folds to a bet; a fair one checks, and calls a bet with `call`; a strong
    one raises with `raising`, also over a bet, and otherwise calls.
    """
    count, fold, calling, raise_ = poker.moves(state, seat)
    strength = poker.strength(state.information_state_string(seat))
    row = [0.0] * count
    if strength == STRONG or (strength == WEAK and fold is None):
        share = 0.0 if raise_ is None else raising if strength == STRONG else bluff
        if raise_ is not None:
            row[raise_] = share
        row[calling] = 1.0 - share
    elif fold is None:
        row[calling] = 1.0
    else:
        row[calling] = call if strength == FAIR else 0.0
        row[fold] = 1.0 - row[calling]
    return row


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise ValueError(f"got the information state {text!r}, expected one with {pattern}")
    return match[1]


KUHN = Poker(kuhn_strength, kuhn_moves)
LEDUC = Poker(leduc_strength, leduc_moves)


def _builder(poker: Poker, name: str) -> Callable[..., TreePolicy]:
    def build(game: Any, seat: int, *, bluff: float, call: float, **rest: float) -> TreePolicy:
        raising = rest["raise"]  # a word that Python keeps for itself
        policy = partial(tendencies, poker, bluff=bluff, call=call, raising=raising)
        return TreePolicy(policy, f"{name} {bluff} {call} {raising}")

    return build


def _plain_leduc(game: Any) -> bool:
    if not of_kind(("leduc_poker",), 2)(game):
        return False
    return not re.search("suit_isomorphism=True|action_mapping=True", game.solver)


@dataclass(frozen=True, slots=True)
class Preset:
    """A name for one opponent of a family; it is known by the family's name ever after."""

    name: str
    family: str
    parameters: Mapping[str, Any]


def _tendency(name: str, doc: str) -> Real:
    return Real(name, doc, 0.0, 1.0, 0.5, 0.0, 1.0)


_CUBE = (
    _tendency("bluff", "how often a weak hand bets first, 0 to 1"),
    _tendency("call", "how often a fair hand calls a bet, 0 to 1"),
    _tendency("raise", "how often a strong hand bets or raises, 0 to 1"),
)
_DOC = "bluffs, calls and raises so often; conservative, aggressive and intermediate are 0, 1 and 0.5 in all three"

TREE_FAMILIES: tuple[Family, ...] = tuple(
    Family(name, name, _DOC, _CUBE, (Way(Fit(f"not {game}", test), _builder(poker, name)),))
    for name, game, test, poker in (
        ("kuhn_tendencies", "Kuhn poker for two", of_kind(("kuhn_poker",), 2), KUHN),
        ("leduc_tendencies", "Leduc poker for two", _plain_leduc, LEDUC),
    )
)

_CORNERS = {"conservative": 0.0, "aggressive": 1.0, "intermediate": 0.5}

PRESETS: tuple[Preset, ...] = tuple(
    Preset(name, family.name, dict.fromkeys(("bluff", "call", "raise"), share))
    for family in TREE_FAMILIES
    for name, share in _CORNERS.items()
)
