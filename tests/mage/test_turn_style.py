"""Styles recovered from chat templates: held against transformers' own rendering, family by family."""

from __future__ import annotations

import pytest
from transformers import PreTrainedTokenizerFast

from games.errors import RequestError
from mage.turn_style import CHAT_THINK, DATE, PLAIN, TurnStyle, control_ids, recover, style_of
from tests.mage.chat_templates import FAMILIES, REFUSED, Template, tokenizer_of
from tests.mage.small_models import byte_tokenizer

SYSTEM = "You play."
TOLD = ["they played R", "they played P; you get 1", "they <b>played</b> S"]
SAID = ["P", "rock, I think", "S"]
TURN = "<|im_end|>\n<|im_start|>"
HEADER = "<|start_header_id|>{}<|end_header_id|>\n\n"
DAY = f"<|begin_of_text|>{HEADER.format('system')}Today Date: {DATE}\n\n"

STYLES = {
    "chatml": TurnStyle(
        start="<|im_start|>user\n",
        start_system="<|im_start|>system\n",
        after_system=TURN + "user\n",
        ask=TURN + "assistant\n",
        end="<|im_end|>",
        told="\n<|im_start|>user\n",
        think=("<think>", "</think>\n"),
    ),
    "llama3": TurnStyle(
        start=f"{DAY}<|eot_id|>{HEADER.format('user')}",
        start_system=DAY,
        after_system="<|eot_id|>" + HEADER.format("user"),
        ask="<|eot_id|>" + HEADER.format("assistant"),
        end="<|eot_id|>",
        told=HEADER.format("user"),
        think=("<think>", "</think>\n"),
    ),
    "gemma": TurnStyle(
        start="<bos><start_of_turn>user\n",
        start_system=None,
        after_system="",
        ask="<end_of_turn>\n<start_of_turn>model\n",
        end="<end_of_turn>",
        told="\n<start_of_turn>user\n",
        think=("<think>", "</think>\n"),
    ),
    "mistral": TurnStyle(
        start="<bos>[INST] ",
        start_system=None,
        after_system="",
        ask=" [/INST] ",
        end="</s>",
        told="[INST] ",
        think=("<think>", "</think>\n"),
    ),
    "deepseek-r1": TurnStyle(
        start="<|begin_of_sentence|><|User|>",
        start_system="<|begin_of_sentence|>",
        after_system="<|User|>",
        ask="<|Assistant|>",
        end="<|end_of_sentence|>",
        told="<|User|>",
        think=("<think>\n", "</think>\n"),
    ),
}


def exact(style: TurnStyle) -> tuple[str | tuple[str, str] | None, ...]:
    return tuple(getattr(style, name) for name in style.__slots__)


def conversation(style: TurnStyle, turns: int, system: str, thoughts: str = "") -> list[tuple[str, bool]]:
    """The segments of a context up to where the agent writes turn `turns`, each with whether it is control text."""
    if system and style.start_system is not None:
        segments = [(style.start_system, True), (system, False), (style.after_system, True)]
    else:
        segments = [(style.start, True), (f"{system}\n\n" if system else "", False)]
    for number in range(turns):
        segments += [(TOLD[number], False), (style.ask, True)]
        if number < turns - 1:
            if thoughts:
                segments += [(style.think[0], True), (thoughts, False), (style.think[1], True)]
            segments += [(SAID[number], False), (style.end, True), (style.told, True)]
    return segments


def ids_of(tokenizer: PreTrainedTokenizerFast, segments: list[tuple[str, bool]]) -> list[int]:
    return [
        token
        for text, control in segments
        for token in tokenizer.encode(text, add_special_tokens=False, split_special_tokens=not control)
    ]


def messages(turns: int, system: str, thinking: str = "") -> list[dict[str, str]]:
    """The same conversation as transformers takes it."""
    shown = [{"role": "system", "content": system}] if system else []
    for number in range(turns):
        shown.append({"role": "user", "content": TOLD[number]})
        if number < turns - 1:
            shown.append({"role": "assistant", "content": thinking + SAID[number]})
    return shown


def rendered(tokenizer: PreTrainedTokenizerFast, chat: list[dict[str, str]]) -> str:
    return tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True, date_string=DATE)


@pytest.mark.parametrize("family", STYLES)
def test_the_control_texts_are_those_that_can_be_read_in_the_template(family: str):
    assert exact(recover(tokenizer_of(FAMILIES[family]), family)) == exact(STYLES[family])


# Zephyr's template leaves the beginning of text to the tokenizer. R1 opens a reply with the mark of thinking, as does
# the second Qwen3; the third has an empty block of it there.
BEGUN = {"zephyr": "<bos>"}
OPENED = {"deepseek-r1": "<think>\n", "qwen3-thinking": "<think>\n", "qwen3-skipping": "<think>\n\n</think>\n\n"}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("turns", [1, 2, 3])
@pytest.mark.parametrize("system", ["", SYSTEM])
def test_a_conversation_is_put_together_as_transformers_renders_it(family: str, turns: int, system: str):
    tokenizer = tokenizer_of(FAMILIES[family])
    style = recover(tokenizer, family)
    segments = conversation(style, turns, system)
    chat = messages(turns, system)
    if system and style.start_system is None:  # it opens the first turn instead
        chat[1]["content"] = f"{system}\n\n{chat[1]['content']}"
        chat = chat[1:]
    expected = BEGUN.get(family, "") + rendered(tokenizer, chat).removesuffix(OPENED.get(family, ""))
    ours = "".join(text for text, _ in segments)
    if family == "mistral":  # shows replies after a space, and leaves it to the model to write one
        assert ours == expected + " "
    else:
        assert ours == expected
    ids = ids_of(tokenizer, segments)
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == ours
    assert ids.count(tokenizer.convert_tokens_to_ids(style.end)) == ours.count(style.end)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_ids_of_a_turn_are_a_prefix_of_those_of_the_next_with_thinking_in_both(family: str):
    tokenizer = tokenizer_of(FAMILIES[family])
    style = recover(tokenizer, family)
    first, second, third = (ids_of(tokenizer, conversation(style, n, SYSTEM, "they like R\n")) for n in (1, 2, 3))
    assert second[: len(first)] == first and third[: len(second)] == second
    thought = ids_of(tokenizer, [("they like R\n", False)])
    assert sum(third[i : i + len(thought)] == thought for i in range(len(third))) == 2


@pytest.mark.parametrize(
    "family, drops", [("chatml", False), ("qwen3", True), ("qwen3-thinking", True), ("deepseek-r1", True)]
)
def test_a_template_that_drops_earlier_thinking_takes_back_what_stood_there_and_ours_does_not(family: str, drops: bool):
    tokenizer = tokenizer_of(FAMILIES[family])
    style = recover(tokenizer, family)
    thinking = f"{style.think[0]}they like R\n{style.think[1]}"
    ours = "".join(text for text, _ in conversation(style, 3, SYSTEM, "they like R\n"))
    theirs = rendered(tokenizer, messages(3, SYSTEM, thinking)).removesuffix(OPENED.get(family, ""))
    assert (ours.replace(thinking, "") if drops else ours) == theirs
    assert ours.count(thinking) == 2
    asked = rendered(tokenizer, messages(2, SYSTEM, thinking)).removesuffix(OPENED.get(family, ""))
    stood, stands = (tokenizer.encode(text, add_special_tokens=False) for text in (asked + thinking, theirs))
    assert (stands[: len(stood)] == stood) is not drops


def test_thinking_is_marked_as_the_template_opens_a_reply_with_it():
    marks = {
        name: recover(tokenizer_of(FAMILIES[name]), name) for name in ("qwen3", "qwen3-thinking", "qwen3-skipping")
    }
    assert [(style.think, style.skip) for style in marks.values()] == [
        (CHAT_THINK, ""),
        (("<think>\n", "</think>\n"), ""),
        (("<think>\n", "</think>\n"), "<think>\n\n</think>\n\n"),
    ]


@pytest.mark.parametrize("family", [name for name, row in FAMILIES.items() if row.prepends])
def test_the_beginning_of_text_stands_there_once_whoever_puts_it(family: str):
    tokenizer = tokenizer_of(FAMILIES[family])
    style = recover(tokenizer, family)
    for start in (style.start, style.start_system):
        assert start is None or tokenizer.encode(start, add_special_tokens=False).count(tokenizer.bos_token_id) == 1


def test_a_default_system_text_stays_where_there_is_no_other():
    style = recover(tokenizer_of(FAMILIES["smollm2"]), "smollm2")
    assert style.start == f"<|im_start|>system\nYou are a helpful assistant.{TURN}user\n"
    assert style.start_system == "<|im_start|>system\n"


@pytest.mark.parametrize("fault", REFUSED)
def test_a_template_that_cannot_be_taken_apart_is_refused_in_a_sentence(fault: str):
    with pytest.raises(RequestError) as caught:
        recover(tokenizer_of(REFUSED[fault]), "someone/model")
    message = str(caught.value)
    assert message.startswith("the chat template of someone/model ") and fault in message
    assert message.endswith('so contexts can\'t be put together from it; set prompt.template to "plain"')
    assert "\n" not in message


def test_without_a_template_texts_are_plain_and_a_chat_is_refused():
    tokenizer = byte_tokenizer()
    assert style_of(tokenizer, "auto", "base") is PLAIN
    with pytest.raises(RequestError, match='base has no chat template; set prompt.template to "plain"'):
        style_of(tokenizer, "chat", "base")


def test_a_template_is_used_unless_plain_text_is_asked_for():
    tokenizer = tokenizer_of(FAMILIES["chatml"])
    assert style_of(tokenizer, "auto", "m") == style_of(tokenizer, "chat", "m") == recover(tokenizer, "m")
    assert style_of(tokenizer, "plain", "m") is PLAIN
    with pytest.raises(
        RequestError, match="unknown prompt.template 'chatt': known are auto, chat, plain; did you mean"
    ):
        style_of(tokenizer, "chatt", "m")


def test_tokens_that_set_turns_apart_are_control_tokens_and_marks_of_thinking_are_not():
    tokenizer = tokenizer_of(Template(FAMILIES["qwen3"].text, ("<|im_start|>",)))
    tokenizer.add_tokens(["<|im_end|>", "<think>", "</think>", "  ", "<table>"])  # none of them marked special
    names = {tokenizer.convert_ids_to_tokens(token) for token in control_ids(tokenizer, recover(tokenizer, "m"))}
    assert names == {"<s>", "<other>", "<|im_start|>", "<|im_end|>"}
    plain = {tokenizer.convert_ids_to_tokens(token) for token in control_ids(tokenizer, PLAIN)}
    assert plain == {"<s>", "<other>", "<|im_start|>"}
