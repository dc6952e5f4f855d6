"""Text to token ids and back, segment by segment, and the tries of legal moves.

A segment is encoded once and never re-merged with its neighbour, so the ids of one turn are a prefix of the next
turn's (design, decision 4). A move is encoded together with what ends it; moves that are prefixes of one another
therefore differ (decision 5). Control tokens are what a turn style says; in any other text they are spelled out, so
that nothing which a game or an agent says can pass for one. Left out: where a style comes from (`mage.turn_style`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar

from games.errors import RequestError
from mage.turn_style import PLAIN, TurnStyle

MOST_TEXTS = 1 << 16  # that are remembered with their ids
MOST_TRIES = 1 << 12  # of sets of legal moves; a large one takes 20 kB

K = TypeVar("K")
V = TypeVar("V")


class Tokenizer(Protocol):
    """What the codec needs of a tokenizer; a Hugging Face fast tokenizer serves."""

    def encode(self, text: str, *, add_special_tokens: bool = ..., split_special_tokens: bool = ...) -> list[int]:
        """Return the ids of the text; split_special_tokens: spell out what reads like a control token."""
        ...

    def decode(self, ids: Sequence[int], *, clean_up_tokenization_spaces: bool = ...) -> str:
        """Return the text of the ids."""
        ...


@dataclass(slots=True)
class Node:
    """A trie node: `children` maps a token id to the next node; a leaf carries the index of its move."""

    children: dict[int, "Node"] = field(default_factory=dict)
    move: int | None = None
    allowed: tuple[int, ...] = ()  # the children's ids in order of first insertion


@dataclass(frozen=True, slots=True)
class MoveTrie:
    """The legal moves of one decision as token sequences."""

    root: Node
    moves: tuple[str, ...]
    first_token: tuple[int, ...] | None  # per move, where one token tells all moves apart; else None


class Codec:
    """Encodes segments and moves with one tokenizer; texts and sets of moves that come again are not encoded again."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        start: tuple[int, ...],
        style: TurnStyle = PLAIN,
        controls: frozenset[int] = frozenset(),
    ) -> None:
        """start: the ids that open every context in plain text, such as the beginning of text.

        style: how what the agent reads and what it writes are set apart. controls: the ids of all control tokens.
        """
        self._tokenizer = tokenizer
        self._segments: dict[str, tuple[int, ...]] = {"": ()}
        self._tries: dict[tuple[str, ...], MoveTrie] = {}
        self.style, self.controls = style, controls
        self.plain = style == PLAIN
        self.start = start if self.plain else self.control(style.start)  # what opens a context without a system text
        self.ask = self.control(style.ask)  # from what the agent reads to where it writes
        self.skip = self.control(style.skip)  # there, where it doesn't think
        self.told = self.control(style.told)  # from its own text's end to what it reads next
        self.stop = style.end if self.plain else ""  # the text that ends the agent's own; "": a control token does

    @cached_property
    def end(self) -> tuple[int, ...]:
        """Return the ids that end the agent's own text."""
        return self.encode(self.style.end) if self.plain else self.control(self.style.end)

    def opening(self, system: str = "") -> tuple[int, ...]:
        """Return the ids that every context begins with, up to where the text of the game goes."""
        style = self.style
        if self.plain or not system:
            return self.start + self.encode(system)
        if style.start_system is None:  # no role of its own: it opens the first text
            return self.start + self.encode(system + "\n")
        return self.control(style.start_system) + self.encode(system.rstrip("\n")) + self.control(style.after_system)

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the ids of one segment."""
        ids = self._segments.get(text)
        if ids is None:
            ids = tuple(self._tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True))
            _keep(self._segments, text, ids, MOST_TEXTS)
        return ids

    def control(self, text: str) -> tuple[int, ...]:
        """Return the ids of a turn style's text, whose control tokens are single tokens."""
        return tuple(self._tokenizer.encode(text, add_special_tokens=False)) if text else ()

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of the ids, as it was put together from segments."""
        return self._tokenizer.decode(ids, clean_up_tokenization_spaces=False)

    def encode_move(self, move: str) -> tuple[int, ...]:
        """Return the ids of a move, or of another text of the agent's own, with what ends it."""
        if self.plain:
            return self.encode(move + self.style.end)  # as one segment: a small tokenizer has a token for it
        return self.encode(move) + self.end

    def trie(self, moves: tuple[str, ...]) -> MoveTrie:
        """Return the trie of the legal moves; colliding encodings are an error."""
        trie = self._tries.get(moves)
        if trie is None:
            trie = _build(moves, [self.encode_move(move) for move in moves])
            _keep(self._tries, moves, trie, MOST_TRIES)
        return trie


def _keep(kept: dict[K, V], key: K, value: V, most: int) -> None:
    """Remember a value; where there are too many, as in chess, all others are forgotten."""
    if len(kept) >= most:
        kept.clear()
    kept[key] = value


def _build(moves: tuple[str, ...], encodings: list[tuple[int, ...]]) -> MoveTrie:
    root = Node()
    for index, ids in enumerate(encodings):
        node = root
        for token in ids:
            if node.move is not None:
                raise _collision(moves[node.move], moves[index])
            node = node.children.setdefault(token, Node())
        if node.move is not None or node.children:
            raise _collision(moves[index], moves[node.move] if node.move is not None else "a longer move")
        node.move = index
    _finish(root)
    first = tuple(ids[0] for ids in encodings)
    return MoveTrie(root, moves, first if len(set(first)) == len(first) else None)


def _finish(node: Node) -> None:
    node.allowed = tuple(node.children)
    for child in node.children.values():
        _finish(child)


def _collision(one: str, other: str) -> RequestError:
    return RequestError(
        f"the tokenizer encodes the moves {one!r} and {other!r} alike or one inside the other; "
        "rename one of the moves or use another model"
    )
