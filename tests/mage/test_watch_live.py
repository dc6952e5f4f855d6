"""Watching matches: live runs, keys, and the terminal left as it was."""

import os
import pty
import subprocess
import sys
import threading
import time

import pexpect
import pytest

from mage.events import EventLog
from mage.views import terminal
from mage.views.player import Player
from mage.views.replay import Replays
from tests.mage.small_log import ROOT, log, match, printed, run_event

START = f"import sys, pathlib; sys.path.insert(0, {str(ROOT)!r}); from mage.views.watch import watch; "


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
    for key in ("p", "]", "-", "-", " ", "z", "["):
        shown.press(key)
    assert (shown.identity, shown.cursor, shown.playing, shown.speed) == ("1-1", 0, True, 0.5)
    shown.press("q")
    assert shown.done


def test_a_key_shows_the_prompt_and_two_scroll_it_until_the_step_changes():
    shown = player("1-1")
    shown.press("u")
    assert (shown.prompt, shown.back, shown.playing) == (False, 0, True)
    for key in ("x", "u", "u", "d"):
        shown.press(key)
    assert (shown.prompt, shown.back, shown.playing) == (True, 8, False)
    for key in ("d", "d"):
        shown.press(key)
    assert shown.back == 0
    for key in ("u", "n"):
        shown.press(key)
    assert (shown.prompt, shown.back, shown.cursor) == (True, 0, 1)
    shown.press("x")
    assert not shown.prompt


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
    child.send("x")
    child.expect_exact("u up")
    child.send("x\x1b[D")
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
