"""What a replayed match looks like: one screen at one step, or the whole match as plain text.

Pure functions of a match and a size. Leaves out reading logs, keys and time (`watch.py`). Text of a match is
taken literally, never as markup; it was cleaned when the match was read (`replay.py`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.text import Text

from mage.views.replay import Match, Move

SEAT_STYLES = ("cyan", "magenta", "yellow", "blue")
KEYS = (
    "space pause  n next  p back  + - speed  [ ] match  q quit",
    "space  n next  p back  + -  [ ]  q quit",
    "n next  q quit",
)
EIGHTHS = " ▏▎▍▌▋▊▉█"
FEW_ROWS = 3  # rows of moves, and of text, that stay while anything less needed is still there


def number(value: float) -> str:
    """A score with its sign, as an integer where it is one: +2, -0.50, 0."""
    if value == int(value):
        return f"{int(value):+d}" if value else "0"
    return f"{value:+.2f}"


def cut(text: str, width: int, unicode: bool = True) -> str:
    """`text` in at most `width` terminal cells, an ellipsis where something is missing."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)) + ("…" if unicode else "~")[: max(width, 0)]


def bar(share: float, width: int, unicode: bool) -> str:
    """A bar of `share` (0 to 1) of `width` cells, to an eighth of a cell in Unicode."""
    share = min(max(share, 0.0), 1.0)
    if not unicode:
        return "#" * round(share * width)
    whole, rest = divmod(round(share * width * 8), 8)
    return EIGHTHS[8] * whole + (EIGHTHS[rest] if rest else "")


def wrap(text: str, width: int) -> list[str]:
    """The lines of `text`, broken at `width` cells; blank lines at its end are left out."""
    width = max(width, 2)
    lines: list[str] = []
    for line in text.rstrip("\n").split("\n") if text.strip() else []:
        parts = chop_cells(line, width)
        if line.isascii():  # between words where every letter is one cell wide
            parts = textwrap.wrap(line, width, drop_whitespace=False, replace_whitespace=False)
        lines.extend(parts or [""])
    return lines


def headline(match: Match) -> str:
    """One line that says which match this is."""
    return f"match {match.id}  {match.game}  iteration {match.iteration}  memory {match.memory}"


def happening(match: Match, step: tuple[int, int]) -> tuple[str, str]:
    """What happens at `step`, as (where and whose, what)."""
    episode, at = step
    moves = match.episodes[episode].moves
    if at == len(moves):
        scores = ", ".join(number(value) for value in match.episodes[episode].returns)
        over = "trial" if episode + 1 == len(match.episodes) else f"episode {episode + 1}"
        return f"{over} over", f"this episode's returns by seat: {scores}"
    move = moves[at]
    plays = "forfeits" + (f" with {move.move}" if move.move else "") if move.forfeit else f"plays {move.move}"
    return f"round {move.number + 1}: seat {move.seat} {match.members[move.seat]}", plays


def _bars(move: Move, width: int, rows: int, unicode: bool) -> list[Text]:
    if move.probabilities is None:
        legal = cut("legal  " + " ".join(move.legal), width, unicode)
        return [Text("scripted player: no probabilities"[:width], "dim"), Text(legal)][: max(rows, 0)]
    pairs = list(zip(move.legal, move.probabilities, strict=True))
    shown = set(range(len(pairs)))
    if len(pairs) > rows:  # keep the move played and the likeliest others, in the order of the legal moves
        best = sorted(shown, key=lambda index: (pairs[index][0] != move.move, -pairs[index][1]))
        shown = set(best[: max(rows - 1, 0)])
    label = min(max((cell_len(name) for name in move.legal), default=1), max(width // 3, 1))
    lines = []
    for index in sorted(shown):
        name, share = pairs[index]
        played = name == move.move
        text = f"{'>' if played else ' '} {set_cell_size(cut(name, label, unicode), label)} {share:6.1%} "
        text += bar(share, width - cell_len(text), unicode)
        lines.append(Text(text, "bold green" if played else ""))
    if len(shown) < len(pairs) and rows > 0:
        rest = sum(share for index, (_, share) in enumerate(pairs) if index not in shown)
        lines.append(Text(f"  {len(pairs) - len(shown)} other moves {rest:.1%}", "dim"))
    return lines


def _scoreboard(match: Match, step: tuple[int, int], width: int, unicode: bool) -> list[Text]:
    scores = match.scores(step)
    cells = [[number(value) for value in episode] for episode in scores]
    cells += [["."] * len(match.members)] * (len(match.episodes) - len(cells))  # not begun
    totals = [number(sum(episode[seat] for episode in scores)) for seat in range(len(match.members))]
    column = max(5, *(len(cell) for row in [*cells, totals] for cell in row)) + 1
    columns = min(len(cells), max((width - 12) // column - 1, 0))  # as many as fit, the current among them
    first = max(len(scores) - columns, 0)
    longest = max(cell_len(name) for name in match.members) + 9
    left = min(max(width - column * (columns + 1), 0), longest)
    titles = "".join(f"{'ep ' + str(first + k + 1):>{column}}" for k in range(columns))
    lines = [Text(" " * left + titles + f"{'trial':>{column}}", "dim")]
    episode, at = step
    moves = match.episodes[episode].moves
    for seat, name in enumerate(match.members):
        mark = ">" if at < len(moves) and moves[at].seat == seat else " "
        label = set_cell_size(cut(f"{mark} seat {seat} {name}", left, unicode), left)
        row = "".join(f"{cells[first + k][seat]:>{column}}" for k in range(columns))
        style = SEAT_STYLES[seat % len(SEAT_STYLES)]
        lines.append(Text.assemble((label, style), row, (f"{totals[seat]:>{column}}", "bold")))
    return lines


def _history(match: Match, step: tuple[int, int], width: int) -> list[Text]:
    episode, at = step
    lines = []
    for seat in range(len(match.members)):
        played = [move for move in match.episodes[episode].moves[: at + 1] if move.seat == seat]
        words = " ".join(move.move or "forfeit" for move in played)
        room = max(width - 14, 0)
        while cell_len(words) > room:  # the latest moves matter
            words = words[1:]
        lines.append(Text(f"seat {seat} moves  {words}", SEAT_STYLES[seat % len(SEAT_STYLES)]))
    return lines


def frame(match: Match, cursor: int, width: int, height: int, unicode: bool = True, status: str = "") -> list[Text]:
    """The screen at step `cursor` of the match (an index into `match.steps()`, clamped).

    width, height: of the terminal, in cells (>= 1). status: one line on the player's state. Returns at most
    `height` lines of at most `width` cells. Where room is short, blank lines go first, then unlikely moves
    and text beyond a few rows, then keys, moves so far, scores and the headline.
    """
    steps = match.steps()
    step = steps[min(max(cursor, 0), len(steps) - 1)]
    episode, at = step
    moves = match.episodes[episode].moves
    where, what = happening(match, step)
    progress = f"move {at + 1} of {len(moves)}" if at < len(moves) else "over"
    place = f"episode {episode + 1} of {len(match.episodes)}, {progress}"
    head = [Text(cut(headline(match), width, unicode), "bold"), Text(place)]
    title = [Text(cut(where, width, unicode), "bold"), Text(cut(f"  {what}", width, unicode), "bold green")]
    keys = next((line for line in KEYS if cell_len(line) <= width), KEYS[-1])
    foot = [Text(cut(status, width, unicode), "dim"), Text(keys, "dim")]
    score = _scoreboard(match, step, width, unicode)
    past = _history(match, step, width)
    move = moves[at] if at < len(moves) else None
    choices = 0 if move is None else 2 if move.probabilities is None else len(move.legal)
    news = [] if move is None else wrap(move.news, width - 2) or ["(nothing)"]

    wanted = min(choices, FEW_ROWS) + min(len(news), FEW_ROWS) + bool(news)
    for section in (foot, past, score, head):
        if sum(map(len, (head, title, score, past, foot))) + wanted > height:
            section.clear()
    room = height - sum(map(len, (head, title, score, past, foot)))
    rows = min(choices, max(room - bool(news) - min(len(news), FEW_ROWS), 1))
    bars = [] if move is None else _bars(move, width, rows, unicode)
    reads = _reads(news, room - bool(news) - len(bars), unicode)
    return _stack([head, score, past, title + bars, reads], foot, width, height)


def _reads(news: list[str], rows: int, unicode: bool) -> list[Text]:
    if not news or rows < 1:
        return []
    if len(news) > rows:
        left_out = len(news) - (rows - 1)
        news = [*news[: rows - 1], f"({left_out} more lines)"]
    gutter = "│ " if unicode else "| "
    return [Text("the seat reads", "dim"), *(Text.assemble((gutter, "dim"), line) for line in news)]


def _stack(sections: list[list[Text]], foot: list[Text], width: int, height: int) -> list[Text]:
    """Sections under one another, blank lines between them while they fit, the foot at the bottom."""
    sections = [section for section in sections if section]
    spare = height - sum(map(len, sections)) - len(foot)
    lines: list[Text] = []
    for index, section in enumerate(sections):
        if index and spare > 0:
            lines.append(Text())
            spare -= 1
        lines.extend(section)
    if foot:
        lines += [Text() for _ in range(max(spare, 0))] + foot
    for line in lines:
        line.no_wrap = True
        line.truncate(max(width, 1), overflow="crop")
    return lines[: max(height, 1)]


def transcript(match: Match, unicode: bool = True) -> Iterator[str]:
    """The whole match as plain lines, without colour; lines are as long as the match's text makes them."""
    yield headline(match)
    for seat, name in enumerate(match.members):
        yield f"seat {seat}  {name}"
    for episode, at in match.steps():
        moves = match.episodes[episode].moves
        if at == 0:
            yield ""
            yield f"episode {episode + 1} of {len(match.episodes)}"
        where, what = happening(match, (episode, at))
        scores = match.scores((episode, at))
        trial = ", ".join(number(sum(column)) for column in zip(*scores, strict=True))
        yield f"  {where}, trial score by seat: {trial}"
        if at < len(moves):
            reads = moves[at].news.rstrip("\n").split("\n") if moves[at].news else []
            yield from (f"    reads  {line}" for line in reads)
            yield from (f"    {line.plain}" for line in _bars(moves[at], 60, len(moves[at].legal) + 2, unicode))
        yield f"    {what}"
