"""Who is in the population, who meets whom, and what came of it; imports neither torch, games nor mage."""

from populations.league import League, LeagueSettings
from populations.matchmaking import MATCHMAKERS, Pairing, pair, pfsp_weights
from populations.members import Member, Population, snapshot_name
from populations.payoffs import Counts, PayoffTable, Result, tally

__all__ = [
    "MATCHMAKERS",
    "Counts",
    "League",
    "LeagueSettings",
    "Member",
    "PayoffTable",
    "Pairing",
    "Population",
    "Result",
    "pair",
    "pfsp_weights",
    "snapshot_name",
    "tally",
]
