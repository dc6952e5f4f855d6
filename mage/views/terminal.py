"""Single keys from a terminal, without waiting for a line; the terminal is put back whatever happens.

Leaves out what a key means. Needs a POSIX terminal (termios).
"""

from __future__ import annotations

import os
import select
import signal
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SEQUENCES = {b"\x1b[C": "right", b"\x1bOC": "right", b"\x1b[D": "left", b"\x1bOD": "left"}
ESCAPE_WAIT = 0.05  # seconds in which the rest of an escape sequence arrives
INTERRUPT = "\x03"  # what Ctrl-C sends
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)

ReadKey = Callable[[float], str | None]


def size(descriptor: int) -> tuple[int, int]:
    """Columns and rows of the terminal right now; 80 x 24 when it does not say."""
    try:
        columns, rows = os.get_terminal_size(descriptor)
    except OSError:
        return 80, 24
    return columns or 80, rows or 24


def split_keys(data: bytes) -> list[str]:
    """The keys in what a terminal sent: "right", "left", or one character; other sequences are dropped."""
    found = []
    while data:
        if data[:3] in SEQUENCES:
            found.append(SEQUENCES[data[:3]])
            data = data[3:]
        elif data[:1] == b"\x1b":
            data = data[_sequence_length(data) :]
        else:
            found.append(data[:1].decode("latin-1"))
            data = data[1:]
    return found


def _sequence_length(data: bytes) -> int:
    if data[1:2] == b"O":
        return 3
    if data[1:2] != b"[":
        return 1
    for length, byte in enumerate(data[2:], start=3):
        if 0x40 <= byte <= 0x7E:  # the final byte of a control sequence (ECMA-48)
            return length
    return len(data)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def keys(descriptor: int) -> Iterator[ReadKey]:
    """Read single keys of the terminal `descriptor`.

    Gives a function: wait at most so many seconds, return a key's name or None; a closed terminal reads as
    "q". Ctrl-C stays KeyboardInterrupt, and a terminating signal becomes SystemExit, so that the terminal is
    restored.
    """
    pending: list[str] = []

    def read_key(timeout: float) -> str | None:
        """Wait at most `timeout` seconds for a key."""
        if not pending and select.select([descriptor], [], [], max(timeout, 0.0))[0]:
            data = os.read(descriptor, 1024)
            if data[-3:].find(b"\x1b") >= 0 and select.select([descriptor], [], [], ESCAPE_WAIT)[0]:
                data += os.read(descriptor, 1024)
            pending.extend(split_keys(data) if data else ["q"])
        key = pending.pop(0) if pending else None
        if key == INTERRUPT:
            raise KeyboardInterrupt
        return key

    before = termios.tcgetattr(descriptor)
    handlers = {}
    try:
        if threading.current_thread() is threading.main_thread():
            handlers = {number: signal.signal(number, _leave) for number in ENDING_SIGNALS}
        tty.setcbreak(descriptor, termios.TCSANOW)
        settings = termios.tcgetattr(descriptor)
        # Ctrl-C is read as a key, since a signal in the middle of drawing can get lost; Ctrl-Z would leave the shell
        # on our screen.
        settings[3] &= ~termios.ISIG
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
        yield read_key
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
        for number, handler in handlers.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
