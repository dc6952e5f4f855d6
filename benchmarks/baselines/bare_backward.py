"""The bound of an update: forward and backward of the bare base over the same rows, down to its input embeddings.

No adapters, no head, no loss worth the name (the sum of the last hidden states), no optimiser. Only the gradients
with respect to activations are computed, which any training of adapters in all layers needs as well. Rows are sorted by
length, padded on the right, and cut into microbatches of the size that is fastest for the bare model; only real
tokens are counted.
"""

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from benchmarks.measure import Sample, fastest, microbatch_candidates, timed


class BareUpdate:
    """Rows, ready to be sent through the bare model and back."""

    def __init__(self, network: PreTrainedModel, rows: Sequence[Sequence[int]]) -> None:
        """rows: token ids; finds the fastest microbatch, each candidate tried on one microbatch of its size."""
        self._network = network
        self._rows = sorted(rows, key=len)
        self.tokens = sum(len(row) for row in rows)
        self._pass(self._rows[:1])  # warms up
        self.microbatch = fastest(microbatch_candidates(self.tokens), lambda size: self._one(self._cut(size)[0]))

    def run(self) -> Sample:
        """Time the whole pass; the amount is real tokens."""
        return timed(self._network.device, lambda: sum(self._pass(rows) for rows in self._cut(self.microbatch)))

    def _one(self, rows: Sequence[Sequence[int]]) -> Sample:
        return timed(self._network.device, lambda: self._pass(rows))

    def _cut(self, budget: int) -> list[list[Sequence[int]]]:
        """Cut the sorted rows into microbatches of at most `budget` padded tokens."""
        parts: list[list[Sequence[int]]] = [[]]
        for row in self._rows:
            if parts[-1] and (len(parts[-1]) + 1) * len(row) > budget:
                parts.append([])
            parts[-1].append(row)
        return parts

    def _pass(self, rows: Sequence[Sequence[int]]) -> float:
        """Forward and backward of one microbatch; returns its real tokens."""
        width = max(len(row) for row in rows)
        ids = torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], device=self._network.device)
        embedded = self._network.get_input_embeddings()(ids).detach().requires_grad_(True)
        hidden = self._network.base_model(inputs_embeds=embedded, use_cache=False).last_hidden_state
        hidden.sum().backward()
        return sum(len(row) for row in rows)
