"""A checkpoint brings back adapters and optimisers exactly, keeps two folders, and is never half there."""

import json
import os

import pytest
import torch

from games.errors import RequestError
from mage import checkpoint
from mage.session import reopen

pytest_plugins = ["tests.mage.small_run"]

NAMES = ("ann", "bob")


class Killed(BaseException):
    """Stands for a process that ends here."""


@pytest.fixture
def bank(finished):
    """A bank with two learners, and an optimiser for each."""
    bank = reopen(finished).bank
    for number, name in enumerate(NAMES):
        bank.add(name, trainable=True, seed=number)
    return bank


def optimisers_of(bank):
    return {name: torch.optim.AdamW(bank.adapters[name].parameters(), lr=0.01) for name in NAMES}


def step(bank, optimisers, name):
    for number, parameter in enumerate(bank.adapters[name].parameters()):
        parameter.grad = torch.full_like(parameter, 0.5 + number)
    optimisers[name].step()
    optimisers[name].zero_grad(set_to_none=True)


def digests(bank):
    return {name: bank.adapters[name].digest() for name in NAMES}


def test_the_next_step_after_loading_is_the_step_that_would_have_followed(bank, tmp_path):
    optimisers = optimisers_of(bank)
    step(bank, optimisers, "ann")
    checkpoint.save(tmp_path, {"iteration": 1, "more": [1.5]}, bank, optimisers)
    step(bank, optimisers, "ann")
    after = digests(bank)
    fresh = optimisers_of(bank)
    assert checkpoint.load(tmp_path, bank, fresh) == {"schema": checkpoint.SCHEMA, "iteration": 1, "more": [1.5]}
    assert digests(bank) != after
    step(bank, fresh, "ann")
    assert digests(bank) == after
    assert not fresh["bob"].state  # it had not stepped yet


def test_the_two_newest_folders_are_kept_and_the_latest_is_named(bank, tmp_path):
    for iteration in (2, 4, 6):
        checkpoint.save(tmp_path, {"iteration": iteration}, bank, optimisers_of(bank))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["000004", "000006", "LATEST"]
    assert checkpoint.latest(tmp_path) == tmp_path / "000006"
    assert sorted(path.name for path in checkpoint.learners(tmp_path).iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("moment", ["sync_tree", "replace", "write_durably"])
def test_a_save_that_is_cut_short_leaves_the_one_before(bank, tmp_path, monkeypatch, moment):
    def end(*arguments):
        raise Killed

    checkpoint.save(tmp_path, {"iteration": 2}, bank, optimisers_of(bank))
    with monkeypatch.context() as patch:
        patch.setattr(os if moment == "replace" else checkpoint, moment, end)
        with pytest.raises(Killed):
            checkpoint.save(tmp_path, {"iteration": 4}, bank, optimisers_of(bank))
    assert checkpoint.load(tmp_path, bank, optimisers_of(bank))["iteration"] == 2
    checkpoint.save(tmp_path, {"iteration": 4}, bank, optimisers_of(bank))
    assert checkpoint.load(tmp_path, bank, optimisers_of(bank))["iteration"] == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["000002", "000004", "LATEST"]


def test_a_checkpoint_of_another_schema_is_refused(bank, tmp_path):
    checkpoint.save(tmp_path, {"iteration": 2}, bank, optimisers_of(bank))
    (tmp_path / "000002" / "state.json").write_text(json.dumps({"schema": "mage.checkpoint/9"}))
    with pytest.raises(RequestError, match=r"mage\.checkpoint/9.*expected 'mage\.checkpoint/1'"):
        checkpoint.load(tmp_path, bank, optimisers_of(bank))
