"""What a replayed match looks like: one screen at one step.

Pure functions of a match and a size. Leaves out the exact prompt (`prompt_view.py`), plain text (`transcript.py`),
reading logs, keys and time (`watch.py`). Text of a match is taken literally, never as markup; it was cleaned when the
match was read (`replay.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from mage.views.cells import bar, count, cut, number, quoted, stack, wrap
from mage.views.happening import happening, headline, place, reasons, says_more, seat_name
from mage.views.replay import Match, Move

SEAT_STYLES = ("cyan", "magenta", "yellow", "blue")
KEYS = (
    "space pause  n next  p back  + - speed  [ ] match  x prompt  q quit",
    "space  n next  p back  + -  [ ]  x  q",
    "n next  q quit",
)
FEW_ROWS = 3  # rows of moves, and of each text, that stay while anything less needed is still there


@dataclass(frozen=True, slots=True)
class _Quote:
    """A text to show."""

    title: str
    lines: list[str]
    end: bool = False  # whether its end matters more than its beginning

    @property
    def rows(self) -> int:
        """Rows that all of it takes, the title's included."""
        return len(self.lines) + 1

    @property
    def few(self) -> int:
        """Rows that it keeps while anything less needed is there."""
        return min(len(self.lines), FEW_ROWS) + 1


def chosen_from(move: Move, reads_text: bool, width: int, rows: int, unicode: bool) -> list[Text]:
    """The legal moves with their probabilities as bars, the one played marked; without probabilities, in one line.

    reads_text: whether a language agent moves. Returns at most `rows` lines; unlikely moves are left out first.
    """
    if move.probabilities is None:
        legal = cut("legal  " + " ".join(move.legal), width, unicode)
        why = "no probabilities" if reads_text else "scripted player: no probabilities"
        return [Text(why[:width], "dim"), Text(legal)][: max(rows, 0)]
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
    head = [Text(cut(headline(match), width, unicode), "bold"), Text(place(match, step))]
    title = [Text(cut(where, width, unicode), "bold"), Text(cut(f"  {what}", width, unicode), "bold green")]
    keys = next((line for line in KEYS if cell_len(line) <= width), KEYS[-1])
    foot = [Text(cut(status, width, unicode), "dim"), Text(keys, "dim")]
    score = _scoreboard(match, step, width, unicode)
    past = _history(match, step, width)
    move = moves[at] if at < len(moves) else None
    choices = 0 if move is None else 2 if move.probabilities is None else len(move.legal)
    quotes = _reflections(match, episode, width) if move is None else _read_and_written(move, width)

    kept = sum(quote.few for quote in quotes)
    for section in (foot, past, score, head):
        if sum(map(len, (head, title, score, past, foot))) + min(choices, FEW_ROWS) + kept > height:
            section.clear()
    room = height - sum(map(len, (head, title, score, past, foot)))
    bars: list[Text] = []
    if move is not None:
        rows = min(choices, max(room - kept, 1))
        bars = chosen_from(move, match.reads_text(move.seat), width, rows, unicode)
    texts = [
        quoted(cut(quote.title, width, unicode), quote.lines, rows, unicode, quote.end)
        for quote, rows in zip(quotes, _shares(quotes, room - len(bars)), strict=True)
    ]
    return stack([head, score, past, title + bars, *texts], foot, width, height)


def _read_and_written(move: Move, width: int) -> list[_Quote]:
    """What the seat read, what it wrote where that is more than its move, and which of it was not legal."""
    quotes = [_Quote("the seat reads", wrap(move.news, width - 2) or ["(nothing)"])]
    if says_more(move):
        thinking = f" ({count(move.thinking, 'thinking token')})" if move.thinking else ""
        written = wrap(move.said, width - 2) or ["(nothing)"]
        quotes.append(_Quote(f"the seat writes{thinking}", written, end=True))
    if move.illegal:
        why = [f"{attempt} {reason}" for attempt, reason in enumerate(reasons(move), start=1)]
        quotes.append(_Quote("tries that were not legal", [line for text in why for line in wrap(text, width - 2)]))
    return quotes


def _reflections(match: Match, episode: int, width: int) -> list[_Quote]:
    return [
        _Quote(f"{seat_name(match, seat)} reflects", wrap(reflection.text, width - 2) or ["(nothing)"])
        for seat, reflection in enumerate(match.episodes[episode].reflections)
        if reflection is not None
    ]


def _shares(quotes: Sequence[_Quote], room: int) -> list[int]:
    """Rows for each text: a few for all of them, the last ones first, then all that it needs, in the same order."""
    shares = [0] * len(quotes)
    for wanted in ([quote.few for quote in quotes], [quote.rows for quote in quotes]):
        for index in reversed(range(len(quotes))):
            more = max(min(wanted[index] - shares[index], room), 0)
            shares[index] += more
            room -= more
    return shares
