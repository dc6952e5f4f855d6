"""Runs the command line and turns what goes wrong into one line on stderr and an exit status.

Typer's own error handling is not used: it prints several lines, and takes a closed pipe for a failure. A
programmer's mistake keeps its traceback.
"""

import os
import sys
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from games.errors import RequestError
from mage.cli.app import app
from mage.cli.output import INTERRUPTED, PIPE_CLOSED, REQUEST_WRONG, RUN_FAILED, complain
from mage.failures import RunFailed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return its exit status."""
    try:
        status = _run(sys.argv[1:] if arguments is None else arguments)
        if sys.stdout is not None:  # None when a shell closed it
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter fails as it exits
        return PIPE_CLOSED


def _run(arguments: Sequence[str]) -> int:
    command = typer.main.get_command(app)
    try:
        with command.make_context("mage", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    except TyperException as error:
        return complain(f"{error.format_message()} (`mage --help` lists commands and options)", REQUEST_WRONG)
    except RequestError as error:
        return complain(str(error), REQUEST_WRONG)
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        raise
    except (OSError, RunFailed) as error:
        return complain(str(error), RUN_FAILED)
    return 0
