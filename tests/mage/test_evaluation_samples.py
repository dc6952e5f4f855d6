"""What is kept of trials: which of them are the same game again, and how the agent's moves came about."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import games
from games.bayes import DirichletPrior, adaptation_curve
from games.opponents import parse, split
from mage.config import declarations
from mage.config.declared import Draw, Opponents
from mage.evaluation_plan import Arena
from mage.evaluation_pools import OpponentSample
from mage.evaluation_samples import Met, ceiling
from mage.records import EpisodeRecord, TrialRecord, Turn
from populations.matchmaking import Pairing

GAME = games.load_matrix("rock_paper_scissors", rounds=1)
COPIER = "tit_for_tat(start=R)"
BOUND = Turn(0, 0, 0, "", ("R", "P", "S"), "P", (0.0, 1.0, 0.0), 1.0, False)
COPIED = Turn(0, 0, 1, "", ("R", "P", "S"), "R", None, -1.0, False)


def trial(turn: Turn, **written: Any) -> TrialRecord:
    """Two episodes of a round, in which the agent's paper meets rock; written: what the first one's record holds."""
    first = EpisodeRecord((1.0, -1.0), (0, 0), (turn, COPIED), **written)
    second = EpisodeRecord((1.0, -1.0), (0, 0), (replace(BOUND, episode=1), replace(COPIED, episode=1)))
    pairing = Pairing("ann", COPIER, 0, 0, 0, "scripted")
    return TrialRecord(pairing, GAME.name, "reflection", ("ann", COPIER), (first, second))


def sample(*records: TrialRecord) -> OpponentSample:
    """What is kept of them, in a changed game, where no run says how far the opponent is."""
    session: Any = SimpleNamespace(setting=SimpleNamespace(game=GAME))
    met = Met(Arena(session, (), "misere"), "ann", parse(GAME, COPIER))
    for record in records:
        met.add(record)
    (found,) = met.samples()
    return found


@pytest.mark.parametrize(
    ("turn", "written"),
    [
        (BOUND, {}),
        (BOUND, {"reflections": ("", None), "reflections_drawn": (False, False)}),
        (BOUND, {"reflections": (None, "reflection R 1"), "reflections_drawn": (False, False)}),
    ],
    ids=["a certain move", "an empty reflection in the place of its own", "a reflection of the scripted player"],
)
def test_a_trial_that_could_not_come_out_otherwise_counts_once(turn, written):
    found = sample(*[trial(turn, **written)] * 3)
    assert (len(found.returns), found.repeats, found.determined) == (1, 2, True)


@pytest.mark.parametrize(
    ("turn", "written"),
    [
        (replace(BOUND, probabilities=(0.5, 0.5, 0.0)), {}),
        (replace(BOUND, probabilities=None), {}),
        (replace(BOUND, thinking=3), {}),
        (BOUND, {"reflections": ("rock again", None), "reflections_drawn": (True, False)}),
        (BOUND, {"reflections": ("", None), "reflections_drawn": (True, False)}),
        (BOUND, {"reflections": ("rock again", None), "reflections_drawn": (False, False)}),
    ],
    ids=["an open choice", "a free move", "thinking", "a reflection", "an empty one of its own", "another trial's"],
)
def test_a_trial_in_which_an_agent_wrote_anything_of_its_own_counts_every_time(turn, written):
    found = sample(*[trial(turn, **written)] * 3)
    assert (len(found.returns), found.repeats, found.determined) == (3, 0, False)


def test_decisions_illegal_first_tries_and_drawn_moves_are_counted_by_episode():
    drawn = replace(BOUND, probabilities=None, illegal=("no such move", "no such move"), randomised=True)
    late = replace(BOUND, probabilities=None, illegal=("no such move",))
    assert sample(trial(drawn), trial(late)).moves.tolist() == [[[1, 1, 1], [1, 0, 0]], [[1, 1, 0], [1, 0, 0]]]


def drawn(alpha: float, seed: int) -> Draw:
    return Draw(family="dirichlet_habit", count=1, seed=seed, parameters={"alpha": alpha})


def test_the_ceiling_is_that_of_the_draws_of_the_opponents_own_set():
    """Training draws from Dirichlet(1), what is tested on from Dirichlet(0.5): two priors, each where it belongs."""
    declared = Opponents(
        training=(drawn(1.0, 1),), validation=(drawn(0.5, 2),), held_out=(drawn(0.5, 3), "tit_for_tat")
    )
    sets = split(
        GAME, **{name: declarations(getattr(declared, name)) for name in ("training", "validation", "held_out")}
    )
    config = SimpleNamespace(opponents=declared, trial=SimpleNamespace(episodes=2))
    session: Any = SimpleNamespace(setting=SimpleNamespace(game=GAME, opponents=sets), config=config)
    for opponent, alpha in ((sets.training[0], 1.0), (sets.validation[0], 0.5), (sets.held_out[0], 0.5)):
        expected = adaptation_curve(GAME, opponent, DirichletPrior((alpha,) * 3), episodes=2, seat=0)
        assert ceiling(session, opponent, 0) == pytest.approx(expected)
    assert ceiling(session, sets.held_out[1], 0) is None
    assert ceiling(session, parse(GAME, "dirichlet_habit(p=0.1/0.2/0.7)"), 0) is None  # of no set: which alpha?
