"""What a seat has read in the game's own words when it comes to an information state.

The representative history is played again in an episode, chance included, so the texts are those of any other episode.
Left out: rules and headers, which the game has (`rules`, `episode_header`), and who puts own moves into a transcript.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.aec import AECGame
from games.openspiel.env import OpenSpielEnv
from games.text import Episode
from games.trees.states import InformationState, require_tree


@dataclass(frozen=True, slots=True)
class Transcript:
    """One episode so far, read by one seat that is to move.

    turns: for each own decision before this one, what was read since the one before, and the move made.
    news: what was read since the last of them. legal_moves: in the order of `InformationState.actions`.
    """

    turns: tuple[tuple[str, str], ...]
    news: str
    legal_moves: tuple[str, ...]


class SteeredEnv(OpenSpielEnv):
    """An environment whose chance moves follow a given history."""

    def __init__(self, game_string: str, history: Sequence[int]) -> None:
        """history: all actions, chance included, up to the last chance move that will be met."""
        self._history = tuple(history)
        super().__init__(game_string)

    def _execute_chance_node(self) -> None:
        state = self.game_state
        while state.is_chance_node():
            action = self._history[len(state.history())]
            self.chance.append((action, state.action_to_string(state.current_player(), action)))
            state.apply_action(action)


def transcript(game: AECGame, where: InformationState) -> Transcript:
    """What the seat of an information state has read when it is to move there."""
    episode = steered_episode(game, where.history)
    turns: list[tuple[str, str]] = []
    while (state := episode.state) is not None:
        mover, done = episode.seat_to_move, len(state.history())
        if mover is None or (done == len(where.history) and mover == where.seat):
            break
        # Who moves at the same time, but before this seat in the environment's order, makes any move: it stays unseen.
        place = done + mover if state.is_simultaneous_node() else done
        actions = state.legal_actions(mover)
        action = where.history[place] if done < len(where.history) else actions[0]
        move = episode.legal_moves()[actions.index(action)]
        if mover == where.seat:
            turns.append((episode.news(mover), move))
        episode.play(move)
    return Transcript(tuple(turns), episode.news(where.seat), episode.legal_moves())


def steered_episode(game: AECGame, history: Sequence[int]) -> Episode:
    """An episode whose chance moves follow the history. The classics that OpenSpiel knows have no chance moves.

    Raises RequestError for a game that OpenSpiel doesn't know.
    """
    env = game.make_env()
    if isinstance(env, OpenSpielEnv):
        env = SteeredEnv(require_tree(game), history)
    return Episode(env, game.make_adapter(), 0, game.utility_range, game.zero_sum)
