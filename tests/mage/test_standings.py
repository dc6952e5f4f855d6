"""Standings come from the event log alone: counts add up, what never met is missing, damage is told."""

import io
import json

import pytest
from rich.console import Console

from games.errors import RequestError
from mage.standings import derive, standings
from mage.views.standings_table import print_standings


def result(row, column, wins=0, draws=0, losses=0, total=0.0, seat=0, iteration=1):
    n = wins + draws + losses
    return {
        "type": "result",
        "iteration": iteration,
        "row": row,
        "column": column,
        "seat": seat,
        "n": n,
        "total": total,
        "total_squares": 0.0,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "forfeits": 0,
        "episode_returns": [0.0],
    }


def told(*events):
    return enumerate(events, start=1)


def member(name, kind, parent=None):
    return {"name": name, "kind": kind, "parent": parent, "born": 0, "digest": None}


RUN_EVENT = {
    "type": "run",
    "schema": "mage.events/1",
    "config": {"game": {"name": "rock_paper_scissors"}},
    "members": [
        member("learner_0", "learner"),
        member("learner_1", "learner"),
        member("peaked_habit(move=R,peak=0.8)", "scripted"),
        member("peaked_habit(move=P,peak=0.8)", "scripted"),
        member("tit_for_tat", "scripted"),
    ],
}


@pytest.fixture
def run(tmp_path):
    events = [
        RUN_EVENT,
        result("learner_0", "peaked_habit(move=R,peak=0.8)", wins=3, losses=1, total=6.0),
        {"type": "member", "iteration": 2, **member("learner_1@2", "snapshot", "learner_1")},
        result("learner_0", "peaked_habit(move=P,peak=0.8)", draws=4, total=2.0, seat=1, iteration=2),
        result("learner_0", "learner_1@2", wins=1, losses=1, iteration=2),
    ]
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    return tmp_path


def test_standings_group_families_and_snapshots(run):
    table = standings(run)
    assert (table["schema"], table["game"], table["iteration"]) == (
        "mage.standings/1",
        "rock_paper_scissors",
        2,
    )
    assert table["rows"] == ["learner_0", "learner_1"]
    assert table["columns"] == ["learner_1@*", "peaked_habit(*)"]
    assert table["kinds"]["learner_1@*"] == "snapshot"
    assert table["members"]["peaked_habit(*)"] == [
        "peaked_habit(move=R,peak=0.8)",
        "peaked_habit(move=P,peak=0.8)",
    ]
    snapshots, habits = table["cells"][0]
    assert snapshots == {
        "n": 2,
        "mean_return": 0.0,
        "wins": 1,
        "draws": 0,
        "losses": 1,
        "win_rate": 0.5,
        "forfeits": 0,
    }
    # 6 over 4 trials and 2 over 4: a mean of 1; 3 wins and 4 draws of 8: 5 / 8
    assert habits == {
        "n": 8,
        "mean_return": 1.0,
        "wins": 3,
        "draws": 4,
        "losses": 1,
        "win_rate": 0.625,
        "forfeits": 0,
    }
    assert len(table["results"]) == 3


def test_a_pair_that_never_met_is_missing(run):
    assert standings(run)["cells"][1] == [None, None]


def test_standings_are_json_and_can_be_printed(run):
    table = json.loads(json.dumps(standings(run), allow_nan=False))
    console = Console(file=io.StringIO(), width=80)
    print_standings(console, table)
    assert "1.00 (8)" in console.file.getvalue()


def test_replays_in_the_log_change_nothing(run):
    before = standings(run)
    lines = (run / "events.jsonl").read_text().splitlines(keepends=True)
    replay = json.dumps({"episodes": [], "id": "1-1", "type": "match"}, separators=(",", ":")) + "\n"
    (run / "events.jsonl").write_text("".join([lines[0], replay, *lines[1:], replay]))
    assert standings(run) == before


def test_a_torn_last_line_is_left_out_and_a_broken_one_named(run):
    before = standings(run)
    with (run / "events.jsonl").open("a") as file:
        file.write('{"type":"result","row":"learn')
    assert standings(run) == before
    with (run / "events.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(RequestError, match="line 6 of .* is not an event"):
        standings(run)


def test_what_the_members_did_is_rated_and_the_rest_left_open(run):
    table = standings(run)
    assert table["unrated"] is None
    assert {entry["name"] for entry in table["ratings"]["entries"]} == {
        "learner_0",
        "learner_1@2",
        "peaked_habit(move=R,peak=0.8)",
        "peaked_habit(move=P,peak=0.8)",
    }
    assert table["skill"]["edges"] == [1, 2, 3]  # the first result is of iteration 1
    assert table["metagame"]["members"] == ["learner_0", "learner_1@2"]
    before = derive("run", told(RUN_EVENT))
    assert (before["unrated"], before["ratings"]) == ("no game was played so far", None)


def test_the_log_itself_may_be_given(run):
    assert standings(run / "events.jsonl")["cells"] == standings(run)["cells"]


def stage(kind, iteration, **told):
    return {"type": "stage", "iteration": iteration, "stage": "a name", "kind": kind, "stop": 9, **told}


def test_standings_of_stages_count_from_the_last_that_was_played_for_rewards_on_in_its_game():
    events = [
        RUN_EVENT,
        stage("rl", 0, game="matching_pennies", seats=2),
        result("learner_0", "tit_for_tat", wins=4, total=8.0),
        stage("rl", 3, game="kuhn_poker", seats=2),
    ]
    assert derive("run", told(*events))["cells"] == [[], []]
    events += [
        result("learner_0", "tit_for_tat", wins=1, losses=1, total=1.0, iteration=3),
        stage("rft", 4, game="leduc_poker", seats=2),
    ]
    table = derive("run", told(*events))
    assert (table["game"], table["iteration"], table["cells"][0][0]["n"]) == ("kuhn_poker", 3, 2)
    assert table["cells"][0][0]["mean_return"] == 0.5


def test_a_stage_of_an_older_log_leaves_the_game_as_the_run_has_it():
    table = derive("run", told(RUN_EVENT, stage("rl", 0), result("learner_0", "tit_for_tat", wins=1)))
    assert (table["game"], table["unrated"]) == ("rock_paper_scissors", None)


def test_standings_before_the_first_result_have_rows_only():
    table = derive("run", told(RUN_EVENT))
    assert (table["rows"], table["columns"], table["cells"]) == (["learner_0", "learner_1"], [], [[], []])
    assert table["iteration"] is None


def test_standings_of_a_damaged_log_say_so():
    with pytest.raises(RequestError, match="without a run event"):
        derive("run", told())
    with pytest.raises(RequestError, match="event 2 .*'ghost' before it joined"):
        derive("run", told(RUN_EVENT, result("learner_0", "ghost", wins=1)))
    with pytest.raises(RequestError, match="event 1 .*KeyError"):
        derive("run", told({"type": "run"}))
    with pytest.raises(RequestError, match="event 1 .*mage.events/9"):
        derive("run", told(RUN_EVENT | {"schema": "mage.events/9"}))
    with pytest.raises(RequestError, match="the log is damaged"):
        derive("run", told(RUN_EVENT, result("learner_0", "tit_for_tat", wins=10**400)))


def test_standings_need_a_log(tmp_path):
    with pytest.raises(RequestError, match="events.jsonl"):
        standings(tmp_path)


def test_a_game_of_three_seats_is_not_rated_even_before_its_third_seat_has_a_result():
    rated, three = (
        derive("run", told(RUN_EVENT | extra, result("learner_0", "tit_for_tat", wins=3, losses=1, total=6.0)))
        for extra in ({}, {"seats": 3})
    )
    assert rated["unrated"] is None and rated["ratings"] is not None
    assert "three seats or more" in three["unrated"] and three["ratings"] is None


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (result("learner_0", "tit_for_tat", wins=10**15), "more than 10,000,000,000 episodes"),
        (result("learner_0", "tit_for_tat", wins=1) | {"iteration": -4}, "iteration -4 is below 0"),
        ({"type": "member", "iteration": 1, **member(5, "scripted")}, "the name 5 is no text"),
        ({"type": "member", "iteration": 1, **member("a\0" + "1", "scripted")}, "without NUL"),
        (stage("rl", 1, seats=1), "seats 1 is no whole number"),
        (RUN_EVENT | {"seats": "2"}, "seats '2' is no whole number"),
        (result("learner_0", "tit_for_tat", wins=2.5), "is no whole number"),
    ],
)
def test_what_no_run_could_have_logged_is_one_sentence(event, words):
    with pytest.raises(RequestError, match=words):
        derive("run", told(RUN_EVENT, event))
