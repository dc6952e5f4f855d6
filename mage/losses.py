"""Policy-gradient objectives per token and how tokens become one number; pure functions of tensors.

Names and formulas as in TRL and verl. Left out: reference-policy penalties and sequence-level ratios.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Clip:
    """The ratio is kept within [1 - low, 1 + high] where that lowers the objective."""

    low: float
    high: float


def clipped(log_p: Tensor, old_log_p: Tensor, advantage: Tensor, clip: Clip) -> Tensor:
    """Return min(w A, clip(w, 1 - low, 1 + high) A) with w = p / p_old, to be maximised (PPO; GRPO without KL).

    All [N]; log-probabilities in nats.
    """
    ratio = torch.exp(log_p - old_log_p)
    return torch.minimum(ratio * advantage, ratio.clamp(1 - clip.low, 1 + clip.high) * advantage)


def reinforce(log_p: Tensor, old_log_p: Tensor, advantage: Tensor, clip: Clip) -> Tensor:
    """Return A log p, to be maximised (Williams 1992); no correction for the age of the samples. All [N]."""
    return advantage * log_p


LOSS_TYPES: dict[str, Callable[[Tensor, Tensor, Tensor, Clip], Tensor]] = {
    "grpo": clipped,
    "reinforce": reinforce,
}


def token_mean(sequence: Tensor) -> Tensor:
    """Weigh all tokens equally: 1 / N each. sequence: [N] the number of each token's context; returns [N]."""
    return torch.full(sequence.shape, 1.0 / max(len(sequence), 1))


def seq_mean_token_mean(sequence: Tensor) -> Tensor:
    """Weigh all contexts equally, and the tokens within one equally: 1 / (contexts x its tokens). [N] -> [N]."""
    _, inverse, counts = sequence.unique(return_inverse=True, return_counts=True)
    return 1.0 / (counts[inverse] * len(counts)).float()


def seq_mean_token_sum(sequence: Tensor) -> Tensor:
    """Sum over a context's tokens, mean over contexts: 1 / contexts each. [N] -> [N]."""
    return torch.full(sequence.shape, 1.0 / max(len(sequence.unique()), 1))


LOSS_AGG_MODES: dict[str, Callable[[Tensor], Tensor]] = {
    "token-mean": token_mean,
    "seq-mean-token-mean": seq_mean_token_mean,
    "seq-mean-token-sum": seq_mean_token_sum,
}


def entropy(log_p: Tensor) -> Tensor:
    """Return the entropy in nats of each row of log-probabilities [N, K], -inf entries counting 0; [N]."""
    return -(log_p.exp() * log_p.masked_fill(log_p == float("-inf"), 0.0)).sum(dim=-1)


def approximate_kl(log_p: Tensor, old_log_p: Tensor) -> Tensor:
    """Return the k3 estimate of KL(old || new) of each sampled token, e^d - d - 1 with d = log p - log p_old; [N].

    Never negative, unbiased under samples of the old policy (Schulman 2020, "Approximating KL divergence").
    """
    difference = log_p - old_log_p
    return torch.exp(difference) - difference - 1
