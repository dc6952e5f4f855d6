"""Samples constrained moves for many contexts at once over a key-value cache that is kept for a whole trial.

Knows tokens only: no games, no rewards. Every draw is keyed by the decision it belongs to, so what else is in the
batch changes nothing but rounding. The new tokens of the rows that ask are packed, so rows that don't ask, that ended
or that have less to read cost nothing; an opening that rows of one agent share goes through the model once. Left out:
free text.
"""

import weakref
from collections.abc import Mapping, Sequence
from os.path import commonprefix

import numpy as np
import torch
from torch import Tensor

from games.errors import RequestError
from mage.adapters import BASE, AdapterBank, segments
from mage.attention import CachedLayout, RowCache
from mage.codec import MoveTrie, Node
from mage.constrained import AllowedTokens, log_probs
from mage.contexts import Context, MoveReply, MoveRequest, TokenChoice
from mage.keys import PlayKeys
from mage.models import LanguageModel
from mage.packing import SHARED_AT_LEAST, Piece, pack
from mage.work import Work


class ConstrainedSampler:
    """The built-in engine: one base model with an adapter bank."""

    def __init__(self, model: LanguageModel, bank: AdapterBank, capacity: int, merge: bool = False) -> None:
        """capacity: the tokens that a trial's context is expected to hold at most.

        merge: add an agent's product to the base's weights while it has a lane to itself.
        """
        self._model, self._bank, self._capacity, self._merge = model, bank, capacity, merge
        self._caches: list[tuple[weakref.ref[CachedLane], RowCache]] = []
        self.work = Work()

    @torch.inference_mode()
    def open(self, agents: Sequence[str]) -> "CachedLane":
        """Return an empty lane with a row per agent; equal agents must be adjacent.

        A lane takes over the cache of an earlier one that nobody holds any more, so memory is that of the lanes in use.
        """
        fitting = (i for i, (owner, kept) in enumerate(self._caches) if owner() is None and kept.rows == len(agents))
        free = next(fitting, None)
        if free is None:  # what is free and does not fit now would lie there unused
            self._caches = [(owner, kept) for owner, kept in self._caches if owner() is not None]
            cache = RowCache(self._model.layers, len(agents), self._capacity)
        else:
            _, cache = self._caches.pop(free)
            cache.clear()
        lane = CachedLane(self._model, self._bank, agents, cache, self.work, self._merge)
        self._caches.append((weakref.ref(lane), cache))
        return lane


class CachedLane:
    """A batch of contexts, each with its row of the cache."""

    @torch.inference_mode()
    def __init__(
        self,
        model: LanguageModel,
        bank: AdapterBank,
        agents: Sequence[str],
        cache: RowCache,
        work: Work,
        merge: bool,
    ) -> None:
        """Stack the agents' weights, which stay as they are while the lane is in use."""
        self._model, self._bank, self._cache, self._work = model, bank, cache, work
        self._agents = tuple(agents)
        distinct = tuple(run.agent for run in segments(agents))
        if len(set(distinct)) < len(distinct):
            raise ValueError(f"got rows of {distinct}, expected equal agents side by side")
        alone = merge and len(distinct) == 1 and distinct[0] != BASE
        self._merged = bank.merged(distinct[0]) if alone else None
        self._stack = bank.stack((BASE,) if alone else distinct)
        self._contexts: list[Context | None] = [None] * len(agents)
        self._cached = [0] * len(agents)  # tokens of the row's context that are in the cache

    def choose(self, requests: Mapping[int, MoveRequest], keys: PlayKeys) -> dict[int, MoveReply]:
        """Sample a move for each requesting row and append its tokens to the row's context."""
        self._admit(requests)
        moves = {row: _Move(request, self._model.codec.trie(request.legal)) for row, request in requests.items()}
        open_rows = [row for row in sorted(moves) if moves[row].node.move is None]
        while open_rows:
            new = {row: tuple(self._context(row).ids[self._cached[row] :]) for row in open_rows}
            hidden = self._forward(new)
            allowed = AllowedTokens.of([moves[row].node.allowed for row in open_rows], hidden.device)
            log_p = log_probs(hidden, self._model.head, allowed).cpu().numpy()
            draws = np.array([moves[row].draw(keys) for row in open_rows])
            picks = sample(log_p, draws).tolist()
            for row, pick, logs, shares in zip(open_rows, picks, log_p.tolist(), np.exp(log_p).tolist(), strict=True):
                moves[row].take(pick, logs, shares)
            open_rows = [row for row in open_rows if moves[row].node.move is None]
        return {row: move.reply() for row, move in moves.items()}

    @torch.inference_mode()
    def _admit(self, requests: Mapping[int, MoveRequest]) -> None:
        """Give rows to contexts that are new to them, and read what such contexts of an agent share once."""
        fresh: dict[tuple[str, int], list[int]] = {}
        for row, request in sorted(requests.items()):
            if self._contexts[row] is not request.context:
                self._contexts[row] = request.context
                self._cached[row] = 0
                fresh.setdefault((self._agents[row], request.context.seat), []).append(row)
        openings = {}
        for rows in fresh.values():
            texts = [self._context(row).ids for row in rows]
            shared = min(len(commonprefix(texts)), min(map(len, texts)) - 1)  # each row keeps a token to predict from
            if len(rows) > 1 and shared >= SHARED_AT_LEAST:
                openings[rows[0]] = (tuple(texts[0][:shared]), rows)
        if openings:
            self._forward({row: ids for row, (ids, _) in sorted(openings.items())})
            for first, (ids, rows) in openings.items():
                others = torch.tensor(rows[1:], device=self._model.device)
                self._cache.copy(first, others, len(ids))
                for row in rows:
                    self._cached[row] = len(ids)

    @torch.inference_mode()
    def _forward(self, new: Mapping[int, tuple[int, ...]]) -> Tensor:
        """Run the rows' new tokens through the model; returns the hidden state of each row's last, [R, width]."""
        rows, device = list(new), self._model.device
        agents = [self._agents[row] for row in rows]
        pieces = [Piece(agent, new[row], self._cached[row]) for row, agent in zip(rows, agents, strict=True)]
        longest, most = max(piece.start + len(piece.ids) for piece in pieces), self._model.max_tokens
        if longest > most:  # outside matrix games what a trial takes is estimated before it starts
            raise RequestError(
                f"a context came to {longest} tokens, {self._model.name} reads {most} at most; ask for fewer episodes "
                "or a shorter game"
            )
        packed = pack(pieces, device, self._model.dtype)
        lengths = torch.tensor([len(piece.ids) for piece in pieces], device=device)
        layout = CachedLayout(packed, self._cache, torch.tensor(rows, device=device), lengths)
        route = [BASE] * len(rows) if self._merged is not None else agents
        with self._bank.routed(route, packed.lengths, stack=self._stack, merged=self._merged):
            hidden = self._model.packed_hidden(packed.ids, packed.positions, layout)
        self._work.add(tuple(len(piece.ids) for piece in pieces), tuple(piece.start for piece in pieces))
        for row, piece in zip(rows, pieces, strict=True):
            self._cached[row] += len(piece.ids)
        return hidden[torch.tensor(packed.starts, device=device) + lengths - 1]

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

    def take(self, pick: int, log_p: list[float], probabilities: list[float]) -> None:
        """Book the chosen token; log_p, probabilities: [K] of the allowed ones, perhaps padded."""
        context, allowed, first = self._request.context, self.node.allowed, self._trie.first_token
        if first is not None and self._depth == 0 and self.node is self._trie.root:
            self._probabilities = tuple(probabilities[allowed.index(token)] for token in first)
        context.choices.append(
            TokenChoice(len(context.ids), allowed, pick, log_p[pick], self._request.episode, self._request.turn)
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
