"""The command line: `main` runs it, `app` holds its commands.

Exit status: 0 done, 1 the run failed, 2 the request was wrong, 130 interrupted, 141 the reader of our output
went away. `entry` makes one line and a status of what goes wrong.
"""

import os

# typer imports pydantic, which looks for plugins in everything that is installed: a tenth of a second at every start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

from mage.cli import training, diagnosing, measuring, listing  # noqa: I001, E402  in the order in which --help lists their commands
from mage.cli.app import app  # noqa: E402
from mage.cli.entry import main  # noqa: E402

__all__ = ["app", "diagnosing", "listing", "main", "measuring", "training"]
