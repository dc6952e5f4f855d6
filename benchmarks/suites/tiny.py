"""`builtin:tiny` at the quickstart's sizes: rollout and update against its own bare passes, and the games' share."""

from collections.abc import Mapping

from benchmarks import arena, bases
from benchmarks.arena import Arena, Trials
from benchmarks.baselines.bare_backward import BareUpdate
from benchmarks.baselines.bare_forward import Replay
from benchmarks.baselines.no_model import EvenSampler
from benchmarks.bench import CREDIT, LEARNING_RATE, Bench, Rollout, decisions, fastest_learner, play
from benchmarks.measure import Series, alternate, timed
from benchmarks.results import Outcome, Row
from benchmarks.suites.rollout import bound, games
from mage.base_models import TINY
from mage.config import Config
from mage.rows import build_rows

ROLLOUT_BAR, UPDATE_BAR = 0.6, 0.7


def run(bench: Bench) -> Outcome:
    """Compare rollout and update."""
    config = bases.settings(TINY, device=str(bench.device))
    small = arena.populate(bases.prepare(config)(), bench.sizes.agents)
    trials = _trials(bench, small, config)
    rollout = Rollout(trials, small.sampler(trials))
    rollout.run(bench.device)  # warms up, and gives the chunks and rows to measure the bounds on
    replay = Replay(small.bare, rollout.chunks)
    rows, _ = build_rows(rollout.played, small.agents, CREDIT)
    bare = BareUpdate(small.bare, [row.ids for row in rows])
    trainer, budget = fastest_learner(small, small.agents, rows)

    def update() -> float:
        trainer.update(rows, 0, LEARNING_RATE)
        return bare.tokens

    even = EvenSampler(small.model.codec)
    series = alternate(
        {
            "rollout": lambda: rollout.run(bench.device),
            "bare forward": replay.run,
            "games alone": lambda: timed(bench.device, lambda: decisions(play(trials, even))),
            "update": lambda: timed(bench.device, update),
            "bare backward": bare.run,
        },
        bench.repeats,
        lambda line: bench.tell(f"builtin:tiny, {line}"),
    )
    contexts = f"{bare.tokens:,} tokens in {len(rows)} contexts"
    microbatches = f"microbatches of {budget} tokens here, of {bare.microbatch} for the bare model"
    return Outcome(
        (
            bound(series, rollout, replay, "builtin:tiny rollout", ROLLOUT_BAR),
            _update(series, f"{contexts}; {microbatches}"),
            games(series, "builtin:tiny rollout"),
        )
    )


def _trials(bench: Bench, small: Arena, config: Config) -> Trials:
    """Plan trials of the quickstart's length, against habits like the quickstart's."""
    return arena.plan(
        small.model.codec,
        small.agents,
        groups=bench.sizes.tiny_groups,
        generations=bench.sizes.tiny_generations,
        episodes=config.trial.episodes,
        rounds=config.game.rounds,
    )


def _update(series: Mapping[str, Series], note: str) -> Row:
    """Return the row of ours against the bare forward and backward."""
    return Row(
        "builtin:tiny update",
        "tokens/s",
        series["update"].rates,
        series["bare backward"].rates,
        "the bare forward and backward",
        UPDATE_BAR,
        note=note,
    )
