"""What a person writes as an OpenSpiel game, `NAME` or `NAME(parameter=value,...)`, looked at before OpenSpiel gets it.

OpenSpiel prints on the terminal what it refuses, takes numbers that make no game, and at some of them it ends the
process or never comes back. Left out: values that are fine one by one and make no game together, which loading and the
first moves find out (`game`).
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import pyspiel

from games.errors import RequestError, unknown
from games.naming import split_names

LARGEST = 2**31 - 1  # OpenSpiel's whole numbers are signed 32-bit numbers

# The parameters that say how many seats there are; each game knows how many it takes.
SEATS = ("players", "num_players", "numPlayers")

# Whole numbers above 0 by default count what a game can't be without, such as rows or turns; but these may be 0.
NONE_TOO = frozenset(
    {
        "fixed_player", "gin_bonus", "insanity", "knock_card", "max_bribe", "max_no_progress", "num_extra_coin_colors",
        "num_redeals", "num_tricks_in_observation", "obs_back", "obs_front", "obs_side", "points_per_trick", "recall",
        "recall_length", "rng_seed", "seed", "sense_size", "undercut_bonus", "utterance_dim", "win_or_loss_bonus",
    }
)  # fmt: skip

# Where the rule above isn't enough: (game, parameter) -> the least and the greatest value.
LIMITS: dict[tuple[str, str], tuple[int, int]] = {
    ("breakthrough", "columns"): (2, 26),  # a column is a letter
    ("breakthrough", "rows"): (2, LARGEST),
    ("clobber", "columns"): (2, LARGEST),
    ("clobber", "rows"): (2, LARGEST),
    ("cursor_go", "board_size"): (2, 19),
    ("go", "board_size"): (2, 19),
    ("go_fish", "initial_cards"): (1, LARGEST),
    ("hex", "board_size"): (2, 26),  # a column is a letter, and on one cell OpenSpiel sees no winner
    ("hex", "num_cols"): (1, 26),
    ("phantom_go", "board_size"): (2, 19),
    ("snake", "columns"): (4, LARGEST),
    ("snake", "rows"): (4, LARGEST),
    ("twixt", "board_size"): (5, 24),
}

# Games that end the process at values that they don't like, or never come back: these are loaded elsewhere first.
ENDING = frozenset({"hanabi", "universal_poker"})
LONGEST_LOAD = 60  # seconds
ELSEWHERE = "import sys, pyspiel; pyspiel.load_game(sys.argv[1]).new_initial_state()"

_FORM = re.compile(r"([^(]+)(?:\((.*)\))?", re.DOTALL)
_WHOLE = re.compile(r"[+-]?\d+")
_REAL = re.compile(r"[+-]?(\d+\.\d*|\.\d+)")
_BOOLS = ("True", "true", "False", "false")


@cache
def types() -> Mapping[str, Any]:
    """OpenSpiel's games by name: their `GameType`."""
    return {game_type.short_name: game_type for game_type in pyspiel.registered_games()}


def checked(given: str) -> str:
    """The game as OpenSpiel reads it, without spaces around names and values.

    Raises RequestError for a text of another form, for names that OpenSpiel doesn't know, a parameter that is given
    twice, and a value of another kind or out of range.
    """
    name = given.partition("(")[0]
    if name not in types():
        raise unknown("OpenSpiel game", name, types())
    match = _FORM.fullmatch(given)
    if match is None:
        raise _malformed(given, "close the parenthesis at the end")
    texts = _texts(given, match[2] or "")
    if not texts and not types()[name].default_loadable:
        known = ",".join(f"{key}=..." for key in sorted(types()[name].parameter_specification))
        raise RequestError(f"got OpenSpiel game {name!r}, expected it with its parameters; write {name}({known})")
    if name == "start_at":
        _require_history(given, texts)
    values = ",".join(f"{key}={_value(types()[name], key, text)}" for key, text in texts.items())
    text = f"{name}({values})" if values else name
    if values and name in ENDING:
        _load_elsewhere(text)
    return text


def _malformed(given: str, advice: str) -> RequestError:
    return RequestError(f"got OpenSpiel game {given!r}, expected NAME or NAME(parameter=value,...); {advice}")


def _texts(given: str, inside: str) -> dict[str, str]:
    """The values as they are written, by parameter."""
    texts: dict[str, str] = {}
    for part in split_names(inside):
        key, equals, text = (piece.strip(" ") for piece in part.partition("="))
        if not equals:
            raise _malformed(given, f"write a parameter's name and = before {part!r}")
        if key in texts:
            raise _malformed(given, f"give {key} once")
        texts[key] = text
    return texts


def _require_history(given: str, texts: Mapping[str, str]) -> None:
    """Raises RequestError for a history with a move that isn't legal: OpenSpiel plays it without looking."""
    state = pyspiel.load_game(checked(texts["game"])).new_initial_state() if "game" in texts else None
    for move in filter(None, texts.get("history", "").split(";")):
        if state is None or state.is_terminal() or not move.isdecimal() or int(move) not in state.legal_actions():
            raise _malformed(given, f"{move!r} in the history is no legal action there")
        state.apply_action(int(move))


def _value(game_type: Any, key: str, text: str) -> str:
    """The value as OpenSpiel reads it; texts are left as they are."""
    known = game_type.parameter_specification
    if key not in known:
        raise unknown(f"parameter of {game_type.short_name}", key, known)
    default = known[key]
    if isinstance(default, dict):
        inner = checked(text)
        return inner if inner.endswith(")") else f"{inner}()"  # by which OpenSpiel tells a game from a text
    if isinstance(default, bool):
        return _of_kind(game_type, key, text, text in _BOOLS, "True or False")
    if isinstance(default, float):
        if _WHOLE.fullmatch(text):
            return f"{text}.0"
        return _of_kind(game_type, key, text, _REAL.fullmatch(text) is not None, "a number such as 0.5")
    if isinstance(default, int):
        least, most = _range(game_type, key, default)
        fits = _WHOLE.fullmatch(text) is not None and (int(text) == default != 0 or least <= int(text) <= most)
        if most == LARGEST:
            return _of_kind(game_type, key, text, fits, f"a whole number of at least {least}")
        return _of_kind(game_type, key, text, fits, f"a whole number from {least} to {most}")
    return text


def _of_kind(game_type: Any, key: str, text: str, fits: bool, expected: str) -> str:
    if not fits:
        raise RequestError(f"got {key}={text} for OpenSpiel's {game_type.short_name}, expected {expected}; change it")
    return text


def _range(game_type: Any, key: str, default: int) -> tuple[int, int]:
    if (game_type.short_name, key) in LIMITS:
        return LIMITS[game_type.short_name, key]
    if key in SEATS:
        return game_type.min_num_players, game_type.max_num_players
    if default > 0:
        return (0 if key in NONE_TOO else 1), LARGEST
    return (default if default >= -1 else -LARGEST), LARGEST  # 0 or -1: the game chooses; lower: a sum, not a count


@cache
def _load_elsewhere(given: str) -> None:
    """Raises RequestError where loading the game ends the process: another one, which loads it first."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", ELSEWHERE, given], capture_output=True, text=True, timeout=LONGEST_LOAD
        )
    except subprocess.TimeoutExpired:
        raise RequestError(
            f"got OpenSpiel game {given!r}, which did not load within {LONGEST_LOAD} s, expected one that does; "
            "change the parameters"
        ) from None
    if done.returncode in (0, 1):  # 1: an ordinary exception, which comes again where it can be caught
        return
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    reason = f": {lines[-1]}" if lines else ""
    raise RequestError(
        f"got OpenSpiel game {given!r}, expected parameters that don't end the process as these do{reason}; "
        "change the parameters"
    )
