"""Trying all of OpenSpiel's games: what is found, what is checked, and games that end the process or hang."""

from __future__ import annotations

import sys

import pyspiel
import pytest

from games import random_play
from games.openspiel import trial as openspiel_trial
from games.openspiel import try_all
from games.openspiel.trial import check, check_returns, try_game
from games.openspiel.try_all import as_markdown, registered
from games.random_play import Attempt
from games.spoken import Fault

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
    fine = {"players": 2, "ok": True, "note": "", "turns": 3, "moves": 2, "kind": "in turn"}
    print(json.dumps({"name": name, **fine}), flush=True)
"""


def test_kuhn_has_three_decisions_at_most_and_two_moves():
    attempt = try_game("openspiel:kuhn_poker", seconds=60.0)  # twenty episodes, long before that
    assert attempt == Attempt("openspiel:kuhn_poker", 2, True, "", 3, 2, "in turn, hidden, chance")


def test_a_game_that_is_not_for_two_gives_its_sentence():
    attempt = try_game("openspiel:blackjack", seconds=0.1)
    assert (attempt.ok, attempt.players, attempt.kind) == (False, None, "")
    assert attempt.note.startswith("got 'openspiel:blackjack', a game of one player, expected two seats or more")


def test_a_long_game_is_stopped_and_says_so(monkeypatch):
    monkeypatch.setattr(random_play, "LEAST_DECISIONS", 5)
    attempt = try_game("openspiel:chess", seconds=0.0)
    assert (attempt.ok, attempt.turns, attempt.note) == (True, 5, "no episode ended within 5 decisions")


class Ill:
    """Stands in for an episode of tic-tac-toe at its start, with something wrong."""

    def __init__(self, moves: int = 9, returns: tuple[float, float] = (0.0, 0.0)) -> None:
        self.seat_to_move, self.returns = 0, returns
        self.state = pyspiel.load_game("tic_tac_toe").new_initial_state()
        self._moves = moves

    def legal_moves(self) -> tuple[str, ...]:
        return tuple(map(str, range(self._moves)))


@pytest.mark.parametrize(
    ("episode", "news", "sentence"),
    [
        (Ill(), ["a \n", ""], "a text must end in one newline, without a space before it; got 'a .n'"),
        (Ill(), ["", "a\n\n"], "a text must end in one newline"),
        (Ill(moves=8), ["", ""], "the moves of seat 0 aren't those of OpenSpiel"),
        (Ill(returns=(1.0, -1.0)), ["", ""], r"the rewards sum to \[1.0, -1.0\], OpenSpiel's returns are \[0.0, 0.0\]"),
    ],
)
def test_the_check_sees_what_it_looks_for(episode, news, sentence):
    with pytest.raises(Fault, match=sentence):
        check(episode, news)


def test_the_check_lets_pass_what_is_right():
    check(Ill(), ["a\n", ""])
    check_returns([1.0, -1.0], [1.0 + 1e-9, -1.0])


@pytest.mark.parametrize("error", [Fault, pyspiel.SpielError])
def test_a_fault_is_a_finding(error, monkeypatch):
    def fails(returns, truth):
        raise error("sums\ndiffer")

    monkeypatch.setattr(openspiel_trial, "check_returns", fails)
    attempt = try_game("openspiel:kuhn_poker", seconds=0.1)
    assert (attempt.players, attempt.ok, attempt.note) == (2, False, "sums differ")


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
