"""A whole match as plain text, for pipes and files.

A pure function of a match. Its text is taken literally; it was cleaned when the match was read (`replay.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from mage.views.cells import count, number
from mage.views.frames import chosen_from
from mage.views.happening import happening, headline, reasons, says_more, seat_name
from mage.views.prompt_view import before, writers
from mage.views.replay import Match, Move

BAR_WIDTH = 60  # cells, of a move's name, its probability and its bar


def transcript(match: Match, unicode: bool = True, prompts: bool = False) -> Iterator[str]:
    """The match line by line, without colour; lines are as long as the match's text makes them.

    prompts: whether a seat is shown with all that stood before it, instead of what it read since it last wrote.
    """
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
        if prompts:
            for seat in writers(match, (episode, at)):
                yield from _lines("before", before(match, (episode, at), seat))
        if at < len(moves):
            yield from _move(match, moves[at], unicode, read=not prompts)
        yield f"    {what}"
        if at == len(moves):
            for seat, reflection in enumerate(match.episodes[episode].reflections):
                if reflection is not None:
                    yield f"    {seat_name(match, seat)} reflects"
                    yield from _lines("writes", reflection.text or "(nothing)")


def _move(match: Match, move: Move, unicode: bool, read: bool) -> Iterator[str]:
    if read and move.news:
        yield from _lines("reads", move.news.rstrip("\n"))
    options = chosen_from(move, match.reads_text(move.seat), BAR_WIDTH, len(move.legal) + 2, unicode)
    yield from (f"    {line.plain}" for line in options)
    if says_more(move):
        yield from _lines("writes", move.said.rstrip("\n"))
    if move.thinking:
        yield f"    thinks  {count(move.thinking, 'token')}"
    for attempt, reason in enumerate(reasons(move), start=1):
        yield f"    illegal  try {attempt}: {reason}"


def _lines(what: str, text: str) -> Iterator[str]:
    yield from (f"    {what}  {line}".rstrip() for line in text.split("\n"))
