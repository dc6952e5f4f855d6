"""Reads sparse TOML into a `Config`, writes the resolved config, and compares two of them for a resume.

Everything a person can get wrong in a file or in `--set` becomes one sentence in a `RequestError`. Left out:
what the keys mean and their ranges (`schema`).
"""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import tomli_w
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from games.errors import RequestError
from mage.config.chaining import stage_data
from mage.config.declared import Table
from mage.config.schema import Config
from mage.config.staging import Stage

MAY_CHANGE_ON_RESUME = re.compile(r"run\.iterations|stage\[\d+\]\.iterations")

EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "string_too_short": "text that is not empty",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "union_tag_not_found": 'an opponent as text, such as "tit_for_tat", or as a table with a family',
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le}",
    "literal_error": "{expected}",
    "missing": "a value",
}


def load(path: str | Path, overrides: Mapping[str, object] | None = None) -> Config:
    """Read a config file and check it.

    overrides: dotted key to value, as in {"run.iterations": 5}; text is read as a TOML value ("5", "[1, 2]")
    and stays text where it is none. Raises RequestError, one sentence, for a wrong file, key or value.
    """
    data = _read(Path(path))
    for key, value in (overrides or {}).items():
        _override(data, key, _toml_value(value) if isinstance(value, str) else value)
    config = _checked({key: _tuples(value) for key, value in data.items()}, str(path))
    for stage in config.stage:
        place = f'{path}: stage "{stage.name}"'
        try:
            of_stage = stage_data(config, stage)
        except ValueError as error:
            raise RequestError(f"{place}: {error}") from None
        _checked(of_stage, place)
    return config


def _checked(data: dict[str, Any], place: str) -> Config:
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        raise RequestError(f"{place}: {_sentence(error, data)}") from None


def override_pairs(assignments: Iterable[str]) -> dict[str, str]:
    """The overrides in `--set KEY=VALUE` texts; a later one wins. Raises RequestError without "=" or key."""
    pairs: dict[str, str] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key.strip():
            raise RequestError(f'--set: got "{assignment}", expected KEY=VALUE, such as run.iterations=5')
        pairs[key.strip()] = value.strip()
    return pairs


def resolved(config: Config) -> str:
    """The whole config as TOML, defaults included, unset keys left out; it loads back to an equal config."""
    return tomli_w.dumps(config.model_dump(mode="json", exclude_none=True))


def differences(old: Config, new: Config) -> list[str]:
    """Dotted keys, sorted, that differ and that a resume may not change (all but how many iterations)."""
    before, after = _leaves(old), _leaves(new)
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    return sorted(key for key in changed if not MAY_CHANGE_ON_RESUME.fullmatch(key))


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise RequestError(f"{path}: there is no such config file; give the path of a TOML file") from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read ({error.strerror}); give the path of a TOML file") from None
    except UnicodeDecodeError as error:
        raise RequestError(
            f"{path}: got a byte that is not UTF-8 at offset {error.start}, expected a TOML file"
        ) from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"{path}: not valid TOML: {error}; correct that line") from None
    except (RecursionError, ValueError) as error:
        raise RequestError(f"{path}: not a config: {error}; write shorter numbers and flatter lists") from None


def _toml_value(text: str) -> object:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (RecursionError, ValueError):  # not TOML, or more than its reader takes
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _override(data: dict[str, Any], key: str, value: object) -> None:
    if isinstance(value, Mapping):
        raise RequestError(f'override "{key}": got a table, expected a value; set its keys one by one, as {key}.KEY')
    *tables, last = key.split(".")
    for depth, name in enumerate(tables):
        data = data.setdefault(name, {})
        if not isinstance(data, dict):
            raise RequestError(f'override "{key}": "{".".join(tables[: depth + 1])}" is a value, expected a table')
    data[last] = value


def _tuples(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


def _leaves(table: Table, prefix: str = "") -> dict[str, object]:
    leaves: dict[str, object] = {}
    for name in type(table).model_fields:
        value = getattr(table, name)
        if isinstance(value, tuple) and value and isinstance(value[0], Stage):
            for number, stage in enumerate(value):
                leaves |= _leaves(stage, f"{prefix}{name}[{number}].")
        else:
            leaves |= _leaves(value, f"{prefix}{name}.") if isinstance(value, Table) else {f"{prefix}{name}": value}
    return leaves


def _sentence(error: ValidationError, data: Mapping[str, Any]) -> str:
    """One problem of possibly many: a key that does not exist before all others, then the innermost."""
    problems = [(_path(problem, data), problem) for problem in error.errors(include_url=False)]
    for path, problem in problems:
        if problem["type"] == "extra_forbidden":
            return _unknown_key(path)
    path, problem = max(problems, key=lambda found: len(found[0]))
    key = _dotted(path)
    if problem["type"] == "value_error":
        return f"{key}: {problem['ctx']['error']}" if key else str(problem["ctx"]["error"])
    accepted = dict.fromkeys(_expected(other) for place, other in problems if place == path)
    return f"{key}: got {_shown(problem['input'], problem['type'])}, expected {' or '.join(accepted)}"


def _expected(problem: ErrorDetails) -> str:
    template = EXPECTED.get(problem["type"])
    return template.format(**problem.get("ctx", {})) if template else problem["msg"]


def _path(problem: ErrorDetails, data: Any) -> tuple[str | int, ...]:
    """The error's place in the file: pydantic's location without the union branches it adds."""
    path: list[str | int] = []
    for part in problem["loc"]:
        inside_table = isinstance(data, Mapping) and part in data
        if inside_table or (isinstance(data, tuple) and isinstance(part, int) and part < len(data)):
            data = data[part]
            path.append(part)
    return (*path, problem["loc"][-1]) if problem["type"] == "missing" else tuple(path)


def _dotted(path: Iterable[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _unknown_key(path: tuple[str | int, ...]) -> str:
    table: type[BaseModel] = Config
    for part in path[:-1]:
        if isinstance(part, str):  # a number picks one of several of the same kind
            table = _table_in(table.model_fields[part].annotation) or table
    parent, known = _dotted(path[:-1]), list(table.model_fields)
    close = difflib.get_close_matches(str(path[-1]), known, n=1, cutoff=0.0)[0]
    closest = f"{parent}.{close}" if parent else close
    place = f"[{parent}]" if parent else "the top level"
    return f'unknown key "{_dotted(path)}" (closest: "{closest}"); {place} has: {", ".join(known)}'


def _table_in(annotation: Any) -> type[BaseModel] | None:
    """The table that an annotation is, or is a list of or a choice with."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _table_in(inner))), None)


def _shown(value: object, kind: str) -> str:
    if kind == "missing":
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}..."'
    text = str(list(value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
