"""What each named renderer says, to the letter."""

from __future__ import annotations

from dataclasses import asdict
from typing import get_args

import pytest

import games
from games.errors import RequestError
from mage.config import acting
from mage.renderers import TABLES, Prompt
from mage.turn_style import TEMPLATES

GAME = games.load("rock_paper_scissors", rounds=2)
RULES = "rock_paper_scissors seat 0: R P S, 2 rounds, 3 episodes\n"


def test_with_the_defaults_an_agent_reads_what_the_game_says_and_nothing_else():
    prompt = Prompt()
    assert prompt.system_text() == ""
    assert prompt.rules_text(GAME, 0, 3) == RULES
    assert prompt.remembered([]) == ""
    assert prompt.observation_text("P -1\n") == "P -1\n" and not prompt.renders_news
    assert prompt.question(("R", "P", "S")) == ""


def test_an_instruction_follows_the_rules_and_stands_alone_without_them():
    assert Prompt().rules_text(GAME, 0, 3, "Answer with a move.\n") == RULES + "Answer with a move.\n"
    assert Prompt(rules="none").rules_text(GAME, 0, 3, "Answer with a move.\n") == "Answer with a move.\n"
    assert Prompt(rules="none").rules_text(GAME, 0, 3) == ""


def test_reflections_keep_the_number_of_their_episode_and_empty_ones_are_left_out():
    written = [" R 4 P 1\n", "", "they\nlike R"]
    assert Prompt().remembered(written) == "reflection 1: R 4 P 1\nreflection 3: they like R\n"
    assert Prompt(memory="plain").remembered(written) == "R 4 P 1\nthey\nlike R\n"


@pytest.mark.parametrize("memory", TABLES["memory"])
def test_reflections_that_say_nothing_leave_no_trace(memory: str):
    assert Prompt(memory=memory).remembered(["", " \n"]) == ""


def test_news_are_marked_line_by_line():
    prompt = Prompt(observation="marked")
    assert prompt.renders_news
    assert prompt.observation_text("they played R; you get 1\nyou win\n") == "> they played R; you get 1\n> you win\n"
    assert prompt.observation_text("") == ""


def test_legal_moves_are_told_apart_even_where_they_hold_spaces_or_commas():
    listed, asked = Prompt(legal_moves="list"), Prompt(legal_moves="question")
    assert listed.question(("R", "P", "S")) == "moves: R P S\n"
    assert listed.question(("bid 3", "pass")) == "moves: bid 3 | pass\n"
    assert listed.question(("pass",)) == "moves: pass\n"
    assert asked.question(("R", "P", "S")) == "Which of these do you play: R, P, S?\n"
    assert asked.question(("keep 1,2", "pass")) == "Which of these do you play: keep 1,2 | pass?\n"


def test_a_reflection_is_asked_for_by_a_cue_or_in_a_sentence():
    assert Prompt().reflect(2) == "reflection:"
    assert Prompt(reflection="full").reflect(2) == (
        "Episode 2 is over. For your own use later, write in at most 30 words "
        "what your opponent does and how to beat it.\n"
    )


def test_texts_end_in_a_newline_and_never_in_a_space():
    texts = [Prompt(system="player").system_text()]
    texts += [Prompt(legal_moves=name).question(("R", "P")) for name in TABLES["legal_moves"]]
    texts += [Prompt(memory=name).remembered(["x "]) for name in TABLES["memory"]]
    texts += [Prompt(observation=name).observation_text("x\n") for name in TABLES["observation"]]
    assert all(text.endswith("\n") for text in texts if text)
    assert not [name for name in TABLES["reflection"] if Prompt(reflection=name).reflect(1).endswith(" ")]


@pytest.mark.parametrize("field", TABLES)
def test_an_unknown_renderer_is_refused_with_the_known_ones(field: str):
    known = ", ".join(sorted(TABLES[field]))
    with pytest.raises(RequestError, match=f"unknown prompt.{field} 'x': known are {known}"):
        Prompt(**{field: "x"})


def test_a_config_can_name_every_renderer_and_has_the_same_defaults():
    named = {name: set(get_args(field.annotation)) for name, field in acting.Prompt.model_fields.items()}
    assert named == {"template": set(TEMPLATES)} | {name: set(table) for name, table in TABLES.items()}
    assert acting.Prompt().model_dump() == {"template": "auto", **asdict(Prompt())}
