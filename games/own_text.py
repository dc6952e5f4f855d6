"""Words for a person's own environment: its `text` object's where it has one, else numbers from its spaces.

`env.text` may have any of `rules`, `opening`, `legal_moves`, `action` and `news` (see `METHODS`); what it lacks is
made from the action space, which must then be Discrete, from `action_mask` and from what `env.observe` gives each seat.
Left out: where the environment comes from (`own`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from games.errors import RequestError

if TYPE_CHECKING:
    from pettingzoo.utils.env import AECEnv

# What `env.text` may have; `env` is the environment that the person's function returned.
METHODS = {
    "rules": "rules(seat, episodes) -> str",
    "opening": "opening(env) -> a text for each seat",
    "legal_moves": "legal_moves(env, seat) -> words",
    "action": "action(env, seat, move) -> what env.step takes",
    "news": "news(env, seat, move) -> a text for each seat",
}
LARGEST_OBSERVATION = 1000  # numbers; more is no text to read


@dataclass(frozen=True, slots=True)
class Phrases:
    """How one rendering says what is made from spaces."""

    rules: str  # fields: name, seat, seats, moves, episodes, least, greatest
    observation: str
    reward: str


PHRASES = {
    "compact": Phrases("{name} seat {seat} of {seats}: {moves}, {episodes}\n", "see {}\n", "get {}\n"),
    "full": Phrases(
        "You are seat {seat} of {seats} in {name}, for {episodes}.\n"
        "A move is the number of an action: {moves}.\n"
        "You read what you observe whenever it changes, and your rewards; your result is the sum of your rewards.\n",
        "You observe {}.\n",
        "Your reward is {}.\n",
    ),
}


def written(value: Any) -> str:
    """An observation as text: numbers with spaces between, the rows of an array with " / ", fields with "; ".

    A field called action_mask is left out.
    """
    if isinstance(value, Mapping):
        fields = {key: written(part) for key, part in value.items() if key != "action_mask"}
        return "; ".join(text if len(fields) == 1 else f"{key} {text}" for key, text in fields.items())
    if isinstance(value, tuple | list):
        return "; ".join(written(part) for part in value)
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return str(value).strip()
    if array.dtype == np.bool_:
        array = array.astype(np.int64)
    if array.ndim <= 1:
        return " ".join(str(number) for number in array.reshape(-1))
    return " / ".join(written(row) for row in array)


def rules_of(name: str, rendering: str, env: AECEnv[Any, Any, Any]) -> Callable[[int, int], str]:
    """The rules text by (seat, episodes). Raises RequestError for an environment that has no words and needs some."""
    text = _text_of(name, env)
    if not hasattr(text, "legal_moves"):
        _require_numbers(name, env)
    if not (hasattr(text, "opening") and hasattr(text, "news")):
        _require_short(name, env)
    if hasattr(text, "rules"):
        return lambda seat, episodes: _line(name, "rules", text.rules(seat, episodes))
    agents = list(env.possible_agents)
    moves = [_span(env.action_space(agent)) if not hasattr(text, "legal_moves") else "words" for agent in agents]

    def rules(seat: int, episodes: int) -> str:
        count = "1 episode" if episodes == 1 else f"{episodes} episodes"
        return PHRASES[rendering].rules.format(
            name=name, seat=seat, seats=len(agents), moves=moves[seat], episodes=count
        )

    return rules


class OwnAdapter:
    """The `games.text.TextAdapter` of any environment; it remembers what each seat has read last."""

    def __init__(self, name: str, rendering: str, seats: int) -> None:
        """name: of the game, for errors; rendering: a key of PHRASES."""
        self._name = name
        self._phrases = PHRASES[rendering]
        self._seats = seats
        self._text: Any = None
        self._shown = [""] * seats
        self._waiting: set[Any] = set()  # agents of a parallel environment that have yet to move in this cycle

    def opening(self, env: AECEnv[Any, Any, Any]) -> Sequence[str]:
        """What the text says, else what each seat observes."""
        self._text = _text_of(self._name, env)
        if hasattr(self._text, "opening"):
            return self._checked("opening", self._text.opening(_theirs(env)))
        return self._observations(env)

    def legal_moves(self, env: AECEnv[Any, Any, Any], seat: int) -> tuple[str, ...]:
        """What the text says, else the numbers of the actions that the mask allows."""
        if not hasattr(self._text, "legal_moves"):
            return self._numbers(env, seat)
        moves = tuple(self._text.legal_moves(_theirs(env), seat))
        words = all(isinstance(move, str) and move.strip() == move != "" and "\n" not in move for move in moves)
        if not moves or not words or len(set(moves)) < len(moves):
            raise RequestError(
                f"game {self._name!r}: text.legal_moves gave {moves!r} to seat {seat}, expected one or more distinct "
                "words without a newline or spaces around them"
            )
        return moves

    def action(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Any:
        """What the text says, else the number."""
        if isinstance(env, parallel_to_aec_wrapper) and not self._waiting:
            self._waiting = set(env.agents)
        return self._text.action(_theirs(env), seat, move) if hasattr(self._text, "action") else int(move)

    def news(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Sequence[str]:
        """What the text says, else what each seat observes where it changed, and its reward.

        Of a parallel environment there is none until all have moved.
        """
        self._waiting.discard(env.possible_agents[seat])
        if self._waiting:
            return [""] * self._seats
        if hasattr(self._text, "news"):
            return self._checked("news", self._text.news(_theirs(env), seat, move))
        texts = self._observations(env)
        for reader, agent in enumerate(env.possible_agents):
            if reward := env.rewards.get(agent):
                texts[reader] += self._phrases.reward.format(f"{float(reward):g}")
        return texts

    def history(self, env: AECEnv[Any, Any, Any]) -> Sequence[tuple[int, ...]]:
        """None is kept."""
        return ()

    def state(self, env: AECEnv[Any, Any, Any]) -> Any:
        """None: OpenSpiel doesn't know the game."""
        return None

    def _numbers(self, env: AECEnv[Any, Any, Any], seat: int) -> tuple[str, ...]:
        agent = env.possible_agents[seat]
        space = env.action_space(agent)
        observation = env.observe(agent)
        mask = observation.get("action_mask") if isinstance(observation, Mapping) else None
        if mask is None:
            mask = env.infos[agent].get("action_mask")
        allowed = range(int(space.n)) if mask is None else np.flatnonzero(mask)
        if len(allowed) == 0:
            raise RequestError(
                f"game {self._name!r}: got an action_mask without a legal action for {agent}, whose turn it is, "
                "expected at least one; end the episode, or let it pass with an action of its own"
            )
        return tuple(str(int(space.start) + int(index)) for index in allowed)

    def _observations(self, env: AECEnv[Any, Any, Any]) -> list[str]:
        """What has changed for each seat that still takes part."""
        texts = [""] * self._seats
        for reader, agent in enumerate(env.possible_agents):
            if agent in env.agents and (seen := written(env.observe(agent))) != self._shown[reader]:
                self._shown[reader] = seen
                texts[reader] = self._phrases.observation.format(seen)
        return texts

    def _checked(self, method: str, texts: Any) -> list[str]:
        if isinstance(texts, str) or len(texts) != self._seats:
            raise RequestError(
                f"game {self._name!r}: text.{method} gave {texts!r}, expected a text for each of {self._seats} seats"
            )
        return [_line(self._name, method, text) if text != "" else "" for text in texts]


def _theirs(env: AECEnv[Any, Any, Any]) -> Any:
    """The environment that the person made."""
    return env.env if isinstance(env, parallel_to_aec_wrapper) else env


def _text_of(name: str, env: AECEnv[Any, Any, Any]) -> Any:
    text = getattr(_theirs(env), "text", None)
    if text is None:
        return None
    there = [method for method in METHODS if hasattr(text, method)]
    if not there:
        raise RequestError(
            f"game {name!r}: env.text has none of {', '.join(METHODS)}; expected {METHODS['rules']} and the like, or "
            "env.text = None"
        )
    if ("legal_moves" in there) != ("action" in there):
        raise RequestError(
            f"game {name!r}: env.text has one of legal_moves and action, expected both or neither; "
            f"add {METHODS['action' if 'legal_moves' in there else 'legal_moves']}"
        )
    return text


def _line(name: str, method: str, text: Any) -> str:
    if not isinstance(text, str) or not text.endswith("\n"):
        raise RequestError(f"game {name!r}: text.{method} gave {text!r}, expected a text that ends in a newline")
    return text


def _span(space: spaces.Discrete) -> str:
    return f"{int(space.start)} to {int(space.start) + int(space.n) - 1}"


def _require_numbers(name: str, env: AECEnv[Any, Any, Any]) -> None:
    for agent in env.possible_agents:
        space = env.action_space(agent)
        if not isinstance(space, spaces.Discrete):
            raise RequestError(
                f"game {name!r}: got the action space {space} of {agent}, expected Discrete; give the environment "
                f"a text with {METHODS['legal_moves']} and {METHODS['action']}"
            )


def _require_short(name: str, env: AECEnv[Any, Any, Any]) -> None:
    for agent in env.possible_agents:
        count = _size(env.observation_space(agent))
        if count > LARGEST_OBSERVATION:
            raise RequestError(
                f"game {name!r}: an observation of {agent} has {count} numbers, expected at most "
                f"{LARGEST_OBSERVATION}; give the environment a text with {METHODS['opening']} and {METHODS['news']}"
            )


def _size(space: spaces.Space[Any]) -> int:
    """How many numbers an observation has."""
    if isinstance(space, spaces.Dict):
        return sum(_size(part) for key, part in space.spaces.items() if key != "action_mask")
    if isinstance(space, spaces.Tuple):
        return sum(_size(part) for part in space.spaces)
    return math.prod(space.shape or ())
