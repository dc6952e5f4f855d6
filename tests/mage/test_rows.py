"""From played trials to training rows: whose tokens, with which advantage."""

from __future__ import annotations

import pytest

from mage.contexts import Context, TokenChoice
from mage.records import EpisodeRecord, TrialRecord, Turn
from mage.rows import CreditSettings, build_rows
from mage.trials import PlayedTrial
from populations.matchmaking import Pairing

HABIT = "peaked_habit(move=R,peak=0.8)"
CELL = ("learner", "game", "seat", "opponent", "episode", "turn")
PLAIN = CreditSettings("sum", 1.0, 1.0, CELL, "none")


def trial(
    rewards: list[list[float]],
    learner: str = "ann",
    opponent: str = HABIT,
    seat: int = 0,
    number: int = 0,
    memory: str = "transcript",
    kind: str = "scripted",
) -> PlayedTrial:
    """A zero-sum trial: the learner's reward of every turn by episode; both seats hold contexts."""
    members = (learner, opponent) if seat == 0 else (opponent, learner)
    episodes = []
    for n, episode in enumerate(rewards):
        turns = [
            Turn(n, t, place, "", ("R", "P"), "R", None, reward if place == seat else -reward, False)
            for t, reward in enumerate(episode)
            for place in (0, 1)
        ]
        total = sum(episode)
        episodes.append(EpisodeRecord((total, -total) if seat == 0 else (-total, total), (0, 0), tuple(turns)))
    contexts = []
    for place, member in enumerate(members):
        at = [(n, t) for n, episode in enumerate(rewards) for t in range(len(episode))]
        groups = [at] if memory == "transcript" else [[x for x in at if x[0] == n] for n in range(len(rewards))]
        for group in groups:
            choices = [TokenChoice(1 + i, (5, 6), 0, -0.7, n, t) for i, (n, t) in enumerate(group)]
            contexts.append(Context(member, place, [0] + [5] * len(group), choices))
    pairing = Pairing(learner, opponent, seat, number, number, kind)
    return PlayedTrial(TrialRecord(pairing, "rps", memory, members, tuple(episodes)), tuple(contexts))


def advantages(played, learners=("ann",), credit=PLAIN):
    rows, _ = build_rows(played, learners, credit)
    return [(row.agent, [round(a, 6) for a in row.advantages]) for row in rows]


def test_an_advantage_is_the_reward_to_go_less_the_mean_of_the_cell():
    # rewards to go 3 2 2 0 and 1 1 0 0; means 2 1.5 1 0
    played = [trial([[1.0, 0.0], [2.0, 0.0]]), trial([[0.0, 1.0], [0.0, 0.0]], number=1)]
    assert advantages(played) == [("ann", [1.0, 0.5, 1.0, 0.0]), ("ann", [-1.0, -0.5, -1.0, 0.0])]


def test_a_discount_between_episodes_reaches_the_advantages():
    # with gamma_traj 1/2 the first decision counts 0 + 2 / 2 = 1 and 0: mean 1/2
    played = [trial([[0.0], [2.0]]), trial([[0.0], [0.0]], number=1)]
    credit = CreditSettings("sum", 1.0, 0.5, CELL, "none")
    assert advantages(played, credit=credit) == [("ann", [0.5, 1.0]), ("ann", [-0.5, -1.0])]


def test_a_token_gets_the_advantage_of_its_own_decision():
    """A move of two sampled tokens counts once as a decision and twice as tokens."""
    played = [trial([[1.0, 0.0]]), trial([[0.0, 3.0]], number=1)]
    context = played[0].contexts[0]
    context.choices.insert(1, TokenChoice(2, (7, 8), 1, -0.1, 0, 0))
    assert advantages(played) == [("ann", [-1.0, -1.0, -1.5]), ("ann", [1.0, 1.5])]


def test_without_memory_every_episode_is_a_row():
    played = [trial([[1.0], [2.0]], memory="none"), trial([[0.0], [0.0]], number=1, memory="none")]
    assert advantages(played) == [("ann", [1.5]), ("ann", [1.0]), ("ann", [-1.5]), ("ann", [-1.0])]


@pytest.mark.parametrize("seat", [0, 1])
def test_only_the_learners_seat_gives_rows(seat):
    played = [trial([[1.0]], seat=seat), trial([[0.0]], seat=seat, number=1)]
    rows, summary = build_rows(played, ["ann"], PLAIN)
    assert [row.agent for row in rows] == ["ann", "ann"]
    assert set(summary) == {"ann"}
    assert summary["ann"].reward == 0.5


def test_a_snapshot_gives_no_rows():
    played = [trial([[1.0]], opponent="ann@1", kind="snapshot")]
    assert [row.agent for row in build_rows(played, ["ann", "bob"], PLAIN)[0]] == ["ann"]


def test_a_match_between_two_learners_gives_the_rows_of_two_trials():
    played = [trial([[1.0], [1.0]], opponent="bob", kind="learner", number=n) for n in range(2)]
    played.append(trial([[-2.0], [0.0]], opponent="bob", kind="learner", number=2))
    rows, summary = build_rows(played, ["ann", "bob"], PLAIN)
    assert [row.agent for row in rows] == ["ann", "bob"] * 3
    # ann's rewards to go: 2 1, 2 1, -2 0, with means 2/3 and 2/3; bob's are the opposite
    assert rows[0].advantages == pytest.approx((4 / 3, 1 / 3))
    assert rows[1].advantages == pytest.approx((-4 / 3, -1 / 3))
    assert rows[4].advantages == pytest.approx((-8 / 3, -2 / 3))
    assert summary["ann"].reward == -summary["bob"].reward == pytest.approx(2 / 6)  # 2 over six episodes


def test_an_agent_against_itself_gives_both_seats():
    played = [trial([[1.0]], opponent="ann", kind="learner"), trial([[0.0]], opponent="ann", kind="learner", number=1)]
    # seat 0: 1 and 0; seat 1: -1 and 0; the seats are different cells
    assert advantages(played) == [("ann", [0.5]), ("ann", [-0.5]), ("ann", [-0.5]), ("ann", [0.5])]


def test_a_learners_advantages_are_the_same_bits_whoever_else_played():
    own = [trial([[1.0, 0.3], [2.0, 0.7]]), trial([[0.1, 1.0], [0.0, 0.0]], number=1)]
    others = [trial([[50.0, 9.0]], learner="bob", number=n + 2) for n in range(3)]
    credit = CreditSettings("sum", 1.0, 1.0, CELL, "batch")
    alone, _ = build_rows(own, ["ann"], credit)
    mixed, _ = build_rows([others[0], own[0], others[1], own[1], others[2]], ["bob", "ann"], credit)
    assert [row for row in mixed if row.agent == "ann"] == alone


def test_equal_returns_and_a_lone_trial_give_advantages_of_zero():
    for played in ([trial([[1.0]]), trial([[1.0]], number=1)], [trial([[1.0]])]):
        rows, summary = build_rows(played, ["ann"], CreditSettings("sum", 1.0, 1.0, CELL, "group"))
        assert all(row.advantages == (0.0,) for row in rows)
        assert summary["ann"].frac_reward_zero_std == 1.0


def test_a_summary_counts_in_game_units_per_episode():
    # returns of ann 1 2 3 -6: mean 0, deviation sqrt(50 / 4)
    _, summary = build_rows([trial([[1.0, 0.0], [2.0]]), trial([[3.0], [-3.0, -3.0]], number=1)], ["ann"], PLAIN)
    found = summary["ann"]
    assert found.reward == 0.0
    assert found.reward_std == pytest.approx(12.5**0.5)
    assert (found.valid_move_rate, found.random_move_rate, found.forfeit_rate) == (1.0, 0.0, 0.0)
    assert found.logged()["reward"] == 0.0


def test_a_context_without_a_sampled_token_is_no_row():
    played = trial([[1.0]])
    played.contexts[0].choices.clear()
    assert build_rows([played], ["ann"], PLAIN)[0] == []


def test_nothing_played_gives_nothing():
    assert build_rows([], ["ann"], PLAIN) == ([], {})
    assert build_rows([trial([[1.0]], learner="bob")], ["ann"], PLAIN) == ([], {})
