"""[league]: how many agents train, who meets whom, and how many frozen copies stay.

Left out: the shape of their adapters (`schema`), the scripted opponents (`declared`).
"""

from pydantic import Field, model_validator

from mage.config.declared import Table


class Matchmaking(Table):
    """[league.matchmaking]: weights of who meets whom; only their ratios count."""

    scripted: float = Field(default=0.7, ge=0, description="scripted training opponents")
    self_play: float = Field(default=0.15, ge=0, description="other learners as they are now")
    uniform: float = Field(default=0.0, ge=0, description="frozen snapshots, each as likely")
    pfsp: float = Field(default=0.15, ge=0, description="frozen snapshots, those that beat the learner more often")

    @model_validator(mode="after")
    def _some_weight(self) -> "Matchmaking":
        if self.scripted + self.self_play <= 0:
            raise ValueError(
                "got scripted = 0 and self_play = 0, expected one above 0 (there are no snapshots at first)"
            )
        return self


class League(Table):
    """[league]: the population and its pairings."""

    learners: int = Field(default=4, ge=1, description="agents that train")
    groups: int = Field(default=8, ge=1, description="groups per learner and iteration")
    num_generations: int = Field(default=16, ge=1, description="trials per group, differing by sampling only")
    snapshot_every: int = Field(default=10, ge=1, description="iterations between frozen copies of each learner")
    snapshots_kept: int = Field(
        default=16, ge=0, description="snapshots that stay in the league, over all learners; the oldest go first"
    )
    pfsp_power: float = Field(default=2.0, ge=0, description="sharpness of pfsp: weight (1 - win rate) ** power")
    matchmaking: Matchmaking = Field(default_factory=Matchmaking, description="weights of who meets whom")

    @property
    def names(self) -> tuple[str, ...]:
        """The learners' names, which stand in logs, folders and tables."""
        return tuple(f"learner_{number}" for number in range(self.learners))

    @model_validator(mode="after")
    def _self_play_has_a_partner(self) -> "League":
        if self.learners == 1 and self.matchmaking.scripted == 0:
            raise ValueError("got learners = 1 and matchmaking.scripted = 0, expected 2 learners or more for self-play")
        return self
