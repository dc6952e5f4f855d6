"""What is kept of an evaluation's trials, with exact values beside: one sample for each agent, opponent and seat.

Left out: playing the trials (`mage.evaluation`), pooling them (`mage.evaluation_pools`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from games import bayes, exact
from games.deterministic import has_chance, is_deterministic
from games.matrix_text import MatrixGame
from games.naming import behaviour
from games.opponents import NamedOpponent
from mage.config import Draw
from mage.config.declared import Declaration
from mage.evaluation_plan import SETS, Arena
from mage.evaluation_pools import OpponentSample
from mage.guests import Guest, Opponent
from mage.records import TrialRecord, Turn
from mage.session import Session
from mage.stage_opponents import met_in_stages

CERTAIN = 1.0 - 1e-9  # a probability from which nothing was drawn

Line = tuple[tuple[tuple[int, str], ...], ...]  # the moves of a trial, by episode: (seat, move)


@dataclass(slots=True)
class _Seat:
    """The trials of one seat, in order."""

    returns: list[tuple[float, ...]]
    others: list[tuple[float, ...]]
    forfeits: list[tuple[bool, ...]]
    moves: list[tuple[tuple[int, int, int], ...]]  # as in `OpponentSample`
    certain: bool  # neither the game nor a scripted player draws anything
    determined: bool = False  # nor did a language agent
    repeats: int = 0  # trials that were the same game again


def _is_bound(turn: Turn) -> bool:
    """Whether a language agent's decision could not have been another one, nor have been written otherwise."""
    return not turn.thinking and turn.probabilities is not None and max(turn.probabilities) >= CERTAIN


class Met:
    """The trials of one agent against one opponent."""

    def __init__(self, arena: Arena, agent: str, opponent: Opponent, player: NamedOpponent | None = None) -> None:
        """player: the agent, where it is a scripted one."""
        self._session, self._variant = arena.session, arena.variant
        self._agent, self._opponent, self._player = agent, opponent, player
        self._seats: dict[int, _Seat] = {}
        self._lines: dict[int, set[Line]] = {}

    def add(self, record: TrialRecord) -> None:
        """Keep a trial, unless nothing in it was drawn and it was met before."""
        seat = record.pairing.seat
        if seat not in self._seats:
            self._seats[seat] = _Seat([], [], [], [], certain=self._is_certain(seat))
        kept = self._seats[seat]
        if kept.certain and self._is_determined(record):
            line = tuple(tuple((turn.seat, turn.move) for turn in episode.turns) for episode in record.episodes)
            kept.determined = True
            if line in self._lines.setdefault(seat, set()):
                kept.repeats += 1
                return
            self._lines[seat].add(line)
        kept.returns.append(record.returns(seat))
        kept.others.append(record.best_of_others(seat))
        kept.forfeits.append(tuple(episode.forfeits[seat] > 0 for episode in record.episodes))
        kept.moves.append(tuple(episode.moves(seat) for episode in record.episodes))

    def _is_certain(self, own: int) -> bool:
        """Whether neither the game nor a scripted player draws anything."""
        game = self._session.setting.game
        players = [self._player if seat == own else self._opponent for seat in range(game.seats)]
        return not has_chance(game) and all(
            is_deterministic(game, player, seat)
            for seat, player in enumerate(players)
            if isinstance(player, NamedOpponent)
        )

    def _is_determined(self, record: TrialRecord) -> bool:
        """Whether language agents, too, wrote nothing but what was bound to be: the trial would come out the same."""
        own = record.pairing.seat
        asked = {
            seat
            for seat in range(len(record.members))
            if not isinstance(self._player if seat == own else self._opponent, NamedOpponent)
        }
        turns = (turn for episode in record.episodes for turn in episode.turns if turn.seat in asked)
        noted = (episode.notes_vary(seat) for episode in record.episodes for seat in asked)
        return all(_is_bound(turn) for turn in turns) and not any(noted)

    def samples(self) -> list[OpponentSample]:
        """Return one sample per seat."""
        return [self._sample(seat, kept) for seat, kept in sorted(self._seats.items())]

    def _sample(self, seat: int, kept: _Seat) -> OpponentSample:
        session, opponent = self._session, self._opponent
        game = session.setting.game
        solved = exact.refusal(game) is None
        scripted = isinstance(opponent, NamedOpponent)
        return OpponentSample(
            agent=self._agent,
            name=opponent.name,
            family=opponent.family,
            distance=distance(session, opponent, self._variant),
            seat=seat,
            security_value=exact.security_value(game, seat) if solved else None,
            nash_value=exact.nash_value(game, seat) if solved else None,
            best_response_value=exact.best_response_value(game, opponent, seat) if solved and scripted else None,
            returns=np.array(kept.returns),
            others=np.array(kept.others),
            forfeits=np.array(kept.forfeits),
            moves=np.array(kept.moves),
            bayes_returns=None if self._variant else ceiling(session, opponent, seat),
            determined=kept.determined,
            repeats=kept.repeats,
        )


def distance(session: Session, opponent: Opponent, variant: str = "") -> str:
    """Return how far an opponent is from what the adapters or the base met or imitated, under whatever name."""
    if isinstance(opponent, Guest):
        return "training" if opponent.met and not variant else "member"
    if variant:
        return "game"
    game, sets = session.setting.game, session.setting.opponents
    met = sets.training + session.setting.corpus + met_in_stages(session)
    if opponent not in sets.validation + sets.held_out:  # those are kept apart from what was met
        own = behaviour(game, opponent)
        others = (behaviour(game, other) for other in met)
        if any(here == there for other in others for here, there in zip(own, other, strict=True)):
            return "training"
    return replace(sets, training=met).distance(opponent)


def ceiling(session: Session, opponent: Opponent, seat: int) -> np.ndarray | None:
    """Return what the Bayes-optimal player gets by episode, where the prior that drew the opponent is known."""
    game, config = session.setting.game, session.config
    if not isinstance(game, MatrixGame) or isinstance(opponent, Guest):
        return None
    prior: bayes.Prior | None = None
    if opponent.family in bayes.PRIORS:
        of_draw = bayes.PRIORS[opponent.family]
        declared = _declared_with(session, opponent)
        drawn = [draw for draw in declared if isinstance(draw, Draw) and draw.family == opponent.family]
        priors = {of_draw(game, seat, draw.parameters) for draw in drawn}
        prior = priors.pop() if len(priors) == 1 else None
    elif opponent in session.setting.opponents.training:
        prior = bayes.habit_prior(game, session.setting.opponents.training, seat)
    return None if prior is None else bayes.ceiling(game, opponent, prior, config.trial.episodes, seat)


def _declared_with(session: Session, opponent: NamedOpponent) -> Sequence[Declaration]:
    """Return the declarations of the set that an opponent is in; of all sets where it is in none."""
    declared, sets = session.config.opponents, session.setting.opponents
    own = [name for name in SETS if opponent in getattr(sets, name)] or SETS
    return [one for name in own for one in getattr(declared, name)]
