"""OpenSpiel's games of two or more seats: `openspiel:NAME` or `openspiel:NAME(parameter=value,...)`.

Left out: games of one player and mean field games, which have no opponent, and games without any text for a seat.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Any

import pyspiel

from games.aec import RENDERINGS, AECGame
from games.errors import RequestError, unknown
from games.openspiel.bargaining import BARGAINING
from games.openspiel.boards import BOARDS
from games.openspiel.cards import CARDS
from games.openspiel.env import OpenSpielEnv
from games.openspiel.goofspiel import GOOFSPIEL
from games.openspiel.parameters import checked, types
from games.openspiel.text import (
    FEW,
    Facts,
    Lines,
    OpenSpielAdapter,
    View,
    Views,
    Words,
    compact_rules,
    full_rules,
    plain_word,
    view_lines,
)
from games.spoken import Fault, moves_seen, random_moves
from games.text import Episode

PREFIX = "openspiel:"
FIRST_MOVES = 6  # that are played of a game with parameters before it is said to load; more take long in bridge
# What OpenSpiel's C++ raises: its own error, and those of lengths and memory.
NOT_PLAYED = (pyspiel.SpielError, ValueError, MemoryError)
_SOURCE_LINE = re.compile(r"^/\S+:\d+ ")  # where in OpenSpiel's source an error arose

WORDS: dict[str, Words] = {**BOARDS, **CARDS, **GOOFSPIEL, **BARGAINING}


def load(name: str, rendering: str) -> AECGame:
    """Load a game; RequestError, in one sentence, for one that can't be played as text."""
    if rendering not in RENDERINGS:
        raise unknown("rendering", rendering, RENDERINGS)
    given = checked(name.removeprefix(PREFIX))
    game = _loaded(given)
    game_string = _canonical(given, game)
    _require_playable(name, game)
    facts = _facts(game, game_string)
    words = _words(facts, _view(game))
    turns = game.max_game_length()
    make_env = partial(OpenSpielEnv, game_string)
    made = AECGame(
        name=PREFIX + game_string.removesuffix("()"),
        rendering=rendering,
        seats=facts.seats,
        max_turns=-(-turns // facts.seats) if facts.seats <= words.even_seats else turns,
        utility_range=facts.utility_range,
        zero_sum=facts.zero_sum,
        make_env=make_env,
        make_adapter=partial(OpenSpielAdapter, facts, words, rendering),
        make_rules=_rules(facts, words, rendering, make_env),
        solver=game_string,
    )
    if made.name != PREFIX + facts.name:
        _require_moves(made)
    return made


def _loaded(given: str) -> Any:
    try:
        return pyspiel.load_game(given)
    except NOT_PLAYED as error:
        raise RequestError(
            f"got OpenSpiel game {given!r}, expected NAME or NAME(parameter=value,...): {_reason(error)}; "
            "change the parameters"
        ) from error


def _reason(error: Exception) -> str:
    """What an error says, in one line."""
    return _SOURCE_LINE.sub("", " ".join(str(error).split())).rstrip(".") or type(error).__name__


def _canonical(given: str, game: Any) -> str:
    """The game string with sorted parameters and without those that are at their defaults; equal games, equal strings.

    Parameters of a game within the game stay as they were given.
    """
    parameters = pyspiel.game_parameters_from_string(given)
    game_type = types()[parameters["name"]]
    defaults = game_type.parameter_specification if game_type.default_loadable else {}
    kept = {key: value for key, value in parameters.items() if key == "name" or defaults.get(key) != value}
    if len(kept) < len(parameters):
        shorter: str = pyspiel.game_parameters_to_string(kept)
        if pyspiel.load_game(shorter).get_parameters() == game.get_parameters():  # a default may hang on another value
            return shorter
    return pyspiel.game_parameters_to_string(parameters)


def _require_playable(name: str, game: Any) -> None:
    game_type = game.get_type()
    if game_type.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise RequestError(f"got {name!r}, a mean field game, expected a game between seats; load another game")
    if game.num_players() < 2:
        raise RequestError(f"got {name!r}, a game of one player, expected two seats or more; load another game")


@cache
def _require_moves(made: AECGame) -> None:
    """Raises RequestError where an episode doesn't get through its first moves, as with sizes that make no game."""
    try:
        for _ in random_moves(made.start(0), 0, FIRST_MOVES):
            pass
    except RequestError:
        raise
    except (Fault, *NOT_PLAYED) as error:
        raise RequestError(
            f"got {made.name!r}, whose first moves can't be played, expected parameters that make a game: "
            f"{_reason(error)}; change the parameters"
        ) from error


def _facts(game: Any, game_string: str) -> Facts:
    game_type = game.get_type()
    kinds = pyspiel.GameType
    return Facts(
        name=game_string.partition("(")[0],
        title=game_string.removesuffix("()").replace("\n", "/"),  # a grid is written in lines
        seats=game.num_players(),
        parameters={**game_type.parameter_specification, **game.get_parameters()},
        perfect=game_type.information != kinds.Information.IMPERFECT_INFORMATION,
        chance=game_type.chance_mode != kinds.ChanceMode.DETERMINISTIC,
        simultaneous=game_type.dynamics == kinds.Dynamics.SIMULTANEOUS,
        zero_sum=game_type.utility == kinds.Utility.ZERO_SUM,
        utility_range=(game.min_utility(), game.max_utility()),
    )


def _view(game: Any) -> View:
    """Where the text of what a seat sees comes from: what the game has of the observation and the information state.

    In games that hide something the information state is added where it says more: OpenSpiel's observations may forget.
    """
    game_type = game.get_type()
    hides = game_type.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    observed, known = game_type.provides_observation_string, game_type.provides_information_state_string
    if observed and known and hides:
        return _observed_and_known
    if observed:
        return lambda state, seat: view_lines(state.observation_string(seat))
    if known:
        return lambda state, seat: view_lines(state.information_state_string(seat))
    if not hides:
        return lambda state, seat: view_lines(state.history_str())
    raise RequestError(
        f"got {game_type.short_name!r}, which has no text for what a seat sees and hides some of it; load another game"
    )


def _observed_and_known(state: Any, seat: int) -> Lines:
    observed = view_lines(state.observation_string(seat))
    known = view_lines(state.information_state_string(seat))
    return observed + [line for line in known if line and line not in observed]


def _words(facts: Facts, view: View) -> Words:
    """The game's own words, or those that serve any game."""
    words = WORDS.get(facts.name)
    defaults = types()[facts.name].parameter_specification
    if words is not None and all(facts.parameters[key] == defaults[key] for key in words.defaults):
        return words
    return Words(partial(Views, view=view), move=plain_word, gist=_any_gist, rules=_any_rules)


def _any_gist(facts: Facts, seat: int) -> str:
    return "" if facts.perfect and not facts.chance else "a changed line comes with its number"


def _any_rules(facts: Facts, seat: int) -> Lines:
    order = "All who can move do so at the same time." if facts.simultaneous else "The seats move one at a time."
    seen = "All seats see everything." if facts.perfect else "Each seat reads what it alone sees."
    if facts.perfect and facts.simultaneous:
        seen = "All seats see everything, and each other's moves once all have moved."
    return [order, f"{seen} What you see is written as OpenSpiel writes it."]


def _rules(facts: Facts, words: Words, rendering: str, make_env: Any) -> Any:
    """What `AECGame.make_rules` is: (seat, episodes) -> text."""
    if rendering == "compact":
        return partial(compact_rules, facts, words)

    def start(seed: int) -> Episode:
        return Episode(make_env(), OpenSpielAdapter(facts, words, rendering), seed, facts.utility_range, facts.zero_sum)

    @cache
    def moves() -> tuple[str, ...]:
        return moves_seen(start, FEW)

    return lambda seat, episodes: full_rules(facts, words, seat, episodes, moves())
