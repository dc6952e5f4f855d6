"""Samples constrained moves for many contexts at once over a key-value cache that is kept for a whole trial.

Knows tokens only: no games, no rewards. Every draw is keyed by the decision it belongs to, so what else is in the
batch changes nothing but rounding. Left out: free text, shared prefixes, compaction of ended rows.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from mage.adapters import AdapterBank
from mage.cache import attention_mask, buffer_cache
from mage.codec import MoveTrie, Node
from mage.constrained import AllowedTokens, log_probs
from mage.contexts import Context, MoveReply, MoveRequest, TokenChoice
from mage.keys import PlayKeys
from mage.models import LanguageModel

ROW_UNIT = 8  # rows are padded to a multiple: matrix kernels round differently at 1 and 3 rows than at 8


class ConstrainedSampler:
    """The built-in engine: one base model with an adapter bank."""

    def __init__(self, model: LanguageModel, bank: AdapterBank, capacity: int) -> None:
        """capacity: the tokens that a trial's context is expected to hold at most."""
        self._model, self._bank, self._capacity = model, bank, capacity

    def open(self, agents: Sequence[str]) -> "CachedLane":
        """Return an empty lane with a row per agent; equal agents must be adjacent."""
        return CachedLane(self._model, self._bank, agents, self._capacity)


class CachedLane:
    """A batch of contexts, each with its row of the cache."""

    def __init__(self, model: LanguageModel, bank: AdapterBank, agents: Sequence[str], capacity: int) -> None:
        """Reserve rows; the cache is allocated by the first forward."""
        padding = -len(agents) % ROW_UNIT
        self._model, self._bank = model, bank
        self._agents = [*agents, *([agents[-1]] * padding)]
        self._cache = buffer_cache(model.layers, capacity)
        self._valid = torch.zeros(len(self._agents), 0, dtype=torch.bool, device=model.device)
        self._contexts: list[Context | None] = [None] * len(self._agents)
        self._cached = [0] * len(self._agents)  # tokens of the row's context that are in the cache

    def choose(self, requests: Mapping[int, MoveRequest], keys: PlayKeys) -> dict[int, MoveReply]:
        """Sample a move for each requesting row and append its tokens to the row's context."""
        self._admit(requests)
        moves = {row: _Move(request, self._model.codec.trie(request.legal)) for row, request in requests.items()}
        open_rows = [row for row in sorted(moves) if moves[row].node.move is None]
        while open_rows:
            hidden = self._forward(open_rows)
            allowed = AllowedTokens.of([moves[row].node.allowed for row in open_rows], hidden.device)
            log_p = log_probs(hidden, self._model.head, allowed).cpu().numpy()
            draws = np.array([moves[row].draw(keys) for row in open_rows])
            picks = sample(log_p, draws)
            for i, row in enumerate(open_rows):
                moves[row].take(int(picks[i]), log_p[i])
            open_rows = [row for row in open_rows if moves[row].node.move is None]
        return {row: move.reply() for row, move in moves.items()}

    @torch.inference_mode()
    def _admit(self, requests: Mapping[int, MoveRequest]) -> None:
        """Give a row to a context that is new to it."""
        fresh = [row for row, request in requests.items() if self._contexts[row] is not request.context]
        for row in fresh:
            self._contexts[row] = requests[row].context
            self._cached[row] = 0
        if not any(self._cached):
            self._cache.reset()
            self._valid = self._valid[:, :0]
        elif fresh:
            self._valid[fresh] = False

    @torch.inference_mode()
    def _forward(self, rows: Sequence[int]) -> Tensor:
        """Run the rows' new tokens through the model; returns the hidden state of each row's last, [N, width]."""
        new = {row: self._context(row).ids[self._cached[row] :] for row in rows}
        width = max(len(tokens) for tokens in new.values())
        shape = (len(self._agents), width)
        ids, valid = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool)
        for row, tokens in new.items():
            ids[row, : len(tokens)] = tokens
            valid[row, : len(tokens)] = True
        device = self._model.device
        positions = torch.tensor(self._cached, device=device)[:, None] + torch.arange(width, device=device)
        self._valid = torch.cat([self._valid, torch.from_numpy(valid).to(device)], dim=1)
        with self._bank.routed(self._agents):
            hidden = self._model.hidden(
                torch.from_numpy(ids).to(device), positions, attention_mask(self._valid, width), self._cache
            )
        for row, tokens in new.items():
            self._cached[row] += len(tokens)
        last = torch.tensor([len(new[row]) - 1 for row in rows], device=device)
        return hidden[torch.tensor(rows, device=device), last]

    def _context(self, row: int) -> Context:
        context = self._contexts[row]
        assert context is not None
        return context


class _Move:
    """A move on its way down the trie."""

    def __init__(self, request: MoveRequest, trie: MoveTrie) -> None:
        self._request, self._trie = request, trie
        self.node: Node = trie.root
        self._depth = 0
        self._probabilities: tuple[float, ...] | None = None
        self._force()

    def _force(self) -> None:
        """Walk down while there is nothing to choose; such tokens need no forward and are not trained."""
        while self.node.move is None and len(self.node.allowed) == 1:
            self._append(self.node.allowed[0])

    def _append(self, token: int) -> None:
        self._request.context.ids.append(token)
        self.node = self.node.children[token]

    def draw(self, keys: PlayKeys) -> float:
        request = self._request
        return keys.move(request.stream, request.context.seat, request.episode, request.turn, self._depth)

    def take(self, pick: int, log_p: np.ndarray) -> None:
        """Book the chosen token; log_p: [K] of the allowed ones."""
        context, allowed = self._request.context, self.node.allowed
        if self._depth == 0 and self.node is self._trie.root and self._trie.first_token is not None:
            self._probabilities = tuple(float(np.exp(log_p[allowed.index(t)])) for t in self._trie.first_token)
        context.choices.append(
            TokenChoice(len(context.ids), allowed, pick, float(log_p[pick]), self._request.episode, self._request.turn)
        )
        self._depth += 1
        self._append(allowed[pick])
        self._force()

    def reply(self) -> MoveReply:
        assert self.node.move is not None
        return MoveReply(self._trie.moves[self.node.move], self._probabilities)


def sample(log_p: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Invert the cumulative distribution.

    log_p: [N, K] log-probabilities, -inf where padded; draws: [N] in [0, 1). Returns [N] indices; a padded or
    impossible entry is never returned, whatever the rounding of the sum.
    """
    cumulative = np.exp(log_p.astype(np.float64)).cumsum(axis=1)
    picks = (cumulative <= (draws * cumulative[:, -1])[:, None]).sum(axis=1)
    last = (cumulative < cumulative[:, -1:]).sum(axis=1)  # the last entry that adds anything
    result: np.ndarray = np.minimum(picks, last)
    return result
