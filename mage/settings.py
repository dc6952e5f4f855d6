"""Hands each part of a run the settings it takes, out of the config that holds them all."""

from mage.config import Config
from mage.learner import UpdateSettings
from mage.losses import Clip
from mage.rows import CreditSettings
from populations.league import LeagueSettings


def league_settings(config: Config, seats: int) -> LeagueSettings:
    """Return how the league pairs and freezes in a game of so many seats."""
    league = config.league
    return LeagueSettings(
        matchmaking=league.matchmaking.model_dump(),
        groups=league.groups,
        num_generations=league.num_generations,
        snapshot_every=league.snapshot_every,
        snapshots_kept=league.snapshots_kept,
        pfsp_power=league.pfsp_power,
        seats=seats,
    )


def credit_settings(config: Config) -> CreditSettings:
    """Return how rewards become advantages."""
    learning = config.learning
    return CreditSettings(
        learning.objective, learning.gamma_step, learning.gamma_traj, learning.cell, learning.scale_rewards
    )


def update_settings(config: Config) -> UpdateSettings:
    """Return the loss, the optimiser and the limits of an update."""
    learning = config.learning
    return UpdateSettings(
        loss_type=learning.loss_type,
        loss_agg_mode=learning.loss_agg_mode,
        clip=Clip(learning.epsilon, learning.epsilon_high),
        entropy_bonus=learning.entropy_bonus,
        minibatches=learning.minibatches,
        epochs=learning.epochs,
        max_kl=learning.max_kl,
        max_grad_norm=learning.max_grad_norm,
        microbatch_tokens=learning.microbatch_tokens,
    )
