"""The bar that a download shows in the terminal, and what is said when it has ended."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn


@contextmanager
def download_bar(console: Console, name: str) -> Iterator[Callable[[int, int], None]]:
    """Show a download; the function yielded is told (bytes here, bytes in all)."""
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), DownloadColumn())
    with Progress(*columns, TransferSpeedColumn(), TimeRemainingColumn(), console=console) as progress:
        task = progress.add_task(f"fetching {name}", total=None)

        def shown(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)
            if done == total and progress.live.is_started:  # what unpacks it has a bar of its own
                progress.stop()
                console.print(f"unpacking {name}: a minute, once")

        yield shown
