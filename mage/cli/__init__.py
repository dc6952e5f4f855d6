"""The command line: `main` runs it, `app` holds its commands.

Exit status: 0 done, 1 the run failed, 2 the request was wrong, 130 interrupted, 141 the reader of our output
went away. `entry` makes one line and a status of what goes wrong.
"""

from mage.cli import training, measuring, listing  # noqa: I001  in the order in which --help lists their commands
from mage.cli.app import app
from mage.cli.entry import main

__all__ = ["app", "listing", "main", "measuring", "training"]
