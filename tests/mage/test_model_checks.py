"""What a family needs and can't be had is refused when the model is loaded, in one sentence; all else is accepted."""

from __future__ import annotations

import pytest
import torch

from games.errors import RequestError
from mage.models import load
from tests.mage.small_models import FAMILIES, GROUPED, LEARNED, ROTARY, family, lively, write

WINDOW = {**GROUPED, "head_dim": 12, "sliding_window": 40}
UNCAPPED = {"attn_logit_softcapping": None, "final_logit_softcapping": None}
HEAD = "its head is not one matrix without bias, scale or cap, which is what mage scores moves with"
LAYERS = "its layers are not plain attention"
PACKED = "its layers can't read packed tokens"
REFUSED = {
    "scores of attention that are capped": ("gemma2", WINDOW, "this model's attention uses softcap"),
    "logits that are capped": ("gemma2", {**WINDOW, "attn_logit_softcapping": None}, HEAD),
    "logits that are scaled": ("granite", {**GROUPED, "logits_scaling": 4.0}, HEAD),
    "a head with a bias": ("phi", ROTARY, HEAD),
    "attention to later tokens": ("gemma3_text", {**WINDOW, "use_bidirectional_attention": True}, LAYERS),
    "attention that fades with distance": (
        "mpt",
        {"vocab_size": 300, "d_model": 32, "n_heads": 4, "n_layers": 2},
        LAYERS,
    ),
    "attention sinks": ("gpt_oss", {**GROUPED, "num_local_experts": 4}, "this model's attention uses s_aux"),
    "attention that transformers can't switch": ("stablelm", GROUPED, PACKED),
    "no attention": ("mamba", {"vocab_size": 300, "hidden_size": 32, "num_hidden_layers": 2}, PACKED),
    "no body apart from the head": ("llama4_text", {**GROUPED, "num_local_experts": 2}, PACKED),
}
ACCEPTED = {
    "gemma 2 without caps, as far as its window": ("gemma2", {**WINDOW, **UNCAPPED}, 40),
    "gemma 3, as far as its window": ("gemma3_text", WINDOW, 40),
    "gpt-2 with scores divided by the layer's number": (
        "gpt2",
        {**LEARNED, "scale_attn_by_inverse_layer_idx": True},
        512,
    ),
    "gpt-2 without scaled scores": ("gpt2", {**LEARNED, "scale_attn_weights": False}, 512),
    "gpt-neox without biases, one sum after the other": (
        "gpt_neox",
        {**ROTARY, "use_parallel_residual": False, "attention_bias": False},
        512,
    ),
}
DTYPES = (torch.float32, torch.bfloat16)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_not_computed_is_refused(reason, dtype, tmp_path):
    kind, options, told = REFUSED[reason]
    folder = write(tmp_path / "model", lively(kind, **options))
    with pytest.raises(RequestError) as error:
        load(folder, "x", dtype)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("kind", ACCEPTED)
def test_settings_of_a_family_that_change_nothing_here_are_accepted(kind, dtype, tmp_path):
    kind, options, longest = ACCEPTED[kind]
    assert load(write(tmp_path / "model", lively(kind, **options)), "x", dtype).max_tokens == longest


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
@pytest.mark.parametrize("kind", FAMILIES)
def test_every_family_is_accepted_with_its_own_head(kind, tied, dtype, tmp_path):
    model = load(write(tmp_path / "model", family(kind, tied=tied)), "x", dtype)
    assert (model.head is model.network.get_input_embeddings().weight) == tied
    assert model.dtype == dtype


def test_a_cap_far_above_the_logits_is_refused_as_well(tmp_path):
    """Of logits around 0.1 a cap of 30 takes less than rounding does; of a trained model's it takes much."""
    network = lively("gemma2", **{**WINDOW, "attn_logit_softcapping": None})
    with torch.no_grad():
        network.lm_head.weight.mul_(0.01)
        assert network(torch.arange(3, 9)[None]).logits.abs().max() < 0.5
    with pytest.raises(RequestError, match=HEAD):
        load(write(tmp_path / "model", network), "x")
