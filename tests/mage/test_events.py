"""The event log: exact bytes, truncation on resume, torn and broken lines, following, trials as events."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from games.errors import RequestError
from mage.events import EventLog, encode, match_event, read
from mage.records import EpisodeRecord, TrialRecord, Turn
from mage.views.follow import Follower, follow


def write(path, *events):
    with EventLog(path) as log:
        for event in events:
            log.append(event)
    return path


def trial(number=5, returns=((1.0, -1.0), (2.0, -2.0)), group=0, forfeits=(0, 0), learner="learner_0"):
    turn = Turn(0, 0, 0, "episode 1\n", ("R", "P"), "P", (0.25, 0.75), 1.0, False)
    pairing = SimpleNamespace(learner=learner, opponent="cycle", seat=0, group=group, trial=number)
    episodes = tuple(EpisodeRecord(pair, forfeits, (turn,)) for pair in returns)
    return TrialRecord(pairing, "rps", "none", (learner, "cycle"), episodes)


def test_an_event_is_one_compact_line_with_sorted_keys_and_repr_floats():
    assert encode({"type": "update", "kl": 0.1, "agent": "é"}) == (b'{"agent":"\\u00e9","kl":0.1,"type":"update"}\n')


def test_numpy_values_become_plain_numbers_and_lists():
    event = {"type": "x", "a": np.float32(0.5), "b": np.int64(3), "c": np.array([1.0, 2.0])}
    assert encode(event) == b'{"a":0.5,"b":3,"c":[1.0,2.0],"type":"x"}\n'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("nan")])
def test_nan_and_infinity_are_refused(tmp_path, value):
    with EventLog(tmp_path / "events.jsonl") as log:
        with pytest.raises(ValueError, match="NaN"):
            log.append({"type": "update", "kl": value})
        assert log.offset == 0
    assert (tmp_path / "events.jsonl").read_bytes() == b""


def test_something_json_cannot_hold_is_a_type_error():
    with pytest.raises(TypeError, match="object"):
        encode({"type": "x", "a": object()})


def test_the_offset_counts_bytes_and_sync_puts_them_on_disk(tmp_path):
    path = tmp_path / "events.jsonl"
    with EventLog(path) as log:
        log.append({"type": "a"})
        assert log.offset == len(b'{"type":"a"}\n') == 13
        log.sync()
        assert path.stat().st_size == 13


def test_resuming_cuts_the_log_to_the_offset_and_writes_on(tmp_path):
    path = write(tmp_path / "events.jsonl", {"type": "a"}, {"type": "b"})
    with EventLog(path, offset=13) as log:
        assert log.offset == 13
        log.append({"type": "c"})
        assert log.offset == 26
    assert [event["type"] for event in read(path)] == ["a", "c"]


def test_offset_zero_starts_over_and_needs_no_file(tmp_path):
    path = write(tmp_path / "events.jsonl", {"type": "a"})
    EventLog(path, offset=0).close()
    assert list(read(path)) == []
    EventLog(tmp_path / "new.jsonl", offset=0).close()
    assert (tmp_path / "new.jsonl").exists()


@pytest.mark.parametrize("offset", [14, 12])
def test_a_log_shorter_than_the_offset_or_cut_within_a_line_is_damaged(tmp_path, offset):
    path = write(tmp_path / "events.jsonl", {"type": "a"})
    with pytest.raises(RequestError, match="damaged"):
        EventLog(path, offset=offset)
    assert path.stat().st_size == 13


def test_a_missing_log_cannot_be_resumed(tmp_path):
    with pytest.raises(RequestError, match="0 bytes"):
        EventLog(tmp_path / "events.jsonl", offset=5)


def test_a_new_log_never_overwrites_an_old_one(tmp_path):
    path = write(tmp_path / "events.jsonl", {"type": "a"})
    with pytest.raises(RequestError, match="already holds"):
        EventLog(path)


def test_a_torn_last_line_is_left_out(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"type":"a"}\n{"type":"b","x":')
    assert list(read(path)) == [{"type": "a"}]


@pytest.mark.parametrize("line", [b'{"type":', b"[1]", b'{"kind":1}', b'{"type":"a","x":NaN}', b"\xff", b"[" * 9999])
def test_a_broken_line_is_named_by_its_number(tmp_path, line):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"type":"a"}\n' + line + b"\n" + b'{"type":"b"}\n')
    with pytest.raises(RequestError, match="line 2 "):
        list(read(path))


def test_a_missing_file_is_a_request_error(tmp_path):
    with pytest.raises(RequestError, match="No such file"):
        list(read(tmp_path / "events.jsonl"))


def test_following_waits_for_whole_lines(tmp_path):
    path = tmp_path / "events.jsonl"
    follower = Follower(path)
    assert follower.poll() == []
    path.write_bytes(b'{"type":"a"}\n{"ty')
    assert follower.poll() == [{"type": "a"}]
    assert follower.poll() == []
    with path.open("ab") as file:
        file.write(b'pe":"b"}\n')
    assert follower.poll() == [{"type": "b"}]


@pytest.mark.parametrize("polls_while_short", [True, False])
def test_following_survives_a_resume_and_repeats_nothing(tmp_path, polls_while_short):
    path = write(tmp_path / "events.jsonl", {"type": "a"}, {"type": "b"}, {"type": "c"})
    follower = Follower(path)
    follower.poll()
    with EventLog(path, offset=13) as log:
        if polls_while_short:
            assert follower.poll() == []
        for kind in ("b", "changed", "d"):
            log.append({"type": kind})
    assert [event["type"] for event in follower.poll()] == ["changed", "d"]


def test_following_ends_at_the_end_event_or_when_told(tmp_path):
    path = write(tmp_path / "events.jsonl", {"type": "a"}, {"type": "end"})
    assert [event["type"] for event in follow(path, lambda: False)] == ["a", "end"]
    assert list(follow(tmp_path / "none.jsonl", lambda: True)) == []


def test_a_trial_becomes_a_match_event_that_survives_json():
    event = match_event(12, trial())
    assert json.loads(encode(event)) == event
    assert event["id"] == "12-5"
    assert event["members"] == ["learner_0", "cycle"]
    assert event["episodes"][0]["returns"] == [1.0, -1.0]
    assert event["episodes"][0]["turns"][0]["probabilities"] == [0.25, 0.75]
