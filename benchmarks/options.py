"""What `python -m benchmarks` and `benchmarks.scaling` ask for alike: options refused before anything is measured.

Left out: options of one of them alone.
"""

import argparse
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from benchmarks import bases
from games.errors import RequestError

DTYPES = ("auto", "float32", "bfloat16")
LINEAR = ("auto", "torch", "onednn")
DEVICES = ("cpu", "cuda")


def add_common(parser: argparse.ArgumentParser, model: str) -> None:
    """Add the options of both; model: what `--model` takes."""
    parser.add_argument("--model", default=bases.DEFAULT, help=model)
    parser.add_argument("--dtype", choices=DTYPES, default="auto", help="of the real model")
    parser.add_argument("--linear", choices=LINEAR, default="auto", help="what multiplies the real model's layers")
    parser.add_argument("--device", choices=DEVICES, default="cpu", help="where everything is")
    parser.add_argument("--threads", type=positive, default=len(os.sched_getaffinity(0)), help="CPU threads")


def positive(text: str) -> int:
    """Return a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a whole number of at least 1")
    return int(text)


def writable(text: str) -> Path:
    """Return the path of a file that can be written, perhaps into folders that are not there yet."""
    path = Path(text)
    nearest = next(place for place in (path, *path.absolute().parents) if os.path.exists(place))
    if os.path.isdir(path) or not (nearest == path or nearest.is_dir()) or not os.access(nearest, os.W_OK):
        raise argparse.ArgumentTypeError(f"got {text!r}, which cannot be written; expected the path of a file")
    return path


def plot(text: str) -> Path:
    """Return the path of a plot that can be drawn."""
    if find_spec("matplotlib") is None:
        raise argparse.ArgumentTypeError("matplotlib is not installed; install the extra `bench`, or leave this out")
    return writable(text)


def attempt(run: Callable[[], None]) -> int:
    """Run; return 0, or say in one sentence what went wrong and return 2 for a wrong request, 1 for anything else."""
    try:
        run()
    except RequestError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0
