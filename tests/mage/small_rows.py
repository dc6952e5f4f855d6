"""Rows as the sampler makes them and the learner takes them, for tests of the engine that both stand on."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import replace

import peft
import torch
from torch import Tensor

from mage.adapters import BASE, AdapterBank
from mage.contexts import Context, MoveRequest
from mage.keys import PlayKeys
from mage.learner import Learner, UpdateSettings
from mage.losses import Clip
from mage.rows import Row
from mage.sampler import CachedSampler
from mage.scoring import distributions

KEYS = PlayKeys(11, "train", 0)
LEGAL = ("1", "10", "O-O", "O-O-O")
MIXED = ("ann", "ann", "ann", "bob", "bob", BASE, "cid")
CAPACITY = 16  # contexts grow to about 80 tokens
SETTINGS = UpdateSettings("grpo", "token-mean", Clip(0.2, 0.2), 0.01, 2, 2, math.inf, 0.5, 400)


def sample(sampler: CachedSampler, codec, agents: Sequence[str], turns: int = 3, first: int = 0) -> list[Row]:
    """Three moves for a row of each agent after one rule and news of many lengths; as rows for the trainer.

    first: the number of the first row, which says how long its news are and what it draws.
    """
    lane = sampler.open(agents)
    contexts = [Context(agent, 0, [0, *codec.encode("the higher number wins\n")]) for agent in agents]
    for turn in range(turns):
        for number, context in enumerate(contexts, first):
            context.ids.extend(codec.encode(f"turn {turn}" + "." * (5 * number * (turn == 1)) + "\n"))
        lane.choose({i: MoveRequest(c, LEGAL, first + i, 0, turn) for i, c in enumerate(contexts)}, KEYS)
    return [Row(c.agent, tuple(c.ids), tuple(c.choices), (0.0,) * len(c.choices)) for c in contexts]


def sampled(rows: Sequence[Row]) -> Tensor:
    return torch.tensor([choice.log_prob for row in rows for choice in row.choices])


@torch.no_grad()
def trained(model, bank, rows: Sequence[Row]) -> Tensor:
    chosen = torch.tensor([choice.chosen for row in rows for choice in row.choices])
    return distributions(model, bank, rows).gather(1, chosen[:, None])[:, 0]


@torch.no_grad()
def by_peft(network, bank: AdapterBank, row: Row, folder) -> list[float]:
    """Every choice of a row by PEFT's own forward of the whole context, on a copy of the bare network."""
    plain = copy.deepcopy(network)
    if row.agent != BASE:
        bank.save(row.agent, folder)
        plain = peft.PeftModel.from_pretrained(plain, folder)
    logits = plain.eval()(input_ids=torch.tensor([row.ids])).logits[0]
    return [float(logits[c.position - 1, list(c.allowed)].log_softmax(-1)[c.chosen]) for c in row.choices]


def gradients(model, bank, rows: Sequence[Row], **changes) -> dict[str, list[Tensor]]:
    names = [name for name in dict.fromkeys(row.agent for row in rows)]
    return Learner(model, bank, names, replace(SETTINGS, **changes), 5).gradients(rows)


def learning(rows: Sequence[Row]) -> list[Row]:
    fitted = [replace(row, advantages=tuple((-0.6) ** i for i in range(len(row.choices)))) for row in rows]
    return [row for row in fitted if row.agent != BASE]


def distance(one: Sequence[Tensor], other: Sequence[Tensor]) -> float:
    """The greatest relative L2 distance over the tensors."""
    return max(float((a - b).norm() / b.norm()) for a, b in zip(one, other, strict=True))


def moved(bank: AdapterBank, name: str) -> None:
    with torch.no_grad():
        for b in bank.adapters[name].b:
            b.add_(0.2)


def mixed_rows(spelled, bank, spelling) -> list[Row]:
    """A row for each of MIXED, ragged, with a cache that had to grow."""
    found = sample(CachedSampler(spelled, bank, CAPACITY), spelling, MIXED)
    assert len({len(row.ids) for row in found}) > 4
    assert max(len(row.ids) for row in found) > 2 * CAPACITY
    return found
