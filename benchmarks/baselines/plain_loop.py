"""Rollouts as a competent user of transformers and PEFT would write them, without this project.

One PeftModel holds all adapters. Each turn the contexts of one agent are a batch: `set_adapter`, the whole text so far,
padded on the left, `generate` with sampling, and the reply is parsed; what is no legal move becomes a random one.
Games, opponents and the order of play are exactly ours, since this is a `mage.scheduler.Sampler`: only the
model's side differs. Where a choice had to be made it was made in the loop's favour: it writes the longest move's
tokens and two more (nothing keeps the model from a leading space or line break), rows of one agent always share a
batch, and prompts are ids already, so that nothing is tokenised twice.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from peft import PeftModel
from torch import Tensor
from transformers import PreTrainedModel

from mage.codec import Codec
from mage.contexts import MoveReply, MoveRequest
from mage.keys import PlayKeys

PAD = 0  # masked out, so any id serves
ROOM = 2  # new tokens beyond those of the longest move


def load(network: PreTrainedModel, folders: Mapping[str, Path]) -> PeftModel:
    """Return the base with every agent's adapter; the base is changed."""
    (first, folder), *others = folders.items()
    peft = PeftModel.from_pretrained(network, str(folder), adapter_name=first, is_trainable=True)
    for name, other in others:
        peft.load_adapter(str(other), adapter_name=name, is_trainable=True)
    return peft.eval()


class PlainSampler:
    """Answers with `generate`, one agent after the other."""

    def __init__(self, peft: PeftModel, codec: Codec) -> None:
        """peft: holds an adapter for every agent by its name."""
        self._peft, self._codec = peft, codec

    def open(self, agents: Sequence[str]) -> "PlainLane":
        """Return the rows of these agents."""
        return PlainLane(self._peft, self._codec)


class PlainLane:
    """Keeps nothing between turns: every prompt is read again."""

    def __init__(self, peft: PeftModel, codec: Codec) -> None:
        """See `PlainSampler`."""
        self._peft, self._codec = peft, codec

    def choose(self, requests: Mapping[int, MoveRequest], keys: PlayKeys) -> dict[int, MoveReply]:
        """Generate a move for each row and write it into its context."""
        by_agent: dict[str, list[int]] = {}
        for row, request in requests.items():
            by_agent.setdefault(request.context.agent, []).append(row)
        replies = {}
        for agent, rows in by_agent.items():
            self._peft.set_adapter(agent)
            for row, written in zip(rows, self._generate([requests[row] for row in rows]), strict=True):
                request = requests[row]
                move = self._parse(written, request, keys)
                request.context.ids.extend(self._codec.encode_move(move))
                replies[row] = MoveReply(move, None)
        return replies

    def _generate(self, requests: Sequence[MoveRequest]) -> list[tuple[int, ...]]:
        ids, mask = left_padded([request.context.ids for request in requests], self._peft.device)
        longest = max(len(self._codec.encode_move(move)) for request in requests for move in request.legal)
        written = self._peft.generate(
            input_ids=ids, attention_mask=mask, max_new_tokens=longest + ROOM, do_sample=True, pad_token_id=PAD
        )
        return [tuple(row) for row in written[:, ids.shape[1] :].tolist()]

    def _parse(self, written: tuple[int, ...], request: MoveRequest, keys: PlayKeys) -> str:
        """Return the legal move that was written first, or a random legal one."""
        encoded = {move: self._codec.encode_move(move) for move in request.legal}
        for start in range(ROOM + 1):
            for move, ids in encoded.items():
                if written[start : start + len(ids)] == ids:
                    return move
        draw = keys.move(request.stream, request.context.seat, request.episode, request.turn)
        return request.legal[int(draw * len(request.legal))]


def left_padded(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Return ids and mask [R, T] of rows that end at the right edge."""
    width = max(len(row) for row in rows)
    ids = torch.tensor([[PAD] * (width - len(row)) + list(row) for row in rows], device=device)
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device)
    return ids, mask
