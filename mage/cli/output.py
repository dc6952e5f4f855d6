"""What commands share to print and to write: the console, one-line errors, JSON files.

Left out: tables and screens (`mage.views`).
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games.errors import RequestError
from mage.views.safe_text import clean

if TYPE_CHECKING:
    from rich.console import Console

RUN_FAILED = 1
REQUEST_WRONG = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count
PIPE_CLOSED = 141  # 128 + SIGPIPE


def complain(message: str, status: int) -> int:
    """Print one line on stderr and return `status`."""
    print(f"mage: {clean(' '.join(message.split()))}", file=sys.stderr)
    return status


def console() -> "Console":
    """A Rich console on stdout."""
    from rich.console import Console

    class PipeAwareConsole(Console):
        """Lets a closed pipe reach `main`, where Rich would end the process as if the run had failed."""

        def on_broken_pipe(self) -> None:
            raise

    return PipeAwareConsole()


def check_writable(path: Path | None) -> None:
    """Refuse a file that can't be written before the work, not after."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise RequestError(f'--json: got "{path}", expected a file in a directory that exists')


def refuse_together(option: str, given: bool, others: Mapping[str, bool]) -> None:
    """Refuse an option together with others, by name and whether they were given too."""
    for other, both in others.items():
        if given and both:
            raise RequestError(f"got {option} with {other}, expected one without the other; leave one out")


def write_json(path: Path | None, value: Mapping[str, Any]) -> None:
    """Write `value` to `path`, if there is one. Raises ValueError for NaN and infinities."""
    if path is not None:
        text = json.dumps(value, indent=2, allow_nan=False) + "\n"
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise RequestError(f'--json: got "{path}", which cannot be written ({error.strerror})') from error
