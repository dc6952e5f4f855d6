"""Watching agents that write: thinking, tries that were not legal, reflections."""

import pytest
from rich.cells import cell_len

from games.errors import RequestError
from mage.views.cells import quoted
from mage.views.frames import frame
from mage.views.prompt_view import prompt_frame
from mage.views.replay import parse_match
from mage.views.transcript import transcript
from tests.mage.small_log import match, plain, turn
from tests.mage.written_match import written


def test_a_screen_of_80_by_24_shows_what_was_read_written_and_not_legal():
    assert plain(frame(parse_match(written()), 0, 80, 24, status="paused")) == [
        "match 12-5  rock_paper_scissors  iteration 12  memory both",
        "episode 1 of 2, move 1 of 2",
        "                                        ep 1  ep 2 trial",
        "> seat 0 learner_0                         0     .     0",
        "  seat 1 peaked_habit(move=R,peak=0.8)     0     .     0",
        "seat 0 moves  P",
        "seat 1 moves",
        "round 1: seat 0 learner_0",
        "  plays P after 1 illegal reply",
        "no probabilities",
        "legal  R P S",
        "the seat reads",
        "│ rock_paper_scissors seat 0: R P S",
        "│ episode 1",
        "the seat writes (12 thinking tokens)",
        "│ (4 lines before)",
        "│ <|im_end|>",
        "│ <|im_start|>assistant",
        "│ <think>P beats R.</think>",
        "│ P<|im_end|>",
        "tries that were not legal",
        "│ 1 the reply names no legal move",
        "paused",
        "space pause  n next  p back  + - speed  [ ] match  x prompt  q quit",
    ]


def test_a_screen_of_120_by_30_shows_all_that_was_written():
    assert plain(frame(parse_match(written()), 0, 120, 30))[17:28] == [
        "the seat writes (12 thinking tokens)",
        "│ <think>They like R.</think>",
        "│ play Q<|im_end|>",
        "│ <|im_start|>user",
        "│ Q is not legal; try again",
        "│ <|im_end|>",
        "│ <|im_start|>assistant",
        "│ <think>P beats R.</think>",
        "│ P<|im_end|>",
        "tries that were not legal",
        "│ 1 the reply names no legal move",
    ]


def test_a_screen_of_40_by_8_in_ascii_keeps_the_end_of_what_was_written_and_the_reason():
    assert plain(frame(parse_match(written()), 0, 40, 8, unicode=False)) == [
        "round 1: seat 0 learner_0",
        "  plays P after 1 illegal reply",
        "no probabilities",
        "the seat writes (12 thinking tokens)",
        "| (7 lines before)",
        "| P<|im_end|>",
        "tries that were not legal",
        "| 1 the reply names no legal move",
    ]


def test_a_reflection_is_shown_where_its_episode_is_over():
    lines = plain(frame(parse_match(written()), 2, 80, 24))
    assert lines[10:15] == [
        "episode 1 over",
        "  this episode's returns by seat: +1, -1",
        "",
        "seat 0 learner_0 reflects",
        "│ R 1",
    ]
    assert "seat 0 learner_0 reflects" not in plain(frame(parse_match(written()), 5, 80, 24))


def test_a_drawn_move_and_a_forfeit_say_so():
    event = written()
    assert "  plays S, drawn at random after 1 illegal reply" in plain(frame(parse_match(event), 3, 80, 24))
    event["episodes"][1]["turns"][0] |= {
        "move": "",
        "forfeit": True,
        "randomised": False,
        "illegal": ["cut_off", "new"],
    }
    lines = plain(frame(parse_match(event), 3, 80, 24))
    assert "  forfeits after 2 illegal replies" in lines
    assert lines[-4:-2] == ["│ 1 the token limit cut the reply off before its move was complete", "│ 2 new"]


@pytest.mark.parametrize("said", ["", "S<|im_end|>", "S\n"])
def test_a_move_that_is_all_that_was_written_is_not_shown_twice(said):
    event = match()
    event["episodes"][0]["turns"][2] |= {"said": said}
    assert not [line for line in plain(frame(parse_match(event), 2, 80, 24)) if "writes" in line]
    assert "    writes" not in "\n".join(transcript(parse_match(event)))


def test_no_screen_of_writing_is_ever_wider_or_taller_than_the_terminal():
    event = written()
    event["episodes"][0]["turns"][0] |= {
        "said": "思 " * 500,
        "prompt": "word 学 " * 300,
        "illegal": ["why 学 " * 90] * 9,
    }
    event["episodes"][0] |= {"reflections": ["note " * 400, "学" * 400]}
    shown = parse_match(event)
    for width in (1, 2, 7, 39, 40, 80, 200):
        for height in (1, 2, 3, 5, 7, 9, 13, 24, 60):
            for cursor in range(6):
                for lines in (frame(shown, cursor, width, height), prompt_frame(shown, cursor, width, height, back=7)):
                    assert 1 <= len(lines) <= height
                    assert all(cell_len(line.plain) <= width for line in lines)


def test_control_tokens_are_plain_text_and_dimmed():
    line = quoted("title", ["a<|im_end|> [red]b</think>"], 9, True)[1]
    assert line.plain == "│ a<|im_end|> [red]b</think>"
    assert [line.plain[span.start : span.end] for span in line.spans] == ["│ ", "<|im_end|>", "</think>"]


def test_what_an_agent_wrote_sends_no_escape():
    event = written()
    event["episodes"][0]["turns"][0] |= {"said": "\x1b[2J\n", "prompt": "\x9b\n", "illegal": ["\x07"]}
    event["episodes"][0] |= {"reflections": ["\x1b]0;x", None]}
    shown = parse_match(event)
    screens = [view(shown, cursor, 80, 24) for view in (frame, prompt_frame) for cursor in (0, 2)]
    assert all(line.plain.isprintable() for lines in screens for line in lines)
    assert all(line.isprintable() for line in transcript(shown, prompts=True))


def test_a_pipe_tells_what_was_written_why_it_was_not_legal_and_what_was_noted():
    lines = list(transcript(parse_match(written())))
    assert lines[5:10] == [
        "  round 1: seat 0 learner_0, trial score by seat: 0, 0",
        "    reads  rock_paper_scissors seat 0: R P S",
        "    reads  episode 1",
        "    no probabilities",
        "    legal  R P S",
    ]
    assert lines[16:21] == [
        "    writes  <think>P beats R.</think>",
        "    writes  P<|im_end|>",
        "    thinks  12 tokens",
        "    illegal  try 1: the reply names no legal move",
        "    plays P after 1 illegal reply",
    ]
    assert lines[27:29] == ["    seat 0 learner_0 reflects", "    writes  R 1"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"reflections": ["one"]}, "1 reflections for 2 seats"),
        ({"reflections": [1, None]}, "'reflections' that is not text"),
        ({"turns": [turn(0, 0, "R") | {"said": 3}]}, "'said' that is not text"),
        ({"turns": [turn(0, 0, "R") | {"thinking": -1}]}, "'thinking' that is not a count from 0"),
        ({"turns": [turn(0, 0, "R") | {"illegal": "why"}]}, "'illegal' that is not a list"),
    ],
)
def test_a_malformed_field_is_refused_in_one_sentence(change, reason):
    event = written()
    event["episodes"][0] |= change
    with pytest.raises(RequestError, match=reason):
        parse_match(event)
