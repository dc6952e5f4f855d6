"""Rules of the source that no linter knows: file size, blanket excepts, formats that run code on loading."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("games", "populations", "mage")
MAX_LINES = 300
BLANKET = frozenset({"Exception", "BaseException"})
RUNS_CODE_ON_LOAD = frozenset({"pickle", "cloudpickle", "dill", "shelve", "marshal", "joblib"})
RUNS_CODE = frozenset({"torch.load", "eval", "exec", "builtins.eval", "builtins.exec"})


def python_files(*folders: str) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def parse(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), path)


def last_name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def blanket_excepts(tree: ast.Module) -> list[int]:
    """Lines that catch everything: bare `except`, `except Exception`, `suppress(Exception)`."""
    caught: list[tuple[int, ast.expr | None]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            caught += [(node.lineno, kind) for kind in types]
        elif isinstance(node, ast.Call) and last_name(node.func) == "suppress":
            caught += [(node.lineno, kind) for kind in node.args]
    return sorted(line for line, kind in caught if kind is None or last_name(kind) in BLANKET)


def runs_code(node: ast.AST) -> bool:
    """Whether this node could run code out of a file: pickle and its kin, torch.load, eval, remote code."""
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] in RUNS_CODE_ON_LOAD for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        loads = node.module == "torch" and any(alias.name == "load" for alias in node.names)
        return loads or (node.module or "").partition(".")[0] in RUNS_CODE_ON_LOAD
    if isinstance(node, ast.Call):
        words = {word.arg: ast.unparse(word.value) for word in node.keywords}
        opened = "True" in (words.get("allow_pickle"), words.get("trust_remote_code"))
        return opened or ast.unparse(node.func) in RUNS_CODE
    return False


def code_on_load(tree: ast.Module) -> list[int]:
    return sorted(node.lineno for node in ast.walk(tree) if runs_code(node))


@pytest.mark.parametrize("path", python_files(*PACKAGES, "tests", "benchmarks"))
def test_a_file_holds_one_idea(path: str):
    lines = len((ROOT / path).read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_LINES, f"{lines} lines, {MAX_LINES} allowed: split it where a name comes naturally"


@pytest.mark.parametrize("path", python_files(*PACKAGES))
def test_no_except_catches_everything(path: str):
    assert not blanket_excepts(parse(path)), "name the exceptions that are expected"


@pytest.mark.parametrize("path", python_files(*PACKAGES))
def test_files_are_data(path: str):
    assert not code_on_load(parse(path)), "weights are safetensors, everything else is JSON or TOML"


@pytest.mark.parametrize("path", python_files(*PACKAGES))
def test_a_module_says_what_it_does(path: str):
    assert ast.get_docstring(parse(path)), "a file opens with what it does and what it leaves out"


def test_the_checks_see_what_they_look_for():
    """Each check on lines that break it, so that an empty list means innocence, not blindness."""
    tree = ast.parse(
        "try:\n"
        "    import pickle\n"
        "except (ValueError, Exception):\n"
        "    x = torch.load('weights')\n"
        "with contextlib.suppress(OSError):\n"
        "    y = AutoModel.from_pretrained('a', trust_remote_code=True)\n"
        "try:\n"
        "    z = np.load('a.npy', allow_pickle=False), model.eval()\n"
        "except:\n"
        "    from joblib import load\n"
        "with suppress(BaseException):\n"
        "    eval('1')\n"
    )
    assert blanket_excepts(tree) == [3, 9, 11]
    assert code_on_load(tree) == [2, 4, 6, 10, 12]
