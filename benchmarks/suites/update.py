"""Updates of the real model: ours against the bare forward and backward; beside it, PEFT's and TRL's."""

from importlib.util import find_spec

from benchmarks.arena import peft_folders
from benchmarks.baselines import plain_loop
from benchmarks.baselines.bare_backward import BareUpdate
from benchmarks.baselines.peft_update import PeftUpdate
from benchmarks.bench import LEARNING_RATE, Bench, fastest_learner
from benchmarks.measure import Arm, alternate, timed
from benchmarks.results import Check, Outcome, Row
from mage.rows import Row as Context
from mage.tiny import build_tokenizer

BOUND_BAR = 0.80
TRL_ROWS = 4  # of a microbatch
NEEDED = ("trl", "datasets")


def run(bench: Bench) -> Outcome:
    """Compare updates on the same rows."""
    arena, rows = bench.arena, bench.rows
    bench.tell("finding the fastest microbatches")
    learner, budget = fastest_learner(arena, bench.agents, rows)
    bare = BareUpdate(arena.bare, [row.ids for row in rows])
    keeper, folders = peft_folders(arena, bench.agents)
    with keeper:
        peft = PeftUpdate(plain_loop.load(arena.copy_of_base(), folders), bench.agents, bare.microbatch)
    tokens = sum(len(row.ids) for row in rows)
    learner.work.take()

    def ours() -> float:
        learner.update(rows, 0, LEARNING_RATE)
        return tokens

    arms: dict[str, Arm] = {
        "update": lambda: timed(bench.device, ours),
        "bare forward and backward": bare.run,
        "PEFT update": lambda: timed(bench.device, lambda: peft.update(rows)),
    }
    if missing() is None:
        arms["TRL update"] = trl_arm(bench, rows)
    series = alternate(arms, bench.repeats, bench.tell, single=("PEFT update", "TRL update"))
    through = sum(chunk.tokens for chunk in learner.work.take()) // bench.repeats
    note = (
        f"{tokens:,} tokens in {len(rows)} contexts, {through:,} of them went through the model; microbatches of "
        f"{budget} tokens here, of {bare.microbatch} for the bare model"
    )
    rates = series["update"].rates
    trl = series["TRL update"].rates if "TRL update" in series else ()
    return Outcome(
        (
            Row(
                "update",
                "tokens/s",
                rates,
                series["bare forward and backward"].rates,
                "the bare forward and backward",
                BOUND_BAR,
                note=note,
            ),
            Row("update", "tokens/s", rates, series["PEFT update"].rates, "PEFT with all logits", note="timed once"),
            Row("update", "tokens/s", rates, trl, "TRL's GRPOTrainer", note=missing() or "timed once; one adapter"),
        ),
        (Check("tokens of the update and of the bare pass differ by", abs(tokens - bare.tokens), 0),),
    )


def missing() -> str | None:
    """Return why TRL cannot be run, None where it can."""
    lacking = [name for name in NEEDED if find_spec(name) is None]
    return f"{', '.join(lacking)} not installed: the extra `bench` has it (docs/benchmarks.md)" if lacking else None


def trl_arm(bench: Bench, rows: list[Context]) -> Arm:
    """Return TRL's update of the first agent's adapter on all rows."""
    from benchmarks.baselines import trl_update  # the extra may be missing

    keeper, folders = peft_folders(bench.arena, bench.agents[:1])
    with keeper:
        peft = plain_loop.load(bench.arena.copy_of_base(), folders)
    tokenizer = build_tokenizer(bench.trials.conditions.game)  # the constructor asks for one; the update reads ids
    return lambda: trl_update.run(peft, tokenizer, rows, TRL_ROWS)
