"""Small random models of two architectures and a tokenizer that works on bytes, written in Hugging Face's format."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

SMALL = {"vocab_size": 300, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}


def llama(seed: int = 0, **options) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    shape = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    return LlamaForCausalLM(
        LlamaConfig(**SMALL, **shape, num_key_value_heads=2, max_position_embeddings=512, **options)
    )


def gpt2() -> GPT2LMHeadModel:
    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(**SMALL, n_embd=32, n_layer=2, n_head=4, n_positions=512))


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
