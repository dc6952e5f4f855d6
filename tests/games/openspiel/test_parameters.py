"""What a person writes as an OpenSpiel game: what is refused before OpenSpiel sees it, and in which words."""

from __future__ import annotations

import pytest

import games
from games.errors import RequestError
from games.openspiel import game as openspiel
from games.openspiel import parameters
from games.openspiel.env import OpenSpielEnv
from games.openspiel.parameters import LARGEST, checked
from games.openspiel.try_all import EXAMPLES, registered

# OpenSpiel itself loads most of these; then an episode raises whatever comes up first, or the process ends.
SIZES = [
    ("hex(board_size=0)", "got board_size=0 for OpenSpiel's hex, expected a whole number from 2 to 26; change it"),
    ("hex(board_size=27)", "got board_size=27 for OpenSpiel's hex, expected a whole number from 2 to 26; change it"),
    (
        "liars_dice(numdice=0)",
        "got numdice=0 for OpenSpiel's liars_dice, expected a whole number of at least 1; change it",
    ),
    (
        "breakthrough(rows=1,columns=1)",
        "got rows=1 for OpenSpiel's breakthrough, expected a whole number of at least 2; change it",
    ),
    (
        "goofspiel(num_cards=0)",
        "got num_cards=0 for OpenSpiel's goofspiel, expected a whole number of at least 1; change it",
    ),
    (
        "bargaining(max_turns=0)",
        "got max_turns=0 for OpenSpiel's bargaining, expected a whole number of at least 1; change it",
    ),
    ("hanabi(players=6)", "got players=6 for OpenSpiel's hanabi, expected a whole number from 2 to 5; change it"),
    (
        "go_fish(initial_cards=0)",
        "got initial_cards=0 for OpenSpiel's go_fish, expected a whole number of at least 1; change it",
    ),
    ("go(handicap=-1)", "got handicap=-1 for OpenSpiel's go, expected a whole number of at least 0; change it"),
    (
        f"connect_four(rows={LARGEST + 1})",
        "got rows=2147483648 for OpenSpiel's connect_four, expected a whole number of at least 1; change it",
    ),
    (
        "misere(game=hex(board_size=0))",
        "got board_size=0 for OpenSpiel's hex, expected a whole number from 2 to 26; change it",
    ),
]
KINDS = [
    ("hex(board_size=big)", "got board_size=big for OpenSpiel's hex, expected a whole number from 2 to 26"),
    ("hex(board_size=3.5)", "got board_size=3.5 for OpenSpiel's hex, expected a whole number"),
    ("hex(board_size=)", "got board_size= for OpenSpiel's hex, expected a whole number"),
    ("hex(swap=1)", "got swap=1 for OpenSpiel's hex, expected True or False; change it"),
    ("bargaining(discount=much)", "got discount=much for OpenSpiel's bargaining, expected a number such as 0.5"),
    ("misere(game=hxe())", r"unknown OpenSpiel game 'hxe'.*did you mean 'hex'\?"),
]
FORMS = [
    ("hex(board_size=3", "expected NAME or NAME.parameter=value,....; close the parenthesis at the end"),
    ("hex(board_size=3)x", "close the parenthesis at the end"),
    ("hex(3)", "write a parameter's name and = before '3'"),
    ("hex(board_size=3,board_size=4)", "give board_size once"),
    ("misere(game=hex(board_size=3,board_size=4))", "give board_size once"),
]


@pytest.mark.parametrize(("given", "sentence"), SIZES)
def test_a_size_that_makes_no_game_is_refused_without_a_word_of_openspiel_s_own(given, sentence, capfd):
    with pytest.raises(RequestError) as caught:
        games.load(f"openspiel:{given}")
    assert str(caught.value) == sentence
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("given", "sentence"), KINDS + FORMS)
def test_values_of_another_kind_and_other_forms_are_refused_in_one_sentence(given, sentence, capfd):
    with pytest.raises(RequestError, match=sentence) as caught:
        checked(given)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_the_game_is_written_as_openspiel_reads_it():
    assert checked("kuhn_poker") == checked("kuhn_poker()") == "kuhn_poker"
    assert checked("hex( num_cols = 3, num_rows=4 )") == "hex(num_cols=3,num_rows=4)"
    assert checked("bargaining(discount=1)") == "bargaining(discount=1.0)"
    assert checked("misere(game=hex)") == "misere(game=hex())"
    assert checked("sheriff(max_bribe=0)") == "sheriff(max_bribe=0)"  # no bribes make a game
    assert checked("goofspiel(num_turns=-1)") == "goofspiel(num_turns=-1)"  # OpenSpiel's own value: all cards


@pytest.mark.parametrize("name", registered())
def test_no_game_of_openspiel_is_refused_as_the_list_writes_it(name):
    given = name.removeprefix("openspiel:")
    if given in ("efg_game", "nfg_game"):  # these need a file
        with pytest.raises(RequestError, match=rf"expected it with its parameters; write {given}\(filename=\.\.\.\)"):
            checked(given)
    else:
        assert checked(given).partition("(")[0] == given.partition("(")[0]
        assert ("(" in checked(given)) == (given in EXAMPLES.values())


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("hanabi(colors=6)", "Input requirements failed"),
        ("universal_poker(numRanks=14)", "invalid number of ranks: 14"),
        ("universal_poker(numPlayers=3)", "only read 2 stack sizes, need 3"),
    ],
)
def test_values_that_end_the_process_are_tried_in_another(given, reason):
    with pytest.raises(RequestError, match=f"expected parameters that don't end the process as these do: {reason}"):
        games.load(f"openspiel:{given}")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("checkers(rows=1)", "whose episode is over before anyone moves, expected one with moves; change the param"),
        ("bargaining(prob_end=5.0)", "whose first moves can't be played, expected parameters that make a game: Prob"),
        ("dark_hex(board_size=1)", "whose first moves can't be played, .*: seat 1 is to move and has no move; change"),
    ],
)
def test_a_game_whose_first_moves_fail_does_not_load(given, sentence):
    with pytest.raises(RequestError, match=sentence) as caught:
        games.load(f"openspiel:{given}")
    assert "\n" not in str(caught.value)


def test_a_game_that_memory_does_not_hold_does_not_load(monkeypatch):
    def without_memory(env, seed=None, options=None):
        raise MemoryError("Unable to allocate 10.5 GiB")

    monkeypatch.setattr(OpenSpielEnv, "reset", without_memory)
    with pytest.raises(RequestError, match="expected parameters that make a game: Unable to allocate 10.5 GiB; change"):
        games.load("openspiel:mnk(m=14)")


def test_an_episode_that_is_over_at_its_start_is_refused_when_it_starts():
    with pytest.raises(RequestError, match=r"'oware\(num_seeds_per_house=0\)', whose episode is over before anyone"):
        OpenSpielEnv("oware(num_seeds_per_house=0)").reset(seed=0)


def test_only_games_with_parameters_are_started_when_they_load(monkeypatch):
    started = []
    monkeypatch.setattr(openspiel, "_require_moves", lambda made: started.append(made.name))
    for name in ("hex", "hex(board_size=11)", "hex(board_size=4)"):
        openspiel.load(f"openspiel:{name}", "compact")
    assert started == ["openspiel:hex(board_size=4)"]  # 11 is OpenSpiel's own


@pytest.mark.parametrize("history", ["9;9", "0;0", "a", "0;1;0;0;0"])
def test_a_start_after_moves_that_are_not_legal_is_refused(history):
    """Cards 0 and 1, then two passes end the game: a fifth move is none."""
    assert checked("start_at(game=kuhn_poker(),history=0;1;0)") == "start_at(game=kuhn_poker(),history=0;1;0)"
    with pytest.raises(RequestError, match="in the history is no legal action there"):
        checked(f"start_at(game=kuhn_poker(),history={history})")


def test_a_game_that_does_not_load_in_time_is_refused(monkeypatch):
    monkeypatch.setattr(parameters, "LONGEST_LOAD", 0.001)
    with pytest.raises(RequestError, match=r"did not load within 0.001 s"):
        checked("hanabi(players=3,colors=4)")
