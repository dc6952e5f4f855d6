"""Updates every learner in one pass: rows of different agents share the forward, nothing else.

Each learner has its own optimiser, gradient norm, step count and learning rate, so its update is the same, to
rounding, whoever else is in the batch, and a learner without rows is not touched (design, decision 7).
Left out: value heads.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from mage import keys
from mage.adapters import AdapterBank
from mage.losses import LOSS_AGG_MODES, LOSS_TYPES, Clip
from mage.models import LanguageModel
from mage.rows import Row
from mage.scoring import routed_scores
from mage.update_stats import Tally, UpdateStats, tally_tokens
from mage.work import Work


@dataclass(frozen=True, slots=True)
class UpdateSettings:
    """The loss, the optimiser and the limits of an update."""

    loss_type: str
    loss_agg_mode: str
    clip: Clip
    entropy_bonus: float
    minibatches: int
    epochs: int
    max_kl: float  # nats per trained token, sampling policy to current; above it a learner's update ends
    max_grad_norm: float
    microbatch_tokens: int  # per forward and backward, counted as if its rows were padded, as attention has them
    warmup_steps: int = 0  # optimiser steps over which a learner's learning rate grows to its value


@dataclass(frozen=True, slots=True)
class _Minibatch:
    """Rows sorted by agent, and the weight of every trained token in its agent's loss."""

    rows: list[Row]
    weights: list[Tensor] = field(default_factory=list)


class Learner:
    """Holds one optimiser per learner and applies updates to the adapters in the bank."""

    def __init__(
        self,
        model: LanguageModel,
        bank: AdapterBank,
        names: Sequence[str],
        settings: UpdateSettings,
        seed: int,
    ) -> None:
        """names: the learners; their adapters must be in the bank and trainable."""
        self._model, self._bank, self._settings, self._seed = model, bank, settings, seed
        self.work = Work()
        self.optimisers = {
            name: torch.optim.AdamW(bank.adapters[name].parameters(), lr=0.0, betas=(0.9, 0.99), weight_decay=0.0)
            for name in names
        }

    def update(self, rows: Sequence[Row], iteration: int, learning_rate: float) -> dict[str, UpdateStats]:
        """Train on one iteration's rows; returns the stats of each learner that had rows."""
        stats = {row.agent: UpdateStats() for row in rows}
        stopped: set[str] = set()
        for epoch in range(self._settings.epochs):
            for number, batch in enumerate(self._minibatches(rows, iteration, epoch)):
                left = self._without(batch, stopped, stats)
                for agent, tally in self._accumulate(left).items():
                    first = epoch == 0 and number == 0
                    self._step(agent, tally, stats[agent], stopped, learning_rate, first)
        for stat in stats.values():
            count = stat.measured
            for name in ("kl", "entropy", "clip_low", "clip_high"):
                setattr(stat, name, getattr(stat, name) / max(count, 1))
            stat.grad_norm /= max(stat.steps, 1)
        return stats

    def gradients(self, rows: Sequence[Row]) -> dict[str, list[Tensor]]:
        """Return each learner's gradients of the loss on `rows` as one minibatch, without a step."""
        self._accumulate(self._weighted(sorted(rows, key=lambda row: row.agent)))
        grads = {
            agent: [p.grad.clone() for p in self._bank.adapters[agent].parameters() if p.grad is not None]
            for agent in {row.agent for row in rows}
        }
        for agent in grads:
            self.optimisers[agent].zero_grad(set_to_none=True)
        return grads

    def _minibatches(self, rows: Sequence[Row], iteration: int, epoch: int) -> Iterator[_Minibatch]:
        """Split each agent's rows, in an order keyed by (iteration, epoch) alone, into equal parts."""
        by_agent: dict[str, list[Row]] = {}
        for row in rows:
            by_agent.setdefault(row.agent, []).append(row)
        parts: list[list[Row]] = [[] for _ in range(self._settings.minibatches)]
        for agent in sorted(by_agent):
            own = by_agent[agent]
            order = keys.generator(self._seed, "minibatches", iteration, epoch).permutation(len(own))
            for part, chosen in zip(parts, np.array_split(order, len(parts)), strict=True):
                part.extend(own[i] for i in chosen)
        return (self._weighted(part) for part in parts if part)

    def _without(self, batch: _Minibatch, stopped: set[str], stats: Mapping[str, UpdateStats]) -> _Minibatch:
        """Return the rows of those who go on; a minibatch that is left out is counted."""
        if not stopped:
            return batch
        for agent in stopped & {row.agent for row in batch.rows}:
            stats[agent].skipped_minibatches += 1
        kept = [(row, w) for row, w in zip(batch.rows, batch.weights, strict=True) if row.agent not in stopped]
        return _Minibatch([row for row, _ in kept], [weight for _, weight in kept])

    def _weighted(self, rows: list[Row]) -> _Minibatch:
        """Give every trained token its weight within its agent's tokens of this minibatch."""
        batch = _Minibatch(rows)
        aggregate = LOSS_AGG_MODES[self._settings.loss_agg_mode]
        start = 0
        while start < len(rows):
            stop = start
            while stop < len(rows) and rows[stop].agent == rows[start].agent:
                stop += 1
            counts = torch.tensor([len(row.choices) for row in rows[start:stop]])
            weights = aggregate(torch.repeat_interleave(torch.arange(stop - start), counts))
            batch.weights.extend(weights.split(counts.tolist()))
            start = stop
        return batch

    def _accumulate(self, batch: _Minibatch) -> dict[str, Tally]:
        """Forward and backward over the minibatch in microbatches; gradients add up in the adapters."""
        tallies: dict[str, Tally] = {row.agent: Tally() for row in batch.rows}
        for start, stop in microbatches([len(row.ids) for row in batch.rows], self._settings.microbatch_tokens):
            rows = batch.rows[start:stop]
            self._backward(rows, torch.cat(batch.weights[start:stop]), tallies)
        return tallies

    def _backward(self, rows: Sequence[Row], weights: Tensor, tallies: dict[str, Tally]) -> None:
        with routed_scores(self._model, self._bank, rows, self.work) as (log_p, spread):
            device = log_p.device
            old = torch.tensor([choice.log_prob for row in rows for choice in row.choices], device=device)
            advantage = torch.tensor([a for row in rows for a in row.advantages], device=device)
            settings = self._settings
            objective = LOSS_TYPES[settings.loss_type](log_p, old, advantage, settings.clip)
            loss = -(weights.to(device) * (objective + settings.entropy_bonus * spread)).sum()
            loss.backward()
        owner = [row.agent for row in rows for _ in row.choices]
        tally_tokens(tallies, owner, log_p.detach(), old, advantage, spread.detach(), settings.clip)

    def _step(
        self,
        agent: str,
        tally: Tally,
        stat: UpdateStats,
        stopped: set[str],
        learning_rate: float,
        first: bool,
    ) -> None:
        """Apply one learner's gradients unless its policy has moved too far since it sampled."""
        optimiser = self.optimisers[agent]
        n = max(tally.tokens, 1)
        stat.measured += 1
        stat.kl += tally.kl / n
        stat.entropy += tally.entropy / n
        stat.clip_low += tally.low / n
        stat.clip_high += tally.high / n
        if first:
            stat.logp_difference_mean, stat.logp_difference_max = tally.difference / n, tally.largest
        if not tally.kl / n <= self._settings.max_kl:  # NaN stops as well
            stopped.add(agent)
        if agent in stopped:
            stat.skipped_minibatches += 1
        else:
            parameters = list(self._bank.adapters[agent].parameters())
            stat.grad_norm += float(torch.nn.utils.clip_grad_norm_(parameters, self._settings.max_grad_norm))
            stat.steps += 1
            stat.learning_rate = learning_rate * warmup(_steps_taken(optimiser), self._settings.warmup_steps)
            for group in optimiser.param_groups:
                group["lr"] = stat.learning_rate
            optimiser.step()
        optimiser.zero_grad(set_to_none=True)


def microbatches(lengths: Sequence[int], budget: int) -> Iterator[tuple[int, int]]:
    """Cut consecutive rows into [start, stop) with rows x longest <= budget padded tokens, at least one row each."""
    start, longest = 0, 0
    for i, length in enumerate(lengths):
        longest_with = max(longest, length)
        if i > start and longest_with * (i - start + 1) > budget:
            yield start, i
            start, longest_with = i, length
        longest = longest_with
    if start < len(lengths):
        yield start, len(lengths)


def warmup(steps: int, warmup_steps: int) -> float:
    """Return the share, in (0, 1], of the learning rate that an optimiser with `steps` steps behind it takes next.

    It grows linearly, 1 / warmup_steps at the first step, and is 1 from step number `warmup_steps` on; 0: always 1.
    A fresh Adam divides by moments of a single gradient, so that its first step moves every weight by the whole
    learning rate, however sure the gradient is of its sign. Source: Ma and Yarats 2021, arXiv 1910.04209.
    """
    return min(1.0, (steps + 1) / max(warmup_steps, 1))


def _steps_taken(optimiser: torch.optim.Optimizer) -> int:
    """Return how many steps an optimiser has made; a checkpoint brings its count back."""
    return max((int(state["step"]) for state in optimiser.state.values()), default=0)


def linear_decay(start: float, final: float, iteration: int, iterations: int) -> float:
    """Return the learning rate of an iteration (from 0): `start` at the first, `final` at the last, linear between."""
    share = iteration / max(iterations - 1, 1)
    return start + (final - start) * share
