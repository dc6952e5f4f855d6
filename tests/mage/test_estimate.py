"""What a run is said to take before it starts: each stage by what it plays and learns from."""

from __future__ import annotations

import pytest

from mage.config import load
from mage.estimate import Pace, load_of, plan
from mage.session import describe
from mage.settle import settled
from mage.stages import plan_stages
from tests.mage.small_run import CONFIG, write_config

SHOWN = '[[stage]]\nname = "shown"\nkind = "sft"\niterations = 2\ntrials = 6\nexperts = ["best_response"]\n'
PLAYED = '[[stage]]\nname = "played"\nkind = "rl"\niterations = 3\nset = { learning.epochs = 2 }\n'
OWN = '[[stage]]\nname = "own"\nkind = "rft"\niterations = 1\ntrials = 10\nset = { trial.memory = "none" }\n'
PACE = Pace(tokens=1, sampling=1000.0, training=100.0)


@pytest.fixture
def config(tmp_path):
    def written(*stages):
        path = write_config(tmp_path, CONFIG.replace("iterations = 4\n", "" if stages else "iterations = 4\n", 1))
        path.write_text(path.read_text() + "\n".join(stages))
        return settled(load(path))

    return written


def loads(config):
    setting = describe(config)
    return [load_of(stage, setting.reader) for stage in plan_stages(config, setting)]


def test_a_run_without_stages_plays_and_trains_all_its_trials(config):
    (only,) = loads(config())  # 2 learners x 2 groups x 2 trials, a context each
    assert (only.contexts, only.stage.iterations, only.samples) == (8, 4, True)
    assert only.seconds(PACE) == pytest.approx(4 * 8 * only.tokens * (1 / 1000 + 1 / 100))


def test_each_stage_counts_what_it_plays_and_learns_from(config):
    shown, played, own = loads(config(SHOWN, PLAYED, OWN))
    assert (shown.contexts, shown.samples) == (2 * 6, False)  # experts' play passes no model
    assert shown.seconds(PACE) == pytest.approx(2 * 12 * shown.tokens / 100)
    assert (played.contexts, played.samples) == (8, True)
    assert played.seconds(PACE) == pytest.approx(3 * 8 * played.tokens * (1 / 1000 + 2 / 100))
    assert (own.contexts, own.samples) == (2 * 10 * 2, True)  # no memory: a context for each of the two episodes
    assert own.tokens < played.tokens


def test_the_plan_tells_every_stage_and_the_whole(config):
    told = [line for line in plan(config(SHOWN, PLAYED)).splitlines() if line.startswith("#")]
    assert told[1].startswith("# shown: sft, 2 iterations, about 0 min; tokens: at most ")
    assert told[1].endswith(" a context, 12 contexts an iteration")
    assert told[2].startswith("# played: rl, 3 iterations, ")
    assert told[3].startswith("# time: about 0 min for 5 iterations without gates and evaluations (")
    assert told[4].startswith("# memory: about ")
