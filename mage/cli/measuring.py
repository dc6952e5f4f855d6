"""The commands that measure: `mage evaluate`, `mage compare`, `mage standings`.

Each reads its arguments, calls one function of the package and prints what that returns. Left out: any decision about
games, statistics or drawing.
"""

from typing import Annotated

import typer

from mage.cli.app import JsonFile, Run, app, split_names
from mage.cli.output import check_writable, console, write_json

OPPONENT_SETS = ("held_out", "validation", "training")


@app.command()
def evaluate(
    run: Run,
    agent: Annotated[
        str | None, typer.Option(metavar="NAME", help="A member, or base, untrained  [default: every learner]")
    ] = None,
    opponents: Annotated[
        str, typer.Option(metavar="SET|NAME,...", help="held_out, validation, training, or names.")
    ] = "held_out",
    memory: Annotated[str | None, typer.Option(metavar="MODE", help="transcript or none  [default: the run's]")] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Trials per agent and opponent  [default: the run's]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31 - 1, help="Root of the randomness  [default: the run's]")
    ] = None,
    exactly: Annotated[
        bool, typer.Option("--exact", help="Expected returns given what the agent remembers, for small games.")
    ] = False,
    json_file: JsonFile = None,
) -> None:
    """Play a run's agents against opponents, with intervals."""
    check_writable(json_file)
    from mage.cli.progress import ConsoleReporter
    from mage.evaluation import evaluate as play
    from mage.exact_evaluation import evaluate_exactly
    from mage.views.exact_table import print_exact
    from mage.views.tables import print_evaluation

    measure, draw = (evaluate_exactly, print_exact) if exactly else (play, print_evaluation)
    names = opponents if opponents in OPPONENT_SETS else split_names(opponents)
    screen = console()
    with ConsoleReporter(screen).evaluation() as progress:
        table = measure(run, agent=agent, opponents=names, memory=memory, trials=trials, seed=seed, progress=progress)
    draw(screen, table)
    write_json(json_file, table)


@app.command()
def standings(run: Run, json_file: JsonFile = None) -> None:
    """Show who earned what against whom in training."""
    check_writable(json_file)
    from mage.standings import standings as derive_standings
    from mage.views.tables import print_standings

    table = derive_standings(run)
    write_json(json_file, table)
    print_standings(console(), table)
