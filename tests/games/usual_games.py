"""The games that most tests of opponents and exact values look at.

Left out: games in the words of one rendering, or of a length of their own, which tests of words load themselves.
"""

from types import SimpleNamespace

import pyspiel

from games.registry import load

RPS = load("rock_paper_scissors", rounds=6)
KUHN = load("kuhn_poker")
TIC_TAC_TOE = load("openspiel:tic_tac_toe")


def bare(solver: str) -> SimpleNamespace:
    """What the solvers need of a game of OpenSpiel's, without its texts."""
    return SimpleNamespace(name=solver, solver=solver, seats=pyspiel.load_game(solver).num_players())
