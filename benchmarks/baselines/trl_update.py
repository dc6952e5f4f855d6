"""TRL's GRPOTrainer over the same tokens, with generation taken out, so that the update alone is timed.

The trainer is TRL's own but for one method: where it would generate and score completions, it is handed ours. The
prompt is what comes before a row's first trained token, the completion is the rest, `tool_mask` leaves out of the
loss what the agent did not write, and advantages are per token: all of this is TRL's own format. Timed by its
callbacks, from the beginning of the one optimiser step to its end. TRL trains one adapter, so all rows count as one
agent's. Needs the extra `bench`.
"""

import tempfile
import time
from collections.abc import Sequence
from typing import Any

import torch
from datasets import Dataset
from peft import PeftModel
from torch import Tensor
from transformers import PreTrainedTokenizerBase, PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from benchmarks.measure import Sample
from mage.rows import Row


class _OurTokens(GRPOTrainer):
    """Trains on rows that it is given."""

    rows: Sequence[Row] = ()

    def _generate_and_score_completions(self, inputs: Any) -> dict[str, Tensor]:
        return completions(self.rows, self.model.device)


class _Stopwatch(TrainerCallback):
    """Notes when optimiser steps begin and end."""

    seconds = 0.0
    _start = 0.0

    def on_step_begin(self, *args: Any, **kwargs: Any) -> None:
        self._start = time.perf_counter()

    def on_step_end(self, *args: Any, **kwargs: Any) -> None:
        self.seconds += time.perf_counter() - self._start


def completions(rows: Sequence[Row], device: torch.device) -> dict[str, Tensor]:
    """Return the rows as TRL holds them: prompts padded on the left, completions on the right."""
    cuts = [row.choices[0].position for row in rows]
    before, after = max(cuts), max(len(row.ids) - cut for row, cut in zip(rows, cuts, strict=True))
    shape = (len(rows), after)
    prompt_ids, prompt_mask = torch.zeros(len(rows), before, dtype=torch.long), torch.zeros(len(rows), before)
    ids, mask, own, advantages = torch.zeros(shape, dtype=torch.long), *(torch.zeros(shape) for _ in range(3))
    for i, (row, cut) in enumerate(zip(rows, cuts, strict=True)):
        prompt_ids[i, before - cut :] = torch.tensor(row.ids[:cut])
        prompt_mask[i, before - cut :] = 1
        ids[i, : len(row.ids) - cut] = torch.tensor(row.ids[cut:])
        mask[i, : len(row.ids) - cut] = 1
        for choice, advantage in zip(row.choices, row.advantages, strict=True):
            own[i, choice.position - cut] = 1
            advantages[i, choice.position - cut] = advantage
    batch = {
        "prompt_ids": prompt_ids,
        "prompt_mask": prompt_mask.long(),
        "completion_ids": ids,
        "completion_mask": mask.long(),
        "tool_mask": own.long(),
        "advantages": advantages,
        "num_items_in_batch": own.sum(),
    }
    return {name: tensor.to(device) for name, tensor in batch.items()}


def run(peft: PeftModel, tokenizer: PreTrainedTokenizerBase, rows: Sequence[Row], microbatch_rows: int) -> Sample:
    """Time one optimiser step over the rows; the amount is their tokens. Rows must be a multiple of the microbatch."""
    with tempfile.TemporaryDirectory() as folder:
        settings = GRPOConfig(
            output_dir=folder,
            per_device_train_batch_size=microbatch_rows,
            gradient_accumulation_steps=len(rows) // microbatch_rows,
            num_generations=microbatch_rows,
            max_steps=1,
            beta=0.0,
            bf16=False,
            use_cpu=peft.device.type == "cpu",
            gradient_checkpointing=False,
            dataloader_pin_memory=False,
            report_to="none",
            save_strategy="no",
            disable_tqdm=True,
            logging_strategy="no",
        )
        watch = _Stopwatch()
        trainer = _OurTokens(
            model=peft,
            reward_funcs=lambda completions, **columns: [0.0] * len(completions),
            args=settings,
            train_dataset=Dataset.from_dict({"prompt": ["-"] * len(rows)}),
            processing_class=tokenizer,
            callbacks=[watch],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.rows = rows
        trainer.train()
    return Sample(sum(len(row.ids) for row in rows), watch.seconds)
