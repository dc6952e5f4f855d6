"""What an update of a learner did, in figures: sums over its tokens while it runs, means for the event log.

Left out: the update itself (`mage.learner`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from mage.losses import Clip, approximate_kl


@dataclass(slots=True)
class UpdateStats:
    """What one learner's update did; means over its minibatches. Names follow TRL's logs."""

    kl: float = 0.0
    entropy: float = 0.0
    grad_norm: float = 0.0
    clip_low: float = 0.0
    clip_high: float = 0.0
    logp_difference_mean: float = 0.0  # sampler against trainer before the first step, absolute, nats
    logp_difference_max: float = 0.0
    skipped_minibatches: int = 0
    learning_rate: float = 0.0  # of its last step; 0 without one
    steps: int = 0
    measured: int = 0  # minibatches that went through the model, those that came to no step among them

    def logged(self) -> dict[str, float]:
        """Return the figures under the names of the event log, which are TRL's."""
        return {
            "kl": self.kl,
            "entropy": self.entropy,
            "grad_norm": self.grad_norm,
            "clip_ratio/low_mean": self.clip_low,
            "clip_ratio/high_mean": self.clip_high,
            "sampling/logp_difference/mean": self.logp_difference_mean,
            "sampling/logp_difference/max": self.logp_difference_max,
            "skipped_minibatches": self.skipped_minibatches,
        }


@dataclass(slots=True)
class Tally:
    """Sums over one learner's tokens in one minibatch."""

    tokens: int = 0
    kl: float = 0.0
    entropy: float = 0.0
    low: float = 0.0
    high: float = 0.0
    difference: float = 0.0
    largest: float = 0.0


def tally_tokens(
    tallies: Mapping[str, Tally],
    owner: Sequence[str],
    log_p: Tensor,
    old: Tensor,
    advantage: Tensor,
    spread: Tensor,
    clip: Clip,
) -> None:
    """Add each token's figures to its owner's tally. owner: the agent of each token, equal ones adjacent; tensors [N].

    log_p, old: of the sampled token, by the current policy and when sampled; spread: entropy; nats.
    """
    ratio = torch.exp(log_p - old)
    columns = torch.stack(
        [
            approximate_kl(log_p, old),
            spread,
            ((ratio < 1 - clip.low) & (advantage < 0)).float(),
            ((ratio > 1 + clip.high) & (advantage > 0)).float(),
            (log_p - old).abs(),
        ]
    ).cpu()
    start = 0
    while start < len(owner):
        stop = start
        while stop < len(owner) and owner[stop] == owner[start]:
            stop += 1
        part, tally = columns[:, start:stop], tallies[owner[start]]
        kl, spread_sum, low, high, difference = (float(x) for x in part.sum(dim=1))
        tally.tokens += stop - start
        tally.kl += kl
        tally.entropy += spread_sum
        tally.low += low
        tally.high += high
        tally.difference += difference
        tally.largest = max(tally.largest, float(part[4].max()))
        start = stop
