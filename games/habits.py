"""What the others did in an episode, in one line: what a scripted reflection says.

A small language model is trained on these lines and has to copy from them, so they are short, and the moves stand
in the game's own order wherever that is known: what differs between two lines is the figures. Left out: what to make
of it, and the text around it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

MOST_MOVES = 8  # that are counted in a line
FEW_MOVES = 4  # own moves that are answered: with more, hardly one comes up often enough

Played = Sequence[tuple[int, str]]  # seat and move, in order of play, as `games.text.Episode.played` has them
Moves = Sequence[Sequence[str]]  # of each seat, in the game's order


def counted(played: Played, seat: int, moves: Moves = ()) -> str:
    """How often the others played each of their moves, all other seats together: "R 4 P 1 S 0".

    moves: by seat; with it they stand in that order, those that nobody played with a 0, as long as no more than
    `MOST_MOVES` are named. Beyond that, and without `moves`, only what was played is named: the `MOST_MOVES` most
    frequent, which without `moves` stand by falling count, then by name. Returns "" where the others made no move.
    """
    counts = Counter(move for mover, move in played if mover != seat)
    if not counts:
        return ""
    order = _order(counts, [names for mover, names in enumerate(moves) if mover != seat])
    if len(order) > MOST_MOVES:
        frequent = sorted((move for move in order if counts[move]), key=lambda move: -counts[move])[:MOST_MOVES]
        order = [move for move in order if move in frequent]
    return " ".join(f"{move} {counts[move]}" for move in order)


def replies(played: Played, seat: int, moves: Moves = ()) -> str:
    """What the others did most after each own move: "after R: P, after P: P, after S: R".

    A reply is another seat's next decision in its own count: its second follows our first. That is the next round of
    a game with simultaneous moves, and in every game a decision made in sight of ours at the earliest. Among replies
    of equal count the first in order (see `counted`) is named; own moves without a reply are left out. Returns ""
    where there is none, and where own moves are more than `FEW_MOVES`.
    """
    own = [move for mover, move in played if mover == seat]
    answered: dict[str, Counter[str]] = defaultdict(Counter)
    decisions: Counter[int] = Counter()
    for mover, move in played:
        number = decisions[mover]
        decisions[mover] += 1
        if mover != seat and 1 <= number <= len(own):
            answered[own[number - 1]][move] += 1
    asked = _order(Counter(own), [moves[seat]] if moves else [])
    if len(asked) > FEW_MOVES:
        return ""
    others = [names for mover, names in enumerate(moves) if mover != seat]
    lines = []
    for move in asked:
        if counts := answered.get(move):
            lines.append(f"after {move}: {max(_order(counts, others), key=lambda reply: counts[reply])}")
    return ", ".join(lines)


def both(played: Played, seat: int, moves: Moves = ()) -> str:
    """The counts, then the replies where there are any: "R 4 P 1 S 0; after R: P, after P: P, after S: R"."""
    return "; ".join(filter(None, (counted(played, seat, moves), replies(played, seat, moves))))


def _order(counts: Counter[str], lists: Sequence[Sequence[str]]) -> list[str]:
    """Every move of `lists` as it first comes up there, then what else was counted: by falling count, then by name."""
    named = dict.fromkeys(move for names in lists for move in names)
    rest = sorted((move for move in counts if move not in named), key=lambda move: (-counts[move], move))
    return [*named, *rest]


HABITS: dict[str, Callable[[Played, int, Moves], str]] = {"counts": counted, "replies": replies, "both": both}
