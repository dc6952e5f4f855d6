"""From one trial's rewards to the credit of each decision: reward-to-go across the episodes of the trial.

Pure functions. Left out: normalisation (`mage.advantages`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from games.errors import unknown


def rewards_as_they_come(rewards: Sequence[Sequence[float]]) -> list[list[float]]:
    """Objective "sum": credit each decision with its own reward. rewards: per episode, per decision."""
    return [list(episode) for episode in rewards]


def gain_over_the_last_episode(rewards: Sequence[Sequence[float]]) -> list[list[float]]:
    """Objective "final": credit R_n - R_{n-1} (R_0 = 0) on each episode's last decision, so the sum is R_N.

    rewards: per episode, per decision. Returns the same shape, zero elsewhere. An episode without decisions
    is skipped: the next gain is counted from the one before it.
    """
    credits: list[list[float]] = []
    credited = 0.0
    for episode in rewards:
        credits.append([0.0] * len(episode))
        if episode:
            credits[-1][-1] = sum(episode) - credited
            credited = sum(episode)
    return credits


OBJECTIVES: dict[str, Callable[[Sequence[Sequence[float]]], list[list[float]]]] = {
    "sum": rewards_as_they_come,
    "final": gain_over_the_last_episode,
}


def reward_to_go(
    rewards: Sequence[Sequence[float]],
    objective: str = "sum",
    gamma_step: float = 1.0,
    gamma_traj: float = 1.0,
) -> list[list[float]]:
    """Return G_{n,t} of each decision of one seat in one trial, in the shape of `rewards`.

    rewards: per episode n, per decision t, game units. With r the credit under the objective,

        G_{n,t} = r_{n,t} + gamma_step * G_{n,t+1};  at the last decision  r_{n,T-1} + gamma_traj * G_{n+1,0}

    which is the recursive published form: the next episode's value counts gamma_step^(T-1-t) * gamma_traj at
    decision t. (LaMer's sum form, arXiv 2512.16848, leaves the gamma_step factor off it; the two agree at
    gamma_step = 1.) An episode without decisions passes the following value on, times gamma_traj.
    Discounts in [0, 1]. RequestError for an unknown objective; ValueError for a discount out of range or a
    reward that is not finite.
    """
    if objective not in OBJECTIVES:
        raise unknown("objective", objective, OBJECTIVES)
    if not (0.0 <= gamma_step <= 1.0 and 0.0 <= gamma_traj <= 1.0):
        raise ValueError(f"got gamma_step={gamma_step} and gamma_traj={gamma_traj}, expected both in [0, 1]")
    if not all(np.isfinite(episode).all() for episode in rewards):
        raise ValueError(f"got rewards {list(rewards)}, expected finite numbers; check the game's rewards")
    credits = OBJECTIVES[objective](rewards)
    following = 0.0
    for episode in reversed(credits):
        value = gamma_traj * following
        for t in reversed(range(len(episode))):
            value = episode[t] + value * (1.0 if t == len(episode) - 1 else gamma_step)
            episode[t] = value
        following = value
    return credits


def following(values: Sequence[Sequence[float]], episode: int) -> float:
    """Return G_{n+1,0}, what a reflection after episode n is credited.

    values: reward-to-go as `reward_to_go` returns it. An episode without decisions is passed over; 0 after the last.
    """
    return next((later[0] for later in values[episode + 1 :] if later), 0.0)
