"""The command line calls the right function, ends with the right status, and starts without torch."""

import json
import os
import subprocess
import sys
from types import ModuleType

import pytest

import mage
from games.errors import RequestError
from mage.cli import main
from mage.cli.app import split_names

HEAVY = ("torch", "transformers", "peft", "pettingzoo")


@pytest.fixture
def stand_in(monkeypatch):
    """Puts a module with one function in place of a heavy one; returns what that function was called with."""

    def install(module, function, action):
        calls = []

        def record(*arguments, **options):
            calls.append((arguments, options))
            return action()

        fake = ModuleType(module)
        setattr(fake, function, record)
        monkeypatch.setitem(sys.modules, module, fake)
        return calls

    return install


def interrupt():
    raise KeyboardInterrupt


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=30, check=False, **options
    )


def test_importing_the_command_line_and_the_views_loads_no_torch():
    code = f"import sys, mage, mage.cli, mage.views.watch; print([m for m in {HEAVY} if m in sys.modules])"
    done = python("-c", code)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_python_m_mage_is_the_command():
    done = python("-m", "mage", "--version")
    assert (done.returncode, done.stdout) == (0, f"mage {mage.__version__}\n")


def test_help_lists_the_commands_and_no_completion(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    commands = ("train", "diagnose", "watch", "evaluate", "compare", "standings", "games", "opponents", "models")
    assert all(name in shown for name in commands)
    assert "completion" not in shown


def test_no_command_shows_the_help_and_is_a_wrong_request(capsys):
    assert main([]) == 2
    assert "Usage: mage" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["train"],
        ["--nonsense"],
        ["evaluate", "run", "--trials", "x"],
        ["watch", "run", "--speed", "0"],
    ],
)
def test_a_usage_error_is_one_line_and_status_2(capsys, arguments):
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("mage: ") and shown.err.count("\n") == 1


def test_a_wrong_request_is_one_line_and_status_2(capsys, stand_in):
    def refuse():
        raise RequestError("got a,\nexpected b")

    stand_in("mage.training", "train", refuse)
    assert main(["train", "c.toml"]) == 2
    assert capsys.readouterr().err == "mage: got a, expected b\n"


def test_a_failing_disk_is_status_1(capsys, stand_in):
    def fail():
        raise OSError(28, "No space left on device", "events.jsonl")

    stand_in("mage.training", "train", fail)
    assert main(["train", "c.toml"]) == 1
    assert "No space left" in capsys.readouterr().err


def test_train_passes_its_options_on(stand_in, monkeypatch):
    calls = stand_in("mage.training", "train", dict)
    stand_in("mage.standings", "standings", dict)
    monkeypatch.setattr("mage.views.standings_table.print_standings", lambda console, table: None)
    assert main(["train", "a/b.toml", "--set", "run.seed=2", "--set", "x.y=a=b", "--resume"]) == 0
    ((config,), options) = calls[0]
    assert str(config) == "a/b.toml"
    assert str(options.pop("run_dir")) == "runs/b"
    assert type(options.pop("reporter")).__name__ == "ConsoleReporter"
    assert options == {"overrides": {"run.seed": "2", "x.y": "a=b"}, "resume": True, "profile": False}
    assert main(["train", "a/b.toml", "--profile"]) == 0
    assert calls[1][1]["profile"] is True


def test_a_dry_run_prints_the_settings_and_trains_nothing(stand_in, capsys, tmp_path):
    calls = stand_in("mage.training", "train", dict)
    config = tmp_path / "c.toml"
    config.write_text('[opponents]\ntraining = ["tit_for_tat"]\n')
    assert main(["train", str(config), "--set", "run.iterations=7", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "# opponents: 1 training, 0 validation, 0 held-out" in printed
    assert "iterations = 7" in printed
    assert not calls


def test_a_set_without_a_value_is_refused(capsys):
    assert main(["train", "c.toml", "--set", "run.seed"]) == 2
    assert 'got "run.seed", expected KEY=VALUE' in capsys.readouterr().err


def test_an_interrupted_run_says_how_to_go_on(capsys, stand_in, tmp_path):
    stand_in("mage.training", "train", interrupt)
    arguments = ["train", "c.toml", "--run", str(tmp_path), "--set", "run.seed=2"]
    assert main(arguments) == 130
    assert "before anything was written" in capsys.readouterr().err
    (tmp_path / "config.toml").write_text("")
    assert main(arguments) == 130
    again = f"mage train c.toml --set run.seed=2 --run {tmp_path} --resume"
    assert capsys.readouterr().err == f"mage: interrupted; go on with: {again}\n"


def test_an_interrupt_elsewhere_is_status_130(capsys, stand_in):
    stand_in("mage.views.watch", "watch", interrupt)
    assert main(["watch", "run"]) == 130
    assert capsys.readouterr().err == "mage: interrupted\n"


def test_evaluate_hands_over_names_and_writes_json(stand_in, monkeypatch, tmp_path):
    calls = stand_in("mage.evaluation", "evaluate", lambda: {"schema": "x"})
    prints = []
    monkeypatch.setattr("mage.views.evaluation_table.print_evaluation", lambda console, table: prints.append(table))
    file = tmp_path / "table.json"
    names = "tit_for_tat, cycle(start=R,step=1)"
    assert main(["evaluate", "r", "--opponents", names, "--trials", "8", "--json", str(file)]) == 0
    options = calls[0][1]
    assert options["opponents"] == ("tit_for_tat", "cycle(start=R,step=1)")
    assert (options["trials"], options["seed"], options["agent"]) == (8, None, ("learners",))
    assert json.loads(file.read_text()) == {"schema": "x"}
    assert prints == [{"schema": "x"}]


def test_evaluate_means_a_set_by_its_name(stand_in, monkeypatch):
    calls = stand_in("mage.evaluation", "evaluate", dict)
    monkeypatch.setattr("mage.views.evaluation_table.print_evaluation", lambda console, table: None)
    assert main(["evaluate", "r"]) == main(["evaluate", "r", "--opponents", "validation"]) == 0
    assert [options["opponents"] for _, options in calls] == [("held_out",), ("validation",)]


def test_a_json_file_that_cannot_be_written_is_refused_before_the_work(capsys, tmp_path):
    assert main(["evaluate", "r", "--json", str(tmp_path / "no" / "table.json")]) == 2
    assert "--json: got" in capsys.readouterr().err
    assert main(["standings", "r", "--json", str(tmp_path)]) == 2


def test_watch_passes_its_options_on(stand_in):
    calls = stand_in("mage.views.watch", "watch", lambda: None)
    assert main(["watch", "r", "--match", "12-5", "--speed", "3", "--live", "--step", "--prompt"]) == 0
    assert calls[0][1] == {"match": "12-5", "speed": 3.0, "live": True, "step": True, "prompt": True}


def test_games_and_opponents_are_listed(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["games"]) == 0
    assert "rock_paper_scissors" in capsys.readouterr().out
    assert main(["opponents", "rock_paper_scissors"]) == 0
    assert "frequency_counter" in capsys.readouterr().out


def test_opponents_of_an_unknown_game_name_the_closest(capsys):
    assert main(["opponents", "stag"]) == 2
    assert "stag_hunt" in capsys.readouterr().err


def test_models_are_listed_and_an_unknown_one_is_refused(capsys):
    assert main(["models"]) == main(["models", "list"]) == main(["models", "pull", "builtin:tiny"]) == 0
    assert capsys.readouterr().out.count("builtin:tiny") == 3
    assert main(["models", "pull", "gpt"]) == 2
    assert "builtin:tiny" in capsys.readouterr().err


def test_a_closed_pipe_ends_quietly():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mage", "models"],
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=30,
            check=False,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_unknown_name_of_the_package_lists_the_known_ones():
    with pytest.raises(AttributeError, match="it has: Config, compare, evaluate, evaluate_exactly, train"):
        _ = mage.trian


def test_opponent_names_split_at_commas_outside_parentheses():
    assert split_names("a(b=1,c=2),d") == ("a(b=1,c=2)", "d")
    with pytest.raises(RequestError, match="--opponents"):
        split_names(" , ")


def test_standings_are_derived_written_and_printed(stand_in, tmp_path):
    calls = stand_in("mage.standings", "standings", lambda: {"schema": "y"})
    prints = stand_in("mage.views.standings_table", "print_standings", lambda: None)
    file = tmp_path / "standings.json"
    assert main(["standings", "r", "--json", str(file)]) == 0
    assert str(calls[0][0][0]) == "r"
    assert json.loads(file.read_text()) == prints[0][0][1] == {"schema": "y"}
