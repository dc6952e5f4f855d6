"""The distribution over the allowed tokens only, the same in the sampler and in the trainer (design, decision 5).

Only the tokens that some row allows are scored: the hidden states are gathered into one contiguous matrix first and
meet the rows of the head that are needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class AllowedTokens:
    """The allowed ids of N decisions, as indices into their union."""

    union: Tensor  # [U] token ids, sorted
    columns: Tensor  # [N, K] indices into union; padded entries are 0
    mask: Tensor  # [N, K] bool, true where allowed

    @classmethod
    def of(cls, allowed: Sequence[tuple[int, ...]], device: torch.device) -> "AllowedTokens":
        """Build from each decision's allowed ids (at least one decision)."""
        kinds = {ids: i for i, ids in enumerate(dict.fromkeys(allowed))}
        union = sorted({token for ids in kinds for token in ids})
        column = {token: i for i, token in enumerate(union)}
        widest = max(len(ids) for ids in kinds)
        columns = torch.tensor([[column[t] for t in ids] + [0] * (widest - len(ids)) for ids in kinds])
        mask = torch.tensor([[True] * len(ids) + [False] * (widest - len(ids)) for ids in kinds])
        which = torch.tensor([kinds[ids] for ids in allowed])
        return cls(torch.tensor(union, device=device), columns[which].to(device), mask[which].to(device))


def log_probs(hidden: Tensor, head: Tensor, allowed: AllowedTokens) -> Tensor:
    """Return the log-probabilities of the allowed tokens.

    hidden: [N, width] at the positions that predict; head: [vocabulary, width]. Returns [N, K] float32 in nats,
    -inf where padded.
    """
    logits = functional.linear(hidden, head[allowed.union]).float()
    chosen = logits.gather(1, allowed.columns).masked_fill(~allowed.mask, float("-inf"))
    return torch.log_softmax(chosen, dim=-1)
