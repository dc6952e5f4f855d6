"""A game as text whose episodes are played in a library's AEC environment.

What the game is called, what it says and what it pays is given; an episode makes an environment and an adapter of its
own. Left out: the words of any one game (`classics`, `openspiel.text`), where environments come from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from games.spoken import by_trying
from games.text import Episode, Spoken, TextAdapter

if TYPE_CHECKING:
    from pettingzoo.utils.env import AECEnv

RENDERINGS = ("compact", "full")


@dataclass(frozen=True)
class AECGame:
    """A `games.text.TextGame`; equal by name and rendering, and hashable."""

    name: str  # by which `games.load` makes it again
    rendering: str  # one of RENDERINGS
    seats: int = field(compare=False)
    max_turns: int = field(compare=False)  # the most decisions of one seat in an episode
    utility_range: tuple[float, float] = field(compare=False)
    zero_sum: bool = field(compare=False)
    make_env: Callable[[], AECEnv[Any, Any, Any]] = field(compare=False)
    make_adapter: Callable[[], TextAdapter] = field(compare=False)  # one for each episode; it may keep notes
    make_rules: Callable[[int, int], str] = field(compare=False)  # seat, episodes
    solver: str | None = field(
        default=None, compare=False
    )  # the OpenSpiel game, as load_game takes it, of this very tree

    def rules(self, seat: int, episodes: int) -> str:
        """The text that opens a trial for this seat."""
        return self.make_rules(seat, episodes)

    def episode_header(self, number: int) -> str:
        """The text that opens an episode, numbered from 1."""
        return f"episode {number}\n"

    @cached_property
    def spoken(self) -> tuple[Spoken, ...]:
        """What each seat reads and writes, as far as random play brings it up."""
        return by_trying(self)

    def start(self, seed: int) -> Episode:
        """Start an episode; the seed fixes every chance move."""
        return Episode(self.make_env(), self.make_adapter(), seed, self.utility_range, self.zero_sum)
