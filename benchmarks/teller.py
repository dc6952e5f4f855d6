"""Progress lines on the error stream, so that the table on the output can be piped."""

import sys
import time
from collections.abc import Callable

Tell = Callable[[str], None]


def teller(start: float) -> Tell:
    """Return what prints a line with the time since `start`, a value of `time.perf_counter`."""

    def tell(line: str) -> None:
        print(f"[{time.perf_counter() - start:6.1f} s] {line}", file=sys.stderr, flush=True)

    return tell
