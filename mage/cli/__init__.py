"""The command line: `main` runs it, `app` holds its commands.

Exit status: 0 done, 1 the run failed, 2 the request was wrong, 130 interrupted, 141 the reader of our output
went away. `commands` has a function for each command, `entry` makes one line and a status of what goes wrong.
"""

from mage.cli.commands import app
from mage.cli.entry import main

__all__ = ["app", "main"]
