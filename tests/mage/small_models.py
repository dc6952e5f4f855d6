"""Small random models of several architectures in Hugging Face's format, and a tokenizer that works on bytes."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

SMALL = {"vocab_size": 300, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
SHAPE = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
ROTARY = {**SMALL, **SHAPE, "max_position_embeddings": 512}
GROUPED = {**ROTARY, "num_key_value_heads": 2}
LEARNED = {**SMALL, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512}
WINDOWED = ["sliding_attention", "full_attention"]  # each with a rotary base of its own
FAMILIES = {
    "llama": GROUPED,
    "qwen2": GROUPED,  # biases in query, key and value
    "qwen3": {**GROUPED, "head_dim": 12},  # norms of query and key; heads x head_dim is not the width
    "gpt2": LEARNED,  # Conv1D layers, learned positions, biases
    "gpt_neox": ROTARY,  # query, key and value in one layer, a parallel residual, part of a head rotated, biases
    "gemma": {**GROUPED, "num_key_value_heads": 1, "head_dim": 12},  # scaled embeddings, norms of 1 + weight
    "gemma3_text": {**GROUPED, "head_dim": 12, "layer_types": WINDOWED, "sliding_window": 256},  # longer than a context
}
LIVELY = 6.0  # a fresh network's matrices are so small that hardly anything depends on the context


def llama(seed: int = 0, **options) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    return LlamaForCausalLM(LlamaConfig(**{**GROUPED, **options}))


def gpt2() -> GPT2LMHeadModel:
    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(**LEARNED))


def lively(kind: str, **options) -> PreTrainedModel:
    """Of a transformers model type, every weight of it random: biases and norms too, which begin at 0 and 1."""
    torch.manual_seed(3)
    network = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **options)).eval()
    with torch.no_grad():
        for p in network.parameters():
            p.copy_(LIVELY * p if p.dim() > 1 else p + 0.1 * torch.randn(p.shape))
    return network


def family(kind: str, *, tied: bool) -> PreTrainedModel:
    """tied: whether the head is the embedding."""
    return lively(kind, **{**FAMILIES[kind], "tie_word_embeddings": tied})


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """As SmolLM2's and GPT-2's: words of bytes, and a token that opens a text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>", "<other>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(["they played R; you get 1\n", "episode 1\n"], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>")


def write(folder: Path, network, tokenizer: PreTrainedTokenizerFast | None = None) -> Path:
    network.save_pretrained(folder)
    (tokenizer or byte_tokenizer()).save_pretrained(folder)
    return folder
