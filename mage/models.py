"""Base models by name: the frozen causal language model, its codec, and what it may be called with.

Left out: reading weights (`mage.model_files`), everything that trains. `builtin:tiny` is built in `mage.tiny`.
"""

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast
from transformers.cache_utils import Cache
from transformers.modeling_layers import GradientCheckpointingLayer

from games.errors import RequestError
from mage import model_checks
from mage.attention import NAME, Layout
from mage.codec import Codec
from mage.model_files import read_network, readable
from mage.turn_style import control_ids, style_of

CHUNK = 1 << 24  # bytes
WEIGHT_FILE = "*.safetensors"
TEXT_FILES = (  # that decide, too
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
)


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A causal language model with its tokenizer's codec."""

    name: str
    network: PreTrainedModel
    codec: Codec

    def __post_init__(self) -> None:
        """Let the network attend over packed tokens where a forward asks for it."""
        self.network.set_attn_implementation(NAME)

    @property
    def head(self) -> Tensor:
        """Return the output head's weight, [vocabulary, width]."""
        head = self.network.get_output_embeddings()
        assert isinstance(head, nn.Linear)
        return head.weight

    @property
    def layers(self) -> int:
        """Return the number of attention layers, each with a cache of its own."""
        return int(self.network.config.num_hidden_layers)

    @property
    def max_tokens(self) -> int:
        """Return the longest context that the model can position and see whole."""
        return _longest(self.network.config)

    @property
    def device(self) -> torch.device:
        """Return where the weights are."""
        return self.network.device

    @property
    def dtype(self) -> torch.dtype:
        """Return the number type of the weights, in which everything but the adapters' masters is computed."""
        return self.network.dtype

    def hidden(self, ids: Tensor, positions: Tensor, mask: Tensor | None = None, cache: Cache | None = None) -> Tensor:
        """Return the last hidden states [rows, T, width] of ids [rows, T] at positions [rows, T].

        Without a mask attention is plainly causal, which suits rows padded on the right.
        """
        output = self.network.base_model(
            input_ids=ids,
            position_ids=positions,
            attention_mask=mask,
            cache=cache,
            use_cache=cache is not None,
        )
        state: Tensor = output.last_hidden_state
        return state

    def checkpoint_layers(self) -> None:
        """Keep the activations of one layer at a time where gradients are taken, and compute the others again.

        Raises RequestError for an architecture that can't.
        """
        layers = [module for module in self.network.modules() if isinstance(module, GradientCheckpointingLayer)]
        if not layers or not self.network.supports_gradient_checkpointing:
            kind = type(self.network).__name__
            raise RequestError(f"{kind} can't compute its layers again; set learning.gradient_checkpointing to false")
        self.network.activation_checkpointing_enable()
        for layer in layers:
            layer.training = True  # of the layer alone, which looks at it; what is inside stays in evaluation mode

    def packed_hidden(self, ids: Tensor, positions: Tensor, layout: Layout) -> Tensor:
        """Return the last hidden states [N, width] of packed ids [N] at positions [N] (`mage.packing`)."""
        output = self.network.base_model(
            input_ids=ids[None],
            position_ids=positions[None],
            attention_mask=ids.new_zeros(1, 1, 1, 1),  # of four dimensions, so that no mask over N x N is made
            use_cache=False,
            mage_layout=layout,
        )
        state: Tensor = output.last_hidden_state[0]
        return state


def wait_for(device: torch.device) -> None:
    """Wait until a device that works on its own has done what it was given; a CPU has."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def seconds_of(device: torch.device, run: Callable[[], object]) -> float:
    """Return the seconds that `run` takes, the device's own work included."""
    wait_for(device)
    start = time.perf_counter()
    run()
    wait_for(device)
    return time.perf_counter() - start


def save(model: LanguageModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write weights (safetensors) and tokenizer in Hugging Face's format."""
    model.network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def load(
    folder: Path, name: str, dtype: torch.dtype | None = None, start: str | None = None, template: str = "plain"
) -> LanguageModel:
    """Read a model folder; weights are safetensors only and nothing in the folder is run.

    dtype: of the weights, as stored unless given; where it is the stored one they stay mapped from the file. start,
    template: see `codec_of`. Raises RequestError for a folder that lacks some of the weights, or holds them in other
    shapes than its config.json says.
    """
    with readable(folder):
        network = read_network(folder, dtype)
        model = LanguageModel(name, network, codec_of(load_tokenizer(folder), name, start, template))
        model_checks.check(model)
    return model


def load_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    """Read the tokenizer of a model folder as its tokenizer.json has it."""
    with readable(folder):
        return PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True)


def load_max_tokens(folder: Path) -> int:
    """Return the longest context that the model of a folder can position, without reading its weights."""
    with readable(folder):
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        return _longest(config.get_text_config())


def _longest(config: PreTrainedConfig) -> int:
    """Return the positions that a config allows, fewer where some layers see a window only."""
    longest = getattr(config, "max_position_embeddings", None)
    if longest is None:
        raise ValueError("its config.json says no max_position_embeddings")
    window, kinds = getattr(config, "sliding_window", None), getattr(config, "layer_types", None)
    if window is not None and (kinds is None or "sliding_attention" in kinds):
        return min(int(longest), int(window))
    return int(longest)


def digest(folder: Path) -> str:
    """Return a hash of all that a base computes and reads with: its weights, its config and its tokenizer."""
    sha = hashlib.sha256()
    texts = (folder / name for name in TEXT_FILES)
    for path in [*(path for path in texts if path.exists()), *sorted(folder.glob(WEIGHT_FILE))]:
        sha.update(f"{path.name} {path.stat().st_size}\n".encode())
        for chunk in _chunks(path):
            sha.update(chunk)
    return sha.hexdigest()[:16]


def weights_digest(folder: Path) -> str:
    """Return a hash of the weights alone, for a base whose config and tokenizer are made from the run's settings."""
    sha = hashlib.sha256()
    for path in sorted(folder.glob(WEIGHT_FILE)):
        for chunk in _chunks(path):
            sha.update(chunk)
    return sha.hexdigest()[:16]


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def codec_of(tokenizer: PreTrainedTokenizerFast, name: str, start: str | None = None, template: str = "plain") -> Codec:
    """Return how a model reads and writes.

    start: the token that opens a context in plain text, the beginning of text unless given. template: as
    prompt.template (`mage.turn_style`). Raises RequestError for a chat template that can't be used.
    """
    style = style_of(tokenizer, template, name)
    return Codec(tokenizer, start_ids(tokenizer, start), style, control_ids(tokenizer, style))


def start_ids(tokenizer: PreTrainedTokenizerFast, start: str | None = None) -> tuple[int, ...]:
    """Return the ids that open every context: of `start`, else the beginning-of-text token where there is one."""
    if start is not None:
        return (int(tokenizer.convert_tokens_to_ids(start)),)
    return () if tokenizer.bos_token_id is None else (int(tokenizer.bos_token_id),)
