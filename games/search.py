"""Opponents that search anew for every move: Monte Carlo tree search, and its kind for hidden information.

All the randomness of a search is seeded by the one uniform number of the decision, so that a decision can be repeated.
OpenSpiel's MCTS runs in C++; its C++ information-set search answers differently in every process (it walks a hash table
salted by an address), so the Python one is taken. Left out: search guided by anything learned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from games.family import Family, Way
from games.fits import OPEN, Fit, load_solver
from games.parameters import Whole
from games.players import PlayedEpisode
from games.strategies import Plain

EXPLORATION = 1.4  # the weight of the bound in UCT, in units of half the range of returns
MEGABYTES = 2000  # beyond it a tree is pruned; a node takes some 100 bytes
SEEDS = 2**31 - 1
REDRAWS = 10_000

Search = Callable[[Any, int, int], int]  # (state, which it may change; seat; seed) -> action


@dataclass(frozen=True, slots=True)
class SearchPlayer:
    """Answers every decision with a fresh search."""

    search: Search

    def act(self, episode: PlayedEpisode, seat: int, uniform: float) -> str:
        """The move that a search seeded by `uniform` ends with."""
        state = episode.state
        action = self.search(state.clone(), seat, int(uniform * SEEDS))
        return episode.legal_moves()[state.legal_actions(seat).index(action)]


def mcts_action(simulations: int, state: Any, seat: int, seed: int) -> int:
    """The action that OpenSpiel's MCTS with random playouts chooses; it proves wins and losses as it goes."""
    import pyspiel  # takes a while, and a matrix game needs none of it

    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    game = state.get_game()
    bot = pyspiel.MCTSBot(game, evaluator, _exploration(game), simulations, MEGABYTES, True, seed, False)
    return int(bot.step(state))


def is_mcts_action(simulations: int, state: Any, seat: int, seed: int) -> int:
    """The action that OpenSpiel's information-set MCTS chooses among worlds that the seat can't tell apart."""
    from numpy.random import RandomState
    from open_spiel.python.algorithms.ismcts import ISMCTSBot
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    source = RandomState(seed)
    game = state.get_game()
    evaluator = RandomRolloutEvaluator(1, source)
    by_observation = not game.get_type().provides_information_state_string
    bot = ISMCTSBot(
        game, evaluator, _exploration(game), simulations, random_state=source, use_observation_string=by_observation
    )
    resample = RESAMPLERS[game.get_type().short_name]
    bot.set_resampler(lambda position, mover: resample(position, mover, source.random_sample))
    return int(bot.step(state))


def resampled(state: Any, seat: int, draw: Callable[[], float]) -> Any:
    """Another state of the seat's information state, as OpenSpiel draws one."""
    return state.resample_from_infostate(seat, draw)


def redrawn(state: Any, seat: int, draw: Callable[[], float]) -> Any:
    """Another state of the seat's information state: the same moves after other chance, drawn until they agree.

    For games whose moves all see. Raises ArithmeticError after `REDRAWS` draws.
    """
    sought, moves = state.information_state_string(seat), state.full_history()
    for _ in range(REDRAWS):
        world = state.get_game().new_initial_state()
        for played in moves:
            world.apply_action(_outcome(world, draw()) if world.is_chance_node() else played.action)
        if world.information_state_string(seat) == sought:
            return world
    raise ArithmeticError(f"found no state that looks to seat {seat} like {sought!r} in {REDRAWS} draws")


# How to draw a world that a seat can't tell from the true one, by OpenSpiel game. Those that OpenSpiel 2.0.2 draws, bar
# bridge and colored_trails, where one draw takes seconds; and games whose chance alone is hidden.
RESAMPLERS: dict[str, Callable[[Any, int, Callable[[], float]], Any]] = {
    "bargaining": resampled,
    "euchre": resampled,
    "gin_rummy": resampled,
    "hearts": resampled,
    "kuhn_poker": resampled,
    "leduc_poker": resampled,
    "liars_dice": redrawn,
    "oh_hell": resampled,
    "universal_poker": resampled,
}


def _outcome(state: Any, uniform: float) -> int:
    """The chance outcome at `uniform`."""
    outcomes = state.chance_outcomes()
    for action, share in outcomes:
        uniform -= share
        if uniform < 0:
            return int(action)
    return int(outcomes[-1][0])


def _exploration(game: Any) -> float:
    return float(EXPLORATION * (game.max_utility() - game.min_utility()) / 2)


def _mcts(game: Any, seat: int, *, simulations: int) -> Plain:
    return Plain(lambda: SearchPlayer(partial(mcts_action, simulations)), f"mcts {simulations}")


def _is_mcts(game: Any, seat: int, *, simulations: int) -> Plain:
    return Plain(lambda: SearchPlayer(partial(is_mcts_action, simulations)), f"is_mcts {simulations}")


def _can_resample(game: Any) -> bool:
    solver = getattr(game, "solver", None)
    return solver is not None and load_solver(solver).get_type().short_name in RESAMPLERS


RESAMPLED = Fit("not a game whose hidden part can be drawn again", _can_resample)
_SIMULATIONS = Whole("simulations", "playouts for each move, at least 2", low=2, usual=100, choices=(10, 100, 1000))

SEARCH_FAMILIES: tuple[Family, ...] = (
    Family(
        "mcts",
        "mcts",
        "Monte Carlo tree search with random playouts, where nothing is hidden",
        (_SIMULATIONS,),
        (Way(OPEN, _mcts),),
    ),
    Family(
        "is_mcts",
        "is_mcts",
        "Monte Carlo tree search over what the seat knows, where something is hidden",
        (_SIMULATIONS,),
        (Way(RESAMPLED, _is_mcts),),
    ),
)
