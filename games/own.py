"""A person's own environment as a game: `package.module:function`, or a name registered under `mage.games`.

The function takes no arguments, or one called `rendering`, and returns a `games.text.TextGame`, or a new PettingZoo
environment, AEC or parallel, of two seats or more. Importing it runs its module's code, so a name must come from the
person who runs the program: `registry.load(name, own_code=False)` is for names out of somebody else's files.
Left out: the words of an environment that has none (`own_text`).
"""

from __future__ import annotations

import inspect
import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from pettingzoo.utils.conversions import parallel_to_aec_wrapper
from pettingzoo.utils.env import AECEnv, ParallelEnv

from games.aec import RENDERINGS, AECGame
from games.errors import RequestError, unknown
from games.own_text import OwnAdapter, rules_of
from games.text import TextGame

GROUP = "mage.games"
FORM = "package.module:function"
_REFERENCE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_GAME = ("name", "seats", "max_turns", "utility_range", "zero_sum", "spoken", "rules", "episode_header", "start")

Environment: TypeAlias = AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Fact:
    """What the library can't find out about an environment, so that its `env.NAME` must say it."""

    meaning: str
    example: str
    holds: Callable[[Any], bool]


def _is_range(value: Any) -> bool:
    numbers = isinstance(value, tuple | list) and all(isinstance(end, int | float) for end in value)
    return numbers and len(value) == 2 and -math.inf < value[0] <= value[1] < math.inf


FACTS = {
    "utility_range": Fact("the least and the greatest return of an episode, over all seats", "(-1.0, 1.0)", _is_range),
    "zero_sum": Fact(
        "whether the returns of all seats always sum to 0", "False", lambda value: isinstance(value, bool)
    ),
    "max_turns": Fact(
        "the most decisions of one seat in an episode",
        "20",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
    ),
}


def registered() -> dict[str, EntryPoint]:
    """The games that installed packages register, by name. Imports none of them.

    Raises RequestError where two packages register one name.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise RequestError(
                f"game {entry.name!r}: got it from {other.value} and from {entry.value}, expected one package "
                f"to register it; uninstall one, or load the one you mean as {FORM}"
            )
    return found


def load(name: str, rendering: str) -> TextGame:
    """Load `package.module:function`. Raises RequestError where there is no such function, or it gives no game."""
    match = _REFERENCE.fullmatch(name)
    if match is None:
        raise RequestError(f"game {name!r}: expected {FORM}, such as my_games.auction:make")
    return _build(name, rendering, _function(name, match[1], match[2]))


def load_registered(name: str, entry: EntryPoint, rendering: str) -> TextGame:
    """Load a registered game; errors as in `load`."""
    return _build(name, rendering, _function(name, entry.module, entry.attr))


def _function(name: str, module: str, path: str) -> Callable[..., Any]:
    top = module.partition(".")[0]
    here = Path.cwd()
    if top not in sys.modules and find_spec(top) is None and ((here / top).is_dir() or (here / f"{top}.py").is_file()):
        sys.path.append(os.fspath(here))  # last, so that nothing in a folder hides what is installed
    try:
        value: Any = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there, and asks for one that isn't
        raise RequestError(
            f"game {name!r}: there is no module {error.name!r}, neither installed nor in {here}; "
            f"write {FORM}, and start where the module lies or put its folder on PYTHONPATH"
        ) from error
    for part in path.split("."):
        if not hasattr(value, part):
            raise unknown(f"function of {module}", path, [key for key in vars(value) if not key.startswith("_")])
        value = getattr(value, part)
    if not callable(value):
        raise RequestError(f"game {name!r}: got {path}, which can't be called, expected a function")
    function: Callable[..., Any] = value
    return function


def _build(name: str, rendering: str, function: Callable[..., Any]) -> TextGame:
    if rendering not in RENDERINGS:
        raise unknown("rendering", rendering, RENDERINGS)
    parameters = _parameters(function)
    make = partial(function, rendering=rendering) if "rendering" in parameters else function
    needed = [
        key
        for key, parameter in parameters.items()
        if key != "rendering"
        and parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if needed:
        raise RequestError(
            f"game {name!r}: the function needs {', '.join(needed)}, expected no arguments (or rendering alone); "
            "give them defaults"
        )
    made = make()
    if isinstance(made, AECEnv | ParallelEnv):
        return _from_environment(name, rendering, make, made)
    if all(hasattr(made, part) for part in _GAME):
        game: TextGame = made
        return game
    raise RequestError(
        f"game {name!r}: the function returned {type(made).__name__!r}, expected a PettingZoo AECEnv or ParallelEnv, "
        "or a games.TextGame"
    )


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except ValueError:  # some functions of C have none to read
        return {}


def _from_environment(name: str, rendering: str, make: Callable[[], Environment], first: Environment) -> AECGame:
    facts = {fact: _told(name, first, fact) for fact in FACTS}
    seats = len(getattr(first, "possible_agents", ()))
    if seats < 2:
        raise RequestError(
            f"game {name!r}: got {seats} possible_agents, expected two or more; list every agent that can take part"
        )
    if make() is first:
        raise RequestError(
            f"game {name!r}: the function returned the same environment twice, expected a new one every time; "
            "make it inside the function, since episodes are played side by side"
        )
    return AECGame(
        name=name,
        rendering=rendering,
        seats=seats,
        max_turns=facts["max_turns"],
        utility_range=(float(facts["utility_range"][0]), float(facts["utility_range"][1])),
        zero_sum=facts["zero_sum"],
        make_env=lambda: _cycled(make()),
        make_adapter=partial(OwnAdapter, name, rendering, seats),
        make_rules=rules_of(name, rendering, _cycled(first)),
    )


def _told(name: str, env: Environment, key: str) -> Any:
    """A fact that the environment states about itself. Raises RequestError where it doesn't."""
    fact, missing = FACTS[key], object()
    value = getattr(env, key, missing)
    if value is not missing and fact.holds(value):
        return value
    got = "nothing" if value is missing else repr(value)
    raise RequestError(
        f"game {name!r}: got {got} as the environment's {key}, expected {fact.meaning}; "
        f"write env.{key} = {fact.example} (with your numbers) before the function returns it"
    )


def _cycled(env: Environment) -> AECEnv[Any, Any, Any]:
    """The environment in AEC form; a parallel one hides moves until all have moved."""
    return env if isinstance(env, AECEnv) else parallel_to_aec_wrapper(env)
