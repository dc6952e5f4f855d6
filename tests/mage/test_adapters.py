"""Adapters in the bank: routing, freezing, and PEFT's own format in both directions."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import peft
import pytest
import torch
from torch import Tensor

from games.errors import RequestError
from mage.adapter_files import LoraSettings
from mage.adapters import BASE, Adapter, AdapterBank, Segment, segments

IDS = torch.tensor([[0, 5, 9, 40, 7], [0, 11, 3, 8, 2], [0, 30, 31, 32, 33]])


def logits(bank: AdapterBank, agents: list[str], ids: Tensor = IDS) -> Tensor:
    with torch.no_grad(), bank.routed(agents):
        return bank.model(input_ids=ids[: len(agents)]).logits


def trainable(bank: AdapterBank) -> dict[str, bool]:
    table = {name: p.requires_grad for name, p in bank.model.named_parameters()}
    for agent, adapter in bank.adapters.items():
        table |= {f"{agent}.{name}": p.requires_grad for name, p in adapter.named_parameters()}
    return table


def storages(adapter: Adapter) -> set[int]:
    return {p.untyped_storage().data_ptr() for p in adapter.parameters()}


def test_segments_are_the_runs_of_equal_names():
    assert segments(["ann", "ann", "base", "ann"]) == (
        Segment("ann", 0, 2),
        Segment("base", 2, 3),
        Segment("ann", 3, 4),
    )


def test_the_product_of_a_layer_is_alpha_over_rank_times_b_a_x(bank):
    layer = "model.layers.0.mlp.down_proj"  # 64 -> 32
    adapter = bank.adapters["ann"]
    number = adapter.index[layer]
    with torch.no_grad():
        adapter.a[number].zero_()
        adapter.b[number].zero_()
        adapter.a[number][0, 2] = 3.0
        adapter.b[number][1, 0] = 5.0
    x = torch.zeros(2, 1, 64)
    x[1, 0, 2] = 7.0
    part = bank.delta(Segment("ann", 1, 2), layer, x)
    assert part[0, 0, 1].item() == pytest.approx(2 * 5 * 3 * 7)  # alpha 8 / rank 4
    assert part.count_nonzero() == 1
    assert bank.delta(Segment(BASE, 0, 1), layer, x) is None


def test_a_mixed_batch_gives_every_row_what_its_agent_gives_alone(bank):
    mixed = logits(bank, ["ann", "bob", BASE])
    for row, agent in enumerate(["ann", "bob", BASE]):
        alone = logits(bank, [agent], IDS[row : row + 1])
        torch.testing.assert_close(mixed[row], alone[0], rtol=0, atol=1e-5)
    assert (mixed[0] - logits(bank, ["bob", "bob", "bob"])[0]).abs().max() > 0.05  # the agents do differ


def test_a_fresh_adapter_and_the_agent_base_are_the_base_model(bank, base):
    bank.add("new", trainable=True, seed=9)
    with torch.no_grad():
        plain = base.network(input_ids=IDS).logits
    assert torch.equal(logits(bank, [BASE] * 3), plain)
    assert torch.equal(logits(bank, ["new"] * 3), plain)


def test_a_forward_outside_routed_is_refused(bank):
    with pytest.raises(RuntimeError, match="outside AdapterBank.routed"):
        bank.model(input_ids=IDS)


def test_a_route_for_fewer_rows_than_there_are_is_refused(bank):
    with pytest.raises(RuntimeError, match="1 .*3"), bank.routed(["ann"]):
        bank.model(input_ids=IDS)


@pytest.mark.parametrize("name", ["anne", "Base", ""])
def test_a_mistyped_agent_is_refused_and_never_means_the_base(bank, name):
    with pytest.raises(RequestError, match="unknown agent") as error, bank.routed(["ann", name]):
        pass
    assert "ann@1, base, bob" in str(error.value)
    assert bank.route == ()


def test_a_forward_that_fails_leaves_no_route_behind(bank):
    before = logits(bank, ["ann", "ann", "bob"])
    with pytest.raises(IndexError), bank.routed(["bob", "bob", "bob"]):
        bank.model(input_ids=torch.full((3, 4), 99_999))
    assert bank.route == ()
    with pytest.raises(RuntimeError, match="outside"):
        bank.model(input_ids=IDS)
    assert torch.equal(logits(bank, ["ann", "ann", "bob"]), before)


def test_a_snapshot_shares_no_storage_and_stays_when_the_learner_moves(bank):
    learner, snapshot = bank.adapters["ann"], bank.adapters["ann@1"]
    assert learner.digest() == snapshot.digest()
    assert not storages(learner) & storages(snapshot)
    before = snapshot.digest()
    with torch.no_grad():
        for p in learner.parameters():
            p.add_(1.0)
    assert snapshot.digest() == before != learner.digest()


def test_a_state_is_a_copy(bank):
    state = bank.adapters["ann"].state()
    before = bank.adapters["ann"].digest()
    for tensor in state.values():
        tensor.zero_()
    assert bank.adapters["ann"].digest() == before


def test_freezing_and_playing_change_nobodys_trainability(bank, play, pairings, rps):
    before = trainable(bank)
    assert {name.split(".")[0] for name, on in before.items() if on} == {"ann", "bob", "cid", "dan"}
    bank.freeze("bob", "bob@1")
    play(rps, pairings("peaked_habit(move=R,peak=0.8)")[:8], episodes=1)
    after = trainable(bank)
    assert {name: after[name] for name in before} == before
    assert not any(on for name, on in after.items() if name not in before)


def test_a_name_is_never_used_twice(bank):
    for name in ("ann", "ann@1", BASE):
        with pytest.raises(ValueError, match="never reused"):
            bank.add(name, trainable=True)


def test_fifty_snapshots_that_are_removed_again_leave_nothing(bank):
    def count() -> int:
        return sum(p.numel() for adapter in bank.adapters.values() for p in adapter.parameters())

    before = count()
    for number in range(50):
        bank.freeze("ann", f"ann@{number + 2}")
        bank.remove(f"ann@{number + 2}")
    assert count() == before


def test_an_adapter_that_the_bank_saved_loads_in_plain_peft(bank, base, tmp_path):
    bank.save("cid", tmp_path / "cid")
    plain = peft.PeftModel.from_pretrained(copy.deepcopy(base.network), tmp_path / "cid").eval()
    with torch.no_grad():
        theirs = plain(input_ids=IDS).logits
    torch.testing.assert_close(logits(bank, ["cid"] * 3), theirs, rtol=0, atol=1e-5)
    assert (theirs - logits(bank, [BASE] * 3)).abs().max() > 0.05


def peft_folder(base, folder: Path, **changes: object) -> Tensor:
    """Save a random adapter with PEFT itself and return the logits it gives."""
    options: dict[str, object] = {
        "r": 4,
        "lora_alpha": 8,
        "target_modules": "all-linear",
        "task_type": "CAUSAL_LM",
        "init_lora_weights": False,  # B random rather than zero
    }
    torch.manual_seed(5)
    plain = peft.get_peft_model(copy.deepcopy(base.network), peft.LoraConfig(**(options | changes))).eval()
    plain.save_pretrained(folder)
    with torch.no_grad():
        return plain(input_ids=IDS).logits


def test_an_adapter_that_peft_saved_loads_in_the_bank(bank, base, tmp_path):
    theirs = peft_folder(base, tmp_path)
    bank.load("guest", tmp_path, trainable=False)
    torch.testing.assert_close(logits(bank, ["guest"] * 3), theirs, rtol=0, atol=1e-5)
    assert (theirs - logits(bank, [BASE] * 3)).abs().max() > 0.05


def refusal(bank: AdapterBank, folder: Path) -> str:
    """The sentence that says why the folder is refused; the bank is left as it was."""
    names = set(bank.adapters)
    with pytest.raises(RequestError) as error:
        bank.load("guest", folder, trainable=True)
    assert set(bank.adapters) == names
    assert "\n" not in str(error.value)
    return str(error.value)


def test_another_rank_is_refused(bank, base, tmp_path):
    bank.save("ann", tmp_path)
    other = AdapterBank(copy.deepcopy(base.network), LoraSettings(rank=2, alpha=8.0), "other")
    assert "has rank 4 and alpha 8.0, this run has 2 and 8.0" in refusal(other, tmp_path)


def test_other_layers_are_refused(bank, base, tmp_path):
    peft_folder(base, tmp_path, target_modules=["q_proj"])
    assert "holds other layers" in refusal(bank, tmp_path)


@pytest.mark.parametrize("changes", [{"use_rslora": True}, {"alpha_pattern": {"q_proj": 99}}], ids=str)
def test_a_scale_that_the_bank_would_ignore_is_refused(bank, base, tmp_path, changes):
    peft_folder(base, tmp_path, **changes)
    assert next(iter(changes)) in refusal(bank, tmp_path)


def test_a_rank_that_only_the_weights_betray_is_refused(bank, base, tmp_path):
    peft_folder(base, tmp_path, r=2, lora_alpha=8)
    config = tmp_path / "adapter_config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"r": 4}))
    assert "expected (4, " in refusal(bank, tmp_path)


def test_a_damaged_weights_file_is_refused(bank, tmp_path):
    bank.save("ann", tmp_path)
    weights = tmp_path / "adapter_model.safetensors"
    whole = weights.read_bytes()
    for damaged in (whole[:-100], b"", b"not safetensors at all"):
        weights.write_bytes(damaged)
        assert "adapter_model.safetensors is damaged" in refusal(bank, tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "\xff"])
def test_a_damaged_config_is_refused(bank, tmp_path, text):
    bank.save("ann", tmp_path)
    (tmp_path / "adapter_config.json").write_bytes(text.encode("latin-1"))
    assert "adapter_config.json" in refusal(bank, tmp_path)


@pytest.mark.parametrize("missing", ["adapter_config.json", "adapter_model.safetensors"])
def test_a_missing_file_is_named(bank, tmp_path, missing):
    bank.save("ann", tmp_path)
    (tmp_path / missing).unlink()
    assert f"{missing} is missing" in refusal(bank, tmp_path)
