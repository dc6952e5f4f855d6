"""What the packages import, read from their source; nothing is imported.

Left out: which imports are allowed (`test_imports`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("games", "populations", "mage")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name, as far as it is a module."""

    target: str  # dotted, e.g. "mage.records"
    line: int
    at_load: bool  # executed when the importing module is imported


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in python_files(*PACKAGES)}


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def base_of(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """The absolute name that `from X import ...` starts from, relative dots resolved."""
    if node.level == 0:
        return node.module or ""
    up = node.level - 1 if is_package else node.level
    parts = module.split(".")
    return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def statements(node: ast.AST, at_load: bool = True) -> Iterator[tuple[ast.stmt, bool]]:
    """Every statement below `node`, with whether it runs when the module is loaded."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child, at_load
            lazy = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or is_type_checking(child)
            yield from statements(child, at_load and not lazy)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from statements(child, at_load)


def imports_of(tree: ast.Module, module: str, is_package: bool, known: frozenset[str]) -> list[Import]:
    """The imports of one module; `from package import name` counts as `package.name` if that is a module."""
    found = []
    for node, at_load in statements(tree):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, node.lineno, at_load) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = base_of(node, module, is_package)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                found.append(Import(full if full in known else base, node.lineno, at_load))
    return found


@cache
def imports(module: str) -> list[Import]:
    path = modules()[module]
    return imports_of(parse(path), module, path.name == "__init__.py", frozenset(modules()))


def loaded_with(module: str) -> dict[str, str]:
    """Everything that importing `module` loads, mapped to the module of ours that asked for it."""
    loaded: dict[str, str] = {}
    queue = [(module, module)]
    while queue:
        name, asker = queue.pop()
        if name in loaded:
            continue
        loaded[name] = asker
        if parent := name.rpartition(".")[0]:
            queue.append((parent, name))
        if name in modules():
            queue += [(found.target, name) for found in imports(name) if found.at_load]
    return loaded
