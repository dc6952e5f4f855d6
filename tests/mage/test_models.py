"""A model folder is read whole or refused in one sentence; its hash is of all that it computes and reads with."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaForCausalLM, OpenAIGPTConfig, OpenAIGPTLMHeadModel

from games.errors import RequestError
from mage.codec import Codec
from mage.models import LanguageModel, digest, load, weights_digest
from tests.mage.small_models import byte_tokenizer, llama, write

UP = "model.layers.1.mlp.up_proj.weight"


@pytest.fixture(scope="module")
def llama_folder(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("llama"), llama())


@pytest.fixture
def folder(llama_folder, tmp_path) -> Path:
    """A copy, to be changed."""
    return shutil.copytree(llama_folder, tmp_path / "model")


@pytest.fixture
def logged(caplog) -> Iterator[pytest.LogCaptureFixture]:
    """What transformers logs, which it does not hand on to the root logger."""
    logging.getLogger("transformers").addHandler(caplog.handler)
    yield caplog
    logging.getLogger("transformers").removeHandler(caplog.handler)


def store(folder: Path, changed: dict[str, torch.Tensor | None]) -> None:
    """Put tensors in place of a folder's; None leaves one out."""
    tensors = load_file(folder / "model.safetensors") | changed
    kept = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def test_the_configured_number_type_is_what_is_loaded(llama_folder):
    assert load(llama_folder, "x").dtype == torch.float32
    assert load(llama_folder, "x", torch.bfloat16).dtype == torch.bfloat16


def test_a_token_of_the_models_own_opens_a_context_unless_the_table_names_one(llama_folder):
    assert load(llama_folder, "x").codec.start == (0,)
    assert load(llama_folder, "x", start="<other>").codec.start == (1,)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({UP: None}, f"its weights lack {UP}"),
        ({UP: None, "model.norm.weight": None}, f"its weights lack {UP} and 1 more"),
        ({"lm_head.weight": None}, "its weights lack lm_head.weight"),
        ({UP: torch.zeros(40, 32)}, rf"{UP} is of shape \(40, 32\), its config.json says \(48, 32\)"),
    ],
)
def test_weights_that_are_missing_or_of_another_shape_are_not_drawn_at_random(folder, logged, changed, told):
    store(folder, changed)
    with pytest.raises(
        RequestError, match=rf"model is not a readable model folder \({told}\); build or copy it again$"
    ):
        load(folder, "x")
    assert logged.messages == []  # transformers' report of the same


def test_a_head_that_is_the_embedding_need_not_be_stored(tmp_path):
    folder = write(tmp_path / "tied", llama(tie_word_embeddings=True))
    assert "lm_head.weight" not in load_file(folder / "model.safetensors")
    model = load(folder, "x")
    assert torch.equal(model.head, model.network.get_input_embeddings().weight)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"])
def test_a_byte_more_in_a_file_that_a_base_stands_on_makes_it_another_base(folder, name):
    before = digest(folder), weights_digest(folder)
    with (folder / name).open("ab") as file:
        file.write(b"\n")
    changed = digest(folder) != before[0], weights_digest(folder) != before[1]
    assert changed == (True, name == "model.safetensors")


def test_other_files_of_a_folder_do_not_count(folder):
    before = digest(folder)
    (folder / "README.md").write_text("a model")
    (folder / "generation_config.json").unlink()
    assert digest(folder) == before


def test_a_byte_that_moves_from_one_file_to_the_next_makes_another_base(tmp_path):
    for name, config, tokenizer in (("a", "12", "3"), ("b", "1", "23")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(config)
        (tmp_path / name / "tokenizer.json").write_text(tokenizer)
    assert digest(tmp_path / "a") != digest(tmp_path / "b")


def openai_gpt() -> OpenAIGPTLMHeadModel:
    """Of an architecture whose layers transformers can't compute again."""
    return OpenAIGPTLMHeadModel(OpenAIGPTConfig(vocab_size=300, n_positions=64, n_embd=32, n_layer=1, n_head=2))


def test_layers_that_cannot_be_computed_again_are_told_with_the_setting(monkeypatch):
    sentence = "can't compute its layers again; set learning.gradient_checkpointing to false"
    codec = Codec(byte_tokenizer(), (0,))
    with pytest.raises(RequestError, match=f"OpenAIGPTLMHeadModel {sentence}"):
        LanguageModel("x", openai_gpt(), codec).checkpoint_layers()
    model = LanguageModel("x", llama(), codec)
    monkeypatch.setattr(LlamaForCausalLM, "supports_gradient_checkpointing", False)
    with pytest.raises(RequestError, match=f"LlamaForCausalLM {sentence}"):
        model.checkpoint_layers()
    assert not any(module.training for module in model.network.model.layers.eval().modules())


def test_layers_that_can_be_computed_again_are_all_switched():
    model = LanguageModel("x", llama().eval(), Codec(byte_tokenizer(), (0,)))
    model.checkpoint_layers()
    assert [(layer.training, layer.mlp.training) for layer in model.network.model.layers] == [(True, False)] * 2
