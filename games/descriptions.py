"""What there is to say of the listed games before one is loaded: one row each, in the order of the lists.

Left out: how a game is loaded (`registry`), games that are named by a pattern or registered by a package.
"""

from __future__ import annotations

from dataclasses import dataclass

from games.classics import CLASSICS
from games.matrix import PAYOFFS, MatrixSpec
from games.openspiel.names import NAMED
from games.public_goods import PublicGoods

CUSTOM_MATRIX = "matrix"

# The kinds of games, with the headings that `mage games` puts over them.
REPEATED, CLASSIC, OPENSPIEL = "repeated", "classic", "openspiel"
HEADINGS = {REPEATED: "repeated matrix games", CLASSIC: "PettingZoo classics", OPENSPIEL: "OpenSpiel"}


@dataclass(frozen=True, slots=True)
class GameDescription:
    """What `mage games` shows of a game. None: it depends on the matrix that is given, or rounds pay nothing."""

    name: str
    summary: str  # one line
    kind: str  # a key of HEADINGS
    seats: int = 2
    moves: tuple[tuple[str, ...], ...] | None = None  # of a repeated game, by seat
    zero_sum: bool | None = None
    payoff_range: tuple[float, float] | None = None  # of one round, over all seats


_MATRICES = {
    "rock_paper_scissors": "rock beats scissors, scissors beat paper, paper beats rock; win 1, lose -1",
    "matching_pennies": "seat 0 wins 1 when the two match, seat 1 when they differ",
    "prisoners_dilemma": "D pays more whatever the other plays; C, C pays 3 each and D, D 1 each",
    "stag_hunt": "a stag (S), worth 4, takes both; a hare (H), worth 3, is safe",
}


def _matrix(name: str, spec: MatrixSpec) -> GameDescription:
    span = (float(spec.payoffs.min()), float(spec.payoffs.max()))
    return GameDescription(name, _MATRICES[name], REPEATED, 2, spec.moves, spec.zero_sum, span)


def _public_goods(rules: PublicGoods) -> GameDescription:
    summary = "each keeps or gives 3 units a round; what is given doubles and is shared by all"
    moves = (rules.moves,) * rules.seats
    return GameDescription(rules.name, summary, REPEATED, rules.seats, moves, False, rules.payoff_range)


DESCRIPTIONS: tuple[GameDescription, ...] = (
    *(_matrix(name, spec) for name, spec in PAYOFFS.items()),
    GameDescription(CUSTOM_MATRIX, "any two-seat matrix, with the moves and payoffs that you give", REPEATED),
    _public_goods(PublicGoods()),
    *(GameDescription(name, summary, CLASSIC) for name, summary in CLASSICS.items()),
    *(GameDescription(name, row.summary, OPENSPIEL) for name, row in NAMED.items()),
)
