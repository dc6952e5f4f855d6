"""`mage diagnose`: which stage of training a config's base is due for.

Left out: any decision about games, statistics or drawing.
"""

from pathlib import Path
from typing import Annotated

import typer

from games.errors import RequestError
from mage.cli.app import JsonFile, app
from mage.cli.output import check_writable, console, write_json


@app.command()
def diagnose(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="TOML file with the settings.")],
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Trials per opponent, in whole groups  [default: the config's]")
    ] = None,
    k: Annotated[str, typer.Option("--k", metavar="K,...", help="Of pass@k; the largest is a group's size.")] = "4,16",
    json_file: JsonFile = None,
) -> None:
    """Play the untrained base on validation opponents and say which stage of training is due."""
    check_writable(json_file)
    from mage.cli.progress import ConsoleReporter
    from mage.config import override_pairs
    from mage.diagnosing import diagnose as play
    from mage.views.diagnosis_table import print_diagnosis

    screen = console()
    table = play(
        config,
        overrides=override_pairs(assignments or []),
        k=_whole_numbers(k),
        trials=trials,
        reporter=ConsoleReporter(screen),
    )
    print_diagnosis(screen, table)
    write_json(json_file, table)


def _whole_numbers(text: str) -> tuple[int, ...]:
    """The numbers separated by commas. Raises RequestError for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise RequestError(f'--k: got "{text}", expected whole numbers separated by commas, such as 4,16')
    return tuple(int(part) for part in parts)
