"""What a run's stages are, whose play they learn from, and what is refused before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

import games
from games.errors import RequestError
from games.opponents import expand
from mage import tiny
from mage.config import load
from mage.session import describe
from mage.settle import settled
from mage.stages import carried, plan_stages
from populations.members import Member, Population
from tests.mage.small_run import CONFIG, write_config

SHOWN = '[[stage]]\nkind = "sft"\niterations = 2\nexperts = ["best_response", "equilibrium"]\n'
PLAY = '[[stage]]\nname = "play"\nkind = "rl"\niterations = 3\n'
RESPONSES = {
    "peaked_habit(move=R,peak=0.8)": "best_response(to=peaked_habit(move=R,peak=0.8))",
    "peaked_habit(move=P,peak=0.9)": "best_response(to=peaked_habit(move=P,peak=0.9))",
}


@pytest.fixture(scope="module", autouse=True)
def each_tokenizer_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "load", cache(games.load))
        patch.setattr(tiny, "build_tokenizer", cache(tiny.build_tokenizer))
        yield


@pytest.fixture
def planned(tmp_path):
    def plan(*stages, **overrides):
        path = write_config(tmp_path, CONFIG.replace("iterations = 4\n", "" if stages else "iterations = 4\n", 1))
        path.write_text(path.read_text() + "\n".join(stages))
        config = settled(load(path, {key.replace("__", "."): value for key, value in overrides.items()}))
        return plan_stages(config, describe(config))

    return plan


def refusal(planned, *stages, **overrides):
    with pytest.raises(RequestError) as caught:
        planned(*stages, **overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_bayes_expert_knows_who_may_be_met_and_is_nobody_that_is_tested_on(planned):
    (shown, _) = planned(SHOWN.replace('"best_response", "equilibrium"', '"bayes", "equilibrium"'), PLAY)
    training = shown.setting.opponents.training
    for met in training:
        bayes, fixed = shown.sources[0].experts[met.name]
        assert (bayes.name, bayes.opponents, fixed.family) == ("bayes", training, "equilibrium")
    assert {one.name for one in shown.sources[0].imitated()} == {fixed.name}


def test_a_bayes_expert_against_memory_is_refused(planned):
    shown = SHOWN.replace('"best_response", "equilibrium"', '"bayes"')
    told = refusal(planned, shown, PLAY, opponents__training=["peaked_habit(move=R,peak=0.8)", "win_stay_lose_shift"])
    assert "win_stay_lose_shift" in told and "expected memoryless ones" in told


def test_a_bayes_expert_that_plays_like_one_who_is_tested_on_is_refused(planned):
    """In the prisoner's dilemma it defects whatever it believes, as peaked_habit(move=D,peak=1.0) does."""
    shown = SHOWN.replace('"best_response", "equilibrium"', '"bayes"')
    sets = {"opponents__validation": [], "opponents__training": ["peaked_habit(move=C,peak=0.8)"]}
    changes = {"game__name": "prisoners_dilemma", **sets}
    told = refusal(planned, shown, PLAY, opponents__held_out=["peaked_habit(move=D,peak=1.0)"], **changes)
    assert 'is taught by "bayes", which plays like peaked_habit(move=D,peak=1.0) that is tested on' in told
    assert planned(shown, PLAY, opponents__held_out=["peaked_habit(move=D,peak=0.5)"], **changes)


def test_an_expert_named_twice_is_refused(planned):
    shown = SHOWN.replace('"best_response", "equilibrium"', '"bayes", "bayes"')
    assert 'got "bayes" 2 times in experts' in refusal(planned, shown, PLAY)


def test_a_stage_that_is_retained_by_experts_that_make_no_sense_in_it_is_named(planned):
    played = PLAY + 'set = { "opponents.training" = ["win_stay_lose_shift"] }\n'
    shown = SHOWN.replace('"best_response", "equilibrium"', '"bayes"') + "retention = 0.5\n"
    assert 'retains stage "play" by its own experts: got the expert bayes' in refusal(planned, played, shown)


def test_a_run_without_stages_is_one_stage_of_play(planned):
    (only,) = planned()
    assert (only.name, only.kind, only.start, only.stop) == ("", "rl", 0, 4)
    assert (only.declared, only.sources, only.gate) == (None, (), None)


def test_stages_follow_one_another_each_with_its_own_game_and_opponents(planned):
    stages = planned(SHOWN + "set = { game.rounds = 1, trial.episodes = 1 }", PLAY)
    assert [(stage.name, stage.kind, stage.start, stage.stop) for stage in stages] == [
        ("sft-1", "sft", 0, 2),
        ("play", "rl", 2, 5),
    ]
    assert [stage.setting.game.max_turns for stage in stages] == [1, 2]
    assert [stage.setting.opponents.held_out for stage in stages] == [(), stages[1].setting.opponents.held_out]
    assert [stage.config.trial.episodes for stage in stages] == [1, 2]


def test_experts_are_the_best_response_to_whom_they_meet_and_those_named(planned):
    (stage,) = planned(SHOWN)
    (source,) = stage.sources
    assert {met: [one.name for one in experts] for met, experts in source.experts.items()} == {
        met: [response, "equilibrium"] for met, response in RESPONSES.items()
    }


def test_without_experts_pretraining_shows_the_training_opponents(planned):
    (stage,) = planned('[[stage]]\nkind = "pretrain"\niterations = 2\n')
    (source,) = stage.sources
    assert [[one.name for one in experts] for experts in source.experts.values()] == [list(RESPONSES)] * 2


def test_retention_draws_from_every_earlier_stage_with_its_experts_or_else_with_one_s_own(planned):
    own = '[[stage]]\nkind = "rft"\niterations = 1\n'
    last = '[[stage]]\nkind = "sft"\niterations = 1\nexperts = ["equilibrium"]\nretention = 0.5\n'
    stages = planned(SHOWN, own, last)
    told = [(s.stage, [[one.name for one in some] for some in s.experts.values()]) for s in stages[2].sources]
    shown = [[response, "equilibrium"] for response in RESPONSES.values()]
    assert told == [(2, [["equilibrium"]] * 2), (0, shown), (1, [["equilibrium"]] * 2)]
    assert [(source.stage, dict(source.experts)) for source in stages[1].sources] == [(1, {})]


@pytest.mark.parametrize(
    ("stages", "told"),
    [
        ((SHOWN + 'set = { opponents.training = ["tit_for_tat(start=R)"] }',), "tit_for_tat(start=R)"),
        ((SHOWN + 'set = { opponents.training = ["dirichlet_habit(p=0.2/0.3/0.5)"] }',), "dirichlet_habit"),
        (
            (SHOWN + 'set = { opponents.training = ["first_legal"] }',
             PLAY + 'set = { opponents.validation = ["peaked_habit(move=R,peak=1.0)"] }'),
            'stage "sft-1" is trained on what is tested on: got first_legal, which behaves like peaked_habit',
        ),
        (
            (PLAY + 'set = { opponents.validation = ["dirichlet_habit(p=0.8/0.1/0.1)"], '
            'opponents.training = ["first_legal"] }',),
            "the base model is trained on what is tested on: got peaked_habit(move=R,peak=0.8)",
        ),
        (
            (SHOWN.replace('"equilibrium"', '"tit_for_tat(start=R)"'),),
            'stage "sft-1" is trained on what is tested on: got tit_for_tat(start=R), which behaves like',
        ),
    ],
)  # fmt: skip
def test_no_stage_trains_on_what_any_stage_tests_on(planned, stages, told):
    assert told in refusal(planned, *stages)


def test_an_expert_that_answers_a_training_opponent_like_a_held_out_one_is_refused(planned):
    sentence = refusal(planned, SHOWN, opponents__held_out=["peaked_habit(move=P,peak=1.0)"])
    assert "best_response(to=peaked_habit(move=R,peak=0.8)), which behaves like peaked_habit" in sentence


def test_an_expert_that_retention_draws_anew_in_an_earlier_game_may_be_no_copy_of_what_is_tested_on(planned):
    drawn = {"family": "peaked_habit", "count": 1, "seed": 1, "parameters": {"peak": 0.8}}
    (copied,) = expand(games.load("rock_paper_scissors"), [drawn])
    expert = '{ family = "peaked_habit", count = 1, seed = 1, parameters = { peak = 0.8 } }'
    other = 'game.name = "matching_pennies", opponents.training = ["first_legal"], opponents.validation = []'
    imitating = f'[[stage]]\nkind = "sft"\niterations = 1\nexperts = [{expert}]\nset = {{ {other} }}\n'
    tested = {"opponents__training": ["cycle(start=S,step=1)"], "opponents__validation": [copied.name]}
    assert len(planned(PLAY, imitating, **tested)) == 2
    sentence = refusal(planned, PLAY, imitating + "retention = 0.5\n", **tested)
    assert f'stage "sft-2" is trained on what is tested on: got {copied.name}' in sentence


def test_opponents_of_another_game_are_not_looked_for_in_this_one(planned):
    other = 'set = { game.name = "kuhn_poker", opponents.training = ["aggressive"], '
    other += 'opponents.validation = ["conservative"] }'
    stages = planned(PLAY, '[[stage]]\nkind = "rl"\niterations = 1\n' + other)
    assert [stage.setting.game.name for stage in stages] == ["rock_paper_scissors", "openspiel:kuhn_poker"]
    assert stages[1].setting.corpus == stages[0].setting.corpus


@pytest.mark.parametrize(
    ("stage", "told"),
    [
        (
            PLAY + 'gate = { metric = "gain", at_least = 0 }\nset = { opponents.validation = [] }',
            "opponents.validation",
        ),
        (PLAY + 'gate = { metric = "gain", at_least = 0 }\nset = { trial.episodes = 1 }', "trial.episodes is 1"),
        (
            PLAY + 'gate = { metric = "exploitation", at_least = 0.5 }\nset = { game.name = "connect_four", '
            'opponents.training = ["random"], opponents.validation = ["first_legal"] }',
            'the gate of stage "play" asks for exploitation',
        ),
        (
            '[[stage]]\nkind = "rft"\niterations = 1\n'
            "set = { opponents.training = [], league.matchmaking.scripted = 0.0 }",
            "has no opponents.training",
        ),
        (SHOWN.replace('"equilibrium"', '"grandmaster"'), "grandmaster"),
        (PLAY + "set = { trial.episodes = 2000 }", "4096 at most"),
    ],
)
def test_a_stage_that_cannot_be_played_or_measured_is_refused_in_one_sentence(planned, stage, told):
    overrides = {"model__pretrain__corpus": ["peaked_habit(move=R,peak=0.8)"]}
    assert told in refusal(planned, stage, **overrides)


def test_a_population_moves_on_with_its_snapshots_and_meets_the_stage_s_opponents(planned):
    (stage,) = planned(PLAY)
    before = Population([Member("learner_0", "learner"), Member("somebody else", "scripted")])
    for iteration in (1, 2):
        before.freeze("learner_0", iteration, "digest")
    before.retire("learner_0@1")
    after = carried(before, stage.setting.opponents.training)
    assert [one.name for one in after.scripted] == list(RESPONSES)
    assert [one.name for one in after.snapshots] == ["learner_0@2"] and after.is_retired("learner_0@1")
    assert [one.name for one in after.learners] == ["learner_0"]
