"""What a training run says in the terminal: progress bars and the final table.

Drawing the tables is `mage.views`' work; nothing here knows how training works.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from mage.rows import RewardSummary
from mage.stage_records import StageEnd
from mage.timings import Profile
from mage.views.evaluation_table import print_evaluation
from mage.views.profile import profile_table
from mage.views.stage_table import stage_blocks

LEAGUE = "league training"


class ConsoleReporter:
    """Writes to one console; through a pipe, bars are left out and tables are plain."""

    def __init__(self, console: Console | None = None) -> None:
        """console: where to write; standard output unless given."""
        self.console = console or Console()
        self._doing = LEAGUE
        self._say: Callable[[str], None] = lambda text: None  # beside the bar

    @contextmanager
    def base(self) -> Iterator[Callable[[int, int], None]]:
        """Show the base model's first training, if it comes to that."""
        with self._bar("first training of the base model") as advance:
            yield advance

    @contextmanager
    def iterations(self, done: int, total: int) -> Iterator[Callable[[Mapping[str, RewardSummary]], None]]:
        """Show the updates; the function yielded is told each iteration's rewards."""
        with self._progress() as progress:
            task = progress.add_task(self._doing, total=total, completed=done)
            self._say = lambda text: progress.update(task, description=text)

            def shown(rewards: Mapping[str, RewardSummary]) -> None:
                progress.update(task, advance=1, description=self._doing + _return(rewards))

            yield shown

    def enters(self, stage: str, kind: str) -> None:
        """Say from now on which stage it is; nothing in a run without stages."""
        doing = f'stage "{stage}" ({kind})' if stage else LEAGUE
        if doing != self._doing:  # else the return of the last iteration stays in view
            self._doing = doing
            self._say(doing)

    def stage(self, ended: StageEnd) -> None:
        """Print what a stage has come to."""
        for block in stage_blocks(ended):
            self.console.print(block)

    @contextmanager
    def evaluation(self) -> Iterator[Callable[[int, int], None]]:
        """Show the evaluation on held-out opponents."""
        with self._bar("evaluation") as advance:
            yield advance

    def table(self, table: Mapping[str, Any]) -> None:
        """Print the table that a run ends with."""
        print_evaluation(self.console, table)

    def profile(self, profile: Profile) -> None:
        """Print where the time of the training went."""
        self.console.print()
        self.console.print(profile_table(profile))

    @contextmanager
    def _bar(self, text: str) -> Iterator[Callable[[int, int], None]]:
        with self._progress() as progress:
            tasks: list[Any] = []

            def advance(done: int, total: int) -> None:
                if not tasks:
                    tasks.append(progress.add_task(text, total=total))
                progress.update(tasks[0], completed=done)

            yield advance

    def _progress(self) -> Progress:
        return Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self.console,
        )


def _return(rewards: Mapping[str, RewardSummary]) -> str:
    """What the bar says of the mean return, where anybody played for one."""
    return f", return {float(np.mean([summary.reward for summary in rewards.values()])):+.2f}" if rewards else ""
