"""The weights of a model folder: safetensors only, and refused where some of them are missing or of another shape.

Left out: what stands on them (`mage.models`), what a network must be able to do (`mage.model_checks`).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, PreTrainedModel
from transformers.utils import logging as transformers_logging

from games.errors import RequestError

transformers_logging.disable_progress_bar()  # its bars for reading one small file would tear ours apart


def read_network(folder: Path, dtype: torch.dtype | None) -> PreTrainedModel:
    """Read the weights; ValueError where transformers would draw some of them at random and only log that."""
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()  # its report is the sentence that is raised here
    try:
        network, found = AutoModelForCausalLM.from_pretrained(
            folder,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            dtype=dtype or "auto",
            ignore_mismatched_sizes=True,  # refused here, in one line
            output_loading_info=True,
        )
    finally:
        transformers_logging.set_verbosity(verbosity)
    _check_complete(found)
    loaded: PreTrainedModel = network
    return loaded


def _check_complete(found: Mapping[str, Any]) -> None:
    """found: what transformers tells of the tensors; a tied one counts as there."""
    if found["missing_keys"]:
        first, *more = sorted(found["missing_keys"])
        raise ValueError(f"its weights lack {first}{f' and {len(more)} more' if more else ''}")
    if found["mismatched_keys"]:
        name, stored, wanted = min(found["mismatched_keys"])
        raise ValueError(f"{name} is of shape {tuple(stored)}, its config.json says {tuple(wanted)}")
    if found["error_msgs"]:
        raise ValueError(found["error_msgs"][0])


@contextmanager
def readable(folder: Path) -> Iterator[None]:
    """Turn what a folder without a usable model raises into one sentence."""
    try:
        yield
    except RequestError:  # says it already, and is a ValueError
        raise
    except (OSError, ValueError, SafetensorError) as error:
        reason = str(error).splitlines()[0]
        raise RequestError(f"{folder} is not a readable model folder ({reason}); build or copy it again") from error
