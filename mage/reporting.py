"""What a long-running part tells whoever watches it; the command line draws bars from it.

Left out: any drawing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from mage.rows import RewardSummary
from mage.stage_records import StageEnd
from mage.timings import Profile

Advance = Callable[[int, int], None]  # done, total
Rewards = Mapping[str, RewardSummary]  # by learner


class Reporter(Protocol):
    """Watches a training run."""

    def base(self) -> AbstractContextManager[Advance]:
        """Watch the base model's first training; it may never advance."""
        ...

    def iterations(self, done: int, total: int) -> AbstractContextManager[Callable[[Rewards], None]]:
        """Watch the league's training; told the rewards of each iteration, none where nobody played for any."""
        ...

    def enters(self, stage: str, kind: str) -> None:
        """Take which stage the next iteration belongs to; "" and rl in a run without stages."""
        ...

    def stage(self, ended: StageEnd) -> None:
        """Take what a stage has come to that has made its last update, between two iterations."""
        ...

    def evaluation(self) -> AbstractContextManager[Advance]:
        """Watch the evaluation at the end."""
        ...

    def table(self, table: Mapping[str, Any]) -> None:
        """Take the object that `mage evaluate --json` would write."""
        ...

    def profile(self, profile: Profile) -> None:
        """Take where the time went, of a run that was asked to say so."""
        ...


class Silent:
    """Watches and says nothing."""

    @contextmanager
    def base(self) -> Iterator[Advance]:
        """Ignore the progress."""
        yield lambda done, total: None

    @contextmanager
    def iterations(self, done: int, total: int) -> Iterator[Callable[[Rewards], None]]:
        """Ignore the rewards."""
        yield lambda rewards: None

    def enters(self, stage: str, kind: str) -> None:
        """Ignore the stage."""

    def stage(self, ended: StageEnd) -> None:
        """Ignore what it came to."""

    def evaluation(self) -> AbstractContextManager[Advance]:
        """Ignore the progress."""
        return self.base()

    def table(self, table: Mapping[str, Any]) -> None:
        """Ignore the table."""

    def profile(self, profile: Profile) -> None:
        """Ignore the profile."""
