"""`python -m benchmarks.league`: a league of a thousand members without a model, from pairing to its equilibrium.

True strengths are normal with a deviation of 3 logits. The league's own matchmaker `self_play` draws, for every member,
20 others uniformly and without replacement: 20,000 games. They are won by chance as the strengths have it (logistic,
no draws, no better seat), recorded, and rated; what was never played is filled in from the ratings, and the Nash
equilibrium of the whole matrix found. Exit status as of `python -m benchmarks`. Left out: anything that plays.
"""

import argparse
import json
import platform
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import options as common
from benchmarks import results
from benchmarks.results import Outcome, Row
from populations import League, LeagueSettings, Member, Pairing, PayoffTable, Population, Result
from populations.equilibria import nash
from populations.metagame import complete, payoff_matrix
from populations.ratings import Ratings, fit_ratings

T = TypeVar("T")

DEVIATION = 3.0  # of the true strengths, logits
MOST_SECONDS = 20.0
MOST_MEMORY = 1.0  # GiB
LEAST_CORRELATION = 0.98  # Spearman's, of fitted and true strengths
WIDTH = 140  # of the table where it is not written to a terminal
_MEMORY_UNIT = 2**30 if sys.platform == "darwin" else 2**20  # of ru_maxrss to the GiB: bytes there, kibibytes elsewhere


@dataclass(frozen=True)
class Season:
    """What a league of known strengths came to."""

    truth: dict[str, float]  # logits
    ratings: Ratings
    games: int
    support: int  # members with more than a thousandth in the equilibrium
    seconds: dict[str, float]  # by part, in order

    @property
    def correlation(self) -> float:
        """Spearman's rank correlation of fitted and true strengths."""
        from scipy.stats import spearmanr

        entries = self.ratings.entries
        fitted, true = [entry.rating for entry in entries], [self.truth[entry.name] for entry in entries]
        return float(spearmanr(fitted, true).statistic)

    @property
    def covered(self) -> float:
        """The share of intervals that hold the truth, both measured from the mean of all."""
        entries = self.ratings.entries
        mean = float(np.mean([self.truth[entry.name] for entry in entries]))
        return float(np.mean([entry.low <= self.truth[entry.name] - mean <= entry.high for entry in entries]))


def simulate(pairings: Sequence[Pairing], truth: dict[str, float], rng: np.random.Generator) -> list[Result]:
    """Return one game for every pairing, won with probability 1 / (1 + exp(opponent's strength - own))."""
    gaps = np.array([truth[pairing.learner] - truth[pairing.opponent] for pairing in pairings])
    won = rng.random(len(gaps)) < 1.0 / (1.0 + np.exp(-gaps))
    return [
        Result(p.learner, p.opponent, p.seat, 1, 1.0 if win else -1.0, 1.0, int(win), 0, int(not win), 0)
        for p, win in zip(pairings, won.tolist(), strict=True)
    ]


def play(members: int, games_each: int, seed: int) -> Season:
    """Run a season: each of `members` draws `games_each` opponents and so plays twice as many games on average."""
    rng = np.random.default_rng(seed)
    names = [f"member_{number:04}" for number in range(members)]
    truth = dict(zip(names, rng.normal(0.0, DEVIATION, members).tolist(), strict=True))
    settings = LeagueSettings({"self_play": 1.0}, groups=games_each, num_generations=1)
    league = League(Population(Member(name, "learner") for name in names), PayoffTable(), settings)
    seconds: dict[str, float] = {}

    def timed(part: str, work: Callable[[], T]) -> T:
        start = time.perf_counter()
        value = work()
        seconds[part] = time.perf_counter() - start
        return value

    pairings = timed("pairing", lambda: league.pair(0, rng))
    outcomes = timed("simulated games", lambda: simulate(pairings, truth, rng))
    timed("payoffs", lambda: league.record(outcomes))
    ratings = timed("ratings", lambda: fit_ratings(league.payoffs.results(), prior_deviation=DEVIATION))
    expected = timed("expected scores", lambda: 2.0 * ratings.expected_scores(names) - 1.0)
    matrix = timed("payoff matrix", lambda: complete(payoff_matrix(league.payoffs, names), expected))
    equilibrium = timed("Nash equilibrium", lambda: nash(matrix))
    return Season(truth, ratings, len(outcomes), int((equilibrium.row > 1e-3).sum()), seconds)


def measure(members: int, games_each: int, seed: int) -> dict[str, Any]:
    """Run a season and return the report."""
    season = play(members, games_each, seed)
    total = sum(season.seconds.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEMORY_UNIT
    bar = "what is asked"
    rows = (
        Row("from pairing to equilibrium", "s", (total,), (MOST_SECONDS,), bar, 1.0, at_least=False),
        Row("peak memory of the process", "GiB", (memory,), (MOST_MEMORY,), bar, 1.0, at_least=False),
        Row("fitted against true strengths", "Spearman", (season.correlation,), (LEAST_CORRELATION,), bar, 1.0),
    )
    about = {
        "members": members,
        "games": season.games,
        "seed": seed,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "parts": season.seconds,
        "intervals_that_hold": season.covered,
        "dispersion": season.ratings.dispersion,
        "equilibrium_members": season.support,
    }
    return results.report([Outcome(rows)], about)


def parts_table(data: dict[str, Any]) -> Table:
    """Return the seconds of each part for the terminal."""
    table = Table("part", "seconds")
    for part, seconds in data["parts"].items():
        table.add_row(part, f"{seconds:.2f}")
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the arguments ask for; returns the exit status."""
    options = _parser().parse_args(arguments)
    return common.attempt(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    data = measure(options.members, min(options.games_each, options.members - 1), options.seed)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(parts_table(data))
    console.print(results.console_table(data))
    console.print(
        f"{data['members']} members, {data['games']} games; {data['intervals_that_hold']:.1%} of the intervals hold "
        f"the truth; {data['equilibrium_members']} in the equilibrium"
    )
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.league", description=__doc__.partition("\n")[0])
    parser.add_argument("--members", type=_several, default=1000, help="members of the league")
    parser.add_argument("--games-each", type=common.positive, default=20, help="opponents that each member draws")
    parser.add_argument("--seed", type=int, default=0, help="of strengths, pairings and outcomes")
    parser.add_argument("--json", type=common.writable, help="write the report here")
    return parser


def _several(text: str) -> int:
    """Return a whole number of at least 2."""
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a whole number of at least 2")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
