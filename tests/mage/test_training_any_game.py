"""A league trains, logs and is evaluated in games of every kind: cards, boards, dice, three seats, one's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import mage
from mage.training import train

DOCS = Path(__file__).resolve().parents[2] / "docs"
CONFIG = """
[run]
iterations = 1
threads = 1

[game]
name = "{game}"

[trial]
episodes = 2

[model]
layers = 1
width = 32
heads = 2

[model.pretrain]
steps = 2
batch = 4

[league]
learners = 2
groups = 3
num_generations = 2

[learning]
learning_rate = 0.02

[opponents]
training = ["random"]
held_out = ["first_legal"]

[evaluation]
trials = 3
"""
SEATS = {"leduc_poker": 2, "connect_four": 2, "liars_dice": 2, "public_goods(seats=3)": 3}


def trained(game: str, folder: Path) -> Path:
    (folder / "game.toml").write_text(CONFIG.format(game=game))
    train(folder / "game.toml", run_dir=folder / "run")
    return folder / "run"


def events(run: Path, kind: str) -> list[dict]:
    lines = (json.loads(line) for line in (run / "events.jsonl").read_text().splitlines())
    return [line for line in lines if line["type"] == kind]


@pytest.mark.parametrize(("game", "seats"), SEATS.items())
def test_an_update_moves_both_learners_and_the_run_can_be_evaluated(game, seats, tmp_path):
    run = trained(game, tmp_path)
    updates = events(run, "update")
    assert [update["agent"] for update in updates] == ["learner_0", "learner_1"]
    assert all(update["grad_norm"] > 0 and update["valid_move_rate"] == 1.0 for update in updates)
    assert {result["seat"] for result in events(run, "result")} <= set(range(seats))
    table = mage.evaluate(run, agent="learner_0", trials=seats)
    assert [row["n"] for row in table["overall"]] == [seats, seats]


def test_so_does_the_environment_that_the_documentation_shows(tmp_path, monkeypatch):
    example = re.findall(r"```python\n(.*?)```", (DOCS / "games.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    (tmp_path / "auction_of_the_docs.py").write_text(example)
    monkeypatch.syspath_prepend(tmp_path)
    run = trained("auction_of_the_docs:Auction", tmp_path)
    assert {len(match["members"]) for match in events(run, "match")} == {3}
    assert all(result["n"] == 2 for result in events(run, "result"))
