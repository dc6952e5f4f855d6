"""Who is imitated: experts that sit in the agent's seat against a stage's training opponents.

Left out: which stages have experts (`mage.stages`), playing and learning (`mage.lessons`).
"""

from collections.abc import Callable, Sequence

from games.bayes_player import NAME as BAYES
from games.bayes_player import BayesExpert
from games.errors import RequestError
from games.naming import named
from games.opponents import NamedOpponent, expand
from mage.config import declarations
from mage.config.declared import Declaration
from mage.session import Setting

Expert = NamedOpponent | BayesExpert

WHO_IT_MEETS = "best_response"  # the expert that answers best to whomever it meets


def experts_of(setting: Setting, declared: Sequence[Declaration]) -> dict[str, tuple[Expert, ...]]:
    """Return who may play the agent's seat, by the training opponent that is met; the training opponents by default.

    Raises RequestError for an expert that the game doesn't know, one named twice, and one that there is not to be had
    here: a best response, or a Bayes-optimal player.
    """
    game, training = setting.game, setting.opponents.training
    names = [one for one in declared if isinstance(one, str) and one in EXPERTS]
    others = [one for one in declared if one not in names]
    fixed = expand(game, declarations(others)) if declared else training
    for name in names:
        if names.count(name) > 1:
            raise RequestError(f'got "{name}" {names.count(name)} times in experts, expected each expert once')
    asked = [EXPERTS[name](setting) for name in names]
    return {met.name: (*(expert(met) for expert in asked), *fixed) for met in training}


def _answering(setting: Setting) -> Callable[[NamedOpponent], Expert]:
    return lambda met: named(setting.game, WHO_IT_MEETS, {"to": met.name})


def _believing(setting: Setting) -> Callable[[NamedOpponent], Expert]:
    expert = BayesExpert(setting.opponents.training)
    expert.check(setting.game)
    return lambda met: expert


# Experts that depend on who is met, or may be met; any other name is an opponent's.
EXPERTS: dict[str, Callable[[Setting], Callable[[NamedOpponent], Expert]]] = {
    WHO_IT_MEETS: _answering,
    BAYES: _believing,
}
