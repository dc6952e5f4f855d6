"""The OpenSpiel games that have a name of their own, for lists that don't import pyspiel.

`openspiel.NAMED` says which OpenSpiel game a name stands for. Left out: every other game, by `openspiel:NAME(params)`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpenSpielName:
    """One row of the table."""

    summary: str  # one line
    seats: int


NAMES: dict[str, OpenSpielName] = {
    "kuhn_poker": OpenSpielName("three cards, one bet; win or lose 1 or 2 chips", 2),
    "leduc_poker": OpenSpielName("two-round poker with six cards and one public card; win or lose up to 13 chips", 2),
    "liars_dice": OpenSpielName("bid on one die each, or call the other a liar; win 1, lose -1", 2),
    "goofspiel": OpenSpielName("bid four cards on four prizes at the same time, bids stay unseen; win 1, lose -1", 2),
    "hex": OpenSpielName("connect your two sides of a 3 x 3 board; win 1, lose -1", 2),
    "breakthrough": OpenSpielName("reach the other side of a board of 3 columns, 5 rows; win 1, lose -1", 2),
    "bargaining": OpenSpielName("divide books, hats and balls that each values in private; up to 10 points each", 2),
}
