"""Watching matches: what a screen shows at fixed sizes, pipes, and files from strangers."""

import pytest
from rich.cells import cell_len

from games.errors import RequestError
from mage.views.cells import bar, cut, number, wrap
from mage.views.frames import frame
from mage.views.replay import parse_match
from mage.views.safe_text import clean
from mage.views.transcript import transcript
from tests.mage.small_log import HABIT, log, match, plain, printed, run_event, turn


def test_a_screen_of_80_by_24_shows_whose_move_bars_text_and_score():
    assert plain(frame(parse_match(match()), 2, 80, 24, status="playing")) == [
        "match 12-5  rock_paper_scissors  iteration 12  memory transcript",
        "episode 1 of 2, move 3 of 4",
        "",
        "                                        ep 1  ep 2 trial",
        "> seat 0 learner_0                        +1     .    +1",
        "  seat 1 peaked_habit(move=R,peak=0.8)    -1     .    -1",
        "",
        "seat 0 moves  P S",
        "seat 1 moves  R",
        "",
        "round 2: seat 0 learner_0",
        "  plays S",
        "  R   0.0%",
        "  P  12.5% ████████▋",
        "> S  87.5% ████████████████████████████████████████████████████████████▍",
        "",
        "the seat reads",
        "│ R 1",
        *[""] * 4,
        "playing",
        "space pause  n next  p back  + - speed  [ ] match  x prompt  q quit",
    ]


def test_a_screen_of_40_by_20_in_ascii_keeps_the_same_parts():
    assert plain(frame(parse_match(match()), 0, 40, 20, unicode=False)) == [
        "match 12-5  rock_paper_scissors  iterat~",
        "episode 1 of 2, move 1 of 4",
        "",
        "                        ep 1  ep 2 trial",
        "> seat 0 learner_0         0     .     0",
        "  seat 1 peaked_habit~     0     .     0",
        "",
        "seat 0 moves  P",
        "seat 1 moves",
        "",
        "round 1: seat 0 learner_0",
        "  plays P",
        "  R  25.0% #######",
        "> P  50.0% ##############",
        "  S  25.0% #######",
        "the seat reads",
        "| rock_paper_scissors seat 0: R P S",
        "| episode 1",
        "",
        "space  n next  p back  + -  [ ]  x  q",
    ]


def test_a_scripted_move_says_that_it_has_no_probabilities():
    lines = plain(frame(parse_match(match()), 1, 80, 24))
    assert "scripted player: no probabilities" in lines
    assert "legal  R P S" in lines


def test_the_end_of_an_episode_and_of_the_trial_are_steps_of_their_own():
    shown = parse_match(match())
    assert "episode 1 over" in plain(frame(shown, 4, 80, 24))
    assert "trial over" in plain(frame(shown, 9, 80, 24))
    assert plain(frame(shown, 999, 80, 24)) == plain(frame(shown, 9, 80, 24))


def test_no_screen_is_ever_wider_or_taller_than_the_terminal():
    event = match("1-1", "学習者_" * 9)
    many = [f"move{index}" for index in range(200)]
    event["episodes"][0]["turns"][0] |= {
        "legal": many, "probabilities": [0.005] * 200, "move": "move150", "news": "word 学 " * 300
    }  # fmt: skip
    shown = parse_match(event)
    for width in (1, 2, 7, 20, 39, 40, 80, 200):
        for height in (1, 2, 5, 9, 13, 20, 24, 60):
            for cursor in (0, 1, 4):
                lines = frame(shown, cursor, width, height, status="playing")
                assert 1 <= len(lines) <= height
                assert all(cell_len(line.plain) <= width for line in lines)
    assert any("> move150" in line for line in plain(frame(shown, 0, 40, 20)))
    assert any("other moves" in line for line in plain(frame(shown, 0, 40, 20)))


def test_a_reward_counts_when_its_round_is_over():
    shown = parse_match(match())
    assert shown.scores((0, 1)) == [(0.0, 0.0)]
    assert shown.scores((0, 2)) == [(1.0, -1.0)]
    assert shown.scores((0, 3)) == [(1.0, -1.0)]
    assert shown.scores((0, 4)) == [(0.0, 0.0)]
    assert shown.scores((1, 2)) == [(0.0, 0.0), (1.0, -1.0)]


def test_bars_numbers_cuts_and_line_breaks_can_be_checked_by_hand():
    assert [bar(0.5, 4, True), bar(0.53125, 4, True), bar(0.5, 4, False), bar(0.0, 4, True)] == [
        "██",
        "██▏",
        "##",
        "",
    ]
    assert [number(2.0), number(-0.5), number(0.0)] == ["+2", "-0.50", "0"]
    assert [cut("abcdef", 4), cut("abcd", 4), cut("abcdef", 4, False)] == ["abc…", "abcd", "abc~"]
    assert wrap("one two\n\nx\n", 5) == ["one ", "two", "", "x"]
    assert wrap("", 5) == []


def test_escape_sequences_and_hidden_characters_are_written_out():
    assert clean("\x1b[2J\u202e\ud800é\n") == "\\x1b[2J\\u202e\\ud800é\\n"
    assert clean("é", unicode=False) == "\\xe9"


def test_a_replay_from_a_stranger_sends_no_escape_and_no_markup_is_read(tmp_path):
    event = match("\x1b]0;x\x07", "[red]\x1b[31mme")
    event["episodes"][0]["turns"][0] |= {"news": "\x1b[2J\x9b5n\r[/]\n", "move": "P\x08"}
    text = printed(log(tmp_path / "replay.jsonl", event))
    assert "[red]\\x1b[31mme" in text
    assert text.replace("\n", "").isprintable()
    lines = frame(parse_match(event), 0, 80, 24)
    assert all(line.plain.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"episodes": None}, "'episodes'"),
        ({"members": ["one"]}, "seat 1 among 1 seats"),
        ({"episodes": []}, "no members or no episodes"),
        ({"episodes": [{"returns": [0, 0], "turns": [{}]}]}, "no field 'legal'"),
        ({"episodes": [{"returns": [0, 0], "turns": [turn(2, 0, "R")]}]}, "seat 2"),
        ({"episodes": [{"returns": [0, 0], "turns": [turn(0, 0, "R", probabilities=[1])]}]}, "probabilities"),
    ],
)
def test_a_malformed_match_is_refused_in_one_sentence(change, reason):
    with pytest.raises(RequestError, match=reason):
        parse_match(match() | change)


def test_a_pipe_gets_the_whole_match_once_without_control_characters(tmp_path):
    log(tmp_path / "events.jsonl", run_event("learner_0"), match())
    text = printed(tmp_path)
    assert "\x1b" not in text
    assert text.count("plays S") == 2
    assert text.splitlines()[4:13] == [
        "episode 1 of 2",
        "  round 1: seat 0 learner_0, trial score by seat: 0, 0",
        "    reads  rock_paper_scissors seat 0: R P S",
        "    reads  episode 1",
        "      R  25.0% ████████████▎",
        "    > P  50.0% ████████████████████████▌",
        "      S  25.0% ████████████▎",
        "    plays P",
        f"  round 1: seat 1 {HABIT}, trial score by seat: 0, 0",
    ]


def test_an_ascii_pipe_gets_ascii(tmp_path):
    assert "".join(transcript(parse_match(match("é"), unicode=False), unicode=False)).isascii()


def test_the_default_is_the_last_match_with_a_learner(tmp_path):
    path = log(tmp_path / "events.jsonl", run_event("learner_0"), match("1-1"), match("2-1"), match("3-1", "old"))
    assert printed(path).startswith("match 2-1 ")
    assert printed(path, match="3-1").startswith("match 3-1 ")


def test_an_unknown_match_lists_known_ones(tmp_path):
    path = log(tmp_path / "events.jsonl", match("1-1"), match("2-1"))
    with pytest.raises(RequestError, match=r"unknown match '9-9': the latest of 2 are 1-1, 2-1"):
        printed(path, match="9-9")


@pytest.mark.parametrize("events", [(), ({"type": "end"},)])
def test_a_log_without_matches_is_a_request_error(tmp_path, events):
    path = log(tmp_path / "events.jsonl", *events)
    with pytest.raises(RequestError, match="no matches"):
        printed(path)


def test_a_missing_run_or_log_and_a_senseless_speed_are_request_errors(tmp_path):
    with pytest.raises(RequestError, match="there is no"):
        printed(tmp_path / "nowhere", live=True)
    with pytest.raises(RequestError, match="no events.jsonl"):
        printed(tmp_path)
    with pytest.raises(RequestError, match="speed"):
        printed(tmp_path, speed=0.0)
