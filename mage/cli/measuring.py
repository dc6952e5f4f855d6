"""The commands that measure: `mage evaluate`, `mage compare`, `mage standings`.

Each reads its arguments, calls one function of the package and prints what that returns. Left out: any decision about
games, statistics or drawing.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from games.errors import RequestError
from mage.cli.app import JsonFile, Run, app, split_names
from mage.cli.output import check_writable, console, refuse_together, write_json

Opponents = Annotated[
    str,
    typer.Option(
        metavar="SET|NAME|RUN,...",
        help="held_out, validation, training; names; another run's learners: RUN, or RUN:MEMBER.",
    ),
]
Memory = Annotated[
    str | None, typer.Option(metavar="MODE", help="transcript, reflection, both or none  [default: the run's]")
]
Trials = Annotated[int | None, typer.Option(min=1, help="Trials per agent and opponent  [default: the run's]")]
Seed = Annotated[int | None, typer.Option(min=0, max=2**31 - 1, help="Root of the randomness  [default: the run's]")]


@app.command()
def evaluate(
    run: Run,
    agent: Annotated[
        str, typer.Option(metavar="NAME,...", help="Members; learners, snapshots or members; base, untrained.")
    ] = "learners",
    opponents: Opponents = "held_out",
    variants: Annotated[
        list[str] | None,
        typer.Option(
            "--variant", metavar="VARIANT", help="Also in a changed game, as rounds(count=12); may be repeated."
        ),
    ] = None,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="Beside players without training or memory, and those who know more.")
    ] = False,
    memory: Memory = None,
    reflections: Annotated[
        str, typer.Option(metavar="own|empty|other", help="What agents that reflect read of earlier episodes.")
    ] = "own",
    trials: Trials = None,
    seed: Seed = None,
    exactly: Annotated[
        bool, typer.Option("--exact", help="Expected returns given what the agent remembers, for small games.")
    ] = False,
    nash_conv: Annotated[
        bool, typer.Option("--nash-conv", help="With --exact: NashConv of every episode's policy, too.")
    ] = False,
    json_file: JsonFile = None,
) -> None:
    """Play a run's agents against opponents, with intervals."""
    check_writable(json_file)
    refuse_together(
        "--exact",
        exactly,
        {"--variant": bool(variants), "--baselines": baselines, "--reflections": reflections != "own"},
    )
    if nash_conv and not exactly:
        raise RequestError("--nash-conv: got it without --exact, expected both; add --exact")
    from mage.cli.progress import ConsoleReporter

    measure, draw = _exact(nash_conv) if exactly else _played(variants or (), baselines, reflections)
    agents, names = split_names(agent, "--agent", "names of members"), split_names(opponents)
    screen = console()
    with ConsoleReporter(screen).evaluation() as progress:
        table = measure(run, agent=agents, opponents=names, memory=memory, trials=trials, seed=seed, progress=progress)
    draw(screen, table)
    write_json(json_file, table)


@app.command()
def compare(
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="Run directory, or those of several seeds, by commas.")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="The other side, likewise.")],
    opponents: Opponents = "held_out",
    memory: Memory = None,
    trials: Trials = None,
    seed: Seed = None,
    json_file: JsonFile = None,
) -> None:
    """Set two runs, or two configs, side by side: B - A, with intervals."""
    check_writable(json_file)
    from mage.cli.progress import ConsoleReporter
    from mage.comparison import compare as play
    from mage.comparison_plan import split_runs
    from mage.views.comparison_table import print_comparison

    sides = split_runs(run_a), split_runs(run_b)
    names = split_names(opponents)
    screen = console()
    with ConsoleReporter(screen).evaluation() as progress:
        table = play(*sides, opponents=names, memory=memory, trials=trials, seed=seed, progress=progress)
    print_comparison(screen, table)
    write_json(json_file, table)


@app.command()
def standings(run: Run, json_file: JsonFile = None) -> None:
    """Show who earned what against whom in training."""
    check_writable(json_file)
    from mage.standings import standings as derive_standings
    from mage.views.standings_table import print_standings

    table = derive_standings(run)
    write_json(json_file, table)
    print_standings(console(), table)


Measured = tuple[Callable[..., dict[str, Any]], Callable[..., None]]  # what measures, what prints that


def _played(variants: Sequence[str], baselines: bool, reflections: str) -> Measured:
    from mage.evaluation import evaluate as play
    from mage.views.evaluation_table import print_evaluation

    return partial(play, variants=variants, baselines=baselines, reflections=reflections), print_evaluation


def _exact(nash_conv: bool) -> Measured:
    from mage.exact_evaluation import evaluate_exactly
    from mage.views.exact_table import print_exact

    return partial(evaluate_exactly, nash_conv=nash_conv), print_exact
