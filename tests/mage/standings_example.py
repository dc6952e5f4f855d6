"""Standings as `mage standings --json` writes them, made up and short, and how they read."""

import io
from typing import Any

from rich.console import Console

from mage.views.standings_table import print_standings

HABIT = "peaked_habit(move=R,peak=0.8)"


def drawn(data: dict[str, Any], width: int = 80) -> list[str]:
    file = io.StringIO()
    print_standings(Console(file=file, width=width), data)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def rating(name: str, kind: str, elo: float, low: float, high: float, episodes: int) -> dict[str, Any]:
    return {"name": name, "kind": kind, "elo": elo, "elo_low": low, "elo_high": high, "episodes": episodes}


def point(elo: float, half: float) -> dict[str, float]:
    return {"elo": elo, "elo_low": elo - half, "elo_high": elo + half}


def standings() -> dict[str, Any]:
    cell = {"mean_return": 1.5, "wins": 144, "draws": 0, "losses": 48, "win_rate": 0.75, "n": 64, "forfeits": 2}
    back = {"mean_return": -1.5, "wins": 48, "draws": 0, "losses": 144, "win_rate": 0.25, "n": 64, "forfeits": 0}
    return {
        "schema": "mage.standings/1",
        "run": "runs/first",
        "rows": ["learner_0", "learner_1", "learner_0@10"],
        "columns": ["learner_0", "learner_1", HABIT],
        "kinds": {"learner_0": "learner", "learner_1": "learner", "learner_0@10": "snapshot"},
        "cells": [[None, back, back], [cell, None, cell], [None, None, None]],
        "unrated": None,
        "ratings": {
            "level": 0.95,
            "prior_deviation": 3.0,
            "dispersion": 13.36,
            "dependence": 4.0,
            "anchors": [HABIT, "tit_for_tat"],
            "components": [["learner_0", "learner_1", HABIT], ["tit_for_tat"]],
            "entries": [
                rating("learner_1", "learner", 190.8, 120.2, 265.0, 512),
                rating(HABIT, "scripted", 0.4, -50.6, 52.0, 512),
                rating("learner_0", "learner", -190.8, -265.0, -120.4, 512),
                rating("tit_for_tat", "scripted", -0.4, -900.0, 900.0, 1),
            ],
        },
        "skill": {
            "edges": [0, 10, 20, 30],
            "curves": {
                "learner_0": [point(-10.0, 60.2), None, point(-190.8, 72.3)],
                "learner_1": [point(12.0, 61.0), point(101.4, 70.0), point(190.8, 72.4)],
            },
        },
        "metagame": {
            "members": ["learner_0", "learner_1", HABIT],
            "left_out": 1,
            "payoff": [[0.0, -0.5, 1.0], [0.5, 0.0, -0.5], [-1.0, 0.5, 0.0]],
            "mixture": [0.25, 0.5, 0.25],
            "skill": [0.0, 0.0, 0.0],
            "cycles": [["learner_0", "learner_1", HABIT]],
        },
    }
