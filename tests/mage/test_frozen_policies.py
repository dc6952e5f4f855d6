"""What an agent plays in every information state, asked for at once, is what it plays when it comes there."""

from __future__ import annotations

import math
from itertools import product

import pytest

import games
from games import exact
from mage import frozen_policies
from mage.codec import Codec, _build
from mage.contexts import Memory
from mage.frozen_policies import StateReader, _lines, _walk
from populations.matchmaking import Pairing


def kuhn_key(news: str, moves: list[str]) -> str:
    """OpenSpiel's name of a Kuhn state: the card, then p or b for every move so far."""
    card = next(line.removeprefix("card ") for line in news.splitlines() if line.startswith("card "))
    return f"{'JQK'.index(card)}{''.join(move[0] for move in moves)}"


@pytest.mark.parametrize(("memory", "seat"), list(product(("transcript", "none"), (0, 1))))
def test_in_every_decision_of_a_trial_it_is_what_the_sampler_drew_from(play, model, bank, memory, seat):
    game = games.load("kuhn_poker")
    pairing = Pairing("bob", "random", seat, 3, 3, "scripted")
    (trial,) = play(game, [pairing], memory=memory, episodes=4)
    reader = StateReader(game, model.codec, seat)
    tables = list(reader.policies(model, bank, "bob", trial.memories(seat)))
    compared = 0
    for episode, table in zip(trial.record.episodes, tables, strict=True):
        told, moves = "", []
        assert set(table) == {state.key for state in exact.information_states(game, seat)}
        for turn in episode.turns:
            if turn.seat == seat:
                told += turn.news
                assert table[kuhn_key(told, moves)] == pytest.approx(turn.probabilities, abs=1e-5)
                compared += 1
            moves.append(turn.move)
    assert compared >= 4
    assert (tables[1] == tables[0]) == (memory == "none")  # without memory an episode is like any other


def test_without_memory_the_opening_is_the_rules_and_the_first_header_follows(play, model):
    game = games.load("kuhn_poker")
    (trial,) = play(game, [Pairing("bob", "random", 1, 3, 3, "scripted")], memory="none", episodes=2)
    opening = model.codec.start + model.codec.encode(game.rules(1, 2))
    assert trial.memories(1) == [Memory(opening, 1), Memory(opening, 1)]


def test_a_memory_ends_where_the_header_of_its_episode_begins(play, model):
    game = games.load("kuhn_poker")
    (trial,) = play(game, [Pairing("bob", "random", 0, 3, 3, "scripted")], episodes=3)
    (context,) = trial.contexts
    for memory in trial.memories(0):
        header = model.codec.encode(game.episode_header(memory.header))
        assert tuple(context.ids[: len(memory.ids) + len(header)]) == memory.ids + header
    assert [memory.header for memory in trial.memories(0)] == [1, 2, 3]


def test_equal_memories_are_asked_once(play, model, bank, monkeypatch):
    game = games.load("kuhn_poker")
    reader = StateReader(game, model.codec, 0)
    opening = model.codec.start + model.codec.encode(game.rules(0, 2))
    asked = []
    monkeypatch.setattr(StateReader, "_ask", lambda self, m, b, a, memories: [asked.append(x) or {} for x in memories])
    assert len(list(reader.policies(model, bank, "bob", [Memory(opening, 1)] * 5))) == 5
    assert asked == [Memory(opening, 1)]


def test_many_states_are_asked_in_several_passes_with_the_same_answers(play, model, bank, monkeypatch):
    game = games.load("kuhn_poker")
    (trial,) = play(game, [Pairing("bob", "random", 1, 3, 3, "scripted")], episodes=2)
    reader = StateReader(game, model.codec, 1)
    whole = list(reader.policies(model, bank, "bob", trial.memories(1)))
    monkeypatch.setattr(frozen_policies, "TOKENS_AT_ONCE", 1)  # a row each
    for table, parts in zip(whole, reader.policies(model, bank, "bob", trial.memories(1)), strict=True):
        assert table.keys() == parts.keys()
        assert all(table[key] == pytest.approx(parts[key], abs=1e-5) for key in table)


def test_moves_of_several_tokens_are_products_over_the_branches_of_their_trie(spelling: Codec):
    moves = ("1", "10", "O-O", "O-O-O")
    found: dict = {}
    paths = _walk(_build(moves, [spelling.encode_move(move) for move in moves]), (7,), found)
    one, ten, end, dash, letter = ord("1"), ord("0"), ord("\n"), ord("-"), ord("O")
    assert found == {
        (7,): (one, letter),
        (7, one): (end, ten),
        (7, letter, dash, letter): (end, dash),
    }
    assert paths[1] == [((7,), 0), ((7, one), 1)]
    assert paths[3] == [((7,), 1), ((7, letter, dash, letter), 1)]
    lines = [[branch.ids for branch in line] for line in _lines(found)]
    assert lines == [[(7, letter, dash, letter)], [(7,), (7, one)]]


def test_with_a_spelling_tokenizer_the_probabilities_sum_to_one_and_are_the_samplers(play, spelled, bank):
    game = games.load("leduc_poker")
    (trial,) = play(game, [Pairing("cid", "random", 0, 1, 1, "scripted")], episodes=1, reader=spelled)
    reader = StateReader(game, spelled.codec, 0)
    (table,) = reader.policies(spelled, bank, "cid", trial.memories(0))
    assert len(table) == len(exact.information_states(game, 0))
    for row in table.values():
        assert sum(row) == pytest.approx(1.0, abs=1e-5)
    first = next(turn for turn in trial.record.episodes[0].turns if turn.seat == 0)
    told = {state.key: exact.transcript(game, state) for state in exact.information_states(game, 0)}
    read = [key for key, text in told.items() if first.news.endswith(f"\n{text.news}") and not text.turns]
    (key,) = read  # its card is all that it knows
    log_prob = sum(choice.log_prob for choice in trial.contexts[0].choices if choice.turn == 0)
    assert math.log(table[key][first.legal.index(first.move)]) == pytest.approx(log_prob, abs=1e-4)
