"""The exact prompt of a logged decision: what it is put together from, and how a screen and a pipe show it."""

import pytest

from mage.views.cells import broken
from mage.views.prompt_view import before, furthest, page, prompt_frame, writers
from mage.views.replay import parse_match
from mage.views.transcript import transcript
from tests.mage.small_log import HABIT, match, plain
from tests.mage.written_match import AGAIN, NOTED, OPENED, QUESTION, RULES, THOUGHT, written


def test_the_prompt_is_all_that_was_read_and_written_since_the_context_was_opened():
    both = parse_match(written("both"))
    assert before(both, (0, 0), 0) == OPENED
    assert before(both, (0, 2), 0) == OPENED + THOUGHT + QUESTION
    assert before(both, (1, 0), 0) == OPENED + THOUGHT + QUESTION + NOTED + AGAIN
    assert [writers(both, step) for step in both.steps()] == [[0], [], [0], [0], [], []]


@pytest.mark.parametrize("memory", ["none", "reflection"])
def test_without_a_transcript_every_episode_begins_a_prompt(memory):
    shown = parse_match(written(memory))
    assert before(shown, (1, 0), 0) == AGAIN
    assert before(shown, (0, 2), 0) == OPENED + THOUGHT + QUESTION


@pytest.mark.parametrize("memory", ["transcript", "none"])
def test_an_older_log_has_its_prompts_in_plain_text(memory):
    """Two rounds an episode, each of news, a move and a newline."""
    rounds = [f"{RULES}episode 1\n", "P\n", "R 1\n", "S\n", f"{RULES}episode 1\n", "P\n", "R 1\n"]
    shown = parse_match(match() | {"memory": memory})
    assert before(shown, (0, 2), 0) == "".join(rounds[:3])
    assert before(shown, (1, 2), 0) == "".join(rounds if memory == "transcript" else rounds[4:])


def test_a_screen_of_40_by_14_in_ascii_shows_the_prompts_end_and_scrolls_to_its_beginning():
    shown = parse_match(written())
    assert plain(prompt_frame(shown, 3, 40, 14, unicode=False, status="paused")) == [
        "match 12-5  rock_paper_scissors  iterat~",
        "episode 2 of 2, move 1 of 2",
        "",
        "(lines 20 to 24 of 24)",
        "| <|im_start|>user",
        "| episode 2",
        "| <|im_end|>",
        "| <|im_start|>assistant",
        "|",
        "",
        "round 1: seat 0 learner_0",
        "  plays S, drawn at random after 1 ille~",
        "paused",
        "x match  u up  d down  q quit",
    ]
    assert furthest(shown, 3, 40, 14) == 19
    for back in (19, 999):
        first = plain(prompt_frame(shown, 3, 40, 14, unicode=False, back=back))[3:9]
        assert first == [
            "(lines 1 to 5 of 24)",
            "| <|im_start|>user",
            "| rock_paper_scissors seat 0: R P S",
            "| episode 1",
            "| <|im_end|>",
            "| <|im_start|>assistant",
        ]
    assert furthest(shown, 3, 80, 60) == 0


def test_where_two_seats_reflect_their_prompts_stand_one_after_the_other():
    event = written()
    event["episodes"][0] |= {"reflections": ["R 1", ""], "reflection_prompts": ["one", "two"]}
    assert page(parse_match(event), 2, 60)[-4:] == ["P<|im_end|>one", f"(seat 1 {HABIT})", "R", "two"]


def test_a_scripted_player_has_no_prompt():
    assert "nobody who reads text writes here" in plain(prompt_frame(parse_match(written()), 1, 80, 24))


def test_a_pipe_can_have_the_exact_prompt_of_each_decision():
    lines = list(transcript(parse_match(written("none")), prompts=True))
    begun = lines.index("episode 2 of 2") + 2
    assert lines[begun : begun + 6] == [
        "    before",
        "    before  <|im_start|>user",
        "    before  episode 2",
        "    before  <|im_end|>",
        "    before  <|im_start|>assistant",
        "    before",
    ]
    assert not [line for line in lines if line.startswith("    reads")]


@pytest.mark.parametrize("text", ["one two  three\n\n four-five\n", "x" * 20, "学 習 者 ab", "\n", ""])
def test_breaking_a_text_leaves_nothing_out_but_newlines(text):
    lines = broken(text, 6)
    assert "".join(lines) == text.replace("\n", "")
    assert len(lines) >= text.count("\n") + 1
