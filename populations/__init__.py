"""Who is in the population, who meets whom, and what came of it; imports neither torch, games nor mage."""

from populations.alpharank import alpha_rank, alpha_rank_pair
from populations.domination import cycles
from populations.dynamics import replicator, replicator_pair
from populations.equilibria import Equilibrium, max_entropy_nash, nash, nash_averaging, nash_conv
from populations.league import League, LeagueSettings
from populations.matchmaking import MATCHMAKERS, Pairing, pair, pfsp_weights
from populations.members import Member, Population, snapshot_name
from populations.metagame import complete, payoff_matrix, played_together
from populations.payoffs import Counts, PayoffTable, Result, tally
from populations.ratings import Rating, Ratings, elo, fit_ratings, one_sided
from populations.skill import SkillCurve, skill_curve

__all__ = [
    "MATCHMAKERS",
    "Counts",
    "Equilibrium",
    "League",
    "LeagueSettings",
    "Member",
    "Pairing",
    "PayoffTable",
    "Population",
    "Rating",
    "Ratings",
    "Result",
    "SkillCurve",
    "alpha_rank",
    "alpha_rank_pair",
    "complete",
    "cycles",
    "elo",
    "fit_ratings",
    "max_entropy_nash",
    "nash",
    "nash_averaging",
    "nash_conv",
    "one_sided",
    "pair",
    "payoff_matrix",
    "pfsp_weights",
    "played_together",
    "replicator",
    "replicator_pair",
    "skill_curve",
    "snapshot_name",
    "tally",
]
