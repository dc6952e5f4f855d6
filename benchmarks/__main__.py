"""`python -m benchmarks`: runs the suites, prints one table of ratios, writes JSON.

Exit status: 0 measured (whether or not every bar is met), 2 the request was wrong. Left out: `benchmarks.scaling`.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import torch
from rich.console import Console

from benchmarks import bases, machine, results
from benchmarks.bench import Bench, Sizes
from benchmarks.suites import SUITES
from benchmarks.teller import teller
from games.errors import RequestError

WIDTH = 140  # of the table where it is not written to a terminal


def main(arguments: Sequence[str] | None = None, sizes: Sizes | None = None) -> int:
    """Run what the arguments ask for; returns the exit status."""
    options = _parser().parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    if options.markdown is not None:
        print(results.markdown(results.read(options.markdown)), end="")
        return 0
    try:
        data = measure(options, sizes or Sizes())
    except RequestError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    console.print(results.console_table(data))
    for note in results.notes(data):
        console.print(note, highlight=False)
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


def measure(options: argparse.Namespace, sizes: Sizes) -> dict:
    """Run the suites and return the report."""
    start = time.perf_counter()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")  # among the libraries
    device = torch.device(options.device)
    torch.set_num_threads(options.threads)
    about = machine.describe(device)
    dtype = machine.choose_dtype(options.dtype, about["gflops"])
    tell = teller(start)
    tell(f"{options.model} in {dtype}; {about}")
    bench = Bench(lambda: bases.load(options.model, dtype, device), sizes, options.repeats, device, tell)
    outcomes = []
    for name in SUITES:
        if name in options.only:
            tell(f"suite {name}")
            outcomes.append(SUITES[name](bench))
    return results.report(
        outcomes,
        {
            "machine": about,
            "model": options.model,
            "dtype": dtype,
            "device": str(device),
            "repeats": options.repeats,
            "seconds": time.perf_counter() - start,
        },
    )


def _suites(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in SUITES:
            raise argparse.ArgumentTypeError(f"got {name!r}, expected some of {','.join(SUITES)}")
    return names


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", type=_suites, default=list(SUITES), help=f"some of {','.join(SUITES)}")
    parser.add_argument("--model", default=bases.DEFAULT, help="the real model: a name or a folder")
    parser.add_argument("--dtype", choices=("auto", *machine.DTYPES), default="auto", help="of the real model")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="CPU threads")
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of each arm, of which the median counts")
    parser.add_argument("--json", type=Path, help="write the report here")
    parser.add_argument("--markdown", type=Path, metavar="JSON", help="measure nothing, print this report as Markdown")
    return parser


if __name__ == "__main__":
    sys.exit(main())
