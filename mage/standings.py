"""Standings of a run, derived from its event log: what every learner earned against whom, and how strong it is.

Rows are learners; columns are learners, each learner's snapshots together, and each family of scripted
training opponents together. Sums run over the whole run, in a run of stages over what came since its last stage of
kind rl began: stages differ in games and lengths. Early and late versions of a learner are mixed; ratings and skill
tell them apart (`strength`). Left out: held-out opponents (`mage evaluate` alone meets those), drawing
(`views`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from games.errors import RequestError
from mage import events
from mage.collector import collector_paused
from mage.paths import RunPaths
from mage.strength import strength
from populations.members import KINDS
from populations.payoffs import RESULT_FIELDS, PayoffTable, Result

SCHEMA = "mage.standings/1"
WRITTEN = ("thinking_tokens", "reflection_tokens", "valid_move_rate")  # of an `update` event; older logs lack some
# Matches hold most of a log's bytes and no figure of the standings. Keys are sorted, and none of theirs comes later.
_MATCH_END = b'"type":"match"}\n'


def standings(run: str | Path) -> dict[str, Any]:
    """Read RUN/events.jsonl and return its standings as plain JSON values.

    Returns `schema`, `run`, `game`, `iteration` (the last with a result, null before the first), `rows`
    (learners), `columns` (those that were met), `kinds` (of both), `members` (by column), `cells`
    ([rows][columns], null for a pair that never met, else `n` trials over all seats, `mean_return` per
    episode in game units, `wins`, `draws` and `losses` in episodes, `win_rate` with draws half, `forfeits` of the
    row), `results` (sums of every pair of members, by seat), `written` (what each learner wrote besides its moves, by
    iteration; null where that is nothing), and what `strength` adds. Raises RequestError when there is no log or it is
    damaged; replays in it are not looked at.
    """
    log = RunPaths(Path(run)).events if Path(run).is_dir() else Path(run)
    with collector_paused():  # thousands of results
        return derive(str(run), events.numbered(log, but=_MATCH_END))


@dataclass
class _Story:
    """What the events told so far."""

    game: str | None = None
    seats: int | None = None  # of the game; None in older logs
    iteration: int | None = None  # of the last result
    members: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    results: list[tuple[int, Result]] = field(default_factory=list)  # with their iterations
    written: dict[str, dict[str, list[float]]] = field(default_factory=dict)  # by learner and figure

    def take(self, event: Mapping[str, Any]) -> None:
        """Fold one event in. Raises KeyError, TypeError or ValueError for what its type can't hold."""
        if event["type"] == "run":
            if event["schema"] != events.SCHEMA:
                raise ValueError(f"schema {event['schema']!r}, expected {events.SCHEMA!r}")
            self.game, self.seats = event["config"]["game"]["name"], event.get("seats")
            _check_seats(self.seats)
            self.members |= {member["name"]: _checked(member) for member in event["members"]}
        elif event["type"] == "stage":
            self._enter(event)
        elif event["type"] == "member":
            self.members[event["name"]] = _checked(event)
        elif event["type"] == "update" and all(name in event for name in WRITTEN):
            curves = self.written.setdefault(event["agent"], {name: [] for name in ("iteration", *WRITTEN)})
            for name, curve in curves.items():
                curve.append(_figure(event[name]))
        elif event["type"] == "result":
            self.iteration = int(event["iteration"])
            if self.iteration < 0:
                raise ValueError(f"iteration {self.iteration} is below 0")
            result = Result(*map(event.__getitem__, RESULT_FIELDS))
            counted = (result.seat, result.n, result.wins, result.draws, result.losses, result.forfeits)
            if {type(event["iteration"]), *map(type, counted)} != {int}:
                raise ValueError("an iteration, a seat or a count is no whole number")
            if result.row not in self.members or result.column not in self.members:
                stranger = result.column if result.row in self.members else result.row
                raise ValueError(f"a result of {stranger!r} before it joined")
            self.results.append((self.iteration, result))

    def _enter(self, stage: Mapping[str, Any]) -> None:
        """Begin anew where a stage is played for rewards: in another game or length its returns are others."""
        if stage["kind"] != "rl":
            return
        self.results, self.iteration = [], None
        self.game, self.seats = stage.get("game", self.game), stage.get("seats", self.seats)
        _check_seats(self.seats)


def _check_seats(seats: Any) -> None:
    if seats is not None and not (type(seats) is int and seats >= 2):
        raise ValueError(f"seats {seats!r} is no whole number of at least 2")


def _figure(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is no number")
    return value


def _checked(member: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the member; ValueError for a kind that is not one, KeyError where name, kind or parent is missing."""
    if not isinstance(member["name"], str) or "\0" in member["name"]:
        raise ValueError(f"the name {member['name']!r} is no text without NUL")
    if member["kind"] not in KINDS:
        raise ValueError(f"kind {member['kind']!r} of {member['name']!r} is not one of {', '.join(KINDS)}")
    if member["kind"] == "snapshot":
        str(member["parent"])
    return member


def derive(run: str, log: Iterable[tuple[int, Mapping[str, Any]]]) -> dict[str, Any]:
    """The standings in a log's numbered events; see `standings`. `run` is what messages call the log."""
    story = _Story()
    for number, event in log:
        try:
            story.take(event)
        except (KeyError, TypeError, ValueError) as error:
            raise RequestError(f"{run}: event {number} can't be read ({error!r}); the log is damaged") from error
        except OverflowError as error:
            raise RequestError(f"{run}: event {number} holds a number out of range; the log is damaged") from error
    if story.game is None:
        raise RequestError(f"{run}: got a log without a run event, expected one first; has the run started?")
    try:
        return _tables(run, story)
    except (OverflowError, ValueError) as error:
        raise RequestError(f"{run}: the results do not add up ({error}); the log is damaged") from error


def _tables(run: str, story: _Story) -> dict[str, Any]:
    members, table = story.members, PayoffTable(result for _, result in story.results)
    summed = table.results()
    columns = _columns(members, {result.column for result in summed})
    column_of = {name: column for column, names in columns.items() for name in names}
    grouped = PayoffTable(replace(result, column=column_of[result.column]) for result in summed)
    rows = [name for name, member in members.items() if member["kind"] == "learner"]
    return {
        "schema": SCHEMA,
        "run": run,
        "game": story.game,
        "iteration": story.iteration,
        "rows": rows,
        "columns": list(columns),
        "kinds": {name: members[name]["kind"] for name in rows}
        | {column: members[names[0]]["kind"] for column, names in columns.items()},
        "members": columns,
        "cells": [[_cell(grouped, row, column) for column in columns] for row in rows],
        "results": table.to_json(),
        "written": story.written if any(map(_wrote, story.written.values())) else None,
    } | strength(story.results, table, {name: str(member["kind"]) for name, member in members.items()}, story.seats)


def _wrote(curves: Mapping[str, list[float]]) -> bool:
    """Whether there was more to write than moves among the legal ones."""
    return any(curves["thinking_tokens"]) or any(curves["reflection_tokens"]) or min(curves["valid_move_rate"]) < 1


def _columns(members: Mapping[str, Mapping[str, Any]], met: set[str]) -> dict[str, list[str]]:
    """The members met by column: learners first, then snapshots, then scripted, each as they joined."""
    columns: dict[str, list[str]] = {}
    for kind in KINDS:
        for name, member in members.items():
            if member["kind"] == kind and name in met:
                columns.setdefault(_title(member), []).append(name)
    return columns


def _title(member: Mapping[str, Any]) -> str:
    """`learner_0`, `learner_0@*` for snapshots, `peaked_habit(*)` for a family with parameters."""
    name = str(member["name"])
    if member["kind"] == "snapshot":
        return f"{member['parent']}@*"
    return f"{name.split('(')[0]}(*)" if member["kind"] == "scripted" and "(" in name else name


def _cell(payoffs: PayoffTable, row: str, column: str) -> dict[str, Any] | None:
    """What `row` did against `column` in every seat, None if they never met; see `standings`."""
    counts = payoffs.cell(row, column)
    if counts is None:
        return None
    return {
        "n": counts.n,
        "mean_return": payoffs.mean(row, column),
        "wins": counts.wins,
        "draws": counts.draws,
        "losses": counts.losses,
        "win_rate": payoffs.win_rate(row, column),
        "forfeits": counts.forfeits,
    }
