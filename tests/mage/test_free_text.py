"""Free text: drawn from the plain softmax, scored alike by the trainer, booked whatever it says."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
import torch

import games
from mage import vocabulary
from mage.contexts import REFLECTION, TokenChoice
from mage.decisions import Acting
from mage.rows import CreditSettings, Row, build_rows
from mage.scoring import routed_scores
from tests.mage.conftest import LEARNERS

WRITING = Acting(move="free", thinking_tokens=5, reply_tokens=4, retries=1, on_illegal="random", reflection_tokens=6)
CREDIT = CreditSettings("sum", 1.0, 1.0, ("learner",), "none")


def played_with(play, pairings, castling, spelled, memory: str, acting: Acting = WRITING):
    habit = games.opponent(castling, "peaked_habit", move="10", peak=0.5).name
    return play(castling, pairings(habit), memory=memory, reader=spelled, lane_rows=24, acting=acting)


def rows_of(played) -> list[Row]:
    contexts = sorted((c for trial in played for c in trial.contexts), key=lambda context: context.agent)
    return [Row(c.agent, tuple(c.ids), tuple(c.choices), (0.0,) * len(c.choices)) for c in contexts if c.choices]


@pytest.mark.parametrize("memory", ["transcript", "reflection", "both"])
def test_what_was_written_freely_has_the_trainers_log_probabilities(memory, play, pairings, castling, spelled, bank):
    """Four learners, a snapshot and the base; thinking, moves, failed tries and reflections in one batch."""
    rows = rows_of(played_with(play, pairings, castling, spelled, memory))
    choices = [choice for row in rows for choice in row.choices]
    assert {choice.turn for choice in choices} >= {0, 1, 2} | ({REFLECTION} if memory != "transcript" else set())
    assert all(
        choice.allowed is None and row.ids[choice.position] == choice.chosen for row in rows for choice in row.choices
    )
    sampled = torch.tensor([choice.log_prob for choice in choices])
    assert sampled.std() > 0.1
    with torch.no_grad(), routed_scores(spelled, bank, rows) as (log_p, spread):
        torch.testing.assert_close(log_p, sampled, rtol=0, atol=1e-4)
        assert (spread > 0).all()


def test_moves_chosen_after_thinking_are_scored_in_one_pass_with_the_thoughts(play, pairings, castling, spelled, bank):
    acting = Acting(move="think-then-choose", thinking_tokens=3)
    rows = rows_of(played_with(play, pairings, castling, spelled, "transcript", acting))
    choices = [choice for row in rows for choice in row.choices]
    assert {choice.allowed is None for choice in choices} == {True, False}
    with torch.no_grad(), routed_scores(spelled, bank, rows) as (log_p, _):
        sampled = torch.tensor([choice.log_prob for choice in choices])
        torch.testing.assert_close(log_p, sampled, rtol=0, atol=1e-4)


def test_the_score_of_a_token_is_the_plain_softmax_and_its_gradient_too(monkeypatch):
    """Three tokens with logits 0, ln 2, ln 5: shares 1/8, 2/8, 5/8; in chunks of two rows."""
    monkeypatch.setattr(vocabulary, "AT_ONCE", 2)
    hidden = torch.ones(3, 1, requires_grad=True)
    head = torch.tensor([[0.0], [math.log(2)], [math.log(5)]])
    log_p, spread = vocabulary.score(hidden, head, torch.tensor([0, 1, 2]))
    torch.testing.assert_close(log_p.exp(), torch.tensor([1 / 8, 2 / 8, 5 / 8]))
    expected = -sum(p * math.log(p) for p in (1 / 8, 2 / 8, 5 / 8))
    torch.testing.assert_close(spread, torch.full((3,), expected))
    log_p[2].backward()  # d log p_2 / dh = w_2 - sum p w
    slope = math.log(5) - (2 / 8 * math.log(2) + 5 / 8 * math.log(5))
    torch.testing.assert_close(hidden.grad, torch.tensor([[0.0], [0.0], [slope]]))


def test_tokens_are_drawn_as_often_as_the_softmax_says():
    head = torch.tensor([[0.0], [math.log(2)], [math.log(5)], [-1e9]])
    draws = [(i + 0.5) / 800 for i in range(800)]
    picks, log_p = vocabulary.sample(torch.ones(800, 1), head, draws)
    assert Counter(picks) == {0: 100, 1: 200, 2: 500}  # a draw for each 800th of the unit interval
    assert log_p[0] == pytest.approx(math.log(1 / 8))
    assert vocabulary.sample(torch.ones(1, 1), head, [1 - 1e-12])[0] == [2]  # never the impossible one


def test_logits_are_held_for_so_many_rows_at_once(monkeypatch):
    """800 rows, 256 at once: three times 256 and 32 more, and the draws are what they are together."""
    held, linear = [], vocabulary.functional.linear
    monkeypatch.setattr(
        vocabulary.functional, "linear", lambda some, head: held.append(len(some)) or linear(some, head)
    )
    draws = [(i + 0.5) / 800 for i in range(800)]
    picks, log_p = vocabulary.sample(torch.ones(800, 1), torch.tensor([[0.0], [math.log(3)]]), draws)
    assert held == [256, 256, 256, 32]
    assert picks == [0] * 200 + [1] * 600 and log_p[799] == pytest.approx(math.log(3 / 4))


def test_a_reflection_is_drawn_where_its_agent_wrote_it_and_not_where_it_was_given(play, pairings, castling, spelled):
    for trial in played_with(play, pairings, castling, spelled, "reflection"):
        first, *_, last = trial.record.episodes
        assert first.reflections_drawn == tuple(text is not None for text in first.reflections)
        assert any(first.reflections_drawn) and last.reflections_drawn == ()


def test_every_try_is_booked_and_a_drawn_move_stands_in(play, pairings, castling, spelled):
    """A random network writes no moves: each decision has two failed tries, their reasons, and a legal move drawn."""
    played = played_with(play, pairings, castling, spelled, "transcript")
    turns = [
        turn for t in played for e in t.record.episodes for turn in e.turns if t.record.members[turn.seat] in LEARNERS
    ]
    failed = [turn for turn in turns if turn.randomised]
    assert len(failed) > len(turns) / 2
    assert all(len(turn.illegal) == 2 and turn.move in turn.legal and turn.thinking > 0 for turn in failed)
    assert all("think:" in turn.said for turn in turns)
    _, summaries = build_rows(played, LEARNERS, CREDIT)
    for name in LEARNERS:
        own = [
            turn for t in played for e in t.record.episodes for turn in e.turns if t.record.members[turn.seat] == name
        ]
        assert summaries[name].valid_move_rate == pytest.approx(1 - sum(bool(t.illegal) for t in own) / len(own))
        assert summaries[name].random_move_rate == pytest.approx(sum(t.randomised for t in own) / len(own))
        assert summaries[name].thinking_tokens == pytest.approx(sum(t.thinking for t in own) / len(own))


def test_without_a_legal_try_the_episode_is_forfeited(play, pairings, castling, spelled):
    acting = Acting(move="free", reply_tokens=2, on_illegal="forfeit")
    played = played_with(play, pairings, castling, spelled, "transcript", acting)
    forfeited = [e for t in played for e in t.record.episodes if any(e.forfeits)]
    assert forfeited
    for episode in forfeited:
        last = episode.turns[-1]
        assert last.forfeit and last.move == "" and last.illegal
        assert episode.returns[last.seat] == -9.0  # three rounds of the least payoff, -3
        assert sum(turn.reward for turn in episode.turns if turn.seat == last.seat) == -9.0


def test_the_exact_prompt_is_what_the_tokens_say(play, pairings, castling, spelled):
    """Prompts and what was said, put together, are the context's text."""
    played = played_with(play, pairings, castling, spelled, "transcript")
    for trial in played[:4]:
        context = trial.contexts[0]
        turns = [turn for e in trial.record.episodes for turn in e.turns if turn.seat == context.seat]
        text = "".join((turn.prompt or turn.news) + (turn.said or turn.move + "\n") for turn in turns)
        assert spelled.codec.decode(context.ids).startswith(text)


def test_a_reflection_is_credited_with_what_follows_and_thinking_costs(play, pairings, castling, spelled):
    """With discounts of 1 and no scaling: what is left of the returns, less the mean over all decisions."""
    played = [t for t in played_with(play, pairings, castling, spelled, "reflection") if "ann" in t.record.members][:2]
    free, dear = (replace(CREDIT, thinking_cost=cost) for cost in (0.0, 0.5))
    for number, trial in enumerate(played):
        seat = trial.record.members.index("ann")
        own = [turn for turn in trial.record.episodes[1].turns if turn.seat == seat]
        gained, thought = sum(turn.reward for turn in own), sum(turn.thinking for turn in own)
        for credit, worth in ((free, gained), (dear, gained - 0.5 * thought)):
            first, second = reflected(played, number, credit)
            assert first - second == pytest.approx(worth)  # the second episode lies between the two


def test_thinking_costs_where_it_was_spent_even_if_the_last_episode_alone_counts(play, pairings, castling, spelled):
    """With all discounts 1 the first episode lies between its first decision and the second one's: its cost as well."""
    played = [t for t in played_with(play, pairings, castling, spelled, "transcript") if "ann" in t.record.members][:2]
    for number, trial in enumerate(played):
        seat = trial.record.members.index("ann")
        thought = sum(turn.thinking for turn in trial.record.episodes[0].turns if turn.seat == seat)
        gaps = []
        for cost in (0.0, 0.5):
            rows, _ = build_rows(played, ["ann"], replace(CREDIT, objective="final", thinking_cost=cost))
            of = {(c.episode, c.turn): a for c, a in zip(rows[number].choices, rows[number].advantages, strict=True)}
            gaps.append(of[0, 0] - of[1, 0])
        assert thought > 0 and gaps[0] - gaps[1] == pytest.approx(0.5 * thought)


def reflected(played, number: int, credit: CreditSettings) -> list[float]:
    """The advantage of ann's reflections in one of the trials, by episode."""
    rows, _ = build_rows(played, ["ann"], credit)
    owners = [i for i, trial in enumerate(played) for c in trial.contexts if c.agent == "ann" and c.choices]
    pairs = [
        pair
        for i, row in zip(owners, rows, strict=True)
        if i == number
        for pair in zip(row.choices, row.advantages, strict=True)
    ]
    return [advantage for _, advantage in sorted({(c.episode, a) for c, a in pairs if c.turn == REFLECTION})]


def test_a_choice_among_few_and_one_of_the_vocabulary_keep_their_order(spelled, bank):
    ids = tuple(spelled.codec.encode("P 1\nR\n"))
    few = TokenChoice(2, (ids[2], ord("x")), 0, 0.0, 0, 0)
    free = TokenChoice(3, None, ids[3], 0.0, 0, 0)
    last = TokenChoice(4, (ord("x"), ids[4]), 1, 0.0, 0, 1)
    with torch.no_grad():
        with routed_scores(spelled, bank, [Row("ann", ids, (few, free, last), (0.0,) * 3)]) as (together, _):
            pass
        apart = []
        for choice in (few, free, last):
            with routed_scores(spelled, bank, [Row("ann", ids, (choice,), (0.0,))]) as (one, _):
                apart.append(one)
    torch.testing.assert_close(together, torch.cat(apart), rtol=0, atol=1e-5)
