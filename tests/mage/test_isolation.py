"""Weights that are not numbers stay their agent's own trouble: nobody else's tokens, samples or gradients see them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from mage import model_checks
from mage.contexts import Context, MoveRequest, TokenChoice
from mage.keys import PlayKeys
from mage.learner import Learner, UpdateSettings
from mage.losses import Clip
from mage.rows import Row
from mage.sampler import CachedSampler
from mage.scoring import distributions

SETTINGS = UpdateSettings("grpo", "token-mean", Clip(0.2, 0.2), 0.01, 1, 1, math.inf, 1.0, 4096)


def row(agent: str, opening: int, own: int, number: int) -> Row:
    """A context of an opening that is equal for all and `own` tokens; trained after the opening and at the end."""
    ids = (0, *(5 + (7 * i) % 50 for i in range(opening - 1)), *(60 + number + i for i in range(own)))
    choices = (TokenChoice(opening, (3, 4), 0, -0.7, 0, 0), TokenChoice(opening + own - 1, (3, 4), 0, -0.7, 0, 0))
    return Row(agent, ids, choices, (1.0, -1.0))


ROWS = {
    "shared openings of unequal lengths": [("ann", 20, 3), ("ann", 20, 4), ("bob", 9, 3), ("bob", 9, 4)],
    "ragged, the last one short": [("ann", 5, 9), ("bob", 5, 3), ("bob", 5, 2)],
    "padded to a multiple of eight": [("ann", 5, 67), ("bob", 5, 84)],
}


@pytest.fixture
def spoilt(bank):
    with torch.no_grad():
        for parameter in bank.adapters["ann"].parameters():
            parameter.fill_(math.nan)
    return bank


@pytest.mark.parametrize("shapes", ROWS.values(), ids=ROWS)
def test_the_trainer_keeps_it_apart(shapes, model, spoilt):
    rows = [row(*shape, number) for number, shape in enumerate(shapes)]
    first = 2 * sum(one.agent == "ann" for one in rows)
    with torch.no_grad():
        table = distributions(model, spoilt, rows)
    assert table[:first].isnan().any() and table[first:].isfinite().all()
    gradients = Learner(model, spoilt, ["ann", "bob"], SETTINGS, 5).gradients(rows)
    assert any(gradient.isnan().any() for gradient in gradients["ann"])
    assert all(gradient.isfinite().all() for gradient in gradients["bob"])


def test_a_lane_that_takes_over_a_cache_sees_nothing_of_it(model, spoilt):
    sampler = CachedSampler(model, spoilt, 32)

    def log_probs(agents: list[str], tokens: int) -> list[float]:
        contexts = [Context(agent, 0, list(range(5, 5 + tokens + i))) for i, agent in enumerate(agents)]
        requests = {i: MoveRequest(context, ("R", "P"), i, 0, 0) for i, context in enumerate(contexts)}
        sampler.open(agents).choose(requests, PlayKeys(1, "train", 0))
        return [choice.log_prob for context in contexts for choice in context.choices]

    clean = log_probs(["bob", "cid"], 3)
    assert all(map(math.isnan, log_probs(["ann", "ann"], 12)))
    assert log_probs(["bob", "cid"], 3) == clean


class Recurrent(torch.nn.Module):
    """Adds the token before, whoever's it is: what a packed row must not do."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, hidden, **options):
        return self.layer(hidden + hidden.roll(1, dims=1), **options)


@pytest.mark.parametrize("dtype", model_checks.TOLERANCES)
def test_a_network_whose_layers_mix_neighbouring_tokens_is_refused_when_it_is_loaded(model, dtype):
    model.network.to(dtype)
    model_checks.check(model)
    model.network.model.layers[0] = Recurrent(model.network.model.layers[0])
    with pytest.raises(ValueError, match="packed forward gives other numbers"):
        model_checks.check(replace(model))
