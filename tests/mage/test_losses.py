"""Objectives and weights against numbers done by hand."""

from __future__ import annotations

import math

import pytest
import torch

from mage.losses import LOSS_AGG_MODES, Clip, approximate_kl, clipped, entropy, reinforce

CLIP = Clip(low=0.2, high=0.3)
NOTHING = torch.zeros(0)


def ratios(*values: float) -> torch.Tensor:
    return torch.tensor(values).log()


@pytest.mark.parametrize(
    ("ratio", "advantage", "objective"),
    [
        (1.0, 2.0, 2.0),
        (1.5, 1.0, 1.3),  # no more than 1 + high
        (1.5, -1.0, -1.5),  # a bad move that became likelier is punished in full
        (0.5, -1.0, -0.8),  # no less than 1 - low
        (0.5, 1.0, 0.5),
        (0.5, 0.0, 0.0),
    ],
)
def test_the_clipped_objective(ratio, advantage, objective):
    found = clipped(ratios(ratio), torch.zeros(1), torch.tensor([advantage]), CLIP)
    assert found.item() == pytest.approx(objective)


@pytest.mark.parametrize(
    ("ratio", "advantage", "slope"),
    [(1.0, 2.0, 2.0), (1.5, 1.0, 0.0), (1.5, -1.0, -1.5), (0.5, -1.0, 0.0), (0.5, 1.0, 0.5)],
)
def test_the_clipped_objective_pushes_only_where_it_is_not_clipped(ratio, advantage, slope):
    log_p = ratios(ratio).requires_grad_(True)
    clipped(log_p, torch.zeros(1), torch.tensor([advantage]), CLIP).sum().backward()
    assert log_p.grad.item() == pytest.approx(slope)


def test_reinforce_is_the_advantage_times_the_log_probability():
    found = reinforce(ratios(0.5, 0.25), ratios(0.9, 0.9), torch.tensor([2.0, -1.0]), CLIP)
    torch.testing.assert_close(found, torch.tensor([-2 * math.log(2), math.log(4)]))


@pytest.mark.parametrize(
    ("mode", "weights"),
    [
        ("token-mean", [1 / 4] * 4),
        ("seq-mean-token-mean", [1 / 6, 1 / 6, 1 / 6, 1 / 2]),
        ("seq-mean-token-sum", [1 / 2] * 4),
    ],
)
def test_weights_of_two_contexts_with_three_tokens_and_one(mode, weights):
    found = LOSS_AGG_MODES[mode](torch.tensor([0, 0, 0, 1]))
    torch.testing.assert_close(found, torch.tensor(weights))


@pytest.mark.parametrize("mode", LOSS_AGG_MODES)
def test_weights_of_a_lone_token_and_of_none(mode):
    assert LOSS_AGG_MODES[mode](torch.tensor([7])).tolist() == [1.0]
    assert LOSS_AGG_MODES[mode](torch.zeros(0, dtype=torch.long)).tolist() == []


def test_entropy_in_nats_with_padding_left_out():
    half = math.log(0.5)
    table = torch.tensor([[half, half, float("-inf")], [0.0, float("-inf"), float("-inf")]])
    torch.testing.assert_close(entropy(table), torch.tensor([math.log(2), 0.0]))
    torch.testing.assert_close(entropy(torch.tensor([[0.5, 0.25, 0.25]]).log()), torch.tensor([1.5 * math.log(2)]))


def test_entropy_with_padding_has_a_finite_gradient():
    logits = torch.tensor([[0.0, 0.0, float("-inf")], [1.0, 2.0, 3.0]], requires_grad=True)
    entropy(torch.log_softmax(logits, dim=-1)).sum().backward()
    assert logits.grad.isfinite().all()
    assert logits.grad[0].tolist() == [0.0, 0.0, 0.0]  # already as spread out as it can be


def test_the_estimate_of_kl_by_hand():
    # d = log 2: e^d - d - 1 = 1 - log 2; d = -log 2: 1/2 + log 2 - 1; d = 0: nothing
    found = approximate_kl(ratios(2.0, 0.5, 1.0), torch.zeros(3))
    torch.testing.assert_close(found, torch.tensor([1 - math.log(2), math.log(2) - 0.5, 0.0]))


def test_the_estimate_of_kl_is_unbiased_under_the_old_policy():
    old, new = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.2, 0.2, 0.6])
    estimate = (old * approximate_kl(new.log(), old.log())).sum()
    torch.testing.assert_close(estimate, (old * (old / new).log()).sum())


def test_no_tokens_give_no_numbers():
    assert clipped(NOTHING, NOTHING, NOTHING, CLIP).tolist() == approximate_kl(NOTHING, NOTHING).tolist() == []
