"""One update for everybody: the same as separate updates, and nobody else's weights move."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import pytest
import torch

from mage.adapters import AdapterBank
from mage.learner import Learner, UpdateSettings, linear_decay, microbatches, warmup
from mage.losses import Clip
from mage.rows import CreditSettings, Row, build_rows
from mage.scoring import distributions

LEARNERS = ("ann", "bob", "cid", "dan")
CREDIT = CreditSettings("sum", 1.0, 0.9, ("learner", "game"), "batch")
HABIT = "peaked_habit(move=10,peak=0.5)"
SETTINGS = UpdateSettings(
    loss_type="grpo",
    loss_agg_mode="token-mean",
    clip=Clip(0.2, 0.2),
    entropy_bonus=0.01,
    minibatches=2,
    epochs=2,
    max_kl=math.inf,
    max_grad_norm=0.5,
    microbatch_tokens=2000,
)


@pytest.fixture
def rows(play, pairings, spelled, castling) -> list[Row]:
    """Rows of four learners in one batch, ragged, in the order of the trials."""
    found, _ = build_rows(play(castling, pairings(HABIT)[::2], reader=spelled, episodes=1), LEARNERS, CREDIT)
    assert {row.agent for row in found} == set(LEARNERS)
    assert len({len(row.ids) for row in found}) > 4
    return found


def learner_of(spelled, bank, names=LEARNERS, **changes) -> Learner:
    return Learner(spelled, bank, names, replace(SETTINGS, **changes), seed=5)


def own(rows: list[Row], agent: str) -> list[Row]:
    return [row for row in rows if row.agent == agent]


def weights(bank: AdapterBank, agent: str) -> list[torch.Tensor]:
    return [p.detach().clone() for p in bank.adapters[agent].parameters()]


def distance(one: list[torch.Tensor], other: list[torch.Tensor]) -> float:
    """The greatest relative L2 distance over the tensors."""
    return max(float((a - b).norm() / b.norm()) for a, b in zip(one, other, strict=True))


def base_digest(bank: AdapterBank) -> str:
    sha = hashlib.sha256()
    for tensor in bank.model.state_dict().values():
        sha.update(tensor.numpy().tobytes())
    return sha.hexdigest()


@pytest.mark.parametrize("loss_agg_mode", ["token-mean", "seq-mean-token-mean", "seq-mean-token-sum"])
def test_a_mixed_batch_gives_each_learner_the_gradient_of_a_batch_of_its_own(loss_agg_mode, rows, spelled, bank):
    learner = learner_of(spelled, bank, loss_agg_mode=loss_agg_mode)
    mixed = learner.gradients(rows)
    for agent in LEARNERS:
        alone = learner.gradients(own(rows, agent))[agent]
        assert len(alone) == 2 * len(bank.shapes)
        assert min(float(gradient.norm()) for gradient in alone) > 1e-6
        assert distance(mixed[agent], alone) <= 1e-5


def test_a_mixed_update_gives_each_learner_the_weights_of_an_update_of_its_own(rows, spelled, bank):
    """Two epochs of two minibatches: minibatch order, clipping, moments and step count included."""
    before = {agent: weights(bank, agent) for agent in LEARNERS}
    learner_of(spelled, bank).update(rows, iteration=3, learning_rate=1e-3)
    mixed = {agent: weights(bank, agent) for agent in LEARNERS}
    for agent in LEARNERS:
        with torch.no_grad():
            for p, start in zip(bank.adapters[agent].parameters(), before[agent], strict=True):
                p.copy_(start)
        stats = learner_of(spelled, bank, [agent]).update(own(rows, agent), iteration=3, learning_rate=1e-3)
        assert list(stats) == [agent]
        assert stats[agent].steps == 4
        assert distance(mixed[agent], weights(bank, agent)) <= 1e-5
        assert distance(before[agent], mixed[agent]) > 1e-3  # it did move


def test_an_update_moves_only_the_learners_that_have_rows(rows, spelled, bank):
    digests = {name: adapter.digest() for name, adapter in bank.adapters.items()}
    base = base_digest(bank)
    stats = learner_of(spelled, bank).update(own(rows, "bob") + own(rows, "dan"), 0, 1e-2)
    moved = {name for name, adapter in bank.adapters.items() if adapter.digest() != digests[name]}
    assert moved == set(stats) == {"bob", "dan"}
    assert base_digest(bank) == base
    learner_of(spelled, bank).update(rows, 1, 1e-2)
    assert bank.adapters["ann@1"].digest() == digests["ann@1"]


def test_moments_of_an_idle_learner_do_not_move_it_later(rows, spelled, bank):
    learner = learner_of(spelled, bank)
    learner.update(rows, 0, 1e-3)
    before = bank.adapters["ann"].digest()
    learner.update(own(rows, "bob"), 1, 1e-3)
    assert bank.adapters["ann"].digest() == before


def test_the_budget_of_a_microbatch_does_not_change_the_gradient(rows, spelled, bank):
    whole = learner_of(spelled, bank, microbatch_tokens=10**9).gradients(rows)
    for budget in (1, 400):
        parts = learner_of(spelled, bank, microbatch_tokens=budget).gradients(rows)
        assert max(distance(parts[agent], whole[agent]) for agent in LEARNERS) <= 1e-5


def test_the_order_of_minibatches_does_not_depend_on_other_agents(rows, spelled, bank):
    learner = learner_of(spelled, bank, minibatches=3)

    def parts(batch: list[Row], iteration: int = 4, epoch: int = 1) -> list[list[Row]]:
        return [part.rows for part in learner._minibatches(batch, iteration, epoch)]

    for agent in LEARNERS:
        mixed = [own(part, agent) for part in parts(rows)]
        assert mixed == parts(own(rows, agent))
        assert sorted(map(id, sum(mixed, []))) == sorted(map(id, own(rows, agent)))
    assert parts(own(rows, "ann")) != parts(own(rows, "ann"), iteration=5)
    assert parts(own(rows, "ann")) != parts(own(rows, "ann"), epoch=0)


def test_fewer_rows_than_minibatches_give_fewer_steps(rows, spelled, bank):
    stats = learner_of(spelled, bank, minibatches=5, epochs=1).update(rows[:1], 0, 1e-3)
    assert stats[rows[0].agent].steps == 1


def test_no_rows_change_nothing(spelled, bank):
    before = {name: adapter.digest() for name, adapter in bank.adapters.items()}
    assert learner_of(spelled, bank).update([], 0, 1e-2) == {}
    assert {name: adapter.digest() for name, adapter in bank.adapters.items()} == before


def test_too_much_kl_skips_that_learners_steps_and_only_those(rows, spelled, bank):
    """bob's rows say that they were sampled with half the probability: ratio 2, k3 = 1 - log 2 = 0.307 nats."""
    shifted = [
        replace(row, choices=tuple(replace(c, log_prob=c.log_prob - math.log(2)) for c in row.choices))
        if row.agent == "bob"
        else row
        for row in rows
    ]
    digests = {name: adapter.digest() for name, adapter in bank.adapters.items()}
    stats = learner_of(spelled, bank, max_kl=0.25, epochs=1).update(shifted, 0, 1e-6)
    assert stats["bob"].kl == pytest.approx(1 - math.log(2), abs=1e-3)
    assert (stats["bob"].steps, stats["bob"].skipped_minibatches) == (0, 2)
    assert all((stats[agent].steps, stats[agent].skipped_minibatches) == (2, 0) for agent in ("ann", "cid", "dan"))
    moved = {name for name, adapter in bank.adapters.items() if adapter.digest() != digests[name]}
    assert moved == {"ann", "cid", "dan"}


def test_before_the_first_step_sampler_and_trainer_agree(rows, spelled, bank):
    for stat in learner_of(spelled, bank).update(rows, 0, 1e-3).values():
        assert stat.logp_difference_max < 1e-4
        assert stat.logp_difference_mean <= stat.logp_difference_max
        assert stat.kl > 1e-8  # later minibatches have moved


@pytest.mark.parametrize("loss_type", ["grpo", "reinforce"])
def test_advantages_of_zero_without_an_entropy_bonus_give_no_gradient(loss_type, rows, spelled, bank):
    flat = [replace(row, advantages=(0.0,) * len(row.advantages)) for row in rows]
    learner = learner_of(spelled, bank, loss_type=loss_type, entropy_bonus=0.0)
    assert all(not gradient.any() for parts in learner.gradients(flat).values() for gradient in parts)
    digests = {name: adapter.digest() for name, adapter in bank.adapters.items()}
    learner.update(flat, 0, 1e-2)
    assert {name: adapter.digest() for name, adapter in bank.adapters.items()} == digests


def test_a_learner_whose_advantages_are_not_numbers_does_not_poison_its_neighbours(rows, spelled, bank):
    learner = learner_of(spelled, bank)
    clean = learner.gradients(rows)
    spoilt = [replace(row, advantages=(math.nan,) * len(row.choices)) if row.agent == "bob" else row for row in rows]
    found = learner.gradients(spoilt)
    assert max(distance(found[agent], clean[agent]) for agent in ("ann", "cid", "dan")) <= 1e-6


def test_the_gradient_is_the_slope_of_the_loss(rows, spelled, bank):
    """Move one weight by a little in double precision, and compare the difference of the objective by hand."""
    batch = own(rows, "ann")[:2]
    spelled.network.double()
    bank.adapters["ann"].double()
    learner = learner_of(spelled, bank, entropy_bonus=0.0, loss_type="reinforce")
    gradients = learner.gradients(batch)["ann"]
    number = max(range(len(gradients)), key=lambda i: float(gradients[i].abs().max()))
    where = int(gradients[number].abs().argmax())
    parameter = list(bank.adapters["ann"].parameters())[number]

    def loss() -> float:
        with torch.no_grad():
            table = distributions(spelled, bank, batch)
        choices = [choice for row in batch for choice in row.choices]
        values = [a for row in batch for a in row.advantages]
        terms = [float(table[i, c.chosen]) * a for i, (c, a) in enumerate(zip(choices, values, strict=True))]
        return -sum(terms) / len(terms)

    step, at = 0.01, []
    for sign in (1, -1):
        with torch.no_grad():
            parameter.view(-1)[where] += sign * step
            at.append(loss())
            parameter.view(-1)[where] -= sign * step
    slope = (at[0] - at[1]) / (2 * step)
    assert float(gradients[number].view(-1)[where]) == pytest.approx(slope, rel=0.02)


def test_microbatches_by_hand():
    # 3 rows of at most 4 fit into 12 padded tokens; the row of 7 makes a pair of 14; a row too long goes alone
    assert list(microbatches([4, 3, 4, 4, 7, 20, 1], 12)) == [(0, 3), (3, 4), (4, 5), (5, 6), (6, 7)]
    assert list(microbatches([5, 5], 10)) == [(0, 2)]
    assert list(microbatches([5, 5], 9)) == [(0, 1), (1, 2)]
    assert list(microbatches([], 9)) == []


def test_the_learning_rate_falls_in_a_line_from_first_to_last():
    assert [linear_decay(1.0, 0.2, i, 5) for i in range(5)] == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2])
    assert linear_decay(1.0, 0.2, 0, 1) == 1.0


def test_a_warm_up_by_hand():
    assert [warmup(steps, 4) for steps in range(6)] == [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]
    assert warmup(0, 0) == warmup(0, 1) == 1.0


def test_a_fresh_adams_first_step_moves_a_weight_by_the_whole_rate_and_with_a_warm_up_by_its_share(rows, spelled, bank):
    for warmup_steps, moved in ((0, 1e-2), (4, 2.5e-3)):
        before = weights(bank, "ann")
        learner = learner_of(spelled, bank, warmup_steps=warmup_steps, minibatches=1, epochs=1)
        stats = learner.update(own(rows, "ann"), 0, 1e-2)
        steps = [float((a - b).abs().max()) for a, b in zip(weights(bank, "ann"), before, strict=True)]
        assert max(steps) == pytest.approx(moved, rel=1e-3)
        assert stats["ann"].learning_rate == moved


def test_each_learner_warms_up_by_its_own_steps(rows, spelled, bank):
    learner = learner_of(spelled, bank, warmup_steps=4, minibatches=3, epochs=1)
    learner.update(own(rows, "bob"), 0, 1e-2)
    stats = learner.update(rows, 1, 2e-3)
    assert stats["ann"].learning_rate == pytest.approx(2e-3 * 3 / 4)
    assert stats["bob"].learning_rate == 2e-3


def test_the_same_update_twice_gives_the_same_bytes(rows, spelled, bank):
    start = {agent: bank.adapters[agent].state() for agent in LEARNERS}
    digests = []
    for _ in range(2):
        for agent in LEARNERS:
            bank.adapters[agent].load(start[agent], agent)
        learner_of(spelled, bank).update(rows, 0, 1e-3)
        digests.append([bank.adapters[agent].digest() for agent in LEARNERS])
    assert digests[0] == digests[1]
