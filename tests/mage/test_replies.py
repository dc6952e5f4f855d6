"""The parser of free replies: the published corpus, its order of strength, hostile texts, the moves of games."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import games
import mage
from games.spoken import random_moves
from mage.folding import MOST_CHARACTERS, fold
from mage.named_moves import LegalMoves
from mage.replies import FORMATS, REASONS, Reply, parse

CORPUS = tomllib.loads(Path(mage.__file__).with_name("reply_corpus.toml").read_text(encoding="utf-8"))
ENTRIES = [entry for entries in CORPUS["replies"].values() for entry in entries]

# With moves of one letter, of words, numbers, signs, spaces, brackets; some that begin with another or differ by case.
PLAYED = [
    "rps",
    "prisoners_dilemma",
    "tictactoe",
    "kuhn_poker",
    "connect_four",
    "texas_holdem_no_limit",
    "hanabi",
    "go",
    "openspiel:chess",
    "openspiel:oware",
    "openspiel:goofspiel",
    "openspiel:bargaining",
    "openspiel:negotiation",
    "openspiel:backgammon",
    "openspiel:liars_dice",
    "openspiel:blotto",
    "openspiel:breakthrough",
    "openspiel:gin_rummy",
    "openspiel:hex",
]
# Moves that hold one another, differ by case or by signs at the end, or are nothing but signs.
HARD = [
    ("1", "10", "101", "-1", "1.5"),
    ("O-O", "O-O-O"),
    ("raise", "raise 1", "raise 12", "raise 12 now"),
    ("A", "a", "B", "b"),
    ("Bet", "bet", "BET"),
    ("23/21", "23/21*", "23/21(2)"),
    ("+", "-", "?", "++"),
    ("①", "1", "１"),
    ("move", "<move>", "answer", "move:"),
    ('say "yes"', "say 'yes'"),
    ("x(1,2)", "x(1,2),3", "x"),
    ("石头", "石", "R石"),
    ("a", "I", "y", "or"),
    (" R", "R "),
]

FRAGMENTS = [
    *(
        "<move>",
        "</move>",
        "<move",
        "move:",
        "move: ",
        "\nmove:",
        '{"move":',
        '{"move": "',
        "<think>",
        "</think>",
        "think: ",
    ),
    *("[", "]", "}", '"', "'", "**", "_", "`", "«", "”", "-", ".", ",", "/", "%", "1.", "1) ", "\n", "\r", "\t", " "),
    *(
        "<|im_end|>",
        "<|im_start|>",
        "</s>",
        "\x00",
        "\ud800",
        "\udfff",
        "\u200b",
        "\u202e",
        "\ufeff",
        "\ufdfa",
        "a\u0301",
    ),
    *("²", "①", "٣", "５", "الحركة", "चाल", "我选择", "R를", "ход", "👍🏽", "or"),
]


def identify(entry: dict[str, Any]) -> str:
    return f"{entry['note']}: {entry['reply']!r}"


@pytest.mark.parametrize("entry", ENTRIES, ids=identify)
def test_the_published_corpus_is_read_as_it_says(entry: dict[str, Any]):
    reply = parse(entry["reply"], tuple(CORPUS["legal"][entry["legal"]]), entry.get("finished", True))
    assert reply == Reply(entry.get("move"), entry.get("reason", ""))


def test_the_corpus_is_well_formed_and_shows_every_reason():
    assert len(ENTRIES) >= 300
    assert {entry["reason"] for entry in ENTRIES if "reason" in entry} == set(REASONS)
    for entry in ENTRIES:
        assert ("move" in entry) != ("reason" in entry), entry
        assert set(entry) <= {"reply", "legal", "finished", "move", "reason", "note"}
    asked = [(entry["reply"], entry["legal"], entry.get("finished", True)) for entry in ENTRIES]
    assert len(set(asked)) == len(asked)


def test_a_tag_beats_a_line_beats_a_quote_beats_running_text():
    forms = ["<move>a1</move>", "move: b1", '"c1"', "a2"]
    legal = ("a1", "b1", "c1", "a2")
    assert [parse("\n".join(reversed(forms[start:])), legal).move for start in range(4)] == ["a1", "b1", "c1", "a2"]


def test_the_formats_say_what_they_want_in_a_few_words():
    assert FORMATS["bare"].state(("1", "10")) == "Answer with one number and nothing else."
    assert FORMATS["line"].state(("R", "P")) == 'End your answer with "move:" and one letter.'
    assert FORMATS["tag"].state(("pass", "bet")) == "End your answer with one legal move inside <move></move>."
    assert [FORMATS[name].write("R") for name in ("bare", "line", "tag")] == ["R", "move: R", "<move>R</move>"]


@pytest.mark.parametrize("legal", HARD, ids=str)
@pytest.mark.parametrize("style", FORMATS)
def test_what_a_format_writes_is_read_again_however_alike_the_moves_are(style: str, legal: tuple[str, ...]):
    assert [parse(FORMATS[style].write(move), legal) for move in legal] == [Reply(move, "") for move in legal]


def decisions(name: str) -> Iterator[tuple[str, ...]]:
    """The sets of legal moves of two random episodes, 24 decisions of each at most."""
    game = games.load(name)
    for seed in range(2):
        for _, legal, _ in random_moves(game.start(seed), seed, 24):
            yield legal


@pytest.mark.parametrize("name", PLAYED)
def test_the_moves_of_games_are_read_in_every_format_and_never_taken_for_another(name: str):
    carriers = ["I play {}.", "{} is my move", "**{}**", "“{}”!", "因为{}。", "move: {} now", "<move>{}?</move>"]
    read = total = 0
    for legal in decisions(name):
        for move in legal[:: 1 + len(legal) // 12]:
            assert [parse(style.write(move), legal).move for style in FORMATS.values()] == [move] * 3
            assert parse(FORMATS["tag"].write(move), legal, finished=False).move == move
            assert parse(move, legal, finished=False) == Reply(None, "cut_off")
            for carrier in carriers:
                got = parse(carrier.format(move), legal).move
                assert got in (move, None), (carrier, move, legal)
                read, total = read + (got == move), total + 1
    assert read >= 0.85 * total  # oware's houses a and e are words before "is" and "now"


def hostile(rng: np.random.Generator, legal: tuple[str, ...]) -> str:
    """A reply nobody would write: random bytes, random characters, or fragments of tags, moves and tokens."""
    kind = int(rng.integers(4))
    length = int(rng.integers(1, 60))
    if kind == 0:
        return rng.bytes(length * 4).decode("utf-8", "surrogateescape")
    if kind == 1:
        return "".join(map(chr, rng.integers(0, 0x110000, length)))
    pieces = [*FRAGMENTS, *legal]
    text = ("" if kind == 2 else " ").join(pieces[index] for index in rng.integers(0, len(pieces), length))
    return text.swapcase() if rng.random() < 0.2 else text


def test_ten_thousand_hostile_replies_are_each_booked():
    rng = np.random.default_rng(6)
    sets = [tuple(legal) for legal in CORPUS["legal"].values()]
    began = time.process_time()
    reasons = dict.fromkeys(["", *REASONS], 0)
    for number in range(10_000):
        legal = sets[number % len(sets)]
        reply = parse(hostile(rng, legal), legal, finished=bool(rng.random() < 0.7))
        assert (reply.move in legal) if reply.move is not None else (reply.reason in REASONS)
        assert (reply.reason == "") == (reply.move is not None)
        reasons[reply.reason] += 1
    assert all(reasons.values()), reasons  # the replies reach every outcome
    assert time.process_time() - began < 30.0


@pytest.mark.parametrize(
    "piece",
    [*FRAGMENTS, "R", "R ", "R.", ".R", "a ", "1,", "(", "<move>R", "'R ", "*R", '"move":[', '"move":\'', "O-", "R\n"],
)
def test_a_hundred_kilobytes_of_anything_take_no_long_time(piece: str):
    legal = ("R", "P", "a", "1", "1,1", "O-O-O", *(f"raise {amount}" for amount in range(1000)))
    began = time.process_time()
    reply = parse(piece * (100_000 // len(piece)), legal)
    assert reply.move in legal if reply.move is not None else reply.reason in REASONS
    assert time.process_time() - began < 3.0


def test_of_a_long_reply_its_end_is_looked_at_and_no_word_is_cut():
    words = "word " * (MOST_CHARACTERS // 5)
    assert parse("P " + words + "R", ("R", "P")) == Reply("R", "")
    assert parse("R " + words + "word", ("R", "P")) == Reply(None, "none_named")
    filler = "x" * (MOST_CHARACTERS - 3)
    assert parse(f"a10 {filler}", ("a10", "10", "0")) == Reply(None, "none_named")  # "10 " and "0 " would fit in
    assert len(fold("\ufdfa" * MOST_CHARACTERS)) <= MOST_CHARACTERS + 4  # each is 18 characters to NFKC


def test_folding_writes_alike_what_reads_alike():
    assert fold("“Ｒ”\u00a0–\u200b ٣　४\r") == '"R" - 3 4\n'
    assert fold("10² x₁") == "10^2 x_1"


def test_a_text_may_fit_several_moves_or_none():
    moves = LegalMoves(("Bet", "bet", "fold"))
    assert moves.whole("BET") == {"Bet", "bet"}
    assert moves.whole("bet!") == {"bet"}
    assert moves.whole("folder") == moves.standing("a folder") == frozenset()
    assert moves.standing("fold, bet or Bet") == {"Bet", "bet", "fold"}


def test_without_legal_moves_nothing_is_legal():
    assert parse("R", ()) == Reply(None, "illegal_named")
    assert parse("", ()) == Reply(None, "empty")
