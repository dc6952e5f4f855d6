"""The heat map keeps every cell whatever the width, and its colour repeats the figures."""

import io

from rich.console import Console

from mage.views.heat_map import heat_map, shade


def test_many_columns_break_into_blocks_that_fit_and_hold_every_cell():
    names = [f"learner_{index}@{index * 10}" for index in range(12)]
    cells = [[{"mean_return": -12.25, "win_rate": 0.5, "n": 1000 + i} for i in range(12)] for _ in names]
    file = io.StringIO()
    for table in heat_map(names, names, cells, 80):
        Console(file=file, width=80).print(table)
    lines = file.getvalue().splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 80
    assert all(sum(f"-12.25 ({1000 + i})" in line for line in lines) == 12 for i in range(12))


def test_colour_repeats_the_figures_and_never_stands_for_them():
    cells = [[{"mean_return": 1.0, "win_rate": 1.0, "n": 4}, {"mean_return": 0.0, "win_rate": None, "n": 1}]]
    plain, coloured = io.StringIO(), io.StringIO()
    for table in heat_map(["a"], ["b", "c"], cells, 80):
        Console(file=plain, width=80).print(table)
        Console(file=coloured, width=80, force_terminal=True, color_system="truecolor").print(table)
    assert "\x1b" not in plain.getvalue()
    words = [line.split() for line in plain.getvalue().splitlines()]
    assert words[1:] == [["a", "1.00", "·"], ["1.00", "(4)", "0.00", "(1)"]]
    assert coloured.getvalue().count("48;2;128;177;235") == 2  # both lines of the one block whose win rate is known
    assert (shade(0.0), shade(0.5), shade(0.75)) == ((236, 164, 100), (232, 232, 232), (180, 204, 234))
