"""How a run fails that was asked for rightly.

Left out: requests that can't be served (`games.errors`), programmer's mistakes.
"""


class RunFailed(Exception):
    """A run that stopped before its end; the message is one sentence: what was measured, expected, and what to do."""
