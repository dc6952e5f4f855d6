"""Sampled moves: their log-probabilities are the trainer's, their frequencies those that they report."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

import games
from mage.adapters import BASE
from mage.codec import Codec, Node
from mage.contexts import Context, MoveReply, MoveRequest, TokenChoice
from mage.keys import PlayKeys
from mage.rows import Row
from mage.sampler import CachedSampler, sample
from mage.scoring import distributions

LANES = 10
SHARES = {"ann": 1000, BASE: 100}  # rows of each lane: 10,000 samples of a learner among 1,000 of the base
KEYS = PlayKeys(11, "train", 0)
PREFIXED = ("1", "10", "O-O", "O-O-O")


def rows_of(played) -> list[Row]:
    """Every context of every agent as a row, sorted by agent; advantages do not matter here."""
    contexts = sorted((c for trial in played for c in trial.contexts), key=lambda context: context.agent)
    return [Row(c.agent, tuple(c.ids), tuple(c.choices), (0.0,) * len(c.choices)) for c in contexts if c.choices]


def recomputed(model, bank, rows: list[Row]) -> torch.Tensor:
    with torch.no_grad():
        table = distributions(model, bank, rows)
    chosen = torch.tensor([choice.chosen for row in rows for choice in row.choices])
    return table.gather(1, chosen[:, None])[:, 0]


@pytest.mark.parametrize("memory", ["transcript", "none"])
def test_sampled_log_probabilities_are_the_trainers(memory, spelled, bank, play, pairings, castling):
    """Four learners, a snapshot and the base, moves of one to six tokens, three episodes: all rows at once."""
    habit = games.opponent(castling, "peaked_habit", move="10", peak=0.5).name
    rows = rows_of(play(castling, pairings(habit), memory=memory, reader=spelled, lane_rows=24))
    assert {row.agent for row in rows} == {"ann", "bob", "cid", "dan", "ann@1", BASE}
    assert len({len(row.ids) for row in rows}) > 8  # ragged
    assert {choice.episode for row in rows for choice in row.choices} == {0, 1, 2}
    sampled = torch.tensor([choice.log_prob for row in rows for choice in row.choices])
    assert sampled.exp().std() > 0.1  # the distributions are far from uniform
    torch.testing.assert_close(recomputed(spelled, bank, rows), sampled, rtol=0, atol=1e-4)


def test_another_agents_adapter_would_give_other_log_probabilities(spelled, bank, play, pairings, castling):
    """The comparison above can fail: under the wrong adapter it does."""
    habit = games.opponent(castling, "peaked_habit", move="10", peak=0.5).name
    rows = [row for row in rows_of(play(castling, pairings(habit), reader=spelled)) if row.agent == "ann"]
    wrong = [Row("bob", row.ids, row.choices, row.advantages) for row in rows]
    sampled = torch.tensor([choice.log_prob for row in rows for choice in row.choices])
    assert (recomputed(spelled, bank, wrong) - sampled).abs().max() > 0.1


def test_padded_rows_equal_rows_alone(spelled, bank, play, pairings, castling):
    habit = games.opponent(castling, "peaked_habit", move="10", peak=0.5).name
    rows = rows_of(play(castling, pairings(habit)[:8], memory="none", reader=spelled))
    alone = torch.cat([recomputed(spelled, bank, [row]) for row in rows])
    torch.testing.assert_close(recomputed(spelled, bank, rows), alone, rtol=0, atol=1e-5)


def draw_many(model, bank, codec: Codec, legal: tuple[str, ...]) -> dict[str, list[tuple[Context, MoveReply]]]:
    """Sample one move after the same prompt in every row of every lane; each row has a stream of its own."""
    prompt = [*codec.start, *codec.encode("episode 1\n")]
    sampler = CachedSampler(model, bank, 32)
    found: dict[str, list[tuple[Context, MoveReply]]] = {agent: [] for agent in SHARES}
    agents = [agent for agent, share in SHARES.items() for _ in range(share)]
    for lane in range(LANES):
        contexts = [Context(agent, 0, list(prompt)) for agent in agents]
        streams = range(lane * len(agents), (lane + 1) * len(agents))
        requests = {row: MoveRequest(contexts[row], legal, stream, 0, 0) for row, stream in enumerate(streams)}
        replies = sampler.open(agents).choose(requests, KEYS)
        for row, context in enumerate(contexts):
            found[context.agent].append((context, replies[row]))
    assert len(found["ann"]) == 10_000
    return found


def move_probabilities(model, bank, codec: Codec, agent: str, legal: tuple[str, ...]) -> list[float]:
    """The product of the token probabilities on the way to each move, by full forwards in the trainer."""
    prompt = (*codec.start, *codec.encode("episode 1\n"))
    products = []
    for move in legal:
        node: Node = codec.trie(legal).root
        ids, choices = list(prompt), []
        for token in codec.encode_move(move):
            if len(node.allowed) > 1:
                choices.append(TokenChoice(len(ids), node.allowed, node.allowed.index(token), 0.0, 0, 0))
            ids.append(token)
            node = node.children[token]
        row = Row(agent, tuple(ids), tuple(choices), (0.0,) * len(choices))
        products.append(math.exp(float(recomputed(model, bank, [row]).sum())))
    return products


def test_the_moves_probabilities_sum_to_one_although_moves_begin_with_one_another(spelled, bank, spelling):
    for agent in SHARES:
        assert sum(move_probabilities(spelled, bank, spelling, agent, PREFIXED)) == pytest.approx(1.0, abs=1e-5)


def test_frequencies_of_moves_that_begin_with_one_another_fit_their_probabilities(spelled, bank, spelling):
    for agent, samples in draw_many(spelled, bank, spelling, PREFIXED).items():
        probabilities = np.array(move_probabilities(spelled, bank, spelling, agent, PREFIXED))
        assert probabilities.min() > 5 / len(samples)  # chi-square needs five expected
        counts = Counter(reply.move for _, reply in samples)
        expected = len(samples) * probabilities / probabilities.sum()
        assert chisquare([counts[move] for move in PREFIXED], expected).pvalue > 0.001
        for context, reply in samples[:50]:
            index = PREFIXED.index(reply.move)
            assert math.exp(sum(c.log_prob for c in context.choices)) == pytest.approx(probabilities[index], rel=1e-4)
            assert reply.probabilities is None
            assert tuple(context.ids[-len(reply.move) - 1 :]) == spelling.encode_move(reply.move)


def test_frequencies_of_moves_of_one_token_fit_the_probabilities_that_are_reported(model, bank):
    legal = ("R", "P", "S")
    for samples in draw_many(model, bank, model.codec, legal).values():
        reported = samples[0][1].probabilities
        assert sum(reported) == pytest.approx(1.0, abs=1e-6)
        counts = Counter(reply.move for _, reply in samples)
        expected = len(samples) * np.array(reported) / sum(reported)
        assert chisquare([counts[move] for move in legal], expected).pvalue > 0.001


def test_tokens_without_an_alternative_are_written_but_never_trained(spelled, bank, spelling):
    context = Context("ann", 0, [0])
    lane = CachedSampler(spelled, bank, 8).open(["ann"])
    reply = lane.choose({0: MoveRequest(context, ("castle",), 0, 0, 0)}, KEYS)[0]
    assert reply.move == "castle"
    assert context.ids == [0, *spelling.encode_move("castle")]
    assert context.choices == []


def test_choices_stand_where_the_trie_branches_and_nowhere_else(spelled, bank, spelling):
    context = Context("ann", 0, [0])
    lane = CachedSampler(spelled, bank, 8).open(["ann"])
    move = lane.choose({0: MoveRequest(context, ("O-O", "O-O-O"), 0, 2, 5)}, KEYS)[0].move
    (choice,) = context.choices
    assert choice.position == 4  # after the start and "O-O"
    assert choice.allowed == (ord("\n"), ord("-"))
    assert move == ("O-O", "O-O-O")[choice.chosen]
    assert (choice.episode, choice.turn) == (2, 5)


def test_a_draw_picks_by_the_cumulative_distribution():
    table = np.log(np.array([[0.2, 0.3, 0.5]] * 6))
    draws = np.array([0.0, 0.19, 0.21, 0.49, 0.51, 0.999999])
    assert sample(table, draws).tolist() == [0, 0, 1, 1, 2, 2]


def test_an_impossible_or_padded_token_is_never_picked():
    table = np.array([[-np.inf, 0.0, -np.inf], [np.log(0.5), np.log(0.5), -np.inf]], dtype=np.float32)
    for draw in (0.0, 0.5, 1 - 2**-53):
        picks = sample(table, np.array([draw, draw]))
        assert picks[0] == 1
        assert picks[1] in (0, 1)


def test_a_sum_that_rounds_below_one_still_picks():
    table = np.log(np.full((1, 3), 0.333333, dtype=np.float32))
    assert sample(table, np.array([1 - 2**-53])).tolist() == [2]


def test_rows_out_of_step_and_a_context_that_follows_another_in_its_row_keep_the_trainers_numbers(
    spelled, bank, spelling
):
    """Row 0 skips a turn; row 1 starts a new context while row 0's stays in the cache."""
    contexts = [Context("ann", 0, [0, 90]), Context("bob", 0, [0, 80, 81, 82]), Context("bob", 0, [0, 70])]
    lane = CachedSampler(spelled, bank, 4).open(["ann", "bob"])
    for turn, asked in enumerate([{0: 0, 1: 1}, {1: 1}, {0: 0, 1: 1}, {0: 0, 1: 2}, {1: 2}, {0: 0, 1: 2}]):
        for index in asked.values():
            contexts[index].ids.extend(spelling.encode(f"turn {turn}\n"))
        requests = {row: MoveRequest(contexts[index], PREFIXED, index, 0, turn) for row, index in asked.items()}
        lane.choose(requests, KEYS)
    rows = [Row(c.agent, tuple(c.ids), tuple(c.choices), (0.0,) * len(c.choices)) for c in contexts]
    sampled = torch.tensor([choice.log_prob for row in rows for choice in row.choices])
    torch.testing.assert_close(recomputed(spelled, bank, rows), sampled, rtol=0, atol=1e-4)
