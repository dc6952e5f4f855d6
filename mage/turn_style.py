"""How a conversation is set apart: the control texts around what an agent reads and what it writes.

A chat-tuned model's are recovered from its tokenizer's template, which is rendered with known texts and cut apart
between them. Contexts are then put together from these texts and only ever grow (design, decision 4): what a template
drops or rewrites of earlier turns, such as thinking, stays as it was written. Left out: token ids (`mage.codec`), the
texts themselves (`mage.renderers`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from games.errors import RequestError, unknown

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

DATE = "26 Jul 2024"  # what a template is given that asks for a date: what Llama 3's fall back on
SHOWN = 60  # characters of a rendering that an error shows


@dataclass(frozen=True, slots=True)
class TurnStyle:
    """The texts between contents; control tokens in them are to be recognised.

    A context is put together as: start (or start_system, system text, after_system), then text, ask, own text, end, and
    again told, text, ask, own text, end.
    """

    start: str  # opens a context without a system text, beginning of text included, up to the first text of the user
    start_system: str | None  # the same up to a system text; None: there is no such role, the text opens the first turn
    after_system: str  # from a system text to the first text of the user
    ask: str  # from what the agent reads to where it writes
    end: str  # ends the agent's own text, which it writes itself
    told: str  # from there to what it reads next
    think: tuple[str, str]  # opens and closes thinking, after `ask`
    skip: str = ""  # stands after `ask` where the agent doesn't think: "" but for templates that say so by a block

    @property
    def thought(self) -> tuple[str, str]:
        """What an agent ends its thinking with, and what is put after that."""
        closes = self.think[1]
        mark = closes.strip() or closes
        return mark, closes.partition(mark)[2]


PLAIN = TurnStyle(
    start="", start_system="", after_system="", ask="", end="\n", told="", think=("think:", "\n")
)  # the codec puts the beginning of text before it
CHAT_THINK = ("<think>", "</think>\n")  # where a template has no marks of its own


def _known_text(word: str) -> str:
    """Give a text that shows if a template changes it: two lines, marks that get escaped, spaces inside."""
    return f"The text {word}: \"<a>\" & 'b',\n  and {word} ends."


_SYSTEM = {"role": "system", "content": _known_text("zero")}
_CONVERSATION = [
    {"role": role, "content": _known_text(word)}
    for role, word in zip(("user", "assistant") * 3, ("one", "two", "three", "four", "five"), strict=False)
]


def style_of(tokenizer: PreTrainedTokenizerFast, template: str, name: str) -> TurnStyle:
    """Return the style by the name of a row of `TEMPLATES`; name: the model's, for errors.

    Raises RequestError for an unknown row, and where the tokenizer's template can't be used.
    """
    if template not in TEMPLATES:
        raise unknown("prompt.template", template, TEMPLATES)
    return TEMPLATES[template](tokenizer, name)


def recover(tokenizer: PreTrainedTokenizerFast, name: str) -> TurnStyle:
    """Return the style of the tokenizer's chat template.

    The template is rendered once for user, assistant, user, assistant, user and the opening of a reply, and once
    more with a system text before. Raises RequestError, one sentence, where there is no template or where it

    - stops with an error, or asks what day it is: contexts would differ from day to day;
    - shows a text changed, more than once, not at all or in another order;
    - sets the first turns apart otherwise than the later ones, or ends a reply with no control token;
    - opens a reply otherwise than it shows earlier ones, but for the opening of thinking or an empty block of it.

    A template that a system text breaks in one of these ways has no system role: `start_system` is None.
    """
    if not tokenizer.chat_template:
        raise RequestError(f'{name} has no chat template; set prompt.template to "plain", or use a chat-tuned model')
    texts = _cut(tokenizer, name, _CONVERSATION)
    start, ask, gap, later_ask, later_gap, opening = texts
    if (ask, gap) != (later_ask, later_gap):
        raise _refusal(name, f"sets turns apart by {_shown(ask)} and {_shown(gap)}, then otherwise")
    end = _end(gap, _added(tokenizer), name)
    think, skip = _thinking(ask, opening, name)
    start_system, after_system = _system(tokenizer, name, texts)
    return TurnStyle(
        start=_begun(tokenizer, start),
        start_system=None if start_system is None else _begun(tokenizer, start_system),
        after_system=after_system,
        ask=ask,
        end=end,
        told=gap.removeprefix(end),
        think=think,
        skip=skip,
    )


def control_ids(tokenizer: PreTrainedTokenizerFast, style: TurnStyle) -> frozenset[int]:
    """Return the ids of the tokens that no text of a game or an agent holds: all that are marked special, and the other
    added ones that set turns apart in this style, except the marks of thinking.
    """
    written = (style.start, style.start_system or "", style.after_system, style.ask, style.end, style.told)
    marks = style.think[0] + style.think[1] + style.skip
    return frozenset(
        number
        for number, token in tokenizer.added_tokens_decoder.items()
        if token.special or (token.content in _added(tokenizer) and _stands_in(token.content, written, marks))
    )


def _stands_in(token: str, written: Sequence[str], marks: str) -> bool:
    return token not in marks and any(token in text for text in written)


def _added(tokenizer: PreTrainedTokenizerFast) -> list[str]:
    """Return the texts of the added tokens but runs of spaces and line ends, which some tokenizers have too."""
    return [token.content for token in tokenizer.added_tokens_decoder.values() if token.content.strip()]


def _render(tokenizer: PreTrainedTokenizerFast, name: str, messages: list[dict[str, str]]) -> str:
    """Render the template in transformers' sandbox; without a clock, so that none is read unnoticed."""
    from jinja2 import TemplateError

    try:
        text: str = tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True, date_string=DATE, strftime_now=None
        )
    except TypeError as error:
        clock = "strftime_now" in str(tokenizer.chat_template)
        raise _refusal(name, "asks what day it is" if clock else f"stops with {_shown(str(error))}") from error
    except (TemplateError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        raise _refusal(name, f"stops with {_shown(str(error))}") from error
    return text


def _cut(tokenizer: PreTrainedTokenizerFast, name: str, messages: list[dict[str, str]]) -> list[str]:
    """Render the messages and return what stands before, between and after their texts."""
    rendered = rest = _render(tokenizer, name, messages)
    pieces = []
    for content in (message["content"] for message in messages):
        if rendered.count(content) > 1:
            raise _refusal(name, f"gives {_shown(content)} back more than once")
        before, found, rest = rest.partition(content)
        if not found:
            raise _refusal(name, f"doesn't give {_shown(content)} back unchanged and in order, but {_shown(rendered)}")
        pieces.append(before)
    return [*pieces, rest]


def _system(tokenizer: PreTrainedTokenizerFast, name: str, texts: list[str]) -> tuple[str | None, str]:
    """Return what goes before and after a system text; texts: what the conversation without one was cut into."""
    try:
        start, after, *others = _cut(tokenizer, name, [_SYSTEM, *_CONVERSATION])
    except RequestError:
        return None, ""
    return (start, after) if others == texts[1:] else (None, "")


def _end(gap: str, tokens: Sequence[str], name: str) -> str:
    """Return the control token that a gap after an agent's text begins with."""
    found = [token for token in tokens if gap.startswith(token)]
    if not found:
        raise _refusal(name, f"ends a reply with {_shown(gap)}, which doesn't begin with a control token")
    return max(found, key=len)


def _thinking(ask: str, opening: str, name: str) -> tuple[tuple[str, str], str]:
    """Return the marks of thinking and what skips it, by what opens a reply beyond how earlier ones are shown."""
    if ask.startswith(
        opening
    ):  # shorter where it leaves a space, or the channel that replies are shown in, to the model
        return CHAT_THINK, ""
    added = opening.removeprefix(ask)
    if opening.startswith(ask):
        if opened := re.fullmatch(r"\s*<(\w+)>\s*", added):
            return (added, f"</{opened[1]}>\n"), ""
        if block := re.fullmatch(r"\s*<(\w+)>\s*</\1>\s*", added):
            return (f"<{block[1]}>\n", f"</{block[1]}>\n"), added
    raise _refusal(name, f"shows a reply after {_shown(ask)} but has it written after {_shown(opening)}")


def _begun(tokenizer: PreTrainedTokenizerFast, start: str) -> str:
    """Put the beginning of text first where the tokenizer itself does and the template doesn't."""
    token = tokenizer.bos_token
    if token is None or token in start or tokenizer.encode("")[:1] != [tokenizer.bos_token_id]:
        return start
    return f"{token}{start}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")


def _refusal(name: str, fault: str) -> RequestError:
    return RequestError(
        f"the chat template of {name} {fault}, so contexts can't be put together from it; "
        'set prompt.template to "plain"'
    )


def _auto(tokenizer: PreTrainedTokenizerFast, name: str) -> TurnStyle:
    return recover(tokenizer, name) if tokenizer.chat_template else PLAIN


def _plain(tokenizer: PreTrainedTokenizerFast, name: str) -> TurnStyle:
    return PLAIN


TEMPLATES: dict[str, Callable[[PreTrainedTokenizerFast, str], TurnStyle]] = {
    "auto": _auto,
    "chat": recover,
    "plain": _plain,
}
