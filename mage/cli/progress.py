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


class ConsoleReporter:
    """Writes to one console; through a pipe, bars are left out and tables are plain."""

    def __init__(self, console: Console | None = None) -> None:
        """console: where to write; standard output unless given."""
        self.console = console or Console()

    @contextmanager
    def base(self) -> Iterator[Callable[[int, int], None]]:
        """Show the base model's first training, if it comes to that."""
        with self._bar("first training of the base model") as advance:
            yield advance

    @contextmanager
    def iterations(self, done: int, total: int) -> Iterator[Callable[[Mapping[str, RewardSummary]], None]]:
        """Show the league's training; the function yielded is told each iteration's rewards."""
        with self._progress() as progress:
            task = progress.add_task("league training", total=total, completed=done)

            def shown(rewards: Mapping[str, RewardSummary]) -> None:
                progress.update(task, advance=1, description=_described(rewards))

            yield shown

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


def _described(rewards: Mapping[str, RewardSummary]) -> str:
    """What the bar says: the mean return, where anybody played for one."""
    if not rewards:
        return "training by examples"
    return f"league training, return {float(np.mean([summary.reward for summary in rewards.values()])):+.2f}"
