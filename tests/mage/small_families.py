"""A small random model of each family as a user's folder holds it, with agents on it, and plain PEFT as the reference.

The reference is what a person would write without this project: transformers' own eager attention, PEFT's own layers,
read from the same folder and from the adapters that the bank saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import peft
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM

from mage.adapter_files import LoraSettings
from mage.adapters import BASE, AdapterBank
from mage.models import LanguageModel, load
from mage.rows import Row
from mage.sampler import CachedSampler
from tests.mage.small_models import FAMILIES, family, write
from tests.mage.small_rows import CAPACITY

CASES = [(kind, tied) for kind in FAMILIES for tied in (True, False)]
AGENTS = ("ann", "bob", "cid")
LORA = LoraSettings(rank=4, alpha=8.0)


def title(case: tuple[str, bool]) -> str:
    kind, tied = case
    return f"{kind} {'tied' if tied else 'untied'}"


def write_family(root: Path, case: tuple[str, bool]) -> Path:
    kind, tied = case
    return write(root / "model", family(kind, tied=tied))


@dataclass(frozen=True)
class Opened:
    """A model folder opened as a run opens it; three agents that differ from the base and from one another."""

    folder: Path
    model: LanguageModel
    bank: AdapterBank

    @property
    def sampler(self) -> CachedSampler:
        return CachedSampler(self.model, self.bank, CAPACITY)


def opened(folder: Path, dtype: torch.dtype = torch.float32) -> Opened:
    model = load(folder, "family", dtype)
    bank = AdapterBank(model.network, LORA, model.name)
    for seed, name in enumerate(AGENTS):
        bank.add(name, trainable=True, seed=seed)
        generator = torch.Generator().manual_seed(100 + seed)
        with torch.no_grad():
            for b in bank.adapters[name].b:
                b.copy_(0.2 * torch.randn(b.shape, generator=generator))
    return Opened(folder, model, bank)


def plain(folder: Path) -> torch.nn.Module:
    """The model without anything of this project."""
    return AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()


def in_peft(case: Opened, folder: Path) -> peft.PeftModel:
    """The plain model with every agent's adapter as the bank saves it."""
    for name in AGENTS:
        case.bank.save(name, folder / name)
    first, *others = AGENTS
    model = peft.PeftModel.from_pretrained(plain(case.folder), folder / first, first, is_trainable=True)
    for name in others:
        model.load_adapter(folder / name, name, is_trainable=True)
    return model.eval()


def alone(model: peft.PeftModel, row: Row) -> Tensor:
    """The log-probability of each choice of a row, one forward of its context and nothing else."""
    ids = torch.tensor([row.ids])
    if row.agent == BASE:
        with model.disable_adapter():
            return chosen(model(input_ids=ids).logits[0], row)
    model.set_adapter(row.agent)
    return chosen(model(input_ids=ids).logits[0], row)


@torch.no_grad()
def padded(model: peft.PeftModel, rows: Sequence[Row]) -> Tensor:
    """The same of all rows in one batch of several adapters, padded on the left; positions as `generate` makes them."""
    longest = max(len(row.ids) for row in rows)
    gaps = [longest - len(row.ids) for row in rows]
    ids = torch.tensor([[0] * gap + list(row.ids) for gap, row in zip(gaps, rows, strict=True)])
    mask = torch.tensor([[0] * gap + [1] * len(row.ids) for gap, row in zip(gaps, rows, strict=True)])
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    names = ["__base__" if row.agent == BASE else row.agent for row in rows]
    logits = model(input_ids=ids, attention_mask=mask, position_ids=positions, adapter_names=names).logits
    return torch.cat([chosen(logits[i, gaps[i] :], row) for i, row in enumerate(rows)])


def chosen(logits: Tensor, row: Row) -> Tensor:
    """logits: [T, vocabulary] of a row's context; returns one value a choice, among the tokens that were allowed."""
    return torch.stack([logits[c.position - 1, list(c.allowed)].log_softmax(-1)[c.chosen] for c in row.choices])
