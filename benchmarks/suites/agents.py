"""What more agents cost: the same rows, shared out among 1 to 64 of them, in one pass and one after the other.

A pass is forward and backward without the optimisers' steps. Left out: the numbers in between (`benchmarks.scaling`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.arena import Arena, peft_folders
from benchmarks.baselines import plain_loop
from benchmarks.baselines.peft_update import PeftUpdate
from benchmarks.bench import LEARNING_RATE, Bench, learner
from benchmarks.measure import Arm, Sample, alternate, timed
from benchmarks.results import Outcome
from benchmarks.results import Row as Result
from mage.contexts import Context, MoveRequest
from mage.keys import PlayKeys
from mage.rows import Row
from mage.sampler import CachedSampler

FEW_BAR, MANY_BAR, SEQUENTIAL_BAR = 1.15, 1.3, 2.0
NEWS = 4  # tokens that a row reads between two decisions


def run(bench: Bench) -> Outcome:
    """Compare passes over the same rows."""
    sizes, arena = bench.sizes, bench.crowd
    some, many = sizes.crowd[-2:]
    rows = shortened(bench.rows, sizes.crowd_rows, sizes.crowd_tokens)
    keeper, folders = peft_folders(arena, arena.agents[:some])
    with keeper:
        peft = plain_loop.load(arena.copy_of_base(), folders)
    everything = len(rows) * sizes.crowd_tokens
    full = PeftUpdate(peft, arena.agents[:some], everything)
    careful = PeftUpdate(peft, arena.agents[:some], everything, whole_vocabulary=False)
    shared = shared_out(rows, arena.agents[:some])
    arms: dict[str, Arm] = {f"train {n}": _training(bench, rows, n) for n in sizes.crowd}
    arms["PEFT"] = lambda: timed(bench.device, lambda: full.gradients(shared))
    arms["careful PEFT"] = lambda: timed(bench.device, lambda: careful.gradients(shared))
    sampling = {f"sample {n}": _sampling(bench, n) for n in sizes.crowd}
    series = alternate({**arms, **sampling}, bench.repeats, bench.tell, single=["careful PEFT"])
    seconds = {name: one.durations for name, one in series.items()}
    one = f"{len(rows)} contexts of {sizes.crowd_tokens} tokens, no opening shared"
    results = []
    for kind, what in (("train", "forward and backward"), ("sample", "sampling")):
        for count, bar in ((some, FEW_BAR), (many, MANY_BAR)):
            results.append(
                Result(
                    f"{count} agents, {what}",
                    "s",
                    seconds[f"{kind} {count}"],
                    seconds[f"{kind} 1"],
                    "1 agent with the same rows",
                    bar,
                    at_least=False,
                    note=one if kind == "train" and count == some else "",
                )
            )
    rates = [tuple(everything / t for t in seconds[name]) for name in (f"train {some}", "PEFT", "careful PEFT")]
    several = f"{some} agents in one pass"
    results += [
        Result(
            several,
            "tokens/s",
            rates[0],
            rates[1],
            f"{some} sequential PEFT passes",
            SEQUENTIAL_BAR,
        ),
        Result(several, "tokens/s", rates[0], rates[2], "the same, logits of trained tokens only", note="timed once"),
    ]
    return Outcome(tuple(results))


def shortened(rows: Sequence[Row], count: int, tokens: int) -> list[Row]:
    """Return `count` contexts of exactly `tokens` tokens, each ending with the first decision of one that was played.

    What follows the opening differs from context to context, and the first token already does: no two share a
    beginning, so sharing out the rows among more agents leaves no less to share.
    """
    rng = np.random.default_rng(0)
    found = []
    for number in range(count):
        source = rows[number % len(rows)]
        choice = source.choices[0]
        ids = source.ids[: choice.position + 1][-tokens:]
        filler = tuple(int(i) for i in rng.choice(source.ids, size=tokens - len(ids)))
        ids = (number + 1, *(filler + ids)[1:])
        found.append(replace(source, ids=ids, choices=(replace(choice, position=tokens - 1),), advantages=(1.0,)))
    return found


def shared_out(rows: Sequence[Row], agents: Sequence[str]) -> list[Row]:
    """Give equally many rows, side by side, to each agent."""
    each = len(rows) // len(agents)
    return [replace(row, agent=agents[number // each]) for number, row in enumerate(rows)]


def _training(bench: Bench, rows: Sequence[Row], count: int) -> Arm:
    """Return forward and backward over the rows of that many agents, in one microbatch."""
    arena = bench.crowd
    agents = arena.agents[:count]
    own = shared_out(rows, agents)
    tokens = sum(len(row.ids) for row in own)
    one = learner(arena, agents, tokens, steps=False)

    def update() -> float:
        one.update(own, 0, LEARNING_RATE)
        return tokens

    return lambda: timed(bench.device, update)


def _sampling(bench: Bench, count: int) -> Callable[[], Sample]:
    """Return a few decisions of all rows, shared out among that many agents."""
    sizes, arena = bench.sizes, bench.crowd
    each = sizes.crowd_rows // count
    agents = [agent for agent in arena.agents[:count] for _ in range(each)]
    return lambda: timed(bench.device, lambda: _decide(arena, agents, sizes.crowd_tokens, sizes.crowd_turns, bench))


def _decide(arena: Arena, agents: Sequence[str], tokens: int, turns: int, bench: Bench) -> float:
    """Let every row decide once on a random text, then again after each of `turns` pieces of news; returns tokens."""
    rng = np.random.default_rng(0)
    vocabulary = arena.model.network.config.vocab_size
    legal = bench.trials.conditions.game.moves[0]
    sampler = CachedSampler(arena.model, arena.bank, tokens + turns * 2 * NEWS)
    lane = sampler.open(agents)
    texts = rng.integers(vocabulary, size=(len(agents), tokens))
    contexts = [Context(agent, 0, text.tolist()) for agent, text in zip(agents, texts, strict=True)]
    for turn in range(turns + 1):
        requests = {row: MoveRequest(context, legal, row, 0, turn) for row, context in enumerate(contexts)}
        lane.choose(requests, PlayKeys(0, "bench", 0))
        for context in contexts:
            context.ids.extend(rng.integers(vocabulary, size=NEWS).tolist())
    return sum(chunk.tokens for chunk in sampler.work.take())
