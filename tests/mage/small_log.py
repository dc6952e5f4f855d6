"""A small match and event log, written by hand, for the tests of the views."""

import io
from pathlib import Path

from rich.console import Console

from mage.events import EventLog
from mage.views.watch import watch

ROOT = Path(__file__).resolve().parents[2]
HABIT = "peaked_habit(move=R,peak=0.8)"


def turn(seat, number, move, news="", reward=0, probabilities=None):
    return {
        "seat": seat, "turn": number, "move": move, "news": news, "reward": reward, "legal": ["R", "P", "S"],
        "probabilities": probabilities, "forfeit": False,
    }  # fmt: skip


def match(identity="12-5", learner="learner_0", episodes=2):
    """Two rounds an episode: P beats R for +1 to seat 0, then S loses to R."""
    turns = [
        turn(0, 0, "P", "rock_paper_scissors seat 0: R P S\nepisode 1\n", 1, [0.25, 0.5, 0.25]),
        turn(1, 0, "R", "", -1),
        turn(0, 1, "S", "R 1\n", -1, [0.0, 0.125, 0.875]),
        turn(1, 1, "R", "", 1),
    ]
    episode = {"returns": [0, 0], "forfeits": [0, 0], "turns": turns}
    return {
        "type": "match", "iteration": 12, "id": identity, "game": "rock_paper_scissors",
        "memory": "transcript", "members": [learner, HABIT], "episodes": [episode] * episodes,
    }  # fmt: skip


def log(path, *events):
    with EventLog(path) as file:
        for event in events:
            file.append(event)
    return path


def run_event(*learners):
    return {"type": "run", "members": [{"name": name, "kind": "learner"} for name in learners]}


def plain(lines):
    return [line.plain.rstrip() for line in lines]


def printed(path, **arguments):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    watch(path, console=Console(file=out), **arguments)
    out.seek(0)
    return out.read()
