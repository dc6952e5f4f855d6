"""`builtin:tiny` at the quickstart's sizes: rollout and update against its own bare passes, and the games' share."""

from pathlib import Path

from benchmarks import arena
from benchmarks.baselines.bare_backward import BareUpdate
from benchmarks.baselines.bare_forward import Replay
from benchmarks.baselines.no_model import EvenSampler
from benchmarks.bench import CREDIT, LEARNING_RATE, Bench, Rollout, decisions, fastest_learner, play
from benchmarks.measure import alternate, timed
from benchmarks.results import Outcome, Row
from benchmarks.suites.rollout import bound, games
from mage.config import load
from mage.rows import build_rows

ROLLOUT_BAR, UPDATE_BAR = 0.6, 0.7
QUICKSTART = Path(__file__).resolve().parents[2] / "configs" / "quickstart.toml"


def run(bench: Bench) -> Outcome:
    """Compare rollout and update; the trials are played against habits like the quickstart's."""
    config = load(QUICKSTART)
    sizes = bench.sizes
    model = arena.random_tiny(config)
    model.network.to(bench.device)
    small = arena.populate(model, sizes.agents)
    trials = arena.plan(
        model.codec,
        small.agents,
        groups=sizes.tiny_groups,
        generations=sizes.tiny_generations,
        episodes=config.trial.episodes,
        rounds=config.game.rounds,
    )
    rollout = Rollout(trials, small.sampler(trials))
    rollout.run(bench.device)  # warms up, and gives the chunks and rows to measure the bounds on
    replay = Replay(small.bare, rollout.chunks)
    rows, _ = build_rows(rollout.played, small.agents, CREDIT)
    bare = BareUpdate(small.bare, [row.ids for row in rows])
    trainer, budget = fastest_learner(small, small.agents, rows)

    def update() -> float:
        trainer.update(rows, 0, LEARNING_RATE)
        return bare.tokens

    even = EvenSampler(model.codec)
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
    note = (
        f"{bare.tokens:,} tokens in {len(rows)} contexts; microbatches of {budget} tokens here, of {bare.microbatch} "
        "for the bare model"
    )
    return Outcome(
        (
            bound(series, rollout, replay, "builtin:tiny rollout", ROLLOUT_BAR),
            Row(
                "builtin:tiny update",
                "tokens/s",
                series["update"].rates,
                series["bare backward"].rates,
                "the bare forward and backward",
                UPDATE_BAR,
                note=note,
            ),
            games(series, "builtin:tiny rollout"),
        )
    )
