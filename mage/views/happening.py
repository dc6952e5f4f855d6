"""What happens at one step of a match, in a line: which match, where in it, whose move, what was played.

Pure functions, shared by the screens and the plain text. Leaves out what a seat reads and writes.
"""

from __future__ import annotations

from mage.replies import REASONS
from mage.views.cells import CONTROL, number
from mage.views.replay import Match, Move


def headline(match: Match) -> str:
    """One line that says which match this is."""
    return f"match {match.id}  {match.game}  iteration {match.iteration}  memory {match.memory}"


def place(match: Match, step: tuple[int, int]) -> str:
    """One line that says where in the match a step is."""
    episode, at = step
    moves = len(match.episodes[episode].moves)
    progress = f"move {at + 1} of {moves}" if at < moves else "over"
    return f"episode {episode + 1} of {len(match.episodes)}, {progress}"


def seat_name(match: Match, seat: int) -> str:
    """A seat and who sits in it."""
    return f"seat {seat} {match.members[seat]}"


def happening(match: Match, step: tuple[int, int]) -> tuple[str, str]:
    """What happens at `step`, as (where and whose, what)."""
    episode, at = step
    moves = match.episodes[episode].moves
    if at == len(moves):
        scores = ", ".join(number(value) for value in match.episodes[episode].returns)
        over = "trial" if episode + 1 == len(match.episodes) else f"episode {episode + 1}"
        return f"{over} over", f"this episode's returns by seat: {scores}"
    move = moves[at]
    return f"round {move.number + 1}: {seat_name(match, move.seat)}", _plays(move)


def _plays(move: Move) -> str:
    plays = f"plays {move.move}"
    if move.forfeit:
        plays = "forfeits" + (f" with {move.move}" if move.move else "")
    if move.randomised:
        plays += ", drawn at random"
    if move.illegal:
        plays += f" after {len(move.illegal)} illegal " + ("reply" if len(move.illegal) == 1 else "replies")
    return plays


def says_more(move: Move) -> bool:
    """Whether the seat wrote more than its move and what ends it."""
    return CONTROL.sub("", move.said).strip() not in ("", move.move) or bool(move.illegal and move.said)


def reasons(move: Move) -> list[str]:
    """Why each try was not legal, in words; a reason that has none is given as it was logged."""
    return [REASONS.get(reason, reason) for reason in move.illegal]
