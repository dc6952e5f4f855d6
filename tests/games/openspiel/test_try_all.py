"""Trying all of OpenSpiel's games: what is found, what is checked, and games that end the process or hang."""

from __future__ import annotations

import sys

import pyspiel
import pytest

from games.openspiel import trial as openspiel_trial
from games.openspiel import try_all
from games.openspiel.game import load
from games.openspiel.trial import Fault, Findings, play, try_game
from games.openspiel.try_all import Attempt, as_markdown, registered

FOREVER = float("inf")

# Stands in for the program that tries games: answers, ends or hangs as the name says.
STAND_IN = """
import json, os, sys, time
print("ready", flush=True)
for line in sys.stdin:
    name = json.loads(line)["name"]
    if name == "dies":
        print("first line", file=sys.stderr)
        print("check failed", file=sys.stderr, flush=True)
        os.abort()
    if name == "hangs":
        time.sleep(600)
    print(json.dumps({"players": 2, "ok": True, "note": "", "turns": 3, "moves": 2, "kind": "in turn"}), flush=True)
"""


def test_kuhn_has_three_decisions_at_most_and_two_moves():
    findings = try_game("openspiel:kuhn_poker", seconds=60.0)  # twenty episodes, long before that
    assert findings == Findings(2, True, "", 3, 2, "in turn, hidden, chance")


def test_a_game_that_is_not_for_two_gives_its_sentence():
    findings = try_game("openspiel:blackjack", seconds=0.1)
    assert (findings.ok, findings.players) == (False, None)
    assert findings.note.startswith("got 'openspiel:blackjack', a game of one player, expected two seats or more")


def test_a_long_game_is_stopped_and_says_so(monkeypatch):
    monkeypatch.setattr(openspiel_trial, "LEAST_TURNS", 5)
    findings = try_game("openspiel:chess", seconds=0.0)
    assert (findings.ok, findings.turns, findings.note) == (True, 5, "no episode ended within 5 decisions")


def test_the_same_moves_are_played_again():
    game = load("openspiel:leduc_poker", "compact")
    one = play(game, 3, None, FOREVER)
    assert one.ended and play(game, 3, one.moves, FOREVER) == one
    assert play(game, 3, one.moves[:1], FOREVER).ended is False


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (lambda: openspiel_trial._checked("a \n"), "a text must end in one newline"),
        (lambda: openspiel_trial._checked("a"), "a text must end in one newline"),
        (lambda: openspiel_trial._check_returns([1.0, -1.0], [2.0, -1.0]), "the rewards sum to"),
        (lambda: _check_moves(["a", "a"]), "two moves of seat 0 are written alike"),
        (lambda: _check_moves(["a b ", "c"]), "a move must be words in one line, got 'a b '"),
        (lambda: _check_moves(["a"]), "the moves of seat 0 aren't those of OpenSpiel"),
        (lambda: _check_moves([]), "seat 0 is to move and has no move"),
        (lambda: _check_end([3.0, -3.0]), "outside OpenSpiel's range from -2 to 2"),
        (lambda: _check_end([2.0, -1.0]), "of a zero-sum game don't sum to 0"),
    ],
)
def test_the_checks_see_what_they_look_for(check, sentence):
    with pytest.raises(Fault, match=sentence):
        check()


def _check_moves(moves):
    openspiel_trial._check_moves(moves, load("openspiel:kuhn_poker", "compact").start(0), 0)


def _check_end(returns):
    openspiel_trial._check_end(load("openspiel:kuhn_poker", "compact"), returns)


def test_a_fault_is_a_finding(monkeypatch):
    monkeypatch.setattr(openspiel_trial, "_check_returns", lambda returns, truth: _raise("sums differ"))
    findings = try_game("openspiel:kuhn_poker", seconds=0.1)
    assert (findings.players, findings.ok, findings.note) == (2, False, "sums differ")


def _raise(sentence):
    raise Fault(sentence)


def test_every_game_of_openspiel_is_tried_with_the_parameters_that_it_needs():
    assert len(registered()) == len(pyspiel.registered_names())
    needy = {game.short_name for game in pyspiel.registered_games() if not game.default_loadable}
    assert needy - set(try_all.EXAMPLES) == {"efg_game", "nfg_game"}  # these need a file, which OpenSpiel doesn't bring
    assert "openspiel:misere(game=tic_tac_toe())" in registered() and "openspiel:chess" in registered()


def test_a_game_that_dies_or_hangs_costs_only_itself(monkeypatch):
    monkeypatch.setattr(try_all, "PROGRAM", (sys.executable, "-c", STAND_IN))
    monkeypatch.setattr(try_all, "GRACE", 3.0)
    fine = {"players": 2, "ok": True, "note": "", "turns": 3, "moves": 2, "kind": "in turn"}
    assert list(try_all.try_all(["one", "dies", "two", "hangs", "three"], seconds_each=0.5)) == [
        Attempt("one", **fine),
        Attempt("dies", None, False, "it ended the process: check failed"),
        Attempt("two", **fine),
        Attempt("hangs", None, False, "it didn't come back within 3.5 seconds"),
        Attempt("three", **fine),
    ]


def test_a_program_that_does_not_start_is_an_error(monkeypatch):
    monkeypatch.setattr(try_all, "PROGRAM", (sys.executable, "-c", "import nonsense"))
    with pytest.raises(RuntimeError, match="didn't start: ModuleNotFoundError: No module named 'nonsense'"):
        list(try_all.try_all(["one"]))


def test_games_are_tried_in_another_process():
    attempts = list(try_all.try_all(["openspiel:tiny_hanabi", "openspiel:catch"], seconds_each=60.0))
    assert attempts[0] == Attempt("openspiel:tiny_hanabi", 2, True, "", 2, 6, "in turn, hidden, chance")
    assert (attempts[1].ok, attempts[1].players) == (False, None)


def test_the_table_counts_and_lists():
    attempts = [
        Attempt("openspiel:nim", 2, True, "", 12, 16, "in turn"),
        Attempt("openspiel:pathfinding(grid=A.\n.a\n)", None, False, "too\nfew"),
    ]
    assert as_markdown(attempts) == (
        "1 of 2 games can be played as text.\n"
        "\n"
        "| game | plays | seats | moves | decisions | distinct moves | note |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| `nim` | yes | 2 | in turn | 12 | 16 |  |\n"
        "| `pathfinding(grid=A./.a/)` | no |  |  |  |  | too/few |\n"
    )
