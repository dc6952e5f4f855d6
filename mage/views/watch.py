"""`mage watch`: replays logged matches in the terminal, or as plain text through a pipe, of live runs too.

Reads the event log only. Leaves out drawing (`frames.py`, `prompt_view.py`, `transcript.py`), keys (`terminal.py`) and
all that needs torch.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from rich.console import Console, ConsoleDimensions, Group
from rich.text import Text

from games.errors import RequestError
from mage.events import read
from mage.paths import RunPaths
from mage.views import terminal
from mage.views.cells import cut
from mage.views.follow import Follower
from mage.views.frames import frame
from mage.views.player import Player
from mage.views.prompt_view import furthest, prompt_frame
from mage.views.replay import Match, Replays
from mage.views.safe_text import clean
from mage.views.transcript import transcript

LOOK = 0.2  # seconds between looks at a growing log
BLINK = 0.1  # seconds in which a resized window is drawn again


def watch(
    run: Path,
    *,
    match: str | None = None,
    speed: float = 1.0,
    live: bool = False,
    step: bool = False,
    prompt: bool = False,
    console: Console | None = None,
) -> None:
    """Show logged matches of a run directory or of an event log file.

    match: id of the one to show; None takes the last with a learner. speed: moves per second (> 0). live:
    wait for new matches until the run ends. step: start paused. prompt: show all that stood before a seat when it
    wrote, exactly, instead of what it read last. console: where to; standard output if None.
    Without a terminal on both ends the match is printed once as plain text. Raises RequestError when there is
    nothing to show, the id is unknown, or the log is damaged.
    """
    if not (math.isfinite(speed) and speed > 0):
        raise RequestError(f"got a speed of {speed}; give moves per second above 0, such as 2")
    console = console or Console()
    replays = Replays(unicode=speaks_unicode(console.file))
    path = log_path(run, live)
    more = _source(path, replays, live)
    if match is None and not replays.ids and not live:
        raise RequestError(
            f"{path} holds no matches; train with run.log_matches above 0, wait for the first, or use --live"
        )
    chosen = replays.default() if match is None else replays.find(match)
    player = Player(replays, chosen, speed, live, playing=not step, prompt=prompt)
    try:
        if is_interactive(console):
            _play(player, more, console, clean(str(run)))
        else:
            _print(player, more, console.file)
    except KeyboardInterrupt:
        return


def log_path(run: Path, live: bool = False) -> Path:
    """The event log of a run directory, or the file itself. A live run's log need not exist yet."""
    if run.is_dir():
        log = RunPaths(run).events
        if not live and not log.exists():
            raise RequestError(f"{run} holds no {log.name}; give a run directory or a replay file")
        return log
    if not run.exists():
        raise RequestError(f"there is no {run}; give a run directory or a replay file")
    return run


def speaks_unicode(stream: IO[str]) -> bool:
    """Whether the stream's encoding can hold the block characters of a bar."""
    try:
        "█▏…│".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def is_interactive(console: Console) -> bool:
    """Whether there is a terminal to draw on and one to read keys from."""
    return console.file.isatty() and sys.stdin.isatty() and not console.is_dumb_terminal


def _source(path: Path, replays: Replays, live: bool) -> Callable[[], None]:
    """Read the log into `replays`; return what takes in the events added since."""
    if not live:
        for event in read(path):
            replays.add(event)
        return lambda: None
    follower = Follower(path)

    def more() -> None:
        for event in follower.poll():
            replays.add(event)

    more()
    return more


def _screen_lines(player: Player, width: int, height: int, unicode: bool, run: str) -> list[Text]:
    if player.match is None:
        waiting = [f"waiting for the first match of {run}", "q quit"]
        return [Text(cut(line, width, unicode), no_wrap=True) for line in waiting][:height]
    if not player.prompt:
        return frame(player.match, player.cursor, width, height, unicode, player.status())
    player.back = min(player.back, furthest(player.match, player.cursor, width, height))
    return prompt_frame(player.match, player.cursor, width, height, unicode, player.status(), player.back)


def _play(player: Player, more: Callable[[], None], console: Console, run: str) -> None:
    unicode = speaks_unicode(console.file)
    drawn: tuple[object, ...] = ()
    with terminal.keys(sys.stdin.fileno()) as read_key, console.screen(hide_cursor=True) as screen:
        due, look = time.monotonic() + 1 / player.speed, time.monotonic()
        while not player.done:
            size = terminal.size(console.file.fileno())
            state = (size, player.identity, player.cursor, player.prompt, player.back, player.status())
            if state != drawn:
                console.size = ConsoleDimensions(*size)
                screen.update(Group(*_screen_lines(player, *size, unicode, run)))
                drawn = state
            key = read_key(min(BLINK, max(due - time.monotonic(), 0.0)) if player.playing else BLINK)
            now = time.monotonic()
            if key is not None:
                player.press(key)
                due = now + 1 / player.speed
            elif player.playing and now >= due:
                player.advance()
                due = now + 1 / player.speed
            if now >= look:
                more()
                look = now + LOOK


def _print(player: Player, more: Callable[[], None], out: IO[str]) -> None:
    unicode = speaks_unicode(out)
    try:
        for match in _matches(player, more):
            out.writelines(f"{line}\n" for line in transcript(match, unicode, player.prompt))
            out.flush()
    except BrokenPipeError:  # the reader has seen enough, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _matches(player: Player, more: Callable[[], None]) -> Iterator[Match]:
    """The match chosen; live, every later one as it is logged, until the run ends."""
    while player.match is None and not player.replays.ended:
        time.sleep(LOOK)
        more()
    while player.match is not None:
        yield player.match
        while player.live and not player.turn(1):
            if player.replays.ended:
                return
            time.sleep(LOOK)
            more()
        if not player.live:
            return
