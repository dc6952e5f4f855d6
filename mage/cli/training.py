"""`mage train`, and `mage watch`, which replays what was played.

A command imports what it needs when it runs, so that `mage --help` answers at once and no screen waits for torch.
Left out: any decision about training or drawing.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mage.cli.app import app
from mage.cli.output import INTERRUPTED, complain, console


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
    from mage.views.next_steps import next_steps
    from mage.views.standings_table import print_standings

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
def watch(
    run: Annotated[Path, typer.Argument(metavar="RUN|REPLAY", help="Run directory or event log.")],
    live: Annotated[bool, typer.Option("--live", help="Follow the run as it goes on.")] = False,
    match: Annotated[str | None, typer.Option(metavar="ID", help="Which match, such as 12-5.")] = None,
    speed: Annotated[float, typer.Option(metavar="X", min=0.01, help="Moves per second.")] = 1.0,
    step: Annotated[bool, typer.Option("--step", help="Wait for a key after each move.")] = False,
    prompt: Annotated[bool, typer.Option("--prompt", help="Show the exact prompt of each move.")] = False,
) -> None:
    """Show matches in the terminal."""
    from mage.views.watch import watch as watch_run

    watch_run(run, match=match, speed=speed, live=live, step=step, prompt=prompt)


def _interrupted(config: Path, run_dir: Path, assignments: Sequence[str]) -> int:
    if not (run_dir / "config.toml").exists():
        return complain("interrupted before anything was written", INTERRUPTED)
    settings = [word for assignment in assignments for word in ("--set", assignment)]
    again = shlex.join(["mage", "train", str(config), *settings, "--run", str(run_dir), "--resume"])
    return complain(f"interrupted; go on with: {again}", INTERRUPTED)
