"""What agents' current adapters say of the choices in their rows: log-probabilities and entropies, all in one pass.

The rows are packed, and an opening that rows of one agent share goes through the model once; gradients reach it from
all of them. Left out: losses (`mage.losses`), updates (`mage.learner`).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from mage import vocabulary
from mage.adapters import AdapterBank
from mage.attention import PackedLayout
from mage.constrained import AllowedTokens, log_probs
from mage.contexts import TokenChoice
from mage.losses import entropy
from mage.models import LanguageModel
from mage.packing import pack, share_openings
from mage.rows import Row
from mage.work import Work

Scores = tuple[Tensor, Tensor]  # of each choice: its log-probability, the entropy of what it was chosen from; [N], nats


def distributions(
    model: LanguageModel, bank: AdapterBank, rows: Sequence[Row], openings: Sequence[int] | None = None
) -> Tensor:
    """Return the log-probabilities [N, K] of what every choice of the rows was chosen from, which are a few tokens.

    Equal agents must be adjacent. openings: see `routed_states`.
    """
    with routed_states(model, bank, rows, openings=openings) as states:
        allowed = [choice.allowed for row in rows for choice in row.choices if choice.allowed is not None]
        return log_probs(states, model.head, AllowedTokens.of(allowed, model.device))


@contextmanager
def routed_scores(
    model: LanguageModel, bank: AdapterBank, rows: Sequence[Row], work: Work | None = None
) -> Iterator[Scores]:
    """Yield the scores of all choices of the rows, in order; see `routed_states`."""
    choices = [choice for row in rows for choice in row.choices]
    with routed_states(model, bank, rows, work) as states:
        yield _scores(states, model.head, choices)


def _scores(states: Tensor, head: Tensor, choices: Sequence[TokenChoice]) -> Scores:
    """Score choices among a few tokens and choices from the vocabulary apart; states: [N, width]."""
    device = states.device
    chosen = torch.tensor([choice.chosen for choice in choices], device=device)
    free = torch.tensor([choice.allowed is None for choice in choices], device=device)
    if free.all():
        return vocabulary.score(states, head, chosen)
    some = torch.where(~free)[0]
    table = log_probs(
        states[some], head, AllowedTokens.of([c.allowed for c in choices if c.allowed is not None], device)
    )
    among = table.gather(1, chosen[some][:, None])[:, 0], entropy(table)
    if not free.any():
        return among
    rest = torch.where(free)[0]
    order = torch.cat([some, rest]).argsort()
    log_p, spread = vocabulary.score(states[rest], head, chosen[rest])
    return torch.cat([among[0], log_p])[order], torch.cat([among[1], spread])[order]


@contextmanager
def routed_states(
    model: LanguageModel,
    bank: AdapterBank,
    rows: Sequence[Row],
    work: Work | None = None,
    openings: Sequence[int] | None = None,
) -> Iterator[Tensor]:
    """Yield the hidden states [N, width] that predict the rows' choices, in order, under the current adapters.

    Equal agents must be adjacent. Inside, layers can be computed again, as checkpointing does in a backward. openings:
    how many tokens of each row may be shared, up to its first choice unless given. work: told what went through the
    model.
    """
    contexts = share_openings(
        [row.agent for row in rows],
        [row.ids for row in rows],
        openings or [row.choices[0].position for row in rows],
    )
    packed = pack(contexts.pieces, model.device, model.dtype)
    if work is not None:
        work.add(tuple(len(piece.ids) for piece in contexts.pieces), tuple(piece.start for piece in contexts.pieces))
    where = [contexts.locate(packed, i, c.position - 1) for i, row in enumerate(rows) for c in row.choices]
    with bank.routed(packed.agents, packed.lengths):
        hidden = model.packed_hidden(packed.ids, packed.positions, PackedLayout(packed))
        yield hidden[torch.tensor(where, device=model.device)]
