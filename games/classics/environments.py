"""Getting PettingZoo's environments without a greeting, and many of them without the cost of their constructors."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

_GREETING_OFF = "PYGAME_HIDE_SUPPORT_PROMPT"
_CONSTANTS = (str, int, float, type(None), tuple, np.generic, np.dtype)


def import_quietly(name: str) -> ModuleType:
    """Import a module of PettingZoo's without the greeting that pygame prints when it is first imported."""
    before = os.environ.get(_GREETING_OFF)
    os.environ[_GREETING_OFF] = "1"
    try:
        return import_module(name)
    finally:
        if before is None:
            del os.environ[_GREETING_OFF]
        else:
            os.environ[_GREETING_OFF] = before


def copies_of(template: Any) -> Callable[[], Any]:
    """Return what makes environments like `template`, a fresh one, for less time than one of their steps takes.

    PettingZoo's constructor takes as long as a short game, most of it for the spaces of observations. They don't
    change, and the copies share them, but nothing else. This does what `copy.deepcopy` does, looking at the template
    once; it serves environments made of numbers, names, lists, tables and objects of these, none of them held twice
    once the environment is reset.
    """
    observations = template.observation_spaces
    attributes = {name: value for name, value in vars(template).items() if value is not observations}
    kind, parts = type(template), _copier(attributes)

    def make() -> Any:
        env = object.__new__(kind)
        vars(env).update(parts(), observation_spaces=observations)
        return env

    return make


def _copier(value: Any) -> Callable[[], Any]:
    """Return what makes copies of a value."""
    if isinstance(value, _CONSTANTS):
        return lambda: value
    if isinstance(value, list):
        if all(isinstance(item, _CONSTANTS) for item in value):
            return value.copy
        items = [_copier(item) for item in value]
        return lambda: [make() for make in items]
    if isinstance(value, dict):
        if all(isinstance(item, _CONSTANTS) for item in value.values()):
            return value.copy
        entries = {key: _copier(item) for key, item in value.items()}
        return lambda: {key: make() for key, make in entries.items()}
    return _object_copier(value)


def _object_copier(value: Any) -> Callable[[], Any]:
    kind, parts = type(value), _copier(vars(value))

    def make() -> Any:
        made = object.__new__(kind)
        vars(made).update(parts())
        return made

    return make
