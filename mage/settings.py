"""Hands each part of a run the settings it takes, out of the config that holds them all."""

from dataclasses import replace

from games.text import TextGame
from mage.codec import Codec
from mage.config import Config
from mage.decisions import Acting
from mage.keys import PlayKeys
from mage.learner import UpdateSettings
from mage.losses import Clip
from mage.renderers import Prompt
from mage.rows import CreditSettings
from mage.trials import Conditions
from populations.league import LeagueSettings

NO_KEYS = PlayKeys(0, "", 0)  # where nothing is drawn


def conditions_of(
    config: Config, game: TextGame, codec: Codec, keys: PlayKeys = NO_KEYS, memory: str | None = None
) -> Conditions:
    """Return what the trials of one batch share; memory as configured unless given."""
    trial, agent = config.trial, config.agent
    acting = Acting(**agent.model_dump(exclude={"thinking_cost"}))
    prompt = Prompt(**config.prompt.model_dump(exclude={"template"}))
    habit = config.model.pretrain.reflections
    return Conditions(game, codec, keys, trial.episodes, memory or trial.memory, acting, prompt, habit)


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
        learning.objective,
        learning.gamma_step,
        learning.gamma_traj,
        learning.cell,
        learning.scale_rewards,
        config.agent.thinking_cost,
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
        warmup_steps=learning.warmup_steps,
    )


def supervised_settings(config: Config) -> UpdateSettings:
    """Return how examples are learned from: the loss is the mean cross-entropy of the trained tokens, and nothing else.

    No policy has moved away from the one that sampled, so that no limit of KL applies; the rest is as configured.
    """
    return replace(
        update_settings(config),
        loss_type="reinforce",
        loss_agg_mode="token-mean",
        entropy_bonus=0.0,
        max_kl=float("inf"),
    )
