"""Loading games by name, and what `import games` costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import games
from games.descriptions import HEADINGS, OPENSPIEL
from games.errors import RequestError, unknown
from games.matrix import PAYOFFS
from games.openspiel.names import NAMED
from games.registry import describe, load, load_matrix, names


def test_every_named_matrix_loads_and_plays_to_its_end():
    for name in PAYOFFS:
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
    with pytest.raises(RequestError, match="known are .*chess, .*rock_paper_scissors, rps, "):
        load("zzz")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("hex(board_size=4)", "expected 'hex' without parameters; write openspiel:hex.board_size=4."),
        ("tictactoe(size=4)", "expected 'tictactoe' without parameters; write tictactoe"),
    ],
)
def test_parameters_of_a_listed_game_that_takes_none_are_refused(name, sentence):
    with pytest.raises(RequestError, match=sentence):
        load(name)


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


@pytest.mark.parametrize("name", ["tictactoe", "kuhn_poker", "openspiel:kuhn_poker", "package.module:function"])
@pytest.mark.parametrize(
    ("option", "games_that_take_it"),
    [
        ({"rounds": 3}, r"repeated games \(matrix games and public_goods\)"),
        ({"moves": [["A"], ["B"]]}, "the game 'matrix'"),
        ({"payoffs": [[1.0]]}, "the game 'matrix'"),
    ],
)
def test_options_of_other_games_are_refused_before_anything_is_imported(name, option, games_that_take_it):
    sentence = f"{next(iter(option))}: got it for '{name}', expected it for {games_that_take_it} only; leave it out"
    with pytest.raises(RequestError, match=sentence):
        load(name, **option)


def test_only_a_repeated_matrix_game_is_loaded_as_one():
    assert load_matrix("stag_hunt", rounds=2) == load("stag_hunt", rounds=2)
    for name in ("tictactoe", "public_goods", "public_goods(seats=4)", "openspiel:matrix_pd", "json:loads"):
        with pytest.raises(RequestError, match="expected a repeated matrix game such as"):
            load_matrix(name)
    with pytest.raises(RequestError, match="unknown game 'stag'"):
        load_matrix("stag")


def test_descriptions_cover_the_table():
    rows = {row.name: row for row in describe()}
    assert tuple(rows) == names()
    assert rows["prisoners_dilemma"].payoff_range == (0.0, 5.0)
    assert rows["rock_paper_scissors"].moves == (("R", "P", "S"), ("R", "P", "S"))
    assert rows["rock_paper_scissors"].zero_sum is True
    assert (rows["matrix"].moves, rows["matrix"].zero_sum) == (None, None)
    assert {row.kind for row in rows.values()} == set(HEADINGS)
    goods = rows["public_goods"]
    assert (goods.seats, goods.moves, goods.payoff_range) == (3, (("keep", "give"),) * 3, (2.0, 7.0))
    for name in ("tictactoe", "kuhn_poker"):
        assert (rows[name].seats, rows[name].moves, rows[name].payoff_range) == (2, None, None)


def test_the_listed_games_of_openspiel_load_as_what_their_rows_say():
    assert {row.name for row in describe() if row.kind == OPENSPIEL} == set(NAMED)
    for name, row in NAMED.items():
        assert load(name) == load(row.game)


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
        "games.load('stag_hunt'), games.load('public_goods'), games.describe()\n"
        "heavy = {'scipy', 'torch', 'pygame', 'pyspiel', 'rlcard', 'chess'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
