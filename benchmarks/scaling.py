"""`python -m benchmarks.scaling`: seconds of rollout and update against trial length, rows and agents.

Prints a Markdown table with the fitted exponents, draws the plot and writes JSON. Each axis is varied alone, from one
middle point. `builtin:tiny` (untrained: its speed does not depend on its weights) at every point, the real model at
fewer. Left out: any comparison (`python -m benchmarks`).
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import torch

from benchmarks import arena, bases, machine
from benchmarks import options as common
from benchmarks.arena import Arena
from benchmarks.bench import CREDIT, LEARNING_RATE, Rollout, learner
from benchmarks.growth import Measured, Point, exponents, table
from benchmarks.measure import Series, timed
from benchmarks.teller import Tell, teller
from mage.base_models import TINY as TINY_NAME
from mage.models import LanguageModel
from mage.rows import build_rows

SCHEMA = "mage.bench-scaling/1"


@dataclass(frozen=True, slots=True)
class Study:
    """One model's points: from the middle, one axis at a time."""

    model: str
    rounds: int
    middle: Point
    axes: dict[str, tuple[int, ...]]  # field of Point -> its values
    repeats: int
    microbatch: int  # tokens

    def points(self, axis: str) -> list[Point]:
        """Return the points along one axis."""
        return [replace(self.middle, **{axis: value}) for value in self.axes[axis]]


TINY = Study(
    TINY_NAME,
    rounds=6,
    middle=Point(episodes=3, rows=256, agents=4),
    axes={"episodes": (1, 2, 4, 8, 16), "rows": (16, 64, 256, 1024), "agents": (1, 2, 4, 8, 16, 32, 64)},
    repeats=3,
    microbatch=8192,
)
REAL = Study(
    bases.DEFAULT,
    rounds=4,
    middle=Point(episodes=1, rows=64, agents=4),
    axes={"episodes": (1, 4, 16), "rows": (16, 64, 256), "agents": (1, 8, 64)},
    repeats=1,
    microbatch=1024,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, draw the plot; returns the exit status."""
    options = _parser().parse_args(arguments)
    return common.attempt(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    start = time.perf_counter()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")  # among the libraries
    torch.set_num_threads(options.threads)
    studies = [TINY] if options.model == "none" else [TINY, replace(REAL, model=options.model)]
    configs = [bases.settings(TINY.model, device=options.device)]
    configs += [
        bases.settings(one.model, dtype=options.dtype, linear=options.linear, device=options.device)
        for one in studies[1:]
    ]
    loaders = [(bases.prepare(config), config.run.linear) for config in configs]
    about = machine.describe(torch.device(options.device))
    tell = teller(start)
    measured = [one for what, base in zip(studies, loaders, strict=True) for one in study(what, *base, tell)]
    print(table(measured), end="")
    dtype = configs[-1].run.dtype
    data = {
        "schema": SCHEMA,
        "machine": about,
        "dtype": dtype,
        "linear": configs[-1].run.linear,
        "seconds": time.perf_counter() - start,
    }
    data |= {"points": [asdict(one) for one in measured], "exponents": exponents(measured)}
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if options.plot is not None:
        from benchmarks import plot  # the extra may be missing where no plot is wanted

        plot.draw(measured, options.plot)


def study(what: Study, load_model: Callable[[], LanguageModel], linear: str, tell: Tell) -> list[Measured]:
    """Measure every point of a study, the middle once for each axis; linear: as `run.linear` of a config."""
    most = max(what.middle.agents, *what.axes["agents"])
    population = arena.populate(load_model(), most, linear)
    found = []
    first = next(iter(what.axes))
    measure(replace(what, repeats=1), population, first, what.points(first)[0])  # warms up
    for axis in what.axes:
        for point in what.points(axis):
            found.append(measure(what, population, axis, point))
            tell(f"{what.model}, {axis}: {point}: rollout {found[-1].rollout:.2f} s, update {found[-1].update:.2f} s")
    return found


def measure(what: Study, population: Arena, axis: str, point: Point) -> Measured:
    """Play and train at one point; every agent has equally many rows, in two groups or one."""
    agents = population.agents[: point.agents]
    each = point.rows // point.agents
    groups = 2 if each >= 4 else 1
    trials = arena.plan(
        population.model.codec,
        agents,
        groups=groups,
        generations=each // groups,
        episodes=point.episodes,
        rounds=what.rounds,
    )
    rollout = Rollout(trials, population.sampler(trials))
    played = Series(tuple(rollout.run(population.device) for _ in range(what.repeats)))
    rows, _ = build_rows(rollout.played, agents, CREDIT)
    trainer = learner(population, agents, what.microbatch)

    def update() -> float:
        trainer.update(rows, 0, LEARNING_RATE)
        return sum(len(row.ids) for row in rows)

    trained = Series(tuple(timed(population.device, update) for _ in range(what.repeats)))
    tokens = sum(chunk.tokens for chunk in trainer.work.take()) // what.repeats
    return Measured(what.model, axis, point, rollout.tokens, tokens, played.seconds, trained.seconds)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__.partition("\n")[0])
    common.add_common(parser, 'the real model, named as model.name of a config, or "none"')
    parser.add_argument("--json", type=common.writable, help="write the points here")
    parser.add_argument("--plot", type=common.plot, help="draw the plot here, as SVG; needs the extra bench")
    return parser


if __name__ == "__main__":
    sys.exit(main())
