"""`mage games` and `mage opponents`: what they list, what they try, and what they load for it."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
from rich.console import Console

from games import own
from games.descriptions import HEADINGS
from games.families import fitting
from games.openspiel import try_all
from games.random_play import Attempt
from games.registry import describe, load
from mage.cli import main
from mage.views.catalog import attempt_line, games_list, opponents_table, values_lines

ENVIRONMENTS = "tests.games.own_environments"


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


def printed(capsys, *arguments):
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def drawn(width, renderable):
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get().splitlines()


def row(lines, start):
    (line,) = [line for line in lines if line.startswith(start + " ")]
    return line.split()


def test_games_are_listed_by_kind_with_seats_and_other_ways_to_name_one(capsys):
    lines = printed(capsys, "games").splitlines()
    sections = ["repeated matrix games", "PettingZoo classics", "OpenSpiel", "by another name"]
    assert [line.strip() for line in lines if line.strip() in sections] == sections
    assert row(lines, "prisoners_dilemma")[:7] == ["prisoners_dilemma", "2", "C", "D", "0", "to", "5"]
    assert row(lines, "public_goods")[:7] == ["public_goods", "3", "keep", "give", "2", "to", "7"]
    assert row(lines, "matrix")[:4] == ["matrix", "2", "yours", "yours"]
    assert row(lines, "kuhn_poker")[:4] == ["kuhn_poker", "2", "three", "cards,"]
    assert "docs/games.md" in " ".join(row(lines, "package.module:function"))
    assert row(lines, "openspiel:NAME(params)")


def test_registered_games_are_listed_with_where_they_come_from(capsys, monkeypatch):
    monkeypatch.setattr(own, "entry_points", lambda group: [EntryPoint("duel", "duels:make", group)])
    lines = printed(capsys, "games").splitlines()
    assert "registered by packages" in [line.strip() for line in lines]
    assert row(lines, "duel") == ["duel", "duels:make"]


def test_the_list_keeps_to_a_narrow_terminal():
    lines = drawn(60, games_list(describe(), HEADINGS, {"duel": "duels:make"}))
    assert max(map(len, lines)) <= 60


def test_listing_games_loads_none_of_them():
    code = (
        "import sys; from mage.cli import main; status = main(['games'])\n"
        "heavy = {'torch', 'transformers', 'pyspiel', 'pygame', 'rlcard', 'chess', 'scipy'} & set(sys.modules)\n"
        "print(status, heavy)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout.splitlines()[-1], done.stderr) == ("0 set()", "")


def test_games_are_tried_line_by_line_with_a_total(capsys):
    shown = printed(capsys, "games", "--try", f"public_goods(seats=4,rounds=2),{ENVIRONMENTS}:Standoff")
    assert shown == (
        "ok  public_goods(seats=4,rounds=2)  4 seats\n"
        f"ok  {ENVIRONMENTS}:Standoff  3 seats\n"
        "2 of 2 can be played as text\n"
    )


def test_a_game_that_can_t_be_played_is_no_failure_of_the_command(capsys):
    shown = printed(capsys, "games", "--try", "no_such:game,stag_hunt")
    assert shown.startswith("no  no_such:game  game 'no_such:game': there is no module 'no_such'")
    assert shown.endswith("ok  stag_hunt  2 seats\n1 of 2 can be played as text\n")


def test_all_are_openspiel_s_and_the_table_is_written(capsys, monkeypatch, tmp_path):
    asked = []

    def stand_in(names=None):
        asked.append(names)
        yield Attempt("openspiel:chess", 2, True, "", 10, 20, "in turn")
        yield Attempt("openspiel:catch", 1, False, "one player")

    monkeypatch.setattr(try_all, "try_all", stand_in)
    file = tmp_path / "games.md"
    shown = printed(capsys, "games", "--try", "all", "--markdown", str(file))
    assert shown == (
        "ok  openspiel:chess  2 seats  in turn\nno  openspiel:catch  1 seat  one player\n1 of 2 can be played as text\n"
    )
    assert "| `chess` | yes | 2 |" in file.read_text(encoding="utf-8")
    printed(capsys, "games", "--try", "openspiel:chess")
    assert asked == [None, ["openspiel:chess"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--try", " , "], '--try: got " , ", expected all or names'),
        (["--markdown", "x.md"], "--markdown: got it without --try"),
        (["--try", "stag_hunt", "--markdown", "/no/such/folder/x.md"], "expected a file in a directory that exists"),
    ],
)
def test_requests_that_make_no_sense_are_refused(arguments, message, capsys):
    assert main(["games", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_name_that_steers_the_terminal_is_made_harmless():
    line = attempt_line(Attempt("openspiel:a\x1b[2J(grid=.\n.)", None, False, "it\nends"))
    assert line.plain == r"no  openspiel:a\x1b[2J(grid=.\n.)  it\nends"


def test_opponents_come_with_values_that_a_person_can_check(capsys):
    lines = printed(capsys, "opponents", "prisoners_dilemma").splitlines()
    assert lines[:2] == ["seat 0: secures 6 an episode", "seat 1: secures 6 an episode"]  # six rounds of D, D
    assert row(lines, "tit_for_tat")[-1] == "20"  # five rounds of C, then D: 5 * 3 + 5
    assert row(lines, "random")[-1] == "18"  # D throughout: 6 * (5 + 1) / 2
    assert row(lines, "first_legal")[-1] == "30"  # D against C throughout


def test_opponents_of_a_constant_sum_game_come_with_its_value(capsys):
    lines = printed(capsys, "opponents", "matching_pennies").splitlines()
    assert lines[:2] == [f"seat {seat}: Nash value 0, secures 0 an episode" for seat in (0, 1)]


@pytest.mark.parametrize(
    ("game", "there", "elsewhere"),
    [
        ("kuhn_poker", "kuhn_tendencies", "tit_for_tat"),
        ("public_goods", "random", "tit_for_tat"),
        ("matrix", "tit_for_tat", "kuhn_tendencies"),
        (f"{ENVIRONMENTS}:Standoff", "first_legal", "tit_for_tat"),
    ],
)
def test_only_the_families_that_fit_are_listed(game, there, elsewhere, capsys):
    lines = printed(capsys, "opponents", game).splitlines()
    assert row(lines, there)
    assert not [line for line in lines if line.startswith(elsewhere)]


def test_opponents_of_an_unknown_game_or_module_are_refused_in_one_sentence(capsys):
    assert main(["opponents", "stag"]) == main(["opponents", "no_such:game"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("did you mean 'stag_hunt'?")
    assert "there is no module 'no_such'" in second


@pytest.mark.parametrize("game", ["openspiel:hex(board_size=0)", "openspiel:bargaining(max_turns=0)"])
def test_sizes_that_make_no_game_are_refused_in_one_line_and_found_by_a_try(game, capsys):
    assert main(["opponents", game]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "expected a whole number" in line
    assert printed(capsys, "games", "--try", game).splitlines() == [
        f"no  {game}  {line.removeprefix('mage: ')}",
        "0 of 1 can be played as text",
    ]


def test_a_zero_has_no_sign():
    assert values_lines([(-0.0, -1e-17)]).plain == "seat 0: Nash value 0, secures 0 an episode\n"
    family = fitting(load("matching_pennies"))[0]
    assert drawn(200, opponents_table([family], {family.name: (-0.0, -1e-17)}))[1].split()[-1] == "0"


def test_values_that_nobody_has_are_left_out():
    assert values_lines([(None, None), (None, None)]).plain == "no exact values at hand\n"
    assert values_lines([(-1 / 18, -1 / 18), (None, 2.0)]).plain == (
        "seat 0: Nash value -0.05556, secures -0.05556 an episode\nseat 1: secures 2 an episode\n"
    )
    assert "best response" not in drawn(100, opponents_table([], {}))[0]
