"""What each seat reads and writes during a trial, with a sampler that needs no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

import games
from games.bayes_player import BayesExpert
from mage.codec import Codec
from mage.contexts import Context, MoveReply, MoveRequest, TokenChoice
from mage.keys import PlayKeys
from mage.matches import plan_trials
from mage.scheduler import play_all
from mage.seats import SeatPlan, TrialPlan
from mage.trials import Conditions, PlayedTrial
from populations.matchmaking import Pairing

KEYS = PlayKeys(2, "train", 0)


class Drawing:
    """A lane and its sampler: every move equally likely, drawn by the key; the context at each request is kept."""

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.asked: list[tuple[Context, tuple[int, ...], int, int]] = []

    def open(self, agents: Sequence[str]) -> Drawing:
        return self

    def choose(self, requests: Mapping[int, MoveRequest], keys: PlayKeys) -> dict[int, MoveReply]:
        return {row: self._move(request, keys) for row, request in requests.items()}

    def _move(self, request: MoveRequest, keys: PlayKeys) -> MoveReply:
        context, episode, turn = request.context, request.episode, request.turn
        self.asked.append((context, tuple(context.ids), episode, turn))
        pick = int(keys.move(request.stream, context.seat, episode, turn) * len(request.legal))
        context.choices.append(TokenChoice(len(context.ids), (1, 2), 0, 0.0, episode, turn))
        context.ids.extend(self.codec.encode_move(request.legal[pick]))
        return MoveReply(request.legal[pick], None)


def run(game, codec, *pairings: Pairing, memory="transcript", episodes=3) -> tuple[list[PlayedTrial], Drawing]:
    drawing = Drawing(codec)
    scripted = {p.opponent: games.opponents.parse(game, p.opponent) for p in pairings if p.opponent_kind == "scripted"}
    conditions = Conditions(game, codec, KEYS, episodes, memory)
    return play_all(plan_trials(pairings, scripted, KEYS), conditions, drawing, lane_rows=8), drawing


def against_habit(seat: int = 0, trial: int = 0, group: int = 0) -> Pairing:
    return Pairing("ann", "peaked_habit(move=10,peak=0.5)", seat, group, trial, "scripted")


SELF_PLAY = Pairing("ann", "bob", 0, 0, 0, "learner")


def spell(ids: Sequence[int]) -> str:
    return "".join(chr(token) for token in ids[1:])  # the first opens the text


def test_a_trial_reads_as_expected(castling, spelling):
    (played,), _ = run(castling, spelling, against_habit(), episodes=2)
    (context,) = played.contexts
    lines = spell(context.ids).splitlines()
    assert lines[:2] == ["matrix seat 0: 1 10 O-O O-O-O, 3 rounds, 2 episodes", "episode 1"]
    assert lines[8] == "episode 2"
    assert len(lines) == 15  # rules, two headers, and for each of six rounds the own move and the news
    moves = [turn for episode in played.record.episodes for turn in episode.turns]
    for number, line in enumerate([2, 4, 6, 9, 11, 13]):
        own, other = moves[2 * number], moves[2 * number + 1]
        assert lines[line] == own.move
        assert lines[line + 1] == f"{other.move} {int(own.reward)}"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("memory", ["transcript", "none"])
def test_the_tokens_of_a_turn_are_a_prefix_of_the_next_turns(memory, seat, castling, spelling):
    _, drawing = run(castling, spelling, against_habit(seat), memory=memory)
    assert len(drawing.asked) == 9
    for (before, earlier, _, _), (after, later, _, _) in zip(drawing.asked, drawing.asked[1:], strict=False):
        if before is after:
            assert later[: len(earlier)] == earlier
            assert len(later) > len(earlier)
    contexts = {id(context): context for context, *_ in drawing.asked}
    assert len(contexts) == (1 if memory == "transcript" else 3)
    assert all(tuple(context.ids[: len(ids)]) == ids for context, ids, _, _ in drawing.asked)


@pytest.mark.parametrize("memory", ["transcript", "none"])
def test_choices_are_where_the_seats_own_moves_stand_and_nowhere_else(memory, castling, spelling):
    """The context is written again from the record; what the environment and the opponent wrote is in no span."""
    played, _ = run(castling, spelling, against_habit(0, 0), against_habit(1, 1), SELF_PLAY, memory=memory)
    for trial in played:
        for context in trial.contexts:
            episodes = {choice.episode for choice in context.choices}
            text, starts = "", []
            for turn in (turn for number in sorted(episodes) for turn in trial.record.episodes[number].turns):
                if turn.seat == context.seat:
                    text += turn.news
                    starts.append(1 + len(text))
                    text += turn.move + "\n"
            assert spell(context.ids).startswith(text)
            assert [choice.position for choice in context.choices] == starts


def test_without_memory_each_episode_opens_a_context_that_holds_nothing_of_earlier_ones(castling, spelling):
    (played,), _ = run(castling, spelling, against_habit(), memory="none")
    assert len(played.contexts) == 3
    rules = castling.rules(0, 3) + castling.episode_header(1)
    for number, context in enumerate(played.contexts):
        assert {choice.episode for choice in context.choices} == {number}
        assert spell(context.ids).startswith(rules)
        assert spell(context.ids).count("episode ") == 1
        own = [turn.move for turn in played.record.episodes[number].turns if turn.seat == 0]
        assert spell(context.ids).splitlines()[2:7:2] == own


def test_with_memory_one_context_holds_every_episode(castling, spelling):
    (played,), _ = run(castling, spelling, against_habit())
    (context,) = played.contexts
    assert [spell(context.ids).count(f"episode {number}\n") for number in (1, 2, 3)] == [1, 1, 1]
    assert spell(context.ids).count(castling.rules(0, 3)) == 1


def test_two_language_agents_each_read_their_own_side_of_one_match(castling, spelling):
    (played,), _ = run(castling, spelling, SELF_PLAY)
    assert [(context.agent, context.seat) for context in played.contexts] == [("ann", 0), ("bob", 1)]
    ann, bob = (spell(context.ids) for context in played.contexts)
    assert ann.startswith(castling.rules(0, 3))
    assert bob.startswith(castling.rules(1, 3))
    assert [len(context.choices) for context in played.contexts] == [9, 9]
    first = played.record.episodes[0].turns[:2]
    assert first[1].news == castling.rules(1, 3) + "episode 1\n"  # the other's move stays hidden until both moved
    assert ann.splitlines()[2] == bob.splitlines()[3].split()[0] == first[0].move


def test_returns_of_a_zero_sum_game_sum_to_zero_and_are_the_sum_of_the_turns_rewards(castling, spelling):
    played, _ = run(castling, spelling, *(against_habit(t % 2, t) for t in range(6)), SELF_PLAY)
    returns = []
    for trial in played:
        for episode in trial.record.episodes:
            assert sum(episode.returns) == 0.0
            for seat in (0, 1):
                assert sum(t.reward for t in episode.turns if t.seat == seat) == episode.returns[seat]
                returns.append(episode.returns[seat])
            assert [t.seat for t in episode.turns] == [0, 1] * 3
    assert len(set(returns)) > 3


def test_a_game_that_is_not_zero_sum_pays_both(spelling):
    dilemma = games.load_matrix("prisoners_dilemma", rounds=2)
    pairing = Pairing("ann", "peaked_habit(move=C,peak=1.0)", 0, 0, 0, "scripted")
    (played,), _ = run(dilemma, spelling, pairing, episodes=1)
    (episode,) = played.record.episodes
    table = {"C": (3.0, 3.0), "D": (5.0, 0.0)}
    own = [turn.move for turn in episode.turns if turn.seat == 0]
    assert episode.returns == tuple(sum(table[move][seat] for move in own) for seat in (0, 1))


def test_trials_of_a_group_share_the_opponents_draws_and_differ_in_the_learners(castling, spelling):
    pairings = [against_habit(0, trial, group=trial // 4) for trial in range(8)]
    played, _ = run(castling, spelling, *pairings)
    moves = [[[t.move for e in p.record.episodes for t in e.turns if t.seat == s] for p in played] for s in (0, 1)]
    own, other = moves
    assert other[0] == other[1] == other[2] == other[3] != other[4] == other[5]
    assert len({tuple(trial) for trial in own}) == 8


def test_the_record_names_the_members_by_seat(castling, spelling):
    habit = against_habit().opponent
    played, _ = run(castling, spelling, against_habit(0), against_habit(1, 1))
    assert [trial.record.members for trial in played] == [("ann", habit), (habit, "ann")]
    assert all(turn.news == "" for turn in played[1].record.episodes[0].turns if turn.seat == 0)


@pytest.mark.parametrize(("memory", "openings"), [("transcript", ["P", "S", "S"]), ("none", ["P", "P", "P"])])
def test_an_expert_remembers_as_much_of_a_trial_as_the_agent_whose_seat_it_sits_in(memory, openings, rps, spelling):
    """It expects rock from most; who always plays paper gets scissors, by an expert that remembers."""
    names = ["peaked_habit(move=R,peak=0.98)", "peaked_habit(move=R,peak=0.9)", "peaked_habit(move=P,peak=1.0)"]
    rocks, rock, paper = (games.opponents.parse(rps, name) for name in names)
    own = SeatPlan("bayes", BayesExpert((rocks, rock, paper)), 0, transcribed=True)
    for seat in (0, 1):
        plan = TrialPlan.of(Pairing("ann", paper.name, seat, 0, 0, "scripted"), own, SeatPlan(paper.name, paper, 0), 2)
        conditions = Conditions(rps, spelling, KEYS, 3, memory)
        (played,) = play_all([plan], conditions, Drawing(spelling), lane_rows=8)
        moves = [[turn.move for turn in e.turns if turn.seat == seat] for e in played.record.episodes]
        assert [episode[0] for episode in moves] == openings
        assert all(episode[1:] == ["S", "S"] for episode in moves)
        assert sum(len(context.choices) for context in played.contexts) == 9
