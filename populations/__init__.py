"""Who is in the population, who meets whom, and what came of it; imports neither torch, games nor mage.

Names are imported on first use, so that reading results doesn't wait for methods that it has no use for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from populations.alpharank import alpha_rank, alpha_rank_pair
    from populations.domination import cycles
    from populations.dynamics import replicator, replicator_pair
    from populations.equilibria import Equilibrium, max_entropy_nash, nash, nash_averaging, nash_conv
    from populations.league import League, LeagueSettings
    from populations.matchmaking import MATCHMAKERS, Pairing, pair, pfsp_weights
    from populations.members import Member, Population, snapshot_name
    from populations.metagame import complete, payoff_matrix, played_together
    from populations.outcomes import one_sided
    from populations.payoffs import Counts, PayoffTable, Result, tally
    from populations.ratings import Rating, Ratings, elo, fit_ratings
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

_HOMES = {
    "MATCHMAKERS": "matchmaking",
    "Counts": "payoffs",
    "Equilibrium": "equilibria",
    "League": "league",
    "LeagueSettings": "league",
    "Member": "members",
    "Pairing": "matchmaking",
    "PayoffTable": "payoffs",
    "Population": "members",
    "Rating": "ratings",
    "Ratings": "ratings",
    "Result": "payoffs",
    "SkillCurve": "skill",
    "alpha_rank": "alpharank",
    "alpha_rank_pair": "alpharank",
    "complete": "metagame",
    "cycles": "domination",
    "elo": "ratings",
    "fit_ratings": "ratings",
    "max_entropy_nash": "equilibria",
    "nash": "equilibria",
    "nash_averaging": "equilibria",
    "nash_conv": "equilibria",
    "one_sided": "outcomes",
    "pair": "matchmaking",
    "payoff_matrix": "metagame",
    "pfsp_weights": "matchmaking",
    "played_together": "metagame",
    "replicator": "dynamics",
    "replicator_pair": "dynamics",
    "skill_curve": "skill",
    "snapshot_name": "members",
    "tally": "payoffs",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'populations' has no attribute {name!r}")
    value = getattr(import_module(f"populations.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return __all__
