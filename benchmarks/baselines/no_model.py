"""Rollouts without a model: moves are drawn evenly, so what is left is the time of games, text and bookkeeping.

An upper bound of what stepping and rendering the games take: the scheduler's own work and the keyed draws are in it.
"""

from collections.abc import Mapping, Sequence

from mage.codec import Codec
from mage.contexts import MoveReply, MoveRequest
from mage.keys import PlayKeys


class EvenSampler:
    """Every legal move is as likely; also its own lane, since it keeps nothing."""

    def __init__(self, codec: Codec) -> None:
        """codec: writes the moves into the contexts, as the real sampler does."""
        self._codec = codec

    def open(self, agents: Sequence[str]) -> "EvenSampler":
        """Return a lane."""
        return self

    def choose(self, requests: Mapping[int, MoveRequest], keys: PlayKeys) -> dict[int, MoveReply]:
        """Draw a move for each row."""
        replies = {}
        for row, request in requests.items():
            draw = keys.move(request.stream, request.context.seat, request.episode, request.turn)
            move = request.legal[int(draw * len(request.legal))]
            request.context.ids.extend(self._codec.encode_move(move))
            replies[row] = MoveReply(move, None)
        return replies
