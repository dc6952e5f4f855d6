"""Which stage is due: one case for each rule, at its edges, and the number in the sentence."""

from dataclasses import replace

import pytest

from mage.diagnosis import Figures
from mage.stage_due import RULES, Evidence, due
from mage.statistics import Estimate


def exactly(value):
    return Estimate(value, value, value)


def evidence(once=0.3, often=0.9, alike=0.2, parse=1.0, valid=1.0, best=None):
    figures = Figures(
        pass_at={1: exactly(once), 16: exactly(often)},
        mean_return=exactly(0.0),
        over_random=None,
        gain=None,
        frac_reward_zero_std=alike,
        reward_std=1.0,
        parse_rate=parse,
        valid_move_rate=valid,
        forfeit_rate=0.0,
        thinking_tokens=0.0,
    )
    return Evidence(figures, often if best is None else best, k=16, group_size=8)


@pytest.mark.parametrize(
    ("seen", "stage", "number"),
    [
        (evidence(once=0.0, often=0.05), "pretrain", "Pass@16 is 0.05 at best"),
        (evidence(once=0.0, often=0.0, parse=0.1), "pretrain", "0.00"),
        (evidence(once=0.0, often=0.0, parse=0.31, valid=0.28, best=0.9), "sft", "31% can be read and 28% are legal"),
        (evidence(valid=0.94), "sft", "94% are legal"),
        (evidence(once=0.95, often=1.0, alike=0.8), "none", "Pass@1 is 0.95"),
        (evidence(once=0.95, often=1.0, alike=0.7), "rl", "30% of groups of 8"),
        (evidence(parse=0.95, valid=0.95), "rl", "pass@1 0.30, pass@16 0.90"),
        (evidence(once=0.06, often=0.2, alike=0.9), "rft", "Pass@16 0.20 is well above pass@1 0.06"),
        (evidence(once=0.5, often=0.5, alike=1.0), "sft", "Pass@16 0.50 is hardly above pass@1 0.50"),
    ],
)
def test_the_first_rule_that_applies_names_the_stage_and_its_number(seen, stage, number):
    found = due(seen)
    assert found.stage == stage
    assert number in found.why


def test_what_can_be_done_with_constrained_moves_but_not_freely_is_never_for_want_of_ability():
    unable = evidence(once=0.0, often=0.0, parse=0.0, valid=0.0)
    assert due(unable).stage == "pretrain"
    assert due(replace(unable, best=0.9)).stage == "sft"


def test_a_free_reply_that_reads_well_and_never_passes_is_shown_the_moves_of_experts():
    assert due(evidence(once=0.0, often=0.0, best=0.9)).why.endswith("show it the moves of experts.")


def test_the_last_rule_always_applies_so_that_every_diagnosis_has_a_stage():
    assert all(RULES[-1].applies(evidence(once=c / 4, often=c / 4, alike=1.0)) for c in range(5))
