"""What stands beside the agents of an evaluation: players without training or memory, and players who know more.

`PLAYED` are met like the agents, by the same trials; `COMPUTED` have exact expected returns, so that nothing is played.
Where a baseline makes no sense, or is not known, it is left out. Left out: playing them (`mage.evaluation`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games import exact
from games.errors import RequestError
from games.fits import TREE
from games.opponents import NamedOpponent, parse
from mage.adapters import BASE
from mage.evaluation_samples import ceiling
from mage.guests import Opponent
from mage.memories import NO_MEMORY
from mage.session import Session

MOST_STATES = 5_000  # of a seat: larger games take minutes to find out whether beliefs can be followed
EQUILIBRIUM = "equilibrium"  # a family (`games.solved`)

Returns = Mapping[tuple[str, int], NDArray[np.float64]]  # [E] by opponent and seat


@dataclass(frozen=True, slots=True)
class Played:
    """A baseline that is played."""

    agents: tuple[str, ...]
    memory: str
    player: NamedOpponent | None = None  # a scripted player, who reads nothing


def _base(session: Session, agents: tuple[str, ...], memory: str) -> Played | None:
    return None if agents == (BASE,) else Played((BASE,), memory)


def _base_without_memory(session: Session, agents: tuple[str, ...], memory: str) -> Played | None:
    return None if memory == NO_MEMORY or agents == (BASE,) else Played((BASE,), NO_MEMORY)


def _without_memory(session: Session, agents: tuple[str, ...], memory: str) -> Played | None:
    return None if memory == NO_MEMORY else Played(agents, NO_MEMORY)


def _equilibrium(session: Session, agents: tuple[str, ...], memory: str) -> Played | None:
    try:
        player = parse(session.setting.game, EQUILIBRIUM)
    except RequestError:  # no two seats with a constant sum, or too large to solve
        return None
    return Played((EQUILIBRIUM,), memory, player)


# The base model as it comes, without memory and with it (memory but no training, as prompted agents have it); the same
# agents with their memory taken away; a player who can't be exploited.
PLAYED: dict[str, Callable[[Session, tuple[str, ...], str], Played | None]] = {
    "base_without_memory": _base_without_memory,
    "base": _base,
    "without_memory": _without_memory,
    "equilibrium": _equilibrium,
}


def bayes_returns(session: Session, opponents: Sequence[Opponent], variant: str) -> Returns:
    """Return the Bayes-optimal player's, where the prior is known; in tree games one's that knows the list.

    See `games.bayes` for the former, `games.exact.greedy_bayes_returns` for the latter, which is not optimal.
    """
    game, episodes = session.setting.game, session.config.trial.episodes
    scripted = [opponent for opponent in opponents if isinstance(opponent, NamedOpponent)]
    found: dict[tuple[str, int], NDArray[np.float64]] = {}
    for seat in range(game.seats):
        if not TREE.test(game):
            curves = [None if variant else ceiling(session, opponent, seat) for opponent in scripted]
        else:
            curves = list(_list_returns(game, scripted, seat, episodes))
        found |= {(one.name, seat): curve for one, curve in zip(scripted, curves, strict=True) if curve is not None}
    return found


def _list_returns(
    game: Any, scripted: Sequence[NamedOpponent], seat: int, episodes: int
) -> Sequence[NDArray[np.float64] | None]:
    nothing = [None] * len(scripted)
    if not scripted or exact.refusal(game) is not None or exact.state_count(game, seat, MOST_STATES) > MOST_STATES:
        return nothing
    try:
        returns = exact.greedy_bayes_returns(game, scripted, seat, episodes)
    except RequestError:  # too many beliefs to follow
        return nothing
    return nothing if returns is None else list(returns)


def best_response_returns(session: Session, opponents: Sequence[Opponent], variant: str) -> Returns:
    """Return what a player gets in every episode who knows the opponent from the first move."""
    game, episodes = session.setting.game, session.config.trial.episodes
    if exact.refusal(game) is not None:
        return {}
    found = {}
    for opponent in opponents:
        for seat in range(game.seats):
            value = exact.best_response_value(game, opponent, seat) if isinstance(opponent, NamedOpponent) else None
            if value is not None:
                found[opponent.name, seat] = np.full(episodes, value)
    return found


COMPUTED: dict[str, Callable[[Session, Sequence[Opponent], str], Returns]] = {
    "bayes": bayes_returns,
    "best_response": best_response_returns,
}
