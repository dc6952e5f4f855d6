"""How an agent comes to a move, with the replies given: what is asked, what stands in the context, what is booked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mage.codec import Codec
from mage.contexts import MoveReply, MoveRequest, Request, TextReply, TextRequest
from mage.decisions import Acting, Asked, Decision, reflect, think_then_choose, write_freely
from mage.keys import PlayKeys
from mage.reader import Reader
from mage.renderers import Prompt
from mage.turn_style import TurnStyle

LEGAL = ("R", "P", "S")
BARE = Prompt()
CHAT = TurnStyle("<u>", None, "", "</u><a>", "|", "<u>", ("<think>", "</think>\n"), "<none>")


def reader_of(codec: Codec, memory: str = "transcript", prompt: Prompt = BARE) -> Reader:
    reader = Reader("ann", 0, codec, memory, prompt, "rules\n", "episode {}\n".format)
    reader.open_episode(1, ())
    reader.write()
    return reader


def answered(deciding, reader: Reader, replies: Sequence[str]) -> tuple[Decision, list[Request]]:
    """Drive a decision with given texts; "..." at the end of one stands for the budget cutting it off."""
    asked: list[Request] = []
    waiting = iter(replies)
    try:
        request = next(deciding)
        while True:
            asked.append(request)
            request = deciding.send(reply_to(request, next(waiting), reader.codec))
    except StopIteration as stop:
        return stop.value, asked


def reply_to(request: Request, text: str, codec: Codec):
    if isinstance(request, MoveRequest):
        request.context.ids += codec.encode_move(text)
        return MoveReply(text, (1.0, 0.0, 0.0))
    cut = text.endswith("...")
    text = text.removesuffix("...")
    end = "" if cut else (request.stop or codec.style.end)
    request.context.ids += codec.encode(text + end)
    return TextReply(text, len(text) + len(end), "budget" if cut else "stop" if request.stop else "turn")


def asked_for(acting: Acting) -> Asked:
    return Asked(LEGAL, 7, 0, 2, acting, PlayKeys(0, "train", 0))


def text_of(reader: Reader) -> str:
    return reader.codec.decode(reader.context.ids).partition("episode 1\n")[2]


def test_a_legal_reply_is_a_move_and_what_was_said_stands_in_the_context(spelling):
    reader = reader_of(spelling)
    decision, (request,) = answered(write_freely(reader, asked_for(Acting(move="free"))), reader, ["I play R."])
    assert decision == Decision("R", None, said="I play R.\n")
    assert isinstance(request, TextRequest) and (request.budget, request.turn, request.depth) == (16, 2, 0)
    assert text_of(reader) == "I play R.\n"


def test_a_failed_try_is_told_why_and_tried_again(spelling):
    reader = reader_of(spelling, prompt=Prompt(legal_moves="list"))
    acting = Acting(move="free", retries=2)
    decision, requests = answered(write_freely(reader, asked_for(acting)), reader, ["R or P", "S"])
    assert (decision.move, decision.illegal, decision.randomised) == ("S", ("several_named",), False)
    assert decision.said == "R or P\nmore than one legal move was named\nmoves: R P S\nS\n"
    assert [request.depth for request in requests] == [0, 7]  # draws are never keyed alike: six characters and an end


def test_after_the_last_try_an_agent_forfeits_or_a_legal_move_is_drawn(spelling):
    reader = reader_of(spelling)
    decision, _ = answered(write_freely(reader, asked_for(Acting(move="free"))), reader, ["no idea"])
    assert (decision.move, decision.illegal) == ("", ("none_named",))
    drawn = Acting(move="free", on_illegal="random")
    decision, _ = answered(write_freely(reader, asked_for(drawn)), reader, ["no idea"])
    assert decision.move in LEGAL and decision.randomised
    reader.write()
    assert text_of(reader).endswith(f"no legal move was named, so your move is {decision.move}\n")


def test_a_move_that_the_limit_cut_off_is_none(spelling):
    reader = reader_of(spelling)
    decision, _ = answered(write_freely(reader, asked_for(Acting(move="free"))), reader, ["R..."])
    assert decision == Decision("", None, said="R\n", illegal=("cut_off",))


@pytest.mark.parametrize(("thought", "written"), [("hm", "think:hm\n"), ("hm...", "think:hm\n")])
def test_thinking_ends_by_itself_or_is_ended(thought, written, spelling):
    reader = reader_of(spelling)
    acting = Acting(move="free", thinking_tokens=9)
    decision, requests = answered(write_freely(reader, asked_for(acting)), reader, [thought, "P"])
    assert (decision.move, decision.said) == ("P", written + "P\n")
    assert [request.budget for request in requests] == [9, 16]
    assert decision.thinking == requests[1].depth == (2 if thought.endswith("...") else 3)


def test_a_move_can_be_chosen_after_thinking(spelling):
    reader = reader_of(spelling)
    acting = Acting(move="think-then-choose", thinking_tokens=9)
    decision, (_, request) = answered(think_then_choose(reader, asked_for(acting)), reader, ["hm", "P"])
    assert decision == Decision("P", (1.0, 0.0, 0.0), said="think:hm\nP\n", thinking=3)
    assert isinstance(request, MoveRequest) and request.depth == 3


def test_in_a_chat_turns_are_set_apart_and_no_thinking_is_said_so(characters):
    codec = Codec(characters, (), CHAT, frozenset())
    reader = reader_of(codec)
    decision, _ = answered(write_freely(reader, asked_for(Acting(move="free"))), reader, ["R"])
    reader.tell("they played P\n")
    told = reader.write()
    assert decision.said == "<none>R|"
    assert (told.news, told.prompt) == ("they played P\n", "<u>they played P\n</u><a>")
    assert codec.decode(reader.context.ids) == "<u>rules\nepisode 1\n</u><a><none>R|<u>they played P\n</u><a>"


def test_a_reflection_is_one_line_and_no_longer_than_its_budget(spelling):
    reader = reader_of(spelling, "reflection")
    text, (request,) = answered(reflect(reader, 3, 1, 8), reader, ["they like R too much"])
    assert text == "they lik"
    assert (request.episode, request.turn, request.stop) == (1, -1, "\n")


def test_with_reflections_an_episode_knows_what_was_written_down_and_nothing_else(spelling):
    reader = reader_of(spelling, "reflection")
    reader.open_episode(2, ["mostly R"])
    reader.write()
    assert spelling.decode(reader.context.ids) == "\x00rules\nreflection 1: mostly R\nepisode 2\n"
    assert reader.context.ids[: reader.context.openings[0]] == list(
        spelling.encode("\x00rules\nreflection 1: mostly R\n")
    )
    reader.open_episode(3, ["", ""])
    reader.write()
    assert spelling.decode(reader.context.ids) == "\x00rules\nepisode 1\n"  # as without memory
    assert len(reader.contexts) == 3
