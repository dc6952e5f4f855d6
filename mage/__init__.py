"""Mage trains, rates and shows a population of language agents that play strategic games.

The names below are the Python API; each is imported on first use, so that `import mage` costs nothing and the
command line answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mage.comparison import compare
    from mage.config import Config
    from mage.evaluation import evaluate
    from mage.exact_evaluation import evaluate_exactly
    from mage.training import train

__version__ = "0.1.0"
__all__ = ["Config", "compare", "evaluate", "evaluate_exactly", "train"]

_HOME = {
    "Config": "mage.config",
    "compare": "mage.comparison",
    "evaluate": "mage.evaluation",
    "evaluate_exactly": "mage.exact_evaluation",
    "train": "mage.training",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module 'mage' has no attribute {name!r}; it has: {', '.join(__all__)}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Public names, imported or not."""
    return sorted([*__all__, "__version__"])
