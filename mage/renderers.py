"""The words put before an agent, beyond the game's own: small named functions that a config picks by name.

With the defaults an agent reads what the game says and nothing else. A text ends in a newline, or is "", except the cue
of a reflection that goes on in the same line; none ends in a space. Left out: how a move is to be written
(`mage.replies`), control texts (`mage.turn_style`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from games.errors import unknown
from games.text import TextGame

REFLECTION_WORDS = 30  # asked for


def _no_system() -> str:
    return ""


def _player() -> str:
    return (
        "You play a game against one opponent, several episodes in a row. "
        "Find out how they play, then make the most of it.\n"
    )


def _game_rules(game: TextGame, seat: int, episodes: int) -> str:
    return game.rules(seat, episodes)


def _no_rules(game: TextGame, seat: int, episodes: int) -> str:
    return ""


def _reflection_lines(reflections: Sequence[str]) -> str:
    """One numbered line each, by the episode that it was written after; line ends inside become spaces."""
    lines = ((number, " ".join(text.split())) for number, text in enumerate(reflections, start=1))
    return "".join(f"reflection {number}: {text}\n" for number, text in lines if text)


def _reflections_alone(reflections: Sequence[str]) -> str:
    """As they were written, blanks around them aside."""
    return "".join(f"{text.strip()}\n" for text in reflections if text.strip())


def _as_it_is(news: str) -> str:
    return news


def _marked(news: str) -> str:
    """A mark before every line, as mail marks what somebody else wrote."""
    return "".join(f"> {line}" for line in news.splitlines(keepends=True))


def _unsaid(legal: Sequence[str]) -> str:
    return ""


def _moves_listed(legal: Sequence[str]) -> str:
    return f"moves: {_joined(legal, ' ')}\n"


def _moves_asked(legal: Sequence[str]) -> str:
    return f"Which of these do you play: {_joined(legal, ', ')}?\n"


def _joined(legal: Sequence[str], separator: str) -> str:
    """Put the separator between the moves, or a bar where a move holds it: "bid 1 | bid 2"."""
    taken = any((separator.strip() or separator) in move for move in legal)
    return (" | " if taken else separator).join(legal)


def _cue(episode: int) -> str:
    return "reflection:"


def _reflection_asked(episode: int) -> str:
    return (
        f"Episode {episode} is over. For your own use later, write in at most {REFLECTION_WORDS} words "
        "what your opponent does and how to beat it.\n"
    )


SYSTEM: dict[str, Callable[[], str]] = {"none": _no_system, "player": _player}
RULES: dict[str, Callable[[TextGame, int, int], str]] = {"game": _game_rules, "none": _no_rules}
MEMORY: dict[str, Callable[[Sequence[str]], str]] = {"lines": _reflection_lines, "plain": _reflections_alone}
OBSERVATION: dict[str, Callable[[str], str]] = {"game": _as_it_is, "marked": _marked}
LEGAL_MOVES: dict[str, Callable[[Sequence[str]], str]] = {
    "none": _unsaid,
    "list": _moves_listed,
    "question": _moves_asked,
}
REFLECTION: dict[str, Callable[[int], str]] = {"compact": _cue, "full": _reflection_asked}

TABLES: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "system": SYSTEM,
    "rules": RULES,
    "memory": MEMORY,
    "observation": OBSERVATION,
    "legal_moves": LEGAL_MOVES,
    "reflection": REFLECTION,
}  # by the field of `Prompt` that names a row


@dataclass(frozen=True, slots=True)
class Prompt:
    """Which renderers are used: each field names a row of its table. Raises RequestError for an unknown name."""

    system: str = "none"
    rules: str = "game"
    memory: str = "lines"
    observation: str = "game"
    legal_moves: str = "none"
    reflection: str = "compact"

    def __post_init__(self) -> None:
        """Refuse a name that no row has."""
        for field in fields(self):
            name, table = getattr(self, field.name), TABLES[field.name]
            if name not in table:
                raise unknown(f"prompt.{field.name}", name, table)

    @property
    def renders_news(self) -> bool:
        """Whether `observation_text` changes what the game says."""
        return self.observation != "game"

    def system_text(self) -> str:
        """Return what an agent is told before everything else; "" where nothing is."""
        return SYSTEM[self.system]()

    def rules_text(self, game: TextGame, seat: int, episodes: int, instruction: str = "") -> str:
        """Return what opens a context in this seat; instruction: how a move is to be written, a line or ""."""
        return RULES[self.rules](game, seat, episodes) + instruction

    def remembered(self, reflections: Sequence[str]) -> str:
        """Return the reflections as an agent reads them again, in order of episode; "" where all are empty."""
        return MEMORY[self.memory](reflections)

    def observation_text(self, news: str) -> str:
        """Return the game's news as an agent reads them."""
        return OBSERVATION[self.observation](news)

    def question(self, legal: Sequence[str]) -> str:
        """Return what an agent is asked when it is to move; "" where nothing is."""
        return LEGAL_MOVES[self.legal_moves](legal)

    def reflect(self, episode: int) -> str:
        """Return what an agent is asked after an episode, counted from 1.

        A text written after a cue that ends without a newline begins with a space, as words do within a line.
        """
        return REFLECTION[self.reflection](episode)
