"""Games as text, scripted opponents and exact values; no torch.

Names are imported on first use, so that `import games` costs next to nothing; numpy, gymnasium and
PettingZoo are imported when a game is loaded.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from games import bayes, exact, families, finite_state, opponents
    from games.curves import learning_curve
    from games.errors import RequestError
    from games.matrix import MatrixSpec
    from games.matrix_text import MatrixGame
    from games.opponents import NamedOpponent, Split, expand, opponent, split
    from games.registry import describe, load, load_matrix, names
    from games.text import Episode, TextAdapter, TextGame
    from games.variants import Variant, describe_variants, variant

__all__ = [
    "Episode",
    "MatrixGame",
    "MatrixSpec",
    "NamedOpponent",
    "RequestError",
    "Split",
    "TextAdapter",
    "TextGame",
    "Variant",
    "bayes",
    "describe",
    "describe_variants",
    "exact",
    "expand",
    "families",
    "finite_state",
    "learning_curve",
    "load",
    "load_matrix",
    "names",
    "opponent",
    "opponents",
    "split",
    "variant",
]

_MODULES = frozenset({"bayes", "exact", "families", "finite_state", "opponents"})
_HOMES = {
    "Episode": "text",
    "MatrixGame": "matrix_text",
    "MatrixSpec": "matrix",
    "NamedOpponent": "opponents",
    "RequestError": "errors",
    "Split": "opponents",
    "TextAdapter": "text",
    "TextGame": "text",
    "Variant": "variants",
    "describe": "registry",
    "describe_variants": "variants",
    "expand": "opponents",
    "learning_curve": "curves",
    "load": "registry",
    "load_matrix": "registry",
    "names": "registry",
    "opponent": "opponents",
    "split": "opponents",
    "variant": "variants",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module on first use (PEP 562)."""
    if name in _MODULES:
        return import_module(f"games.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'games' has no attribute {name!r}")
    value = getattr(import_module(f"games.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return __all__
