"""The exact prompt: all that stood before a seat when it wrote, control tokens included, and the screen that shows it.

Put together from the match alone: what the seat was given, and what it wrote, one after the other since its context
was opened. Leaves out reading logs, keys and time (`watch.py`).
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from mage.memories import FRESH
from mage.views.cells import broken, cut, gutter, stack
from mage.views.happening import happening, headline, place, seat_name
from mage.views.replay import Match

KEYS = (
    "x match  u up  d down  space pause  n next  p back  [ ] match  q quit",
    "x match  u up  d down  q quit",
    "x  q",
)
FEW_ROWS = 3  # of the prompt, that stay while anything else is still there


def writers(match: Match, step: tuple[int, int]) -> list[int]:
    """The seats that write at a step: whose move it is, or, past an episode's last move, those that reflect."""
    episode, at = step
    moves = match.episodes[episode].moves
    if at < len(moves):
        return [moves[at].seat] if match.reads_text(moves[at].seat) else []
    return [seat for seat, reflection in enumerate(match.episodes[episode].reflections) if reflection is not None]


def before(match: Match, step: tuple[int, int], seat: int) -> str:
    """All that stood before `seat` when it wrote at `step`: the whole of its context up to there.

    The context begins with the episode where memory is one of `FRESH`, else with the trial. Exact as far as the match
    holds what was written and read; logs of before these were recorded give each move with a newline, as it was.
    """
    last, at = step
    first = last if match.memory in FRESH else 0
    parts = []
    for number in range(first, last + 1):
        episode = match.episodes[number]
        for move in episode.moves[: at if number == last else None]:
            if move.seat == seat:
                parts += [move.read, move.wrote]
        reflection = episode.reflections[seat]
        if reflection is not None and number < last:
            parts += [reflection.prompt, reflection.wrote]
    moves, reflection = match.episodes[last].moves, match.episodes[last].reflections[seat]
    if at < len(moves):
        parts.append(moves[at].read)
    elif reflection is not None:
        parts.append(reflection.prompt)
    return "".join(parts)


def page(match: Match, cursor: int, width: int) -> list[str]:
    """The prompt at step `cursor`, broken at `width` cells; where several seats write there, one after the other."""
    step = match.steps()[cursor]
    seats = writers(match, step)
    lines: list[str] = []
    for seat in seats:
        lines += [f"({seat_name(match, seat)})"] if len(seats) > 1 else []
        lines += broken(before(match, step, seat), width)
    return lines


def furthest(match: Match, cursor: int, width: int, height: int) -> int:
    """How many lines before its end the prompt's display can end: there its first line is the first one shown."""
    return max(len(page(match, cursor, width - 2)) - (_room(height)[1] - 1), 0)


def prompt_frame(
    match: Match, cursor: int, width: int, height: int, unicode: bool = True, status: str = "", back: int = 0
) -> list[Text]:
    """The screen with the exact prompt at step `cursor` of the match (clamped), its end or what is `back` lines before.

    Otherwise as `frames.frame`.
    """
    steps = match.steps()
    cursor = min(max(cursor, 0), len(steps) - 1)
    where, what = happening(match, steps[cursor])
    head = [Text(cut(headline(match), width, unicode), "bold"), Text(place(match, steps[cursor]))]
    title = [Text(cut(where, width, unicode), "bold"), Text(cut(f"  {what}", width, unicode), "bold green")]
    keys = next((line for line in KEYS if cell_len(line) <= width), KEYS[-1])
    foot = [Text(cut(status, width, unicode), "dim"), Text(keys, "dim")]
    kept, rows = _room(height)
    for section in (head, foot, title)[: 3 - kept]:
        section.clear()
    lines = _window(page(match, cursor, width - 2), rows, back, unicode)
    return stack([head, lines, title], foot, width, height)


def _room(height: int) -> tuple[int, int]:
    """How many of headline, keys and title are kept, two rows each, the last ones first; the prompt's rows."""
    kept = min(max((height - FEW_ROWS) // 2, 0), 3)
    rows = height - 2 * kept
    return kept, max(rows - 2 if rows > FEW_ROWS + 1 else rows, 1)  # blank lines around the prompt where they fit


def _window(lines: list[str], rows: int, back: int, unicode: bool) -> list[Text]:
    """`rows` of the lines, up to `back` lines before their end; the first row says which, where not all are there."""
    if not lines:
        return [Text("nobody who reads text writes here", "dim")]
    if len(lines) <= rows or rows < 2:
        return [gutter(line, unicode) for line in lines[-rows:]]
    end = max(len(lines) - back, rows - 1)
    begin = end - (rows - 1)
    which = Text(f"(lines {begin + 1} to {end} of {len(lines)})", "dim")
    return [which, *(gutter(line, unicode) for line in lines[begin:end])]
