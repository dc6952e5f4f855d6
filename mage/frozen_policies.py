"""What an agent would play in every information state of a game, its memory being frozen.

All states are asked for at once. A state's text follows the memory, so the rows of one memory share it; states that lie
on one line of play share a row. Moves of several tokens are products over the branches of their trie, as in the sampler
(design, decision 5). Left out: what the policies are worth (`mage.exact_evaluation`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from games import exact
from games.aec import AECGame
from mage.adapters import AdapterBank
from mage.codec import Codec, MoveTrie, Node
from mage.contexts import Memory, TokenChoice
from mage.learner import microbatches
from mage.models import LanguageModel
from mage.renderers import Prompt
from mage.rows import Row
from mage.scoring import distributions

TOKENS_AT_ONCE = 1 << 17  # in one pass, the memory counted with each row: attention copies its keys

PLAIN_WORDS = Prompt()

Ids = tuple[int, ...]
Table = dict[str, tuple[float, ...]]  # probabilities of the legal moves by information state


@dataclass(frozen=True, slots=True)
class _Branch:
    """A choice between tokens, `ids` after the episode's header."""

    ids: Ids
    allowed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _State:
    """An information state: for each legal move the (branch, pick) that lead to it."""

    key: str
    moves: tuple[tuple[tuple[int, int], ...], ...]


class StateReader:
    """The information states of one seat, as tokens that may follow any memory."""

    def __init__(self, game: AECGame, codec: Codec, seat: int, prompt: Prompt = PLAIN_WORDS) -> None:
        """prompt: which asks no question. Raises RequestError for a game whose states can't be enumerated."""
        self._game, self._codec, self.seat, self._shown = game, codec, seat, prompt.observation_text
        found: dict[Ids, tuple[int, ...]] = {}
        reached: list[tuple[str, list[list[tuple[Ids, int]]]]] = []
        for state in exact.information_states(game, seat):
            told = exact.transcript(game, state)
            ids: list[int] = []
            for news, move in told.turns:
                ids += codec.encode(self._shown(news)) + codec.ask + codec.skip + codec.encode_move(move) + codec.told
            ids += codec.encode(self._shown(told.news)) + codec.ask + codec.skip
            reached.append((state.key, _walk(codec.trie(told.legal_moves), tuple(ids), found)))
        self._lines = _lines(found)
        number = {branch.ids: i for i, branch in enumerate(branch for line in self._lines for branch in line)}
        self._states = [
            _State(key, tuple(tuple((number[ids], pick) for ids, pick in path) for path in moves))
            for key, moves in reached
        ]

    def policies(
        self, model: LanguageModel, bank: AdapterBank, agent: str, memories: Sequence[Memory]
    ) -> Iterator[Table]:
        """Yield what the agent plays in every information state, for each memory in turn; equal ones are asked once."""
        distinct = list(dict.fromkeys(memories))
        longest = max((len(memory.ids) for memory in distinct), default=0)
        padded = sum(longest + len(line[-1].ids) for line in self._lines)
        step = max(1, TOKENS_AT_ONCE // max(padded, 1))
        tables: dict[Memory, Table] = {}
        for start in range(0, len(distinct), step):
            some = distinct[start : start + step]
            tables |= zip(some, self._ask(model, bank, agent, some), strict=True)
        return (tables[memory] for memory in memories)

    @torch.inference_mode()
    def _ask(self, model: LanguageModel, bank: AdapterBank, agent: str, memories: Sequence[Memory]) -> list[Table]:
        if not self._lines:  # nothing to choose anywhere
            return [self._table([]) for _ in memories]
        rows, openings = [], []
        for memory in memories:
            opening = memory.ids + self._codec.encode(self._game.episode_header(memory.header))
            for line in self._lines:
                choices = tuple(TokenChoice(len(opening) + len(b.ids), b.allowed, 0, 0.0, 0, 0) for b in line)
                rows.append(Row(agent, opening + line[-1].ids, choices, ()))
                openings.append(len(opening))
        logs = []
        for start, stop in microbatches([len(row.ids) for row in rows], TOKENS_AT_ONCE):
            logs += distributions(model, bank, rows[start:stop], openings[start:stop]).tolist()
        branches = len(logs) // len(memories)
        return [self._table(logs[start : start + branches]) for start in range(0, len(logs), branches)]

    def _table(self, logs: Sequence[Sequence[float]]) -> Table:
        """Return the probabilities of moves, given the log-probabilities [branches][tokens]."""
        return {
            state.key: tuple(math.exp(sum(logs[branch][pick] for branch, pick in path)) for path in state.moves)
            for state in self._states
        }


def _walk(trie: MoveTrie, before: Ids, found: dict[Ids, tuple[int, ...]]) -> list[list[tuple[Ids, int]]]:
    """Book every choice of the trie in `found`, and return the choices that lead to each move."""
    paths: list[list[tuple[Ids, int]]] = [[] for _ in trie.moves]

    def descend(node: Node, ids: Ids, path: list[tuple[Ids, int]]) -> None:
        """Go down from a node that `ids` lead to, by the choices in `path`."""
        if node.move is not None:
            paths[node.move] = path
            return
        choosing = len(node.allowed) > 1
        if choosing:
            found[ids] = node.allowed
        for pick, token in enumerate(node.allowed):
            descend(node.children[token], (*ids, token), [*path, (ids, pick)] if choosing else path)

    descend(trie.root, before, [])
    return paths


def _lines(found: dict[Ids, tuple[int, ...]]) -> list[tuple[_Branch, ...]]:
    """Put the branches that are beginnings of one another into one line, the shortest first."""
    lines: list[list[_Branch]] = []
    for ids in sorted(found, reverse=True):  # what goes on comes right before what it goes on from
        if not lines or lines[-1][0].ids[: len(ids)] != ids:
            lines.append([])
        lines[-1].insert(0, _Branch(ids, found[ids]))
    return [tuple(line) for line in lines]
