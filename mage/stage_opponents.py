"""Whom the stages of a run met and imitated, so that an evaluation in another game or length knows them as met.

Left out: the config's own training set and corpus (`mage.session`), keeping tests apart from training (`mage.stages`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import games
from games.errors import RequestError
from games.naming import parse
from games.opponents import NamedOpponent, Split, expand
from games.registry import is_own_code
from games.text import TextGame
from mage.config import Config, Stage, declarations, stage_config
from mage.session import Session, Setting
from mage.stages import StagePlan, sources_of


@dataclass(frozen=True, slots=True)
class _Chain:
    """The stages of a config; equal texts are equal chains."""

    text: str
    config: Config = field(compare=False)
    setting: Setting = field(compare=False)  # of the run's own game; what isn't of a stage is taken from it


def met_in_stages(session: Session) -> tuple[NamedOpponent, ...]:
    """Return whom any stage of the session's config met or imitated, as far as they make sense in the session's game.

    A stage in a game that runs code of its own, where the run's own game is another one, is passed over: a file may not
    say which code is run.
    """
    if not session.config.stage:
        return ()
    chain = _Chain(session.config.model_dump_json(), session.config, session.setting)
    return tuple(_of(session.setting.game, _names(chain)))


@lru_cache(maxsize=8)  # asked for every opponent of an evaluation, and drawing takes a while
def _names(chain: _Chain) -> tuple[str, ...]:
    """Return the names of all who were met or imitated, each once."""
    plans: list[StagePlan] = []
    for declared in chain.config.stage:
        plan = _plan(chain, declared)
        if plan is not None:
            plans.append(replace(plan, sources=tuple(sources_of(plan, plans))))
    met = [one for plan in plans for one in plan.setting.opponents.training]
    imitated = [one for plan in plans for source in plan.sources for one in source.imitated()]
    return tuple(dict.fromkeys(one.name for one in (*met, *imitated)))


def _plan(chain: _Chain, declared: Stage) -> StagePlan | None:
    """Return the stage with its game and its training opponents; None where that game may not be loaded."""
    config = stage_config(chain.config, declared)
    wanted = config.game
    if wanted.name != chain.config.game.name and is_own_code(wanted.name):
        return None
    game = games.load(
        wanted.name, rounds=wanted.rounds, rendering=wanted.rendering, moves=wanted.moves, payoffs=wanted.payoffs
    )
    sets = Split(expand(game, declarations(config.opponents.training)), (), ())
    setting = replace(chain.setting, game=game, opponents=sets)
    return StagePlan(declared.name, declared.kind, 0, 0, config, setting, declared)


def _of(game: TextGame, names: tuple[str, ...]) -> Iterator[NamedOpponent]:
    for name in names:
        try:
            yield parse(game, name)
        except RequestError:  # of another game, in which it can't be met
            continue
