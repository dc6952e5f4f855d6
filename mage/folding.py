"""One spelling for what reads alike: Unicode forms, digits of all scripts, quotes, dashes, spaces.

Left out: case, and what a text means.
"""

from __future__ import annotations

import unicodedata

MOST_CHARACTERS = 1 << 16  # of a text, its last ones: what is looked at

_QUOTES = "“”„‟″〝〞〟«»‹›「」『』《》〈〉【】〖〗〔〕"
_RAISED = {digit: f"^{value}" for value, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_LOWERED = {digit: f"_{value}" for value, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")}
# What NFKC would turn into something else than a reader sees: 10² is not 102.
_BEFORE = str.maketrans({"´": "'", "″": '"', **_RAISED, **_LOWERED})


class _Folding(dict[int, str]):
    """What becomes of each character after NFKC, found when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = folded = _folded(character, unicodedata.category(character))
        return folded


def _folded(character: str, category: str) -> str:
    if category == "Nd":
        return str(unicodedata.digit(character))
    if category == "Cf" or "\ufe00" <= character <= "\ufe0f":  # zero-width, direction, variation: not to be seen
        return ""
    if character in "\n\r\x85\u2028\u2029":
        return "\n"
    if category in ("Cc", "Zs"):
        return " "
    if character in _QUOTES:
        return '"'
    if character in "‘’‚‛′":
        return "'"
    if character in "—―":
        return "—"
    return "-" if category == "Pd" or character == "−" else character


_FOLDING = _Folding()


def fold(text: str) -> str:
    """Write alike what reads alike: NFKC, digits of all scripts, quotes, dashes, spaces; nothing invisible is left.

    Of a longer text the last `MOST_CHARACTERS` are kept, without the word that the cut goes through. Case is kept.
    """
    folded = unicodedata.normalize("NFKC", text[-MOST_CHARACTERS - 1 :].translate(_BEFORE)).translate(_FOLDING)
    if len(text) <= MOST_CHARACTERS and len(folded) <= MOST_CHARACTERS:
        return folded
    whole_words = folded[-MOST_CHARACTERS - 1 :].split(maxsplit=1)[1:]
    return "... " + "".join(whole_words)
