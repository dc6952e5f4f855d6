"""The fields of one JSON object of a match, each taken with a check and made harmless to print.

A log may come from a stranger: what is missing or of another kind is refused in one sentence that names the match and
the field. Leaves out which fields there are (`replay.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from games.errors import RequestError
from mage.views.safe_text import clean


def number(value: Any) -> float:
    """A finite number. Raises ValueError otherwise, as all of these do."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("a number")
    return float(value)


def index(value: Any) -> int:
    """A whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("a count from 0")
    return value


def text(value: Any) -> str:
    """A text, not cleaned."""
    if not isinstance(value, str):
        raise ValueError("text")
    return value


def items(value: Any) -> list[Any]:
    """A list of anything."""
    if not isinstance(value, list):
        raise ValueError("a list")
    return value


def anything(value: Any) -> Any:
    """Whatever it is."""
    return value


class Fields:
    """The fields of one JSON object.

    owner: how errors call the match. value: the object. unicode: False when the screen can show ASCII only. Every
    method that takes a field raises RequestError where it is missing or of another kind.
    """

    def __init__(self, owner: str, value: Any, unicode: bool) -> None:
        """Raises RequestError where `value` is no object."""
        self.owner, self.unicode = owner, unicode
        if not isinstance(value, Mapping):
            raise self.error("an entry that is not an object")
        self.value = value

    def error(self, what: str) -> RequestError:
        """The sentence for a match that has something that it shouldn't."""
        return RequestError(f"{self.owner} has {what}: the log is damaged or not ours; write it again with mage")

    def take(self, name: str, convert: Callable[[Any], Any]) -> Any:
        """The field as `convert` gives it, which raises a ValueError that says what was expected."""
        if name not in self.value:
            raise self.error(f"no field {name!r}")
        try:
            return convert(self.value[name])
        except (ValueError, OverflowError) as error:
            raise self.error(f"a field {name!r} that is not {error}") from error

    def take_or(self, name: str, convert: Callable[[Any], Any], default: Any) -> Any:
        """The field, or `default` where there is none: older logs lack it, and newer ones leave out what is empty."""
        return self.take(name, convert) if name in self.value else default

    def many(self, name: str, convert: Callable[[Any], Any]) -> tuple[Any, ...]:
        """The field's list, each item converted."""
        return tuple(self.take(name, lambda value: [convert(item) for item in items(value)]))

    def many_or_none(self, name: str, convert: Callable[[Any], Any]) -> tuple[Any, ...]:
        """The field's list, each item converted; empty where there is no such field."""
        return self.many(name, convert) if name in self.value else ()

    def line(self, value: Any) -> str:
        """A text as one line: a newline in it is written out."""
        return clean(text(value), self.unicode)

    def lines(self, value: Any) -> str:
        """A text that may hold newlines."""
        return clean(text(value), self.unicode, keep="\n")
