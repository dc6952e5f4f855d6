"""Watching matches: what a screen shows at fixed sizes, keys, pipes, live runs, and files from strangers."""

import io
import os
import pty
import subprocess
import sys
import threading
import time
from pathlib import Path

import pexpect
import pytest
from rich.cells import cell_len
from rich.console import Console

from games.errors import RequestError
from mage.events import EventLog
from mage.views import terminal
from mage.views.frames import bar, cut, frame, number, transcript, wrap
from mage.views.player import Player
from mage.views.replay import Replays, parse_match
from mage.views.safe_text import clean
from mage.views.watch import watch

ROOT = Path(__file__).resolve().parents[2]
HABIT = "peaked_habit(move=R,peak=0.8)"
START = f"import sys, pathlib; sys.path.insert(0, {str(ROOT)!r}); from mage.views.watch import watch; "


def turn(seat, number, move, news="", reward=0, probabilities=None):
    return {
        "seat": seat, "turn": number, "move": move, "news": news, "reward": reward, "legal": ["R", "P", "S"],
        "probabilities": probabilities, "forfeit": False,
    }  # fmt: skip


def match(identity="12-5", learner="learner_0", episodes=2):
    """Two rounds an episode: P beats R for +1 to seat 0, then S loses to R."""
    turns = [
        turn(0, 0, "P", "rock_paper_scissors seat 0: R P S\nepisode 1\n", 1, [0.25, 0.5, 0.25]),
        turn(1, 0, "R", "", -1),
        turn(0, 1, "S", "R 1\n", -1, [0.0, 0.125, 0.875]),
        turn(1, 1, "R", "", 1),
    ]
    episode = {"returns": [0, 0], "forfeits": [0, 0], "turns": turns}
    return {
        "type": "match", "iteration": 12, "id": identity, "game": "rock_paper_scissors",
        "memory": "transcript", "members": [learner, HABIT], "episodes": [episode] * episodes,
    }  # fmt: skip


def log(path, *events):
    with EventLog(path) as file:
        for event in events:
            file.append(event)
    return path


def run_event(*learners):
    return {"type": "run", "members": [{"name": name, "kind": "learner"} for name in learners]}


def plain(lines):
    return [line.plain.rstrip() for line in lines]


def printed(path, **arguments):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    watch(path, console=Console(file=out), **arguments)
    out.seek(0)
    return out.read()


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
        "space pause  n next  p back  + - speed  [ ] match  q quit",
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
        "space  n next  p back  + -  [ ]  q quit",
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
    with pytest.raises(RequestError, match=r"unknown match '9-9': known are 1-1, 2-1"):
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


def test_live_prints_each_new_match_and_ends_with_the_run(tmp_path):
    path = tmp_path / "events.jsonl"

    def train():
        time.sleep(0.3)
        with EventLog(path) as file:
            for event in (run_event("learner_0"), match("1-1"), match("1-2")):
                file.append(event)
            file.flush()
            time.sleep(0.3)
            file.append(match("2-1"))
            file.append({"type": "end"})

    writer = threading.Thread(target=train)
    writer.start()
    text = printed(tmp_path, live=True)
    writer.join()
    shown = [line.split()[1] for line in text.splitlines() if line.startswith("match ")]
    assert shown in (["1-1", "1-2", "2-1"], ["1-2", "2-1"])


def player(*identities, **state):
    replays = Replays()
    for identity in identities:
        replays.add(match(identity))
    return Player(replays, identities[0] if identities else None, **state)


def test_keys_move_pause_change_speed_and_match():
    shown = player("1-1", "2-1")
    for key in ("n", "right", "p", "+", "]"):
        shown.press(key)
    assert (shown.identity, shown.cursor, shown.playing, shown.speed) == ("2-1", 0, False, 2.0)
    for key in ("p", "]", "-", "-", " ", "x", "["):
        shown.press(key)
    assert (shown.identity, shown.cursor, shown.playing, shown.speed) == ("1-1", 0, True, 0.5)
    shown.press("q")
    assert shown.done


def test_a_replay_stops_at_its_end_and_starts_again_on_space():
    shown = player("1-1")
    for _ in range(30):
        shown.advance()
    assert (shown.cursor, shown.at_end, shown.done) == (9, True, False)
    shown.press(" ")
    assert (shown.cursor, shown.playing) == (0, True)


def test_live_waits_goes_on_to_the_next_match_and_is_done_when_the_run_is():
    shown = player(live=True)
    shown.advance()
    assert shown.match is None and not shown.done
    shown.replays.add(match("1-1"))
    assert shown.match.id == "1-1"
    shown.cursor = 9
    shown.advance()
    assert not shown.done and shown.status().startswith("waiting")
    shown.replays.add(match("2-1"))
    shown.replays.add({"type": "end"})
    shown.advance()
    assert (shown.identity, shown.cursor) == ("2-1", 0)
    shown.cursor = 9
    shown.advance()
    assert shown.done


def test_what_a_terminal_sends_becomes_keys():
    assert terminal.split_keys(b"n\x1b[C\x1b[D \x1b[1;5A\x1bq") == ["n", "right", "left", " ", "q"]
    assert terminal.split_keys(b"\x1b") == []


def test_the_terminal_is_put_back_after_an_error():
    master, descriptor = pty.openpty()
    before = terminal.termios.tcgetattr(descriptor)
    with pytest.raises(ZeroDivisionError), terminal.keys(descriptor) as read_key:
        os.write(master, b"\x1b[Cq")
        assert [read_key(1.0), read_key(0.0), read_key(0.0)] == ["right", "q", None]
        assert terminal.termios.tcgetattr(descriptor) != before
        raise ZeroDivisionError
    assert terminal.termios.tcgetattr(descriptor) == before
    os.close(master)
    os.close(descriptor)


@pytest.mark.parametrize("leave", ["q", "\x03"])
def test_a_person_can_step_through_a_match_and_leave_the_terminal_as_it_was(tmp_path, leave):
    path = log(tmp_path / "events.jsonl", run_event("learner_0"), match())
    code = START + f"watch(pathlib.Path({str(path)!r}), step=True); print('left', 'well')"
    environment = os.environ | {"TERM": "xterm-256color", "NO_COLOR": "1"}
    child = pexpect.spawn(
        sys.executable, ["-c", code], env=environment, dimensions=(24, 80), encoding="utf-8", timeout=10
    )
    child.delaybeforesend = None
    child.expect_exact("move 1 of 4")
    child.send("nn")
    child.expect_exact("move 3 of 4")
    child.setwinsize(20, 40)
    child.expect_exact("iterat…")
    child.send("\x1b[D")
    child.expect_exact("move 2 of 4")
    child.send(leave)
    child.expect_exact("\x1b[?1049l")
    child.expect_exact("left well")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_watching_imports_no_model_or_game_library():
    heavy = "{'torch', 'transformers', 'peft', 'pettingzoo', 'numpy', 'pyspiel'}"
    code = START + f"print(sorted({heavy} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
