"""`python -m benchmarks`: runs the suites, prints one table of ratios, writes JSON.

Exit status: 0 measured (whether or not every bar is met), 1 the network or the disk failed, 2 the request was wrong.
Left out: `benchmarks.scaling`.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from rich.console import Console

from benchmarks import bases, machine, results
from benchmarks import options as common
from benchmarks.bench import Bench, Sizes
from benchmarks.suites import SUITES, WITHOUT_MODEL
from benchmarks.teller import teller
from games.matrix_text import RENDERINGS
from mage.base_models import TINY

WIDTH = 140  # of the table where it is not written to a terminal


def main(arguments: Sequence[str] | None = None, sizes: Sizes | None = None) -> int:
    """Run what the arguments ask for; returns the exit status."""
    options = _parser().parse_args(arguments)
    return common.attempt(lambda: _run(options, sizes or Sizes()))


def _run(options: argparse.Namespace, sizes: Sizes) -> None:
    if options.markdown is not None:
        print(results.markdown(results.read(options.markdown)), end="")
        return
    data = measure(options, replace(sizes, rendering=options.rendering))
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(results.console_table(data))
    for note in results.notes(data):
        console.print(note, highlight=False)
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def measure(options: argparse.Namespace, sizes: Sizes) -> dict:
    """Run the suites and return the report."""
    start = time.perf_counter()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")  # among the libraries
    torch.set_num_threads(options.threads)
    tiny = WITHOUT_MODEL.issuperset(options.only)
    name, dtype, linear = (TINY, "auto", "auto") if tiny else (options.model, options.dtype, options.linear)
    config = bases.settings(name, dtype=dtype, linear=linear, device=options.device, rendering=sizes.rendering)
    load, device = bases.prepare(config), torch.device(options.device)
    about = machine.describe(device)
    tell = teller(start)
    tell(f"{name} in {config.run.dtype}, products by {config.run.linear}; {about}")
    bench = Bench(load, sizes, options.repeats, device, tell, config.run.linear)
    outcomes = []
    for suite, run in SUITES.items():
        if suite in options.only:
            tell(f"suite {suite}")
            outcomes.append(run(bench))
    return results.report(
        outcomes,
        {
            "machine": about,
            "model": name,
            "dtype": config.run.dtype,
            "linear": config.run.linear,
            "device": options.device,
            "rendering": sizes.rendering,
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
    common.add_common(parser, "the real model, named as model.name of a config")
    parser.add_argument("--rendering", choices=RENDERINGS, default="compact", help="of the real model's trials")
    parser.add_argument("--repeats", type=common.positive, default=3, help="timed runs of each arm; the median counts")
    parser.add_argument("--json", type=common.writable, help="write the report here")
    parser.add_argument("--markdown", type=Path, metavar="JSON", help="measure nothing, print this report as Markdown")
    return parser


if __name__ == "__main__":
    sys.exit(main())
