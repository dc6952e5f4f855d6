"""The distribution over the allowed tokens."""

from __future__ import annotations

import math

import torch

from mage.constrained import AllowedTokens, log_probs

CPU = torch.device("cpu")
HEAD = torch.tensor([[0.0], [math.log(2.0)], [math.log(6.0)], [math.log(100.0)]])  # odds 1 : 2 : 6 : 100
ONE = torch.tensor([[1.0]])


def test_the_odds_of_the_allowed_tokens_are_shared_among_them():
    found = log_probs(ONE, HEAD, AllowedTokens.of([(0, 1, 2)], CPU)).exp()
    torch.testing.assert_close(found, torch.tensor([[1 / 9, 2 / 9, 6 / 9]]))


def test_probabilities_follow_the_order_in_which_tokens_are_allowed():
    found = log_probs(ONE, HEAD, AllowedTokens.of([(2, 0)], CPU)).exp()
    torch.testing.assert_close(found, torch.tensor([[6 / 7, 1 / 7]]))


def test_rows_that_allow_fewer_tokens_are_padded_with_impossible_ones():
    allowed = AllowedTokens.of([(1, 2), (0, 1, 3), (1, 2)], CPU)
    assert allowed.union.tolist() == [0, 1, 2, 3]
    found = log_probs(ONE.expand(3, 1), HEAD, allowed)
    assert found[0, 2] == found[2, 2] == float("-inf")
    expected = torch.tensor([[2 / 8, 6 / 8, 0.0], [1 / 103, 2 / 103, 100 / 103], [2 / 8, 6 / 8, 0.0]])
    torch.testing.assert_close(found.exp(), expected)


def test_a_single_allowed_token_is_certain():
    assert log_probs(ONE, HEAD, AllowedTokens.of([(3,)], CPU)).tolist() == [[0.0]]


def test_tokens_that_are_not_allowed_and_padding_carry_no_gradient():
    head = HEAD.clone().requires_grad_(True)
    table = log_probs(ONE.expand(2, 1), head, AllowedTokens.of([(0, 1), (0, 1, 2)], CPU))
    table[:, 0].sum().backward()
    assert head.grad.isfinite().all()
    assert head.grad[3].item() == 0.0
    # d log p(0) / d logit(0) = 1 - p(0): 2/3 and 8/9
    torch.testing.assert_close(head.grad[0], torch.tensor([2 / 3 + 8 / 9]))


def test_logits_of_half_precision_are_normalised_in_single_precision():
    found = log_probs(ONE.bfloat16(), HEAD.bfloat16(), AllowedTokens.of([(0, 1, 2)], CPU))
    assert found.dtype == torch.float32
    assert abs(found.exp().sum().item() - 1.0) < 1e-6
