"""An agent that knows its training opponents by heart, and nothing else, is caught by the table of held-out ones.

Two test doubles play in a real run: one is told whom it meets, as no agent ever is, and remembers what beats each
training opponent; the other reads its context and answers what it has seen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from mage.contexts import MoveReply, MoveRequest
from mage.evaluation import code, measure, report, whole
from mage.evaluation_plan import TRIAL_BITS, Arena, choose_opponents
from mage.keys import PlayKeys
from mage.session import reopen
from tests.mage.small_run import train

pytest_plugins = ["tests.mage.small_run"]

AGENT = "learner_0"
BEATS = {"R": "P", "P": "S", "S": "R"}
NEAR = ["dirichlet_habit(p=0.1/0.1/0.8)", "dirichlet_habit(p=0.05/0.05/0.9)"]  # Scissors, which training never favours
PLAYED_LINE = re.compile(r"^([RPS]) [-0-9]+$", re.MULTILINE)  # the other's move and the own payoff

Answer = Callable[[MoveRequest], str]


class Double:
    """Samples nothing: every move is what `answer` says."""

    def __init__(self, session, answer: Answer) -> None:
        self._codec, self._answer = session.model.codec, answer
        self.work = session.sampler.work

    def open(self, agents: Sequence[str]) -> Double:
        return self

    def choose(self, requests: Mapping[int, MoveRequest], keys: PlayKeys) -> dict[int, MoveReply]:
        replies = {}
        for row, request in requests.items():
            move = self._answer(request)
            request.context.ids += self._codec.encode_move(move)
            replies[row] = MoveReply(move, None)
        return replies


def by_heart(session) -> Answer:
    """What beats each training opponent, looked up by its name; to strangers the answer to the first of them."""
    learned = {code(AGENT, one.name): BEATS[dict(one.parameters)["move"]] for one in session.setting.opponents.training}
    return lambda request: learned.get(request.stream >> TRIAL_BITS, next(iter(learned.values())))


def by_reading(session) -> Answer:
    """What beats the move that the context shows most often."""

    def answer(request: MoveRequest) -> str:
        seen = Counter(PLAYED_LINE.findall(session.model.codec.decode(request.context.ids)))
        return BEATS[seen.most_common(1)[0][0]] if seen else "R"

    return answer


@pytest.fixture(scope="module")
def session(cache, tmp_path_factory):
    """A run with trials long enough to find out in."""
    run = train(tmp_path_factory.mktemp("run"), run__iterations=1, game__rounds=6, opponents__held_out=NEAR)
    return reopen(run)


def table(session, answer, opponents):
    playing = replace(session, sampler=Double(session, answer))
    samples = measure(Arena(playing, choose_opponents(session, opponents)), [AGENT], trials=100, seed=1)
    return whole([report(playing, samples, trials=100, seed=1)])


def last(table, distance):
    return table["by_distance"][distance]["overall"][-1]["exploitation"]


def test_a_memoriser_shines_on_training_opponents_and_fails_on_near_ones(session):
    met = table(session, by_heart(session), "training")
    assert met["held_out"] is False and last(met, "training") > 0.9
    held_out = table(session, by_heart(session), "held_out")
    row = held_out["by_distance"]["near"]["overall"][-1]
    assert held_out["held_out"] is True and row["exploitation"] < 0 and row["exploitation_ci_high"] < 0


def test_one_table_of_both_sets_says_that_it_memorised(session):
    gap = table(session, by_heart(session), ["training", "held_out"])["memorised"]
    assert gap["difference"] > 1 and gap["ci_low"] > 0 and gap["p_holm"] < 0.05


def test_an_agent_that_reads_is_not_accused(session):
    both = table(session, by_reading(session), ["training", "held_out"])
    assert last(both, "training") > 0.8 and last(both, "near") > 0.8
    assert both["memorised"]["difference"] < 0.1
    rows = both["by_distance"]["near"]["overall"]
    assert rows[0]["exploitation"] < rows[-1]["exploitation"]
