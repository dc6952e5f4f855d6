"""The benchmark of games plays what it says it plays, and reports it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import games as bench
from games.classics import load


@pytest.mark.parametrize("name", bench.NAMES)
@pytest.mark.parametrize("rendering", bench.RENDERINGS)
def test_the_text_and_the_bare_environment_play_the_same_games(name: str, rendering: str):
    compact = load(name, "compact")
    script = bench.write_script(compact, games=3)
    assert len(script.actions) == 3
    assert bench.play_text(load(name, rendering), script) == script.moves == sum(len(game) for game in script.actions)
    env = compact.make_env()
    assert bench.play_bare(env, script) == script.moves
    assert all(env.terminations.values())  # the last game went to its end


def test_a_documented_game_of_tic_tac_toe_has_five_to_nine_moves():
    env = load("tictactoe", "compact").make_env()
    assert 5 <= bench.play_documented(env, games=1) <= 9
    assert 50 <= bench.play_documented(env, games=10) <= 90


def test_the_report_has_every_game_in_both_renderings_against_both_baselines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "new" / "games.json"
    assert bench.main(["--games", "1", "--repeats", "2", "--json", str(file)]) == 0
    report = json.loads(file.read_text(encoding="utf-8"))
    assert (report["schema"], report["games"], report["repeats"]) == ("mage.bench/1", 1, 2)
    assert [(row["name"], row["other_is"]) for row in report["rows"]] == [
        (f"{name}, {rendering}", other)
        for name in ("tictactoe", "connect_four")
        for rendering in ("compact", "full")
        for other in (bench.DOCUMENTED, bench.BARE)
    ]
    for row in report["rows"]:
        assert len(row["ours_runs"]) == len(row["other_runs"]) == 2
        assert row["ratio"] == pytest.approx(row["ours"] / row["other"])
        assert (row["bar"], row["bar_is"], row["holds"]) == (3.0, "at most", row["ratio"] <= 3.0)
    said = capsys.readouterr()
    assert "tictactoe, compact" in said.out
    assert "pygame" not in said.out


@pytest.mark.parametrize("option", ["--games", "--repeats"])
def test_nothing_to_play_is_refused(option: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stop:
        bench.main([option, "0"])
    assert stop.value.code == 2
    assert "got '0', expected a whole number of at least 1" in capsys.readouterr().err
