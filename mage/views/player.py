"""The state of a replay: which match and step is shown, what a key changes; leaves out screen and clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mage.views.replay import Match, Replays

SLOWEST, FASTEST = 0.125, 64.0  # moves per second
SCROLLED = 8  # lines at a time


@dataclass
class Player:
    """Which match and step is shown, and whether it moves on by itself; knows nothing of the screen."""

    replays: Replays
    identity: str | None  # None while no match has been logged
    speed: float = 1.0  # moves per second
    live: bool = False
    playing: bool = True
    prompt: bool = False  # whether the exact prompt is shown instead of the match
    back: int = 0  # lines before the prompt's end at which its display ends
    cursor: int = 0
    done: bool = False
    _shown: tuple[str, Match] | None = field(default=None, repr=False)

    @property
    def match(self) -> Match | None:
        """The match shown, read when first needed."""
        if self.identity is None:
            self.identity = self.replays.default()
        if self.identity is None:
            return None
        if self._shown is None or self._shown[0] != self.identity:
            self._shown = (self.identity, self.replays.match(self.identity))
        return self._shown[1]

    @property
    def at_end(self) -> bool:
        """Whether the last step of the match is shown."""
        return self.match is None or self.cursor >= len(self.match.steps()) - 1

    def press(self, key: str) -> None:
        """Do what a key asks for; other keys do nothing."""
        if key in KEY_ACTIONS:
            KEY_ACTIONS[key](self)

    def advance(self) -> None:
        """One move on by itself; live, on to the next match, or done when the run has ended."""
        if not self.at_end:
            self.cursor, self.back = self.cursor + 1, 0
        elif self.live and not self.turn(1):
            self.done = self.replays.ended

    def toggle(self) -> None:
        """Pause or go on; at the end of a match, start it again."""
        if self.at_end and not self.live:
            self.cursor, self.back, self.playing = 0, 0, True
        else:
            self.playing = not self.playing

    def move(self, by: int) -> None:
        """Pause, and go so many steps on (or back, below 0)."""
        self.playing, self.back = False, 0
        last = len(self.match.steps()) - 1 if self.match else 0
        self.cursor = min(max(self.cursor + by, 0), last)

    def faster(self, factor: float) -> None:
        """Multiply the speed, within limits."""
        self.speed = min(max(self.speed * factor, SLOWEST), FASTEST)

    def turn(self, by: int) -> bool:
        """To the match `by` places on in the log, from its start; False when there is none."""
        if self.identity is None:
            return False
        place = self.replays.ids.index(self.identity) + by
        if not 0 <= place < len(self.replays.ids):
            return False
        self.identity, self.cursor, self.back = self.replays.ids[place], 0, 0
        return True

    def show_prompt(self) -> None:
        """Show the exact prompt, from its end, or the match again."""
        self.prompt, self.back = not self.prompt, 0

    def scroll(self, by: int) -> None:
        """Pause, and go so many lines back in the prompt (or on, below 0); a screen bounds how far back."""
        if self.prompt:
            self.playing, self.back = False, max(self.back + by, 0)

    def quit(self) -> None:
        """Stop showing."""
        self.done = True

    def status(self) -> str:
        """One line: playing or paused, the speed, and how many matches follow."""
        ids = self.replays.ids
        after = len(ids) - 1 - ids.index(self.identity) if self.identity in ids else 0
        state = "playing" if self.playing else "paused"
        if self.at_end:
            state = "at the end" if not self.live else "run ended" if self.replays.ended else "waiting"
        return f"{state}  {self.speed:g} moves/s  {after} more {'match' if after == 1 else 'matches'}"


KEY_ACTIONS: dict[str, Callable[[Player], object]] = {
    " ": Player.toggle,
    "n": lambda player: player.move(1),
    "right": lambda player: player.move(1),
    "p": lambda player: player.move(-1),
    "left": lambda player: player.move(-1),
    "+": lambda player: player.faster(2.0),
    "=": lambda player: player.faster(2.0),
    "-": lambda player: player.faster(0.5),
    "]": lambda player: player.turn(1),
    "[": lambda player: player.turn(-1),
    "x": Player.show_prompt,
    "u": lambda player: player.scroll(SCROLLED),
    "d": lambda player: player.scroll(-SCROLLED),
    "q": Player.quit,
}
