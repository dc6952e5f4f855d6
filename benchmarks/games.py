"""`python -m benchmarks.games`: what a move costs once a game is text, beside PettingZoo's own environment.

Ours is everything of an episode but the choice of a move: making the environment, the legal moves, the step, the news
of both seats. It is compared with a random game as PettingZoo documents it, and with `step` alone in the same games.
Exit status as of `python -m benchmarks`. Left out: models, and games whose environments cost more than their words.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from rich.console import Console

from benchmarks import machine, results
from benchmarks import options as common
from benchmarks.measure import Series, alternate, timed
from benchmarks.results import Outcome, Row
from benchmarks.teller import Tell, teller
from games.aec import RENDERINGS, AECGame
from games.classics import load
from games.text import Episode

NAMES = ("tictactoe", "connect_four")
BAR = 3.0  # times the raw environment's
DOCUMENTED = "a random game as PettingZoo documents it: last, sample, step"
BARE = "step alone, its moves known beforehand"
CPU = torch.device("cpu")
WIDTH = 140  # of the table where it is not written to a terminal


@dataclass(frozen=True)
class Script:
    """The games of one run: ours choose by the draws, `step` alone is given the actions that this leads to."""

    draws: np.ndarray  # [games, most moves of both seats] in [0, 1)
    actions: tuple[tuple[int, ...], ...]  # by game

    @property
    def moves(self) -> int:
        """How many moves all games have together."""
        return sum(map(len, self.actions))


def write_script(game: AECGame, games: int) -> Script:
    """Draw so many random games."""
    draws = np.random.default_rng(0).random((games, 2 * game.max_turns))
    actions = []
    for row in draws.tolist():
        env, adapter = game.make_env(), game.make_adapter()
        episode, taken = Episode(env, adapter, 0, game.utility_range, game.zero_sum), []
        for draw in row:
            if (seat := episode.seat_to_move) is None:
                break
            legal = episode.legal_moves()
            move = legal[int(draw * len(legal))]
            taken.append(adapter.action(env, seat, move))
            episode.play(move)
        actions.append(tuple(taken))
    return Script(draws, tuple(actions))


def play_text(game: AECGame, script: Script) -> int:
    """Play the games as text; returns the moves."""
    moves = 0
    for seed, row in enumerate(script.draws.tolist()):
        episode = game.start(seed)
        for draw in row:
            if (seat := episode.seat_to_move) is None:
                break
            episode.news(seat)
            legal = episode.legal_moves()
            episode.play(legal[int(draw * len(legal))])
            moves += 1
        for seat in range(game.seats):
            episode.news(seat)
    return moves


def play_documented(env: Any, games: int) -> int:
    """Play as many random games in one environment, as PettingZoo's pages do; returns the moves."""
    moves = 0
    for seed in range(games):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                action = None
            else:
                action = env.action_space(agent).sample(observation["action_mask"])
                moves += 1
            env.step(action)
    return moves


def play_bare(env: Any, script: Script) -> int:
    """Make the moves of the same games in one environment, and nothing else; returns the moves."""
    for seed, actions in enumerate(script.actions):
        env.reset(seed=seed)
        for action in actions:
            env.step(action)
    return script.moves


def compare(name: str, games: int, repeats: int, tell: Tell) -> list[Row]:
    """Time one game in both renderings beside the two baselines, in turns."""
    texts = {rendering: load(name, rendering) for rendering in RENDERINGS}
    script = write_script(texts["compact"], games)
    env = texts["compact"].make_env()
    arms = {
        **{way: lambda game=game: timed(CPU, lambda: play_text(game, script)) for way, game in texts.items()},
        DOCUMENTED: lambda: timed(CPU, lambda: play_documented(env, games)),
        BARE: lambda: timed(CPU, lambda: play_bare(env, script)),
    }
    for arm in arms.values():
        arm()  # warms up
    series = alternate(arms, repeats, lambda line: tell(f"{name}: {line}"))
    return [
        Row(f"{name}, {way}", "µs/move", _costs(series[way]), _costs(series[other]), other, BAR, at_least=False)
        for way in texts
        for other in (DOCUMENTED, BARE)
    ]


def _costs(series: Series) -> tuple[float, ...]:
    """Microseconds of a move, by run."""
    return tuple(1e6 / rate for rate in series.rates)


def measure(games: int, repeats: int) -> dict[str, Any]:
    """Time every game and return the report."""
    start = time.perf_counter()
    torch.set_num_threads(1)
    tell, about = teller(start), machine.describe(CPU)
    outcome = Outcome(tuple(row for name in NAMES for row in compare(name, games, repeats, tell)))
    spent = {"games": games, "repeats": repeats, "seconds": time.perf_counter() - start}
    return results.report([outcome], {"machine": about, **spent})


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the arguments ask for; returns the exit status."""
    options = _parser().parse_args(arguments)
    return common.attempt(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    data = measure(options.games, options.repeats)
    Console(width=None if sys.stdout.isatty() else WIDTH).print(results.console_table(data))
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.games", description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=common.positive, default=300, help="random games in a run of an arm")
    parser.add_argument("--repeats", type=common.positive, default=7, help="timed runs of each arm; the median counts")
    parser.add_argument("--json", type=common.writable, help="write the report here")
    return parser


if __name__ == "__main__":
    sys.exit(main())
