"""The standings of a finished run come at once: of 5,000 results in under 2 s of one core, start included."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

RESULTS = 5_000
MOST_SECONDS = 2.0  # of user time; about half of it is spent on an idle core


def log(results: int) -> str:
    rng = np.random.default_rng(0)
    learners = [f"learner_{index}" for index in range(4)]
    habits = [f"habit(peak={index})" for index in range(30)]
    members = [{"name": name, "kind": "learner"} for name in learners]
    members += [{"name": name, "kind": "scripted"} for name in habits]
    events = [
        {
            "type": "run",
            "schema": "mage.events/1",
            "config": {"game": {"name": "rock_paper_scissors"}},
            "members": members,
        }
    ]
    for index in range(results):
        wins, draws, losses = rng.multinomial(48, [0.5, 0.2, 0.3]).tolist()
        events.append(
            {
                "type": "result",
                "iteration": index // 64,
                "row": learners[index % 4],
                "column": habits[int(rng.integers(30))],
                "seat": index // 4 % 2,
                "n": 16,
                "total": float(wins - losses) / 3.0,
                "total_squares": 16.0,
                "wins": wins,
                "draws": draws,
                "losses": losses,
                "forfeits": 0,
                "episode_returns": rng.normal(size=8).round(4).tolist(),
            }
        )
    return "".join(json.dumps(event, separators=(",", ":"), sort_keys=True) + "\n" for event in events)


def test_standings_of_five_thousand_results_take_less_than_two_seconds(tmp_path: Path):
    (tmp_path / "events.jsonl").write_text(log(RESULTS))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run([sys.executable, "-m", "mage", "standings", str(tmp_path)], capture_output=True, text=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert run.returncode == 0 and "the mean of the 30 scripted members" in " ".join(run.stdout.split())
    assert spent < MOST_SECONDS
