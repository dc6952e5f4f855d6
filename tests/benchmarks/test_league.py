"""The benchmark of a league plays the games it says it plays, and reports parts, bars and what was recovered."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import league as bench
from populations import Pairing


def test_a_game_is_won_as_the_strengths_have_it():
    pairings = [Pairing("strong", "weak", number % 2, number, number, "learner") for number in range(4000)]
    outcomes = bench.simulate(pairings, {"strong": np.log(3.0), "weak": 0.0}, np.random.default_rng(0))
    assert sum(result.wins for result in outcomes) / 4000 == pytest.approx(0.75, abs=0.02)  # odds of 3 to 1
    assert all(result.wins + result.losses == 1 and result.total == result.wins - result.losses for result in outcomes)


def test_a_league_of_sixty_is_put_in_order_and_its_equilibrium_found():
    season = bench.play(members=60, games_each=40, seed=1)
    assert season.games == 60 * 40
    assert season.correlation > 0.97
    assert 1 <= season.support < 60
    assert sum(entry.episodes for entry in season.ratings.entries) == 2 * season.games


def test_intervals_of_eight_leagues_hold_the_truth_as_often_as_they_say():
    # 480 intervals at 95%: the deviation of the share is 1% were they independent
    held = [bench.play(members=60, games_each=40, seed=seed).covered for seed in range(8)]
    assert 0.92 <= np.mean(held) <= 0.98


def test_the_report_has_the_three_bars_and_every_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "new" / "league.json"
    assert bench.main(["--members", "30", "--games-each", "10", "--json", str(file)]) == 0
    report = json.loads(file.read_text(encoding="utf-8"))
    assert (report["schema"], report["members"], report["games"]) == ("mage.bench/1", 30, 300)
    assert [(row["unit"], row["other"], row["bar_is"]) for row in report["rows"]] == [
        ("s", 20.0, "at most"),
        ("GiB", 1.0, "at most"),
        ("Spearman", 0.98, "at least"),
    ]
    assert report["rows"][0]["ours"] == pytest.approx(sum(report["parts"].values()))
    assert report["rows"][0]["holds"] is True
    said = capsys.readouterr().out
    assert "Nash equilibrium" in said and "30 members, 300 games" in said


def test_a_league_of_one_is_refused(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stop:
        bench.main(["--members", "1"])
    assert stop.value.code == 2
    assert "got '1', expected a whole number of at least 2" in capsys.readouterr().err
