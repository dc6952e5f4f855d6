"""Which legal moves a text names: spelling is forgiven, words are never taken apart.

Text and moves are folded alike and cut into lexemes: words, and single signs. A move is named where its lexemes stand
in the text with nothing glued to them. Left out: where in a reply to look, and what follows from what is found (see
replies); any language (negations, numbers in words, inflected moves).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from mage.folding import fold

# These are written without spaces, or attach particles to foreign words, so a move may stand right beside them.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
_UNSPACED += "\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_LEXEME = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+|\S")
_UNSPACED_WORD = re.compile(f"[{_UNSPACED}]")

_SIGNS_OF_NUMBERS = "-+."  # directly before a digit they belong to the number
_NEVER_FORGIVEN = "%‰&@/\\"
_FORGIVEN_SYMBOLS = "`^=|$<>+→⇒"
_SETS_APART = '—"{}|`'  # whatever stands beyond one of these is not glued
_VOWELS = "aeiouy"
_JOINS = frozenset({"or", "and", "nor", "vs"})


@dataclass(frozen=True, slots=True)
class _Lexemes:
    """A folded text cut up; the lists go together."""

    text: str
    words: list[str]
    starts: list[int]
    ends: list[int]

    def glued(self, index: int) -> bool:
        """Whether nothing stands between lexeme `index` and the one before it; False at the ends of the text."""
        return 0 < index < len(self.words) and self.ends[index - 1] == self.starts[index]


def _cut(text: str) -> _Lexemes:
    found = list(_LEXEME.finditer(text))
    return _Lexemes(text, [lexeme[0] for lexeme in found], [one.start() for one in found], [one.end() for one in found])


def _is_word(lexeme: str) -> bool:
    return len(lexeme) > 1 or lexeme.isalnum()


def _forgiven(lexeme: str, leading: bool) -> bool:
    """Whether this sign may stand beside a move without being part of it."""
    if lexeme in _NEVER_FORGIVEN or (leading and lexeme == "!"):
        return False
    return lexeme in _FORGIVEN_SYMBOLS or unicodedata.category(lexeme) in (
        "Pc",
        "Pd",
        "Pe",
        "Pf",
        "Pi",
        "Po",
        "Ps",
        "So",
    )


def _signs_number(lexemes: _Lexemes, index: int) -> bool:
    """Whether lexeme `index` is the sign, or the decimal point, of a number that begins with it."""
    following = lexemes.words[index + 1 : index + 2]
    return lexemes.words[index] in _SIGNS_OF_NUMBERS and lexemes.glued(index + 1) and following[0][0].isdigit()


def _core(lexemes: _Lexemes) -> tuple[int, int]:
    """The lexemes [first, last) that are left without forgiven signs at the ends; all where no word is left."""
    words, first, last = lexemes.words, 0, len(lexemes.words)
    while last > 0 and not _is_word(words[last - 1]) and _forgiven(words[last - 1], leading=False):
        last -= 1
    if last == 0:
        return 0, len(words)
    while not _is_word(words[first]) and _forgiven(words[first], leading=True) and not _signs_number(lexemes, first):
        first += 1
    return first, last


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A legal move as lexemes, in the game's own case."""

    move: str
    lead: list[str]  # signs before the core
    core: list[str]
    trail: list[str]  # signs after it

    def likeness(self, words: list[str], first: int, last: int) -> tuple[bool, int]:
        """How well words [first, last) agree, the core's case aside: its case, then how many of the signs around it."""
        before, after = words[max(first - len(self.lead), 0) : first], words[last : last + len(self.trail)]
        signs = len(self.lead) + len(self.trail) if before == self.lead and after == self.trail else -1
        return words[first:last] == self.core, signs

    def reads_as_prose(self, lexemes: _Lexemes, first: int) -> bool:
        """Whether the words at `first`, this move but for case, are rather a word of a sentence.

        A move of one or two letters counts in the game's own case only ("As" is a card, "as" is not). A single vowel
        is a word in many languages ("a", "I", Spanish "y"), but not before a sign, a line's end or an "or".
        """
        word = self.core[0]
        if len(self.core) > 1 or len(word) > 2 or not word.isalpha():
            return False
        if lexemes.words[first] != word:
            return True
        following = first + 1
        vowel = unicodedata.normalize("NFD", word.casefold())[0] in _VOWELS
        if len(word) > 1 or not vowel or following == len(lexemes.words):
            return False
        goes_on = _is_word(lexemes.words[following]) and lexemes.words[following].casefold() not in _JOINS
        return goes_on and "\n" not in lexemes.text[lexemes.ends[first] : lexemes.starts[following]]


@dataclass(slots=True)
class _Node:
    """A node of the tree of all cores, casefolded; `spellings` holds the moves that end here."""

    children: dict[str, _Node] = field(default_factory=dict)
    spellings: list[_Spelling] = field(default_factory=list)


class LegalMoves:
    """The legal moves of one decision, ready to be looked for. Texts must have been folded by `fold`."""

    def __init__(self, legal: tuple[str, ...]) -> None:
        """Prepare the moves; they are distinct."""
        self.moves = frozenset(legal)
        self._root = _Node()
        for move in legal:
            lexemes = _cut(fold(move))
            first, last = _core(lexemes)
            node = self._root
            for word in lexemes.words[first:last]:
                node = node.children.setdefault(word.casefold(), _Node())
            words = lexemes.words
            node.spellings.append(_Spelling(move, words[:first], words[first:last], words[last:]))

    def whole(self, text: str) -> frozenset[str]:
        """The moves that the text is, but for spelling: none, one, or those that it fits equally well."""
        if text.strip() in self.moves:
            return frozenset({text.strip()})
        lexemes = _cut(text)
        first, last = _core(lexemes)
        node: _Node | None = self._root
        for word in lexemes.words[first:last]:
            node = node.children.get(word.casefold()) if node else None
            if node is None:
                return frozenset()
        return frozenset(one.move for one in _likest(node, lexemes, first, last)) if node else frozenset()

    def standing(self, text: str) -> frozenset[str]:
        """The moves that stand in the text as words of their own; at each place the longest one.

        A move without a letter or digit is none of them. Takes time in proportion to the text's length times the
        longest move's.
        """
        return frozenset(one.move for one in self._standing(_cut(text)))

    def _standing(self, lexemes: _Lexemes) -> Iterator[_Spelling]:
        first = 0
        while first < len(lexemes.words):
            last, node = self._longest(lexemes.words, first)
            if node is None or not any(map(_is_word, lexemes.words[first:last])):
                first += 1
                continue
            if _free_before(lexemes, first) and _free_after(lexemes, last):
                likest = _likest(node, lexemes, first, last)
                yield from (one for one in likest if not one.reads_as_prose(lexemes, first))
            first = last

    def _longest(self, words: list[str], first: int) -> tuple[int, _Node | None]:
        """The end and the node of the longest move that begins with lexeme `first`."""
        node: _Node | None = self._root
        end, found, index = first, None, first
        while index < len(words) and (node := node.children.get(words[index].casefold()) if node else None):
            index += 1
            if node.spellings:
                end, found = index, node
        return end, found


def _likest(node: _Node, lexemes: _Lexemes, first: int, last: int) -> list[_Spelling]:
    """Of the moves whose casefolded core this is, those most like what is written."""
    likeness = [one.likeness(lexemes.words, first, last) for one in node.spellings]
    best = max(likeness, default=None)
    return [one for one, alike in zip(node.spellings, likeness, strict=True) if alike == best]


def _free_before(lexemes: _Lexemes, first: int) -> bool:
    """Whether no word and no sign that matters is glued to the left of lexeme `first`."""
    if lexemes.glued(first) and _signs_number(lexemes, first - 1):
        return False
    while lexemes.glued(first):
        first -= 1
        if (free := _ends_glue(lexemes.words[first], leading=True)) is not None:
            return free
    return True


def _free_after(lexemes: _Lexemes, last: int) -> bool:
    """Whether no word and no sign that matters is glued to the right of lexeme `last` - 1."""
    while lexemes.glued(last):
        if (free := _ends_glue(lexemes.words[last], leading=False)) is not None:
            return free
        last += 1
    return True


def _ends_glue(lexeme: str, leading: bool) -> bool | None:
    """True where what is beyond doesn't matter, False where this lexeme belongs to the word; None: look further."""
    if _is_word(lexeme):
        return _UNSPACED_WORD.match(lexeme) is not None
    if lexeme in _SETS_APART:
        return True
    return None if _forgiven(lexeme, leading) else False


@lru_cache(maxsize=32)  # one of a thousand moves takes about a megabyte
def legal_moves(legal: tuple[str, ...]) -> LegalMoves:
    """The legal moves, prepared once for the replies that follow one another."""
    return LegalMoves(legal)
