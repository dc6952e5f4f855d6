"""Samples moves and free text for many contexts at once over a key-value cache that is kept for a whole trial.

Knows tokens only: no games, no rewards. Every draw is keyed by the decision it belongs to, so what else is in the
batch changes nothing but rounding. The new tokens of the rows that ask are packed, so rows that don't ask, that ended
or that have less to read cost nothing; an opening that rows of one agent share goes through the model once. Left out:
what is written, token by token (`mage.writing`).
"""

import weakref
from collections.abc import Mapping, Sequence
from os.path import commonprefix

import numpy as np
import torch
from torch import Tensor

from games.errors import RequestError
from mage import vocabulary
from mage.adapters import BASE, AdapterBank, segments
from mage.attention import CachedLayout, RowCache
from mage.constrained import AllowedTokens, log_probs
from mage.contexts import Context, Reply, Request
from mage.keys import PlayKeys
from mage.models import LanguageModel
from mage.packing import SHARED_AT_LEAST, Piece, pack
from mage.work import Work
from mage.writing import Writing, begin


class CachedSampler:
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

    def choose(self, requests: Mapping[int, Request], keys: PlayKeys) -> dict[int, Reply]:
        """Answer each requesting row, and append to its context what was sampled for it."""
        self._admit(requests)
        writings = {row: begin(request, self._model.codec) for row, request in sorted(requests.items())}
        while unfinished := [row for row, writing in writings.items() if not writing.done]:
            hidden = self._forward({row: tuple(self._context(row).ids[self._cached[row] :]) for row in unfinished})
            moves = [i for i, row in enumerate(unfinished) if writings[row].allowed is not None]
            texts = [i for i, row in enumerate(unfinished) if writings[row].allowed is None]
            if moves:
                self._take_moves([writings[unfinished[i]] for i in moves], _some(hidden, moves), keys)
            if texts:
                self._take_tokens([writings[unfinished[i]] for i in texts], _some(hidden, texts), keys)
        return {row: writing.reply() for row, writing in writings.items()}

    def _take_moves(self, writings: Sequence[Writing], hidden: Tensor, keys: PlayKeys) -> None:
        """Draw each a token among those allowed; hidden: [R, width]."""
        allowed = AllowedTokens.of([writing.allowed or () for writing in writings], hidden.device)
        log_p = log_probs(hidden, self._model.head, allowed).cpu().numpy()
        picks = sample(log_p, np.array([writing.draw(keys) for writing in writings])).tolist()
        for writing, pick, logs, shares in zip(writings, picks, log_p.tolist(), np.exp(log_p).tolist(), strict=True):
            writing.take(pick, logs[pick], shares)

    def _take_tokens(self, writings: Sequence[Writing], hidden: Tensor, keys: PlayKeys) -> None:
        """Draw each a token of the vocabulary; hidden: [R, width]."""
        draws = [writing.draw(keys) for writing in writings]
        picks, log_p = vocabulary.sample(hidden, self._model.head, draws)
        for writing, pick, log in zip(writings, picks, log_p, strict=True):
            writing.take(pick, log, ())

    @torch.inference_mode()
    def _admit(self, requests: Mapping[int, Request]) -> None:
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


def _some(hidden: Tensor, rows: Sequence[int]) -> Tensor:
    """Return the named rows of hidden [R, width]; all of them as they are."""
    return hidden if len(rows) == len(hidden) else hidden[torch.tensor(rows, device=hidden.device)]


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
