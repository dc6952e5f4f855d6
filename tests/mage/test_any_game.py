"""Trials, rows and results in games that are no two-seat matrices: hidden cards, boards, three seats."""

from __future__ import annotations

import numpy as np
import pytest

import games
from mage.codec import Codec
from mage.lengths import longest_context
from mage.matches import mirrored, results
from mage.models import start_ids
from mage.rows import CreditSettings, build_rows
from mage.settings import NO_KEYS
from mage.tiny import build_tokenizer
from mage.trials import Conditions
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
    """Part by part, since the whole hides a part: no text is longer, and no seat moves or reads more often.

    The most decisions are reached, and the most readings but for the one before the first move, where nothing was said.
    """
    game = games.load(name)
    tokenizer = build_tokenizer(game)
    codec = Codec(tokenizer, start_ids(tokenizer))
    rng = np.random.default_rng(5)
    moves, news = Heard(codec, game.seats), Heard(codec, game.seats)
    for _ in range(80):
        episode = game.start(int(rng.integers(1 << 30)))
        while (seat := episode.seat_to_move) is not None:
            legal = episode.legal_moves()
            news.hear(seat, episode.news(seat))
            moves.hear(seat, move := legal[int(rng.integers(len(legal)))])
            episode.play(move)
        for seat in range(game.seats):
            news.hear(seat, episode.news(seat))
        moves.end()
        news.end()
    for seat, spoken in enumerate(game.spoken):
        assert moves.longest[seat] <= max(len(codec.encode(move)) for move in spoken.moves)
        assert news.longest[seat] <= max(len(codec.encode(text)) for text in spoken.news)
    assert max(moves.most) == max(spoken.turns for spoken in game.spoken)
    assert 0 <= max(spoken.readings for spoken in game.spoken) - max(news.most) <= 1


class Heard:
    """The most tokens of a text, and the most texts in an episode, by seat."""

    def __init__(self, codec: Codec, seats: int) -> None:
        self._codec, self._now = codec, [0] * seats
        self.longest, self.most = [0] * seats, [0] * seats

    def hear(self, seat: int, text: str) -> None:
        self.longest[seat] = max(self.longest[seat], len(self._codec.encode(text)))
        self._now[seat] += bool(text)

    def end(self) -> None:
        self.most = [max(pair) for pair in zip(self.most, self._now, strict=True)]
        self._now = [0] * len(self._now)


def test_the_announced_length_is_that_of_the_longest_texts(spelling):
    """Tic-tac-toe by characters: 1 opens, 86 of rules, 10 a header; in each of two episodes 5 moves such as "a1\n" are
    written and 6 times at most "a1\nlose -1\n" read: 1 + 86 + 2 * (10 + 5 * 3 + 6 * 11)."""
    game = games.load("tictactoe")
    assert (len(game.rules(0, 2)), len(game.episode_header(1))) == (86, 10)
    assert longest_context(Conditions(game, spelling, NO_KEYS, 2, "transcript")) == 269
