"""Makes text of unknown origin harmless to print; leaves out markup, which the views never interpret."""

from __future__ import annotations

import unicodedata

UNPRINTABLE = {
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Cn",
    "Zl",
    "Zp",
}  # Unicode categories that steer a terminal or hide text


def clean(text: str, unicode: bool = True, keep: str = "") -> str:
    """`text` with characters that a terminal may obey, or that hide text, written as escapes.

    unicode: False also escapes everything beyond ASCII. keep: characters left alone, such as a newline.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if character in keep
        or (unicodedata.category(character) not in UNPRINTABLE and (unicode or character.isascii()))
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )
