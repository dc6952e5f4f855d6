"""Rollouts of the real model: ours against a plain loop, against the bare forward, and without a model."""

from collections.abc import Mapping

import torch

from benchmarks.arena import Trials, peft_folders
from benchmarks.baselines import plain_loop
from benchmarks.baselines.bare_forward import Replay
from benchmarks.baselines.no_model import EvenSampler
from benchmarks.baselines.peft_update import PeftUpdate
from benchmarks.bench import CREDIT, Bench, Rollout, decisions, play
from benchmarks.measure import Sample, Series, alternate, timed
from benchmarks.results import Check, Outcome, Row
from mage.rows import build_rows

PLAIN_BAR, BOUND_BAR, GAMES_BAR = 14.0, 0.75, 0.05
SAME = {torch.float32: 0.02, torch.bfloat16: 0.5}  # nats that two ways to compute one log-probability may differ by


def run(bench: Bench) -> Outcome:
    """Compare rollouts."""
    rollout = Rollout(bench.trials, bench.arena.sampler(bench.trials))
    kept: dict[str, Replay] = {}
    keeper, folders = peft_folders(bench.arena, bench.agents)
    with keeper:
        peft = plain_loop.load(bench.arena.copy_of_base(), folders)
    quarter = bench.trials.of(bench.agents[0])
    plain = plain_loop.PlainSampler(peft, bench.arena.model.codec)

    def ours() -> Sample:
        sample = rollout.run(bench.device)
        if "replay" not in kept:
            kept["replay"] = Replay(bench.arena.bare, rollout.chunks)
            bench.kept["rollout"] = rollout.played
        return sample

    series = alternate(
        {
            "rollout": ours,
            "bare forward": lambda: kept["replay"].run(),
            "plain loop": lambda: timed(bench.device, lambda: decisions(play(quarter, plain))),
            "games alone": lambda: _games(bench, bench.trials),
        },
        bench.repeats,
        bench.tell,
    )
    replay = kept["replay"]
    checks = (
        Check("tokens of the rollout and of its replay differ by", abs(rollout.tokens - replay.tokens), 0),
        _same_choices(bench, PeftUpdate(peft, bench.agents, 1)),
    )
    rows = (
        _plain(series, len(quarter.plans), len(bench.trials.plans)),
        bound(series, rollout, replay, "rollout", BOUND_BAR),
        games(series, "rollout"),
    )
    return Outcome(rows, checks)


def _plain(series: Mapping[str, Series], played: int, planned: int) -> Row:
    """Return the row of ours against the plain loop, in decisions; trials that it played, and that we did."""
    note = (
        f"the loop played {played} of the {planned} trials, all those of one agent, in the batches of the whole, since "
        "it takes one agent at a time"
    )
    return Row(
        "rollout",
        "decisions/s",
        series["rollout"].rates,
        series["plain loop"].rates,
        "a plain transformers + PEFT loop",
        PLAIN_BAR,
        note=note,
    )


def bound(series: Mapping[str, Series], rollout: Rollout, replay: Replay, name: str, bar: float) -> Row:
    """Return the row of ours against the bare forward, in tokens processed."""
    ours = tuple(rollout.tokens / seconds for seconds in series["rollout"].durations)
    longest = sum(len(context.ids) for trial in rollout.played for context in trial.contexts)
    note = (
        f"{rollout.tokens:,} tokens in {len(rollout.chunks)} chunks went through the model for contexts of "
        f"{longest:,}; the bare model's cache is written {replay.cache}"
    )
    return Row(name, "tokens/s", ours, series["bare forward"].rates, "the bare forward", bar, note=note)


def games(series: Mapping[str, Series], name: str) -> Row:
    """Return the row of the games' share of a rollout."""
    return Row(
        f"games and bookkeeping, {name}",
        "s",
        series["games alone"].durations,
        series["rollout"].durations,
        "the whole rollout",
        GAMES_BAR,
        at_least=False,
    )


def _games(bench: Bench, trials: Trials) -> Sample:
    sampler = EvenSampler(trials.conditions.codec)
    return timed(bench.device, lambda: decisions(play(trials, sampler)))


def _same_choices(bench: Bench, peft: PeftUpdate) -> Check:
    """Compare the log-probabilities that we sampled with against PEFT's on the same context, one of each agent."""
    rows, _ = build_rows(bench.kept["rollout"], bench.agents, CREDIT)
    first = {row.agent: row for row in reversed(rows)}.values()
    worst = max(
        abs(choice.log_prob - other)
        for row in first
        for choice, other in zip(row.choices, peft.log_probs(row), strict=True)
    )
    limit = SAME[bench.arena.model.network.dtype]
    return Check("log-probabilities of moves, ours and PEFT's, differ by at most, in nats,", worst, limit)
