"""Who did how well against whom in training, and how strong everyone is.

Pure functions of the JSON object that `mage standings --json` writes, drawn without leaning on colour: they read the
same through a pipe, and fit 40 columns. What is missing is a dot, never a zero. Names come out of a log that may be
a stranger's, and are made harmless first. Left out: computing any figure that the object holds, reading files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mage.statistics import Estimate, wilson_interval
from mage.strength import independent
from mage.views.figures import MISSING, columns, grid, interval, number, title
from mage.views.heat_map import heat_map
from mage.views.safe_text import clean
from mage.views.written_curves import written_curves
from populations.ratings import elo

_NARROW = 60  # columns of the console, below which tables leave out what others show
_WIDE_ONLY = frozenset({"kind", "return"})
_MOST_ROWS = 12  # of a list of members; --json has them all
_NEGLIGIBLE = 0.005  # a weight in the mixture that would read 0.00
_ANCHORS = {"scripted": "scripted member", "snapshot": "snapshot"}  # by kind
_FEWEST = 3  # members of a meta-game: of two, the better one is the whole mixture


def print_standings(console: Console, standings: Mapping[str, Any]) -> None:
    """Print an object of schema mage.standings/1: records, ratings, payoffs, skill over time, meta-game.

    standings: see docs/standings.md. Of the fields `unrated`, `ratings`, `skill` and `metagame`, which older objects
    lack, what is missing or null is left out. Matrices are cut into as many blocks as the console's width asks for.
    """
    console.print(Text(f"Standings of {clean(standings['run'])}\n"))
    console.print(title("Each member over whomever it met, most wins first (a draw is half a win)"))
    narrow = console.width < _NARROW
    console.print(_summary(standings, narrow))
    for block in _ratings(standings, narrow):
        console.print(block)
    console.print(title(f"\nThe row's win rate against the column; below it mean return (trials); {MISSING} never met"))
    for table in heat_map(standings["rows"], standings["columns"], standings["cells"], console.width):
        console.print(table)
        console.print()
    written = written_curves(standings.get("written") or {}, console.width, console.encoding.startswith("utf"))
    for block in (*_skill(standings, console.width), *_metagame(standings), *written):
        console.print(block)


def _members(headers: Sequence[str], rows: Iterable[Sequence[RenderableType]], narrow: bool) -> Table:
    """Draw a table of members, whose name and kind come first."""
    kept = [index for index, header in enumerate(headers) if not (narrow and header in _WIDE_ONLY)]
    drawn = grid()
    columns(drawn, [headers[index] for index in kept], labels=1 if narrow else 2)
    for row in rows:
        drawn.add_row(*(row[index] for index in kept))
    return drawn


def _summary(standings: Mapping[str, Any], narrow: bool) -> Table:
    """One row for each member, most won first, over whomever it met."""
    dependence = (standings.get("ratings") or {}).get("dependence")
    lines = []
    for name, cells in zip(standings["rows"], standings["cells"], strict=True):
        met = [cell for cell in cells if cell is not None]
        scored = [cell for cell in met if cell["win_rate"] is not None]
        n = sum(cell["n"] for cell in met)
        total = sum(cell["mean_return"] * cell["n"] for cell in met)
        counted = bool(met) and all("forfeits" in cell for cell in met)
        forfeits = str(sum(cell["forfeits"] for cell in met)) if counted else MISSING
        rate = _win_rate(scored, dependence) if scored else None
        line = (
            _name(name),
            _name(standings["kinds"].get(name, MISSING)),
            number(total / n if n else None),
            _rate(rate, narrow),
            str(n),
            forfeits,
        )
        lines.append((rate.value if rate else -1.0, line))
    headers = ("member", "kind", "return", "win rate", "trials", "forfeits")
    return _members(headers, [line for _, line in sorted(lines, key=lambda scored: -scored[0])], narrow)


def _win_rate(cells: Sequence[Mapping[str, Any]], dependence: float | None) -> Estimate:
    """Pool cells; their episodes count for as many as are independent, each trial for one where nothing says how many.

    dependence: None where nothing was rated; older objects have neither it nor episodes.
    """
    counts = [cell["wins"] + cell["draws"] + cell["losses"] if "wins" in cell else cell["n"] for cell in cells]
    share = sum(cell["win_rate"] * n for cell, n in zip(cells, counts, strict=True)) / sum(counts)
    n = sum(cell["n"] for cell in cells) if dependence is None else independent(sum(counts), dependence)
    return wilson_interval(min(share, 1.0) * n, n)


def _rate(rate: Estimate | None, narrow: bool) -> str:
    if rate is None:
        return MISSING
    return number(rate.value) if narrow else interval(rate.value, rate.low, rate.high)


def _ratings(standings: Mapping[str, Any], narrow: bool) -> Iterator[RenderableType]:
    """Say how strong each member is, the strongest first; every learner, and others while there is room."""
    ratings = standings.get("ratings")
    if ratings is None:
        if standings.get("unrated"):
            yield Text(f"\nNo ratings: {clean(standings['unrated'])}.")
        return
    entries = ratings["entries"]
    room = _MOST_ROWS - sum(entry["kind"] == "learner" for entry in entries)
    others = [entry["name"] for entry in entries if entry["kind"] != "learner"][: max(room, 0)]
    shown = [entry for entry in entries if entry["kind"] == "learner" or entry["name"] in others]
    zero = _zero(ratings)
    yield title(f"\nStrength in Elo points (a learner's at the end), {ratings['level']:.0%} interval; 0 is {zero}")
    rows = [(_name(entry["name"]), _name(entry["kind"]), _elo(entry), str(entry["episodes"])) for entry in shown]
    yield _members(("member", "kind", "Elo", "episodes"), rows, narrow)
    yield from _more(len(entries) - len(shown))
    yield Text(
        f"Prior: normal, deviation {_whole(float(elo(ratings['prior_deviation'])))} points. Dispersion "
        f"{ratings['dispersion']:.1f}: results vary that many times as much as independent episodes; intervals allow "
        "for it."
    )
    if len(ratings["components"]) > 1:
        yield Text(f"{len(ratings['components'])} groups of members never met: only the prior compares them.")


def _zero(ratings: Mapping[str, Any]) -> str:
    """Say whose mean rating is 0."""
    anchors = ratings["anchors"]
    if not anchors:
        return "the mean of all"
    kinds = {entry["kind"] for entry in ratings["entries"] if entry["name"] in anchors}
    word = _ANCHORS.get(kinds.pop(), "member") if len(kinds) == 1 else "member"
    return f"the mean of the {len(anchors)} {word}s" if len(anchors) > 1 else f"the only {word}"


def _skill(standings: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    """Show the learners' ratings window by window, as many windows as fit, evenly spread, the last among them."""
    skill = standings.get("skill")
    if skill is None or len(skill["edges"]) < 3:
        return
    last = len(skill["edges"]) - 2
    texts = {name: [_point(point) for point in points] for name, points in skill["curves"].items()}
    longest = max((len(text) for points in texts.values() for text in points), default=1)
    label = min(20, width // 3)
    fits = min(max((width - label - 2) // (longest + 2), 1), last + 1)
    shown = sorted({last - round(index * last / max(fits - 1, 1)) for index in range(fits)})
    yield title("Skill by window of iterations: Elo points, and half the width of their interval")
    drawn = grid()
    columns(drawn, ("member", *(f"to {skill['edges'][index + 1] - 1}" for index in shown)))
    for name, points in texts.items():
        drawn.add_row(_name(name), *(points[index] for index in shown))
    yield drawn


def _point(point: Mapping[str, float] | None) -> str:
    if point is None:
        return MISSING
    return f"{_whole(point['elo'])} ±{_whole((point['elo_high'] - point['elo_low']) / 2.0)}"


def _metagame(standings: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Show the Nash mixture and what goes round in circles, among the members that all met one another."""
    game = standings.get("metagame")
    if game is None:
        return
    members, left_out = game["members"], game["left_out"]
    if len(members) < _FEWEST:
        total = len(members) + left_out
        yield Text(f"\nNo meta-game: of {total} members, no {_FEWEST} all met one another.")
        return
    yield title(
        f"\nNash mixture of the {len(members)} members that all met one another ({left_out} left out), "
        "and win rates against it"
    )
    ranked = sorted(zip(members, game["mixture"], game["skill"], strict=True), key=lambda row: (-row[1], -row[2]))
    drawn = grid()
    columns(drawn, ("member", "weight", "against it"))
    for name, weight, skill in ranked[:_MOST_ROWS]:
        drawn.add_row(_name(name), number(weight) if weight >= _NEGLIGIBLE else "0", number((1.0 + skill) / 2.0))
    yield drawn
    yield from _more(len(ranked) - _MOST_ROWS)
    yield from _circles(game["cycles"])


def _circles(cycles: Sequence[Sequence[str]]) -> Iterator[Text]:
    if not cycles:
        yield Text("No circle: nobody is beaten, beyond chance, by someone that it beats through others.")
    for members in cycles:
        yield Text(f"A circle, in which each beats the next beyond chance or through others: {_listed(members)}")


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_ROWS
    return ", ".join(map(clean, names[:_MOST_ROWS])) + (f" and {rest} more" if rest > 0 else "")


def _more(count: int) -> Iterator[Text]:
    if count > 0:
        yield Text(f"and {count} more, see --json")


def _elo(entry: Mapping[str, Any]) -> str:
    return f"{_whole(entry['elo'])} [{_whole(entry['elo_low'])}, {_whole(entry['elo_high'])}]"


def _whole(points: float) -> str:
    return f"{round(points)}"


def _name(name: str) -> Text:
    return Text(clean(name))
