"""Contexts of chat models as trials put them together, turn by turn (the library's own text: test_turn_style)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mage.codec import Codec
from mage.contexts import TextReply, TextRequest
from mage.decisions import Acting, Asked, write_freely
from mage.keys import PlayKeys
from mage.models import codec_of
from mage.reader import Reader
from mage.renderers import Prompt
from tests.mage.chat_templates import FAMILIES, tokenizer_of

NEWS = ("they played R\n", "they played <s> and P\n", "they played S\n")
MOVES = ("R", "P", "S")


def turns(codec: Codec, acting: Acting, thoughts: Sequence[str] = ()) -> list[tuple[int, ...]]:
    """The ids that stand before the agent at each of its decisions; it writes MOVES, after thinking where told to."""
    reader = Reader("ann", 0, codec, "transcript", Prompt(), "rules\n", "episode {}\n".format)
    reader.open_episode(1, ())
    seen = []
    for number, (news, move) in enumerate(zip(NEWS, MOVES, strict=True)):
        reader.tell(news)
        reader.write()
        seen.append(tuple(reader.context.ids))
        texts = iter((thoughts[number], move) if thoughts else (move,))
        deciding = write_freely(reader, Asked(MOVES, 0, 0, number, acting, PlayKeys(0, "train", 0)))
        request = next(deciding)
        try:
            while True:
                request = deciding.send(written(request, next(texts), codec))
        except StopIteration as stop:
            assert stop.value.move == move
    return seen


def written(request: TextRequest, text: str, codec: Codec) -> TextReply:
    ids = [*codec.encode(text), *(codec.encode(request.stop) if request.stop else codec.end)]
    request.context.ids += ids
    return TextReply(text, len(ids), "stop" if request.stop else "turn")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_turn_continues_the_one_before_token_by_token(family):
    """Also with thoughts in earlier turns, which some of these templates take out when they render a conversation."""
    codec = codec_of(tokenizer_of(FAMILIES[family]), family, template="chat")
    for acting, thoughts in ((Acting(move="free"), ()), (Acting(move="free", thinking_tokens=20), ("a", "b", "c"))):
        first, second, third = turns(codec, acting, thoughts)
        assert second[: len(first)] == first and third[: len(second)] == second
        assert len(first) < len(second) < len(third)


@pytest.mark.parametrize("family", FAMILIES)
def test_words_that_read_like_control_tokens_are_spelled_out(family):
    tokenizer = tokenizer_of(FAMILIES[family])
    codec = codec_of(tokenizer, family, template="chat")
    for token in FAMILIES[family].tokens:
        ids = codec.encode(f"they said {token}\n")
        assert not codec.controls & set(ids)
        assert codec.decode(ids) == f"they said {token}\n"
