"""What the bar of a training run says."""

import io
from types import SimpleNamespace

from rich.console import Console

from mage.cli.progress import ConsoleReporter


def bar(play) -> str:
    """Everything that stood on the screen while `play` told a reporter how a run goes."""
    file = io.StringIO()
    play(ConsoleReporter(Console(file=file, width=120, force_terminal=True, color_system=None)))
    return file.getvalue()


def test_the_bar_names_the_stage_and_its_kind_from_its_beginning_on():
    def play(reporter):
        reporter.enters("shown", "sft")
        with reporter.iterations(0, 2) as shown:
            shown({})
            reporter.enters("own", "rft")
            shown({"ann": SimpleNamespace(reward=1.0), "bob": SimpleNamespace(reward=2.0)})

    screen = bar(play)
    assert 'stage "shown" (sft)' in screen and 'stage "own" (rft), return +1.50' in screen
    assert "league training" not in screen


def test_a_run_without_stages_trains_a_league():
    def play(reporter):
        reporter.enters("", "rl")
        with reporter.iterations(0, 1) as shown:
            shown({"ann": SimpleNamespace(reward=-0.25)})

    assert "league training, return -0.25" in bar(play)
