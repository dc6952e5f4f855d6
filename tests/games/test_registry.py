"""Loading games by name, and what `import games` costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import games
from games.errors import RequestError, unknown
from games.registry import describe, load, names


def test_every_named_game_loads_and_plays_to_its_end():
    for name in names():
        if name == "matrix":
            continue
        game = load(name, rounds=3)
        episode = game.start(seed=0)
        while episode.seat_to_move is not None:
            episode.play(episode.legal_moves()[0])
        assert game.name == name
        assert episode.history == [(0, 0)] * 3


def test_a_custom_matrix_takes_moves_and_payoffs():
    game = load(
        "matrix",
        rounds=2,
        moves=[["L", "R"], ["U", "D", "M"]],
        payoffs=[[[1, 0, 2], [0, 1, 2]], [[0, 0, 1], [1, 1, 1]]],
    )
    assert game.moves == (("L", "R"), ("U", "D", "M"))
    assert game.payoffs[1, 1, 0] == 1.0
    assert game.utility_range == (0.0, 4.0)
    assert not game.zero_sum


def test_an_unknown_game_names_the_closest():
    with pytest.raises(RequestError, match=r"did you mean 'rock_paper_scissors'\?"):
        load("rock_paper_scisors")
    with pytest.raises(RequestError, match="known are matching_pennies, matrix, prisoners_dilemma"):
        load("chess")


def test_an_unknown_rendering_names_the_known_ones():
    with pytest.raises(RequestError, match="unknown rendering 'compct': known are compact, full; did you mean"):
        load("stag_hunt", rendering="compct")


@pytest.mark.parametrize("rounds", [0, -1, 2.5, True, "6"])
def test_rounds_are_a_whole_number_of_at_least_one(rounds):
    with pytest.raises(RequestError, match="rounds: got"):
        load("stag_hunt", rounds=rounds)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("stag_hunt", {"payoffs": [[1.0]]}, "has its own moves and payoffs"),
        ("stag_hunt", {"moves": [["A"], ["B"]]}, "has its own moves and payoffs"),
        ("matrix", {}, "needs both moves and payoffs"),
        ("matrix", {"moves": [["A"], ["B"]]}, "needs both moves and payoffs"),
        ("matrix", {"moves": [["A"]], "payoffs": [[1.0]]}, "expected two lists"),
        ("matrix", {"moves": "AB", "payoffs": [[1.0]]}, "expected two lists"),
        ("matrix", {"moves": ["A", "B"], "payoffs": [[1.0]]}, "expected a list of words"),
    ],
)
def test_options_that_do_not_fit_the_game_are_refused(name, options, message):
    with pytest.raises(RequestError, match=message):
        load(name, **options)


def test_descriptions_cover_the_table():
    rows = {row.name: row for row in describe()}
    assert tuple(rows) == names()
    assert rows["prisoners_dilemma"].payoff_range == (0.0, 5.0)
    assert rows["rock_paper_scissors"].moves == (("R", "P", "S"), ("R", "P", "S"))
    assert rows["rock_paper_scissors"].zero_sum is True
    assert (rows["matrix"].moves, rows["matrix"].zero_sum) == (None, None)


def test_unknown_without_a_close_name_makes_no_guess():
    assert str(unknown("game", "zzz", [])) == "unknown game 'zzz': known are none"
    assert "did you mean" not in str(unknown("game", "zzz", ["chess"]))


def test_the_package_gives_its_names_on_first_use():
    assert games.load is load
    assert games.RequestError is RequestError
    assert set(games.__all__) == set(dir(games))
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        _ = games.lod


def test_importing_the_package_imports_nothing_heavy():
    code = (
        "import sys, games, games.errors\n"
        "heavy = {'numpy', 'gymnasium', 'pettingzoo', 'scipy', 'torch'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "games.load('stag_hunt')\n"
        "heavy = {'scipy', 'torch', 'pygame'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
