"""Which of OpenSpiel's games can be played as text: tries each in a process of its own keeping, and makes the table.

Left out: what is tried (`trial`).
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

from games.random_play import SECONDS_EACH, Attempt

GRACE = 60.0  # seconds beyond a game's own: some steps take long, more so on a busy machine
PROGRAM = (sys.executable, "-m", "games.openspiel.trial")
START = 120.0  # seconds in which the process must be ready

# Games that don't load, or have one player, without a parameter.
EXAMPLES = {
    "add_noise": "add_noise(epsilon=0.1,game=kuhn_poker(),seed=1)",
    "cached_tree": "cached_tree(game=kuhn_poker())",
    "coop_to_1p": "coop_to_1p(game=tiny_hanabi())",
    "misere": "misere(game=tic_tac_toe())",
    "normal_form_extensive_game": "normal_form_extensive_game(game=kuhn_poker())",
    "pathfinding": "pathfinding(grid=A.*..b*\n..*....\nB...*a.\n,horizon=30,players=2)",
    "repeated_game": "repeated_game(num_repetitions=3,stage_game=matrix_pd())",
    "repeated_poker": "repeated_poker(max_num_hands=2,reset_stacks=True,rotate_dealer=True,"
    "universal_poker_game_string=universal_poker(betting=nolimit,bettingAbstraction=fcpa,blind=100 100,firstPlayer=1 1,"
    "numBoardCards=0 1,numHoleCards=1,numPlayers=2,numRanks=4,numRounds=2,numSuits=2,stack=1200 1200))",
    "restricted_nash_response": "restricted_nash_response(fixed_player=0,game=kuhn_poker(),p=0.5)",
    "start_at": "start_at(game=tic_tac_toe(),history=0;4)",
    "turn_based_simultaneous_game": "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=4))",
    "zerosum": "zerosum(game=matrix_pd())",
}


def registered() -> tuple[str, ...]:
    """Every game that OpenSpiel has, as `games.load` takes it; those that need parameters with some."""
    import pyspiel

    return tuple(f"openspiel:{EXAMPLES.get(name, name)}" for name in pyspiel.registered_names())


def try_all(names: Iterable[str] | None = None, seconds_each: float = SECONDS_EACH) -> Iterator[Attempt]:
    """Try the games one after another, each for `seconds_each` at most; all of OpenSpiel's by default.

    A game that ends the process or hangs costs only itself.
    """
    with tempfile.TemporaryFile("w+") as errors:
        trials = _Trials(errors)
        try:
            for name in registered() if names is None else names:
                yield trials.attempt(name, seconds_each)
        finally:
            trials.stop()


class _Trials:
    """The process that plays; started when it's needed, and anew when it was lost."""

    def __init__(self, errors: IO[str]) -> None:
        """errors: a file that takes what the process says on stderr."""
        self._errors = errors
        self._process: subprocess.Popen[str] | None = None

    def attempt(self, name: str, seconds: float) -> Attempt:
        """Try one game."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"name": name, "seconds": seconds}) + "\n")
        process.stdin.flush()
        if not _readable(process.stdout, seconds + GRACE):
            self.stop()
            return Attempt(name, None, False, f"it didn't come back within {seconds + GRACE:g} seconds")
        reply = process.stdout.readline()
        if not reply:
            self.stop()
            return Attempt(name, None, False, f"it ended the process: {self._last_error()}")
        return Attempt(**json.loads(reply))

    def stop(self) -> None:
        """End the process if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        self._errors.seek(0)
        self._errors.truncate()
        self._process = subprocess.Popen(
            PROGRAM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        assert self._process.stdout is not None
        if not _readable(self._process.stdout, START) or self._process.stdout.readline() != "ready\n":
            self.stop()
            raise RuntimeError(f"the process that tries OpenSpiel's games didn't start: {self._last_error()}")
        return self._process

    def _last_error(self) -> str:
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors if line.strip()]
        return lines[-1] if lines else "without a word"


def _readable(stream: IO[str], seconds: float) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        return bool(selector.select(seconds))


def as_markdown(attempts: Iterable[Attempt]) -> str:
    """A summary and a table, one game a row."""
    tried = list(attempts)
    rows = [
        f"| `{attempt.name.removeprefix('openspiel:')}` | {'yes' if attempt.ok else 'no'} | {attempt.players or ''} "
        f"| {attempt.kind} | {attempt.turns or ''} | {attempt.moves or ''} | {attempt.note.replace('|', '/')} |"
        for attempt in tried
    ]
    head = [
        f"{sum(attempt.ok for attempt in tried)} of {len(tried)} games can be played as text.",
        "",
        "| game | plays | seats | moves | decisions | distinct moves | note |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    return "".join(line.replace("\n", "/") + "\n" for line in [*head, *rows])
