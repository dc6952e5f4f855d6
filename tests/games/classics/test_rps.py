"""PettingZoo's rock, paper, scissors as text: both moves stay hidden until both have moved."""

from __future__ import annotations

import re

import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel

import games
from games.aec import RENDERINGS
from games.text import Episode
from tests.games.classics.cards_contract import at_random, check_forfeit, check_processes, finished, line_of, plies

GAME = games.load("rps")
MOVES = ("rock", "paper", "scissors")
NEWS = {
    "compact": r"(?P<move>rock|paper|scissors) (?P<payoff>-?1|0)",
    "full": r"they played (?P<move>rock|paper|scissors); you get (?P<payoff>-?1|0)",
}


def decode(text: str, rendering: str) -> tuple[list[str], list[tuple[str, int]]]:
    """Own moves, and of every complete round the other's move and the own payoff; from the text alone."""
    own, rounds = [], []
    for line in text.splitlines():
        news = re.fullmatch(NEWS[rendering], line)
        if news:
            rounds.append((news["move"], int(news["payoff"])))
        else:
            own.append(line)
    return own, rounds


def payoff(own: str, other: str) -> int:
    """1 when `own` is the next of `other` in the cycle rock, paper, scissors."""
    return (0, 1, -1)[(MOVES.index(own) - MOVES.index(other)) % 3]


def test_the_environment_passes_pettingzoo_s_own_tests():
    api_test(GAME.make_env(), num_cycles=20)
    parallel_api_test(aec_to_parallel(GAME.make_env()), num_cycles=20)
    seed_test(GAME.make_env, num_cycles=20)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rendering", RENDERINGS)
def test_both_transcripts_tell_the_rounds_that_both_have_moved_in(rendering: str, seed: int):
    episode = games.load("rps", rendering=rendering).start(seed)
    for ply, texts in enumerate(plies(episode, at_random(seed))):
        moves = [[move for mover, move in episode.played if mover == seat] for seat in (0, 1)]
        for seat, text in enumerate(texts):
            own, rounds = decode(text, rendering)
            assert own == moves[seat]
            complete = list(zip(moves[seat], moves[1 - seat], strict=False))[: ply // 2]
            assert rounds == [(other, payoff(mine, other)) for mine, other in complete]
    assert len(episode.played) == 12 and sum(episode.returns) == 0
    assert episode.returns[0] == sum(payoff(*pair) for pair in zip(*moves, strict=True))


def test_seat_0_s_move_changes_nothing_for_seat_1_until_it_has_moved_too():
    def before_the_reply(move: str) -> str:
        episode = GAME.start(1)
        episode.play(move)
        assert episode.news(0) == ""
        return episode.news(1)

    assert [before_the_reply(move) for move in MOVES] == ["", "", ""]


@pytest.mark.parametrize("own", MOVES)
@pytest.mark.parametrize("other", MOVES)
def test_the_environment_pays_what_the_rules_say(own: str, other: str):
    episode = GAME.start(1)
    finished_round(episode, own, other)
    assert episode.returns == [payoff(own, other), payoff(other, own)]
    rules = games.load("rps", rendering="full").rules(0, 1)
    assert f"If you play {own} and they play {other}, you get {payoff(own, other)} and they get" in rules


def finished_round(episode: Episode, first: str, second: str) -> None:
    episode.play(first)
    episode.play(second)


def test_six_rounds_reach_the_bounds():
    episode = GAME.start(1)
    finished(episode, line_of(["paper", "rock"] * 6))
    assert episode.returns == [6.0, -6.0] == list(reversed(GAME.utility_range))
    assert len(episode.played) == 2 * GAME.max_turns
    assert list(episode.history) == [(1, 0)] * 6
    assert "6 rounds" in GAME.rules(0, 3)


def test_the_history_holds_complete_rounds_only():
    episode = GAME.start(1)
    episode.play("rock")
    assert list(episode.history) == []
    episode.play("scissors")
    assert list(episode.history) == [(0, 2)]


def test_a_forfeit_costs_the_worst_and_pays_the_other_as_much():
    check_forfeit(GAME, at_random(0), -6.0, 6.0)


def test_it_says_the_same_in_every_process_and_nothing_else():
    check_processes("rps")
