"""What is installed is what is used: declared dependencies, pins, and a command line that answers at once."""

from __future__ import annotations

import ast
import re
import resource
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("games", "populations", "mage")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

HELP = """
import sys
from mage.cli import main
sys.argv = ["mage", "--help"]
try:
    status = main()
except SystemExit as stop:
    status = stop.code
print("HEAVY", sorted({"torch", "transformers", "peft"} & set(sys.modules)))
sys.exit(status)
"""


def declared(extra: str | None = None) -> dict[str, Requirement]:
    lines = PROJECT["dependencies"] if extra is None else PROJECT["optional-dependencies"][extra]
    return {canonicalize_name(requirement.name): requirement for requirement in map(Requirement, lines)}


def pins() -> dict[str, str]:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return {
        canonicalize_name(name): version
        for name, version in re.findall(r"^([A-Za-z0-9._-]+)==(\S+)$", text, flags=re.MULTILINE)
    }


def third_party(*folders: str) -> dict[str, str]:
    """Top-level names imported in `folders` that are neither ours nor Python's, with one file each."""
    found: dict[str, str] = {}
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            found |= {name.partition(".")[0]: str(path.relative_to(ROOT)) for name in names}
    ours = {*PACKAGES, "tests", "benchmarks"}
    return {name: path for name, path in found.items() if name not in sys.stdlib_module_names | ours}


def undeclared(imported: dict[str, str], known: set[str]) -> list[str]:
    """Sentences about imports that no declared distribution provides."""
    providers = packages_distributions()
    return [
        f"{path} imports {name}, which pyproject.toml does not declare"
        for name, path in imported.items()
        if not {canonicalize_name(provider) for provider in providers.get(name, [name])} & known
    ]


def test_every_import_of_the_packages_is_a_declared_dependency():
    assert not undeclared(third_party(*PACKAGES), set(declared()))


def test_every_import_of_the_tests_is_a_declared_dependency():
    assert not undeclared(third_party("tests", "benchmarks"), {*declared(), *declared("dev"), *declared("bench")})


@pytest.mark.parametrize(
    "requirement", [*declared().values(), *declared("dev").values(), *declared("bench").values()], ids=str
)
def test_every_dependency_has_a_lower_bound_and_a_pin_that_satisfies_it(requirement: Requirement):
    assert [clause.operator for clause in requirement.specifier] == [">="]
    pin = pins().get(canonicalize_name(requirement.name))
    assert pin, f"constraints.txt does not pin {requirement.name}"
    assert requirement.specifier.contains(pin)


def test_constraints_hold_exact_pins_and_name_no_place():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line and not line.startswith("#") and "==" not in line] == []
    assert not re.search(r"://| @ |\+", (ROOT / "constraints.txt").read_text(encoding="utf-8"))


def test_the_console_script_is_the_command_line_of_mage():
    (script,) = entry_points(group="console_scripts", name="mage")
    assert script.value == "mage.cli:main"


def spent() -> float:
    """Processor seconds of the child processes so far: what else runs on the machine doesn't count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_help_answers_within_a_second_and_without_torch():
    seconds = []
    for _ in range(5):
        start = spent()
        result = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, timeout=60)
        seconds.append(spent() - start)
        assert result.returncode == 0, result.stderr
        assert "train" in result.stdout and "evaluate" in result.stdout and "watch" in result.stdout
        assert "HEAVY []" in result.stdout
        if seconds[-1] < 1.0:
            break
    assert min(seconds) < 1.0, f"the fastest of {len(seconds)} starts took {min(seconds):.2f} s"


def test_python_dash_m_mage_answers_too():
    result = subprocess.run([sys.executable, "-m", "mage", "--help"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert "Usage" in result.stdout
