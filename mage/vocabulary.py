"""The distribution over the whole vocabulary: drawing free text from it, and scoring what was drawn.

The plain softmax, without temperature or truncation, in the sampler and in the trainer alike, so that what is trained
is what was sampled. Left out: choices among a few tokens (`mage.constrained`).
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from mage.losses import entropy

AT_ONCE = 256  # positions whose logits are held at a time: of 50,000 tokens, 50 MB


def sample(hidden: Tensor, head: Tensor, draws: Sequence[float]) -> tuple[list[int], list[float]]:
    """Draw a token for each row by inverting the cumulative distribution.

    hidden: [R, width]; head: [vocabulary, width]; draws: R numbers in [0, 1). Returns R token ids and their
    log-probabilities, nats. Logits are made `AT_ONCE` rows at a time, as in `score`.
    """
    wanted = torch.tensor(draws, dtype=torch.float64, device=hidden.device)
    parts = [_sample(some, head, part) for some, part in zip(hidden.split(AT_ONCE), wanted.split(AT_ONCE), strict=True)]
    picks, log_p = (torch.cat(column).tolist() for column in zip(*parts, strict=True))
    return picks, log_p


def _sample(hidden: Tensor, head: Tensor, draws: Tensor) -> tuple[Tensor, Tensor]:
    log_p = torch.log_softmax(functional.linear(hidden, head).float(), dim=-1)
    cumulative = log_p.double().exp().cumsum(dim=-1)
    total = cumulative[:, -1:]
    picks = torch.searchsorted(cumulative, draws[:, None] * total, right=True)
    last = (cumulative < total).sum(dim=-1, keepdim=True)  # the last token that adds anything
    picks = torch.minimum(picks, last)
    return picks[:, 0], log_p.gather(1, picks)[:, 0]


def score(hidden: Tensor, head: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log-probability of each chosen token and the entropy of what it was chosen from, nats.

    hidden: [N, width]; head: [vocabulary, width]; chosen: [N] ids. Returns two of [N] float32. Logits are made
    `AT_ONCE` rows at a time, and made again for gradients, so that they are never held for all N.
    """
    parts = [
        checkpoint(_score, some, head, ids, use_reentrant=False)
        for some, ids in zip(hidden.split(AT_ONCE), chosen.split(AT_ONCE), strict=True)
    ]
    log_p, spread = zip(*parts, strict=True)
    return torch.cat(log_p), torch.cat(spread)


def _score(hidden: Tensor, head: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    log_p = torch.log_softmax(functional.linear(hidden, head).float(), dim=-1)
    return log_p.gather(1, chosen[:, None])[:, 0], entropy(log_p)
