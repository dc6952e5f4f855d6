"""What a config leaves open is decided once, written down, and never decided again."""

from __future__ import annotations

import pytest
import torch

from games.errors import RequestError
from mage import settle
from mage.config import Config, differences
from mage.settle import adopted, settled, with_microbatch

OPPONENTS = {"training": ("tit_for_tat",)}


def config(**tables) -> Config:
    return Config.model_validate({"opponents": OPPONENTS, **tables})


def test_open_threads_become_torchs_own_number_and_tiny_stays_in_float32():
    run = settled(config()).run
    assert (run.threads, run.dtype) == (torch.get_num_threads(), "float32")


def test_what_is_set_stays():
    run = settled(config(run={"threads": 7, "dtype": "bfloat16"})).run
    assert (run.threads, run.dtype) == (7, "bfloat16")


@pytest.mark.parametrize(("seconds", "dtype"), [((1.0, 0.5), "bfloat16"), ((1.0, 0.9), "float32")])
def test_a_larger_model_takes_bfloat16_where_its_products_are_clearly_faster(monkeypatch, seconds, dtype):
    measured = dict(zip((torch.float32, torch.bfloat16), seconds, strict=True))
    monkeypatch.setattr(settle, "_product", measured.__getitem__)
    assert settled(config(model={"name": "./folder"})).run.dtype == dtype


@pytest.mark.parametrize("found", ["torch", "onednn"])
def test_a_larger_model_in_float32_is_multiplied_by_what_is_faster(monkeypatch, found):
    monkeypatch.setattr(settle, "faster", lambda: found)
    model = {"name": "./folder"}
    assert settled(config(model=model, run={"dtype": "float32"})).run.linear == found
    assert settled(config(model=model, run={"dtype": "float32", "linear": "torch"})).run.linear == "torch"
    assert settled(config(model=model, run={"dtype": "bfloat16"})).run.linear == "torch"
    assert settled(config()).run.linear == "torch"  # tiny: two fresh starts give the same bytes


def test_a_resume_takes_what_was_recorded_for_what_the_file_leaves_open_and_only_for_that():
    recorded = config(run={"threads": 3, "dtype": "bfloat16"}, learning={"microbatch_tokens": 1024})
    wanted = adopted(config(run={"threads": 5}, learning={"microbatch_tokens": 0}), recorded)
    assert (wanted.run.threads, wanted.run.dtype, wanted.learning.microbatch_tokens) == (5, "bfloat16", 1024)


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("rock_paper_scissors", 6),
        ("public_goods", 6),
        ("public_goods(seats=4,rounds=4)", 4),  # its name goes before the key
        ("kuhn_poker", None),
        ("openspiel:leduc_poker(players=3)", None),
        ("no_such_game", None),  # refused by whoever loads it
    ],
)
def test_rounds_that_are_left_out_are_filled_in_where_a_game_has_rounds(name, rounds):
    assert settled(config(game={"name": name})).game.rounds == rounds


def test_rounds_are_filled_in_for_a_matrix_of_ones_own_and_stay_where_they_are_set():
    matrix = {"name": "matrix", "moves": (("a", "b"), ("c",)), "payoffs": (((1.0,), (2.0,)), ((1.0,), (2.0,)))}
    assert settled(config(game=matrix)).game.rounds == 6
    assert settled(config(game={**matrix, "rounds": 3})).game.rounds == 3


@pytest.mark.parametrize("recorded", [6, None])  # None: of a run that was started before rounds were filled in
def test_a_resume_keeps_rounds_as_recorded_and_refuses_others(recorded):
    before = config(game={"rounds": recorded})
    assert differences(before, adopted(config(), before)) == []
    assert differences(before, adopted(config(game={"rounds": 3}), before)) == ["game.rounds"]


@pytest.mark.parametrize(
    ("seconds_per_token", "found"),
    [
        ({512: 3.0, 1024: 2.0, 2048: 1.0, 4096: 0.99}, 2048),  # 1% faster does not pay
        ({512: 1.0, 1024: 1.2}, 512),
    ],
)
def test_the_budget_doubles_until_that_no_longer_helps(monkeypatch, spelled, bank, seconds_per_token, found):
    def seconds(model, bank, rows) -> float:
        tokens = sum(len(row.ids) for row in rows)
        return tokens * seconds_per_token[tokens]

    monkeypatch.setattr(settle, "_seconds", seconds)
    names = set(bank.adapters)
    open_config = config(learning={"microbatch_tokens": 0})
    assert with_microbatch(open_config, spelled, bank, longest=128).learning.microbatch_tokens == found
    assert set(bank.adapters) == names


def test_the_budget_is_really_tried_out_and_leaves_the_learners_alone(monkeypatch, spelled, bank):
    monkeypatch.setattr(settle, "BUDGETS", (64, 128))
    before = {name: adapter.digest() for name, adapter in bank.adapters.items()}
    found = with_microbatch(config(learning={"microbatch_tokens": 0}), spelled, bank, longest=20)
    assert found.learning.microbatch_tokens in (64, 128)
    assert {name: adapter.digest() for name, adapter in bank.adapters.items()} == before
    assert all(p.grad is None for adapter in bank.adapters.values() for p in adapter.parameters())


def test_budgets_that_hold_no_more_rows_than_the_one_before_are_passed_over(monkeypatch, spelled, bank):
    """Of contexts of 700 tokens 512, 1024 hold one, 2048 two, 4096 five: five are as fast a token as two."""
    per_token = {1: 2.0, 2: 1.0, 5: 1.0}
    monkeypatch.setattr(settle, "_seconds", lambda model, bank, rows: 700 * len(rows) * per_token[len(rows)])
    found = with_microbatch(config(learning={"microbatch_tokens": 0}), spelled, bank, longest=700)
    assert found.learning.microbatch_tokens == 2048


def test_the_budget_is_tried_out_with_checkpointed_layers_too(monkeypatch, spelled, bank):
    monkeypatch.setattr(settle, "BUDGETS", (64,))
    spelled.checkpoint_layers()
    found = with_microbatch(config(learning={"microbatch_tokens": 0}), spelled, bank, longest=20)
    assert found.learning.microbatch_tokens == 64


@pytest.mark.parametrize("name", ["builtin:tiny", "./folder"])
def test_a_device_that_is_not_here_is_refused_in_one_sentence(name):
    with pytest.raises(RequestError, match='run.device: got "gpu"'):
        settled(config(run={"device": "gpu"}, model={"name": name}))


def test_a_budget_that_is_set_is_not_tried_out(spelled, bank):
    fixed = config(learning={"microbatch_tokens": 77})
    assert with_microbatch(fixed, spelled, bank, longest=20) is fixed
