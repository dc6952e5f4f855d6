"""Trials, rows and results in games that are no two-seat matrices: hidden cards, boards, three seats."""

from __future__ import annotations

import numpy as np
import pytest

import games
from mage.codec import Codec
from mage.matches import mirrored, results
from mage.models import start_ids
from mage.rows import CreditSettings, build_rows
from mage.session import longest_context
from mage.tiny import build_tokenizer
from populations.matchmaking import Pairing

CREDIT = CreditSettings("sum", 1.0, 1.0, ("learner", "seat", "episode", "turn"), "none")


def text(codec: Codec, ids: list[int]) -> str:
    return codec._tokenizer.decode(ids)  # type: ignore[attr-defined]


def test_each_seat_of_a_card_game_reads_its_own_transcript_and_nothing_else(play, model):
    kuhn = games.load("kuhn_poker")
    (trial,) = play(kuhn, [Pairing("ann", "bob", 1, 0, 0, "learner")], episodes=2)
    assert trial.record.members == ("bob", "ann")
    for context in trial.contexts:
        turns = [turn for episode in trial.record.episodes for turn in episode.turns if turn.seat == context.seat]
        read = text(model.codec, context.ids).removeprefix("<s>")
        told = "".join(f"{turn.news}{turn.move}\n" for turn in turns)
        assert told.startswith(kuhn.rules(context.seat, 2) + kuhn.episode_header(1))
        assert read.startswith(told)
        assert read.splitlines()[-1] == f"return {trial.record.episodes[-1].returns[context.seat]:g}"
    first = [turn.news.splitlines() for turn in trial.record.episodes[0].turns if turn.turn == 0]
    assert len({lines[2] for lines in first}) == 2  # after rules and header: two different cards


def test_rewards_of_the_turns_sum_to_the_returns_in_every_seat(play):
    for name in ("kuhn_poker", "tictactoe", "public_goods"):
        (trial,) = play(games.load(name), [Pairing("ann", "bob", 0, 0, 0, "learner")], episodes=2)
        for episode in trial.record.episodes:
            for seat, total in enumerate(episode.returns):
                own = sum(turn.reward for turn in episode.turns if turn.seat == seat)
                assert own == pytest.approx(total)


def test_among_three_the_opponent_sits_in_both_other_seats_and_all_learners_seats_train(play):
    goods = games.load("public_goods")
    played = play(goods, [Pairing("ann", "bob", seat, seat, seat, "learner") for seat in range(3)], episodes=1)
    assert [trial.record.members for trial in played] == [
        ("ann", "bob", "bob"),
        ("bob", "ann", "bob"),
        ("bob", "bob", "ann"),
    ]
    rows, summary = build_rows(played, ["ann", "bob"], CREDIT)
    assert sorted(row.agent for row in rows) == ["ann"] * 3 + ["bob"] * 6
    views = mirrored([trial.record for trial in played])
    assert [(view.pairing.learner, view.pairing.seat) for view in views[3:]] == [
        ("bob", 1),
        ("bob", 2),
        ("bob", 0),
        ("bob", 2),
        ("bob", 0),
        ("bob", 1),
    ]
    _, tallies = results(0, views)
    ann = [tally for tally in tallies if tally.row == "ann"]
    assert sum(tally.total for tally in ann) == pytest.approx(3 * summary["ann"].reward)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "tictactoe", "connect_four", "public_goods"])
def test_no_context_of_random_play_is_longer_than_what_was_announced(name):
    game = games.load(name)
    tokenizer = build_tokenizer(game)
    codec = Codec(tokenizer, start_ids(tokenizer))
    most = longest_context(game, codec, 2)
    rng = np.random.default_rng(5)
    lengths = [0] * game.seats
    for _ in range(40):
        counts = [len(codec.start) + len(codec.encode(game.rules(seat, 2))) for seat in range(game.seats)]
        for number in (1, 2):
            episode = game.start(int(rng.integers(1 << 30)))
            counts = [count + len(codec.encode(game.episode_header(number))) for count in counts]
            while (seat := episode.seat_to_move) is not None:
                legal = episode.legal_moves()
                move = legal[int(rng.integers(len(legal)))]
                counts[seat] += len(codec.encode(episode.news(seat))) + len(codec.encode_move(move))
                episode.play(move)
            counts = [count + len(codec.encode(episode.news(s))) for s, count in enumerate(counts)]
        lengths = [max(pair) for pair in zip(lengths, counts, strict=True)]
    assert max(lengths) <= most
    assert max(lengths) > most / 4  # not a bound that says nothing
