"""The table of `mage train --profile`."""

from __future__ import annotations

import io

from rich.console import Console

from mage.timings import PARTS, Profile, Spent
from mage.views.profile import profile_table

SPENT = Spent(
    dict.fromkeys(PARTS, 0.0) | {"sampling": 6.0, "games": 1.0, "training": 3.0},
    {"sampling": 12_000, "training": 4_500},
)


def drawn(profile: Profile) -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    console.print(profile_table(profile))
    return console.file.getvalue().splitlines()


def test_seconds_shares_and_rates_stand_beside_the_bare_base_s():
    lines = drawn(Profile(3, SPENT, {"sampling": 4_000.0, "training": None}))
    assert lines[0].strip() == "Where the time of 3 iterations went"
    assert [line.split() for line in lines[2:5]] == [
        ["sampling", "6.0", "60.0%", "2,000", "4,000", "0.50"],
        ["games", "1.0", "10.0%"],
        ["training", "3.0", "30.0%", "1,500", "·", "·"],
    ]
    assert lines[-1].split() == ["all", "10.0", "100.0%"]


def test_nothing_trained_is_said():
    assert drawn(Profile(0, Spent(), {})) == ["Nothing was trained, so there is nothing to profile."]
