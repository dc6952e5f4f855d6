"""The command line's application: what all commands share of it.

Commands register themselves with `app` when their module is imported; `mage.cli` imports them in the order in which
`mage --help` lists them. Left out: any command.
"""

from pathlib import Path
from typing import Annotated

import typer

import mage
from games.errors import RequestError
from mage.cli.output import REQUEST_WRONG

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Train, rate and show a population of language agents that play strategic games.",
)

Run = Annotated[Path, typer.Argument(metavar="RUN", help="Run directory.")]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write the result as JSON.")]


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"mage {mage.__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(REQUEST_WRONG)


def split_names(
    text: str, option: str = "--opponents", expected: str = "held_out, validation, training or names"
) -> tuple[str, ...]:
    """Names separated by commas outside parentheses. Raises RequestError when there are none."""
    from games import naming

    given = tuple(naming.split_names(text))
    if not given:
        raise RequestError(f'{option}: got "{text}", expected {expected}')
    return given
