"""What a person is told to type next."""

import io

from rich.console import Console

from mage.views.next_steps import next_steps


def test_next_steps_can_be_pasted_into_a_shell():
    file = io.StringIO()
    Console(file=file, width=80).print(next_steps("runs/my first"))
    assert [line.rstrip() for line in file.getvalue().splitlines()] == [
        "Next:",
        "  mage evaluate 'runs/my first'     meet opponents that training never met",
        "  mage watch 'runs/my first'        replay the matches it logged",
        "  mage standings 'runs/my first'    see who beats whom",
    ]
