"""Who is imitated: experts that sit in the agent's seat against a stage's training opponents.

Left out: which stages have experts (`mage.stages`), playing and learning (`mage.lessons`).
"""

from collections.abc import Callable, Sequence

from games.bayes_player import NAME as BAYES
from games.bayes_player import BayesExpert
from games.naming import named
from games.opponents import NamedOpponent, expand
from mage.config import declarations
from mage.config.declared import Declaration
from mage.session import Setting

Expert = NamedOpponent | BayesExpert

WHO_IT_MEETS = "best_response"  # the expert that answers best to whomever it meets


def experts_of(setting: Setting, declared: Sequence[Declaration]) -> dict[str, tuple[Expert, ...]]:
    """Return who may play the agent's seat, by the training opponent that is met; the training opponents by default.

    Raises RequestError for an expert that the game doesn't know, and for a best response where there is none to be had.
    """
    game, training = setting.game, setting.opponents.training
    others = [one for one in declared if one not in list(EXPERTS)]  # tables of families have no hash
    fixed = expand(game, declarations(others)) if declared else training
    asked = [make for name, make in EXPERTS.items() if name in declared]
    return {met.name: (*(make(setting, met) for make in asked), *fixed) for met in training}


def _answering(setting: Setting, met: NamedOpponent) -> Expert:
    return named(setting.game, WHO_IT_MEETS, {"to": met.name})


def _believing(setting: Setting, met: NamedOpponent) -> Expert:
    expert = BayesExpert(setting.opponents.training)
    expert.check(setting.game)
    return expert


# Experts that depend on who is met, or may be; any other name is an opponent's.
EXPERTS: dict[str, Callable[[Setting, NamedOpponent], Expert]] = {WHO_IT_MEETS: _answering, BAYES: _believing}
