"""What a sampler is in the middle of writing for one context: a move among legal ones, or free text.

Both take tokens one by one, append them to the context, and book those that were chosen. Left out: the model, and how
a token is drawn (`mage.sampler`).
"""

from collections.abc import Sequence
from typing import Literal, Protocol

from mage.codec import Codec, MoveTrie, Node
from mage.contexts import MoveReply, MoveRequest, Reply, Request, TextReply, TextRequest, TokenChoice
from mage.keys import PlayKeys

TAIL = 16  # tokens in which a text that ends a reply is looked for; one has fewer


class Writing(Protocol):
    """A request that is being answered."""

    @property
    def allowed(self) -> tuple[int, ...] | None:
        """What the next token is chosen from; None: the whole vocabulary."""

    @property
    def done(self) -> bool:
        """Whether there is nothing left to choose."""

    def draw(self, keys: PlayKeys) -> float:
        """Return the number in [0, 1) that decides on the next token."""
        ...

    def take(self, pick: int, log_p: float, probabilities: Sequence[float]) -> None:
        """Book the next token: an index into `allowed`, or an id of the vocabulary.

        log_p: of the pick, nats; probabilities: of all that was allowed, perhaps padded, empty for the vocabulary.
        """
        ...

    def reply(self) -> Reply:
        """Return what came of it, once it is done."""
        ...


class Move:
    """A move on its way down the trie."""

    def __init__(self, request: MoveRequest, trie: MoveTrie) -> None:
        """trie: of the legal moves."""
        self._request, self._trie = request, trie
        self._node: Node = trie.root
        self._depth = request.depth
        self._probabilities: tuple[float, ...] | None = None
        self._force()

    @property
    def allowed(self) -> tuple[int, ...]:
        """See `Writing`."""
        return self._node.allowed

    @property
    def done(self) -> bool:
        """See `Writing`."""
        return self._node.move is not None

    def _force(self) -> None:
        """Walk down while there is nothing to choose; such tokens need no forward and are not trained."""
        while self._node.move is None and len(self._node.allowed) == 1:
            self._append(self._node.allowed[0])

    def _append(self, token: int) -> None:
        self._request.context.ids.append(token)
        self._node = self._node.children[token]

    def draw(self, keys: PlayKeys) -> float:
        """See `Writing`."""
        return _draw(keys, self._request, self._depth)

    def take(self, pick: int, log_p: float, probabilities: Sequence[float]) -> None:
        """See `Writing`."""
        request, allowed, first = self._request, self._node.allowed, self._trie.first_token
        if first is not None and self._node is self._trie.root:
            self._probabilities = tuple(probabilities[allowed.index(token)] for token in first)
        ids = request.context.ids
        request.context.choices.append(TokenChoice(len(ids), allowed, pick, log_p, request.episode, request.turn))
        self._depth += 1
        self._append(allowed[pick])
        self._force()

    def reply(self) -> MoveReply:
        """Return the move."""
        assert self._node.move is not None
        return MoveReply(self._trie.moves[self._node.move], self._probabilities)


class Text:
    """Free text, until something ends it."""

    def __init__(self, request: TextRequest, codec: Codec) -> None:
        """codec: reads back what was written."""
        self._request, self._codec = request, codec
        self._begun = len(request.context.ids)
        self._ending: Literal["stop", "turn", "control", "budget"] | None = None

    allowed = None

    @property
    def done(self) -> bool:
        """See `Writing`."""
        return self._ending is not None

    @property
    def _tokens(self) -> int:
        return len(self._request.context.ids) - self._begun

    def draw(self, keys: PlayKeys) -> float:
        """See `Writing`."""
        return _draw(keys, self._request, self._request.depth + self._tokens)

    def take(self, pick: int, log_p: float, probabilities: Sequence[float]) -> None:
        """See `Writing`."""
        request, codec = self._request, self._codec
        ids = request.context.ids
        request.context.choices.append(TokenChoice(len(ids), None, pick, log_p, request.episode, request.turn))
        ids.append(pick)
        if pick in codec.controls:
            self._ending = "turn" if not codec.plain and pick == codec.end[0] else "control"
        elif request.stop and request.stop in codec.decode(ids[max(self._begun, len(ids) - TAIL) :]):
            self._ending = "stop"
        elif self._tokens >= request.budget:
            self._ending = "budget"

    def reply(self) -> TextReply:
        """Return the text up to what ended it."""
        assert self._ending is not None
        written = self._request.context.ids[self._begun :]
        if self._ending in ("turn", "control"):
            written = written[:-1]
        text = self._codec.decode(written)
        if self._ending == "stop":
            text = text.partition(self._request.stop)[0]
        return TextReply(text, self._tokens, self._ending)


def begin(request: Request, codec: Codec) -> Writing:
    """Return what answers a request."""
    if isinstance(request, MoveRequest):
        return Move(request, codec.trie(request.legal))
    return Text(request, codec)


def _draw(keys: PlayKeys, request: Request, depth: int) -> float:
    return keys.move(request.stream, request.context.seat, request.episode, request.turn, depth)
