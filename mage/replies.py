"""What move a reply makes: text in, a legal move or a reason out. Formats that tell an agent how to answer.

One parser serves all formats. A tagged move beats a "move: X" line, that beats a quoted one, that one in running text;
the strongest form that occurs decides, and there exactly one legal move must be named. The rules with examples are
docs/replies.md, the corpus that they are tested on is reply_corpus.toml beside this file. Left out: how a move is found
in a text (see named_moves), what follows from an illegal reply (see decisions), any understanding of language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mage.folding import fold
from mage.named_moves import LegalMoves, legal_moves

REASONS = {
    "none_named": "no legal move was named",
    "several_named": "more than one legal move was named",
    "illegal_named": "what was named is not a legal move",
    "cut_off": "the token limit cut the reply off before its move was complete",
    "empty": "nothing was written",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply comes to."""

    move: str | None  # one of the legal moves, as the game spells it; None: the reply is illegal
    reason: str  # "" with a move, else a key of REASONS


@dataclass(frozen=True, slots=True)
class Format:
    """How an agent is told to answer, and what such an answer looks like."""

    before: str  # the move
    after: str  # the move; where there is something, a move can't have been cut off
    request: str  # a sentence; {kind} stands for what the moves look like

    def state(self, legal: tuple[str, ...]) -> str:
        """The sentence that asks for an answer in this format, without a line's end."""
        return self.request.format(kind=_kind(legal))

    def write(self, move: str) -> str:
        """An answer in this format; `parse` reads the same move out of it."""
        return self.before + move + self.after

    def read(self, text: str, legal: tuple[str, ...]) -> str | None:
        """The legal move that `write` turns into exactly this text, if there is one."""
        if len(text) < len(self.before) + len(self.after):
            return None
        move = text[len(self.before) : len(text) - len(self.after)]
        return move if move in legal and self.write(move) == text else None


FORMATS = {
    "bare": Format("", "", "Answer with one {kind} and nothing else."),
    "line": Format("move: ", "", 'End your answer with "move:" and one {kind}.'),
    "tag": Format("<move>", "</move>", "End your answer with one {kind} inside <move></move>."),
}


def _kind(legal: tuple[str, ...]) -> str:
    if all(move.isdecimal() for move in legal):
        return "number"
    return "letter" if all(len(move) == 1 and move.isalpha() for move in legal) else "legal move"


@dataclass(frozen=True, slots=True)
class _Found:
    """What one form of naming a move came to."""

    named: frozenset[str]
    none: str  # the reason where no legal move is named
    complete: bool  # that the text goes on would not change it


_LABEL = r"(?:(?:my|the|final|next|best|chosen) ){0,3}(?:move|action|answer|choice)"
_CONTROL_TOKEN = re.compile(r"<\|[^<>|\s]{1,40}\|>|</?s>|<(?:eos|bos|pad|(?:start|end)_of_turn)>")
_THINK = re.compile(r"<[ \t]{0,2}(/?)[ \t]{0,2}think(?:ing)?[ \t]{0,2}>", re.IGNORECASE)
_THINK_LINE = re.compile(r"^[ \t]{0,8}think:.*$", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(r"<[ \t]{0,2}(/?)[ \t]{0,2}(?:move|action|answer)[ \t]{0,2}>", re.IGNORECASE)
_LINE = re.compile(rf"[\W_]{{0,16}}{_LABEL}(?: is)?[^\w:=]{{0,8}}[_*]{{0,3}}[:=](.*)", re.IGNORECASE)
_KEY = re.compile(  # of JSON, or of what looks like it
    rf"""["']{_LABEL}["']\s{{0,8}}:\s{{0,8}}("[^"\n]*"|'[^'\n]*'|\[[^\]\n]{{0,200}}\]|[^,}}\]\n]{{0,200}})""",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r'"([^"\n]*)"' r"|(?<!\w)'([^'\n]*)'(?!\w)" r"|(?<![\w*`])([*_`]{1,3})([^*_`\n]+)\3(?![\w*`])",
)
_LIST_MARK = re.compile(r"^[ \t]{0,8}\d{1,3}[.)]{1,3}(?:[ \t]+(?=\S)|(?=[^\W\d]))", re.MULTILINE)


def parse(text: str, legal: tuple[str, ...], finished: bool = True) -> Reply:
    """Read the move that a reply names.

    text: any text at all; of a very long one the end is looked at (`folding.MOST_CHARACTERS`). legal: the legal moves,
    distinct. finished: False where the token limit ended the reply; then only a closed tag or a completed "move: X"
    line counts. Never raises; takes time in proportion to the text's length times the longest move's.
    """
    for form in FORMATS.values():
        for written in (text, text.strip()) if finished or form.after else ():
            if (move := form.read(written, legal)) is not None:
                return Reply(move, "")
    said = _without_thinking(_CONTROL_TOKEN.sub("\n", fold(text)))
    if not said.strip():
        return Reply(None, "empty" if finished else "cut_off")
    moves = legal_moves(legal)
    found = _tagged(said, moves) or _labelled(said, moves) or _quoted(said, moves) or _bare(said, moves)
    if not finished and not found.complete:
        return Reply(None, "cut_off")
    if len(found.named) == 1:
        return Reply(next(iter(found.named)), "")
    return Reply(None, "several_named" if found.named else found.none)


def _without_thinking(text: str) -> str:
    """The text after the last end of thinking, up to where thinking begins again; without lines of thinking."""
    marks = list(_THINK.finditer(text))
    closed = [index for index, mark in enumerate(marks) if mark[1]]
    opened = marks[closed[-1] + 1 :] if closed else marks
    start = marks[closed[-1]].end() if closed else 0
    return _THINK_LINE.sub("", text[start : opened[0].start() if opened else len(text)])


def _tagged(text: str, moves: LegalMoves) -> _Found | None:
    """Moves between tags; what is never closed ends with its line."""
    contents: list[str] = []
    opened: int | None = None
    for tag in _TAG.finditer(text):
        if opened is not None:
            contents.append(text[opened : tag.start()])
        opened = None if tag[1] else tag.end()
    if opened is not None:
        contents.append(text[opened:].strip().partition("\n")[0])
    return _from_contents(contents, moves, complete=opened is None) if contents else None


def _labelled(text: str, moves: LegalMoves) -> _Found | None:
    """Moves after a label: in a line that begins with one, or as the value of a key."""
    contents = [key[1] for key in _KEY.finditer(text)]
    complete = all(key.end() < len(text) for key in _KEY.finditer(text))
    lines = _TAG.sub("\n", _KEY.sub("\n", text)).split("\n")
    for number, line in enumerate(lines):
        if label := _LINE.match(line):
            ends = _end_of_value(lines, number, label[1])
            contents.append(label[1] if ends == number else "".join(lines[ends : ends + 1]))
            complete = complete and ends + 1 < len(lines)
    return _from_contents(contents, moves, complete) if contents else None


def _end_of_value(lines: list[str], number: int, value: str) -> int:
    """The line with the value of the label in line `number`: itself, one of the next three, or beyond all of them."""
    if re.search(r"\w", value):
        return number
    following = (line for line in range(number + 1, min(number + 4, len(lines))) if lines[line].strip())
    return next(following, number if value.strip() else len(lines))


def _from_contents(contents: list[str], moves: LegalMoves, complete: bool) -> _Found:
    named = [moves.whole(content) or moves.standing(content) for content in contents]
    none = "illegal_named" if any(content.strip() for content in contents) else "none_named"
    return _Found(frozenset().union(*named), none, complete)


def _quoted(text: str, moves: LegalMoves) -> _Found | None:
    """Moves in quotes or set off by markup; what else is quoted is passed over."""
    named = frozenset().union(*map(moves.whole, _quotations(text)))
    return _Found(named, "", complete=False) if named else None


def _quotations(text: str) -> Iterator[str]:
    for quotation in _QUOTED.finditer(text):
        yield quotation[1] or quotation[2] or quotation[4] or ""


def _bare(text: str, moves: LegalMoves) -> _Found:
    """The whole reply, or moves that stand in it as words of their own."""
    plain = _TAG.sub("\n", text)
    named = moves.whole(plain) or moves.standing(_LIST_MARK.sub("", plain))
    one_word = len(plain.split()) == 1 and re.search(r"\w", plain)
    return _Found(named, "illegal_named" if one_word else "none_named", complete=False)
