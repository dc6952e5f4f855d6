"""The OpenSpiel games that have a name of their own, for lists that don't import pyspiel.

Left out: every other game of OpenSpiel, by `openspiel:NAME(params)`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """One row of the table; all are for two seats."""

    summary: str  # one line
    game: str  # as `games.load` takes it; where OpenSpiel's own size is out of the exact solvers' reach, a smaller one


NAMED: dict[str, Named] = {
    "kuhn_poker": Named("three cards, one bet; win or lose 1 or 2 chips", "openspiel:kuhn_poker"),
    "leduc_poker": Named(
        "two-round poker with six cards and one public card; win or lose up to 13 chips", "openspiel:leduc_poker"
    ),
    "liars_dice": Named("bid on one die each, or call the other a liar; win 1, lose -1", "openspiel:liars_dice"),
    "goofspiel": Named(
        "bid four cards on four prizes at the same time, bids stay unseen; win 1, lose -1",
        "openspiel:goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    ),
    "hex": Named("connect your two sides of a 3 x 3 board; win 1, lose -1", "openspiel:hex(board_size=3)"),
    "breakthrough": Named(
        "reach the other side of a board of 3 columns, 5 rows; win 1, lose -1",
        "openspiel:breakthrough(columns=3,rows=5)",
    ),
    "bargaining": Named(
        "divide books, hats and balls that each values in private; up to 10 points each", "openspiel:bargaining"
    ),
}
