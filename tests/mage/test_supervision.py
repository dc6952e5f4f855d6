"""Examples: which tokens of a transcript are trained, what their loss is, and which own trials count as good."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from games.naming import parse
from mage import keys, lessons
from mage.config import Config
from mage.contexts import Context, TokenChoice
from mage.learner import Learner
from mage.lessons import by_examples, shares
from mage.losses import Clip
from mage.rows import Row
from mage.settings import supervised_settings
from mage.stages import Source
from mage.supervision import every_token, examples, kept, own_tokens, top, wins
from tests.mage.test_rows import trial

CONFIG = Config.model_validate({"opponents": {"training": ("tit_for_tat",)}, "learning": {"minibatches": 1}})
IDS = [0, 5, 9, 17, 33, 9]


def loss(model, bank, rows) -> float:
    """The figure that an update by examples logs."""
    learner = Learner(model, bank, sorted({row.agent for row in rows}), supervised_settings(CONFIG), 1)
    (stats,) = learner.update(rows, 0, 0.0).values()
    return by_examples(stats)["loss"]


@torch.no_grad()
def labels_loss(model, bank, agent, ids, trained) -> float:
    """transformers' own loss, told by labels which positions count."""
    labels = [token if position in trained else -100 for position, token in enumerate(ids)]
    with bank.routed([agent]):
        return float(model.network(input_ids=torch.tensor([ids]), labels=torch.tensor([labels])).loss)


def test_pretraining_trains_every_token_but_the_first():
    row = every_token("ann", Context("an expert", 0, [7, 8, 9]))
    assert (row.agent, row.ids, row.advantages) == ("ann", (7, 8, 9), (1.0, 1.0))
    assert [(choice.position, choice.allowed, choice.chosen) for choice in row.choices] == [(1, None, 8), (2, None, 9)]


def test_a_context_of_one_token_has_nothing_to_train():
    assert every_token("ann", Context("an expert", 0, [7])).choices == ()


def test_own_tokens_are_those_that_were_chosen_whatever_their_probability_was():
    chosen = TokenChoice(2, (5, 6), 1, -0.7, 0, 0)
    row = own_tokens("ann", Context("ann", 0, [7, 8, 6], [chosen]))
    assert row == Row("ann", (7, 8, 6), (replace(chosen, log_prob=0.0),), (1.0,))


def test_the_loss_of_a_whole_transcript_is_transformers_own(model, bank):
    row = every_token("ann", Context("an expert", 0, IDS))
    assert loss(model, bank, [row]) == pytest.approx(labels_loss(model, bank, "ann", IDS, range(1, 6)), abs=1e-5)


def test_the_loss_of_free_text_counts_the_agent_s_own_tokens_alone(model, bank):
    written = [TokenChoice(position, None, IDS[position], -2.0, 0, 0) for position in (2, 5)]
    row = own_tokens("ann", Context("an expert", 0, IDS, written))
    assert loss(model, bank, [row]) == pytest.approx(labels_loss(model, bank, "ann", IDS, (2, 5)), abs=1e-5)


def test_the_loss_of_a_constrained_move_is_its_share_among_the_legal_ones(model, bank):
    allowed = (9, 17, 33)
    row = own_tokens("ann", Context("an expert", 0, IDS, [TokenChoice(3, allowed, 1, 0.0, 0, 0)]))
    with torch.no_grad(), bank.routed(["ann"]):
        logits = model.network(input_ids=torch.tensor([IDS])).logits[0, 2]
    by_hand = math.log(sum(math.exp(float(logits[token] - logits[17])) for token in allowed))
    assert loss(model, bank, [row]) == pytest.approx(by_hand, abs=1e-5)


def test_examples_are_learned_whatever_the_limits_of_reinforcement_say(model, bank):
    """The figure falls by nats, far beyond the KL that ends an update by rewards, and no step is skipped."""
    row = every_token("ann", Context("an expert", 0, [0, 5]))
    learner = Learner(model, bank, ["ann"], supervised_settings(CONFIG), 1)
    stats = [learner.update([row], step, 0.02)["ann"] for step in range(40)]
    assert stats[-1].logp_difference_mean < stats[0].logp_difference_mean - 2.0
    assert sum(stat.skipped_minibatches for stat in stats) == 0


def test_the_settings_leave_epochs_minibatches_and_the_norm_as_configured():
    learning = {"minibatches": 3, "epochs": 2, "max_grad_norm": 0.5, "loss_agg_mode": "seq-mean-token-sum"}
    config = Config.model_validate({"opponents": {"training": ("tit_for_tat",)}, "learning": learning})
    settings = supervised_settings(config)
    assert (settings.minibatches, settings.epochs, settings.max_grad_norm) == (3, 2, 0.5)
    assert (settings.loss_type, settings.loss_agg_mode, settings.entropy_bonus) == ("reinforce", "token-mean", 0.0)
    assert settings.max_kl == math.inf and settings.clip == Clip(0.2, 0.2)


def test_rows_go_to_the_pairing_s_learner_and_come_from_its_seat_alone():
    played = [trial([[1.0], [0.0]], seat=1), trial([[1.0], [0.0]], learner="bob", number=1)]
    rows = examples(played, own_tokens)
    assert [(row.agent, len(row.choices)) for row in rows] == [("ann", 2), ("bob", 2)]
    assert examples([], own_tokens) == []


def test_a_trial_is_won_by_its_last_episode():
    won, drawn, lost = trial([[-5.0], [1.0]]), trial([[5.0], [0.0]]), trial([[5.0], [-1.0]], seat=1)
    assert wins([won, drawn, lost], 1.0) == [won]
    assert wins([], 1.0) == []


def test_the_top_share_goes_by_the_last_return_then_by_all_then_by_order():
    trials = [trial([[0.0], [1.0]]), trial([[2.0], [1.0]]), trial([[9.0], [0.0]]), trial([[0.0], [1.0]])]
    assert top(trials, 0.5) == [trials[0], trials[1]]
    assert top(trials, 0.25) == [trials[1]]
    assert top(trials, 0.01) == [trials[1]]
    assert top([], 0.5) == []


def test_every_learner_keeps_the_best_of_its_own():
    weak = [trial([[-1.0]]), trial([[-2.0]])]
    strong = [trial([[1.0]], learner="bob"), trial([[2.0]], learner="bob")]
    assert kept([*weak, *strong], "top", 0.5) == [weak[0], strong[1]]
    assert kept([*weak, *strong], "wins", 0.5) == strong


def test_retention_s_share_is_spread_over_the_earlier_stages():
    assert shares(8, 0.5, 3, iteration=0) == [4, 2, 2]
    assert shares(8, 0.4, 3, iteration=0) == [5, 2, 1]
    assert shares(8, 0.4, 3, iteration=1) == [5, 1, 2]
    assert shares(8, 0.0, 3, iteration=0) == [8, 0, 0]
    assert shares(8, 0.5, 1, iteration=0) == [8]
    assert shares(1, 0.4, 2, iteration=0) == [1, 0]


def seats_of(rps, count, iteration):
    """The seats in which each of two learners is shown its examples."""
    setting = SimpleNamespace(game=rps, opponents=SimpleNamespace(training=(parse(rps, "random"),)))
    stage, rng = SimpleNamespace(session=SimpleNamespace(setting=setting)), keys.generator(1, "a test", iteration)
    plans = lessons._example_plans(stage, Source(0), ("ann", "bob"), count, 0, rng)
    return [[plan.pairing.seat for plan in plans if plan.pairing.learner == name] for name in ("ann", "bob")]


def test_a_single_trial_an_update_shows_every_seat_in_time(rps):
    shown = [seats_of(rps, 1, iteration) for iteration in range(16)]
    assert {(*ann, *bob) for ann, bob in shown} == {(0, 1), (1, 0)}


def test_seats_take_turns(rps):
    assert [seats_of(rps, 4, iteration) for iteration in range(3)] == [[[0, 1, 0, 1]] * 2] * 3
