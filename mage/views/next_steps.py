"""What to type after training.

Left out: the tables themselves, which have modules of their own.
"""

from __future__ import annotations

import shlex

from rich.text import Text


def next_steps(run: str) -> Text:
    """Give the commands to type once the training of `run` (its directory) is done."""
    directory = shlex.quote(run)
    lines = (
        f"  mage evaluate {directory}     meet opponents that training never met",
        f"  mage watch {directory}        replay the matches it logged",
        f"  mage standings {directory}    see who beats whom",
    )
    return Text("\n".join(("Next:", *lines)))
