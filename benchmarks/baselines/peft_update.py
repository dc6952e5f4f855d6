"""Updates as a competent user of PEFT would write them: agent after agent, the whole vocabulary scored.

`set_adapter`, a forward of the causal language model over the agent's rows, `log_softmax` of all logits, the
policy-gradient loss on the trained tokens, backward, clipping, AdamW. The rows, the trained tokens and their advantages
are ours; padding is on the right, where it needs no mask. With `whole_vocabulary=False` the logits are made at the
trained positions only, which takes a user who has looked into it.
"""

from collections.abc import Iterator, Mapping, Sequence

import torch
from peft import PeftModel
from torch import Tensor

from mage.rows import Row

MAX_GRAD_NORM = 1.0


class PeftUpdate:
    """One PeftModel with all agents' adapters, an optimiser for each."""

    def __init__(
        self, peft: PeftModel, agents: Sequence[str], microbatch: int, *, whole_vocabulary: bool = True
    ) -> None:
        """microbatch: padded tokens of a forward."""
        self._peft, self._microbatch, self._whole = peft, microbatch, whole_vocabulary
        self._parameters: dict[str, list[torch.nn.Parameter]] = {}
        for agent in agents:
            peft.set_adapter(agent)
            self._parameters[agent] = [p for p in peft.parameters() if p.requires_grad]
        self._optimisers = {
            agent: torch.optim.AdamW(parameters, lr=1e-5, weight_decay=0.0)
            for agent, parameters in self._parameters.items()
        }

    def update(self, rows: Sequence[Row]) -> float:
        """Take one optimiser step for every agent; returns the tokens of the rows."""
        for agent, own in _by_agent(rows).items():
            self._accumulate(agent, own)
            torch.nn.utils.clip_grad_norm_(self._parameters[agent], MAX_GRAD_NORM)
            self._optimisers[agent].step()
            self._optimisers[agent].zero_grad(set_to_none=True)
        return sum(len(row.ids) for row in rows)

    def gradients(self, rows: Sequence[Row]) -> float:
        """Forward and backward for every agent, without a step; returns the tokens of the rows."""
        for agent, own in _by_agent(rows).items():
            self._accumulate(agent, own)
            self._optimisers[agent].zero_grad(set_to_none=True)
        return sum(len(row.ids) for row in rows)

    @torch.no_grad()
    def log_probs(self, row: Row) -> list[float]:
        """Return the log-probability of each choice of a row among the tokens it was chosen from, nats."""
        self._peft.set_adapter(row.agent)
        logits = self._peft(input_ids=torch.tensor([row.ids], device=self._peft.device)).logits[0].float()
        return [
            float(torch.log_softmax(logits[choice.position - 1, list(choice.allowed)], dim=-1)[choice.chosen])
            for choice in row.choices
        ]

    def _accumulate(self, agent: str, rows: Sequence[Row]) -> None:
        self._peft.set_adapter(agent)
        trained = sum(len(row.choices) for row in rows)
        for part in _cut(rows, self._microbatch):
            (self._loss(part) / trained).backward()

    def _loss(self, rows: Sequence[Row]) -> Tensor:
        """Return the sum over trained tokens of -advantage x log-probability."""
        device, width = self._peft.device, max(len(row.ids) for row in rows)
        ids = torch.tensor([[*row.ids, *[0] * (width - len(row.ids))] for row in rows], device=device)
        where = [(i, choice.position) for i, row in enumerate(rows) for choice in row.choices]
        row, position = torch.tensor(where, device=device).T
        advantages = torch.tensor([a for one in rows for a in one.advantages], device=device)
        targets = ids[row, position]
        if self._whole:
            logits = self._peft(input_ids=ids, use_cache=False).logits[:, :-1].float()
            log_p = torch.log_softmax(logits, dim=-1).gather(2, ids[:, 1:, None])[row, position - 1, 0]
        else:
            model = self._peft.get_base_model()
            hidden = model.base_model(input_ids=ids, use_cache=False).last_hidden_state[row, position - 1]
            logits = model.get_output_embeddings()(hidden).float()
            log_p = torch.log_softmax(logits, dim=-1).gather(1, targets[:, None])[:, 0]
        return -(advantages * log_p).sum()


def _by_agent(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.agent, []).append(row)
    return found


def _cut(rows: Sequence[Row], budget: int) -> Iterator[list[Row]]:
    """Cut rows, sorted by length, into parts of at most `budget` padded tokens."""
    part: list[Row] = []
    for row in sorted(rows, key=lambda row: len(row.ids)):
        if part and (len(part) + 1) * len(row.ids) > budget:
            yield part
            part = []
        part.append(row)
    if part:
        yield part
