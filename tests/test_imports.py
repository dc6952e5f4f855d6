"""The layers of the code, read from its imports: an arrow that runs backwards fails here.

`LAYERS` is the table. A module may import modules of its own layer or of lower ones, and no cycle
may arise. Everything is read from the source (`source_imports`). Rules about what else may not be
written are in test_source.py.
"""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.source_imports import PACKAGES, Import, imports, imports_of, loaded_with, modules

LAYERS = {
    # records and config: what everything else speaks in
    "mage.keys": 0,
    "mage.records": 0,
    "mage.config": 0,
    "mage.config_docs": 0,
    "mage.events": 0,
    "mage.files": 0,
    "mage.collector": 0,
    "mage.paths": 0,
    "mage.base_models": 0,
    "mage.package_index": 0,
    "mage.timings": 0,
    "mage.folding": 0,
    "mage.memories": 0,
    "mage.named_moves": 0,
    "mage.replies": 0,
    "mage.renderers": 0,
    "mage.turn_style": 0,
    # pure functions on arrays
    "mage.advantages": 1,
    "mage.credit": 1,
    "mage.losses": 1,
    "mage.statistics": 1,
    "mage.evaluation_pools": 1,
    "mage.evaluation_comparisons": 1,
    "mage.evaluation_report": 1,
    "mage.exact_report": 1,
    "mage.strength": 1,
    "mage.comparison_figures": 1,
    "mage.comparison_report": 1,
    # tokens and tensors
    "mage.codec": 2,
    "mage.constrained": 2,
    "mage.contexts": 2,
    "mage.own_tokens": 2,
    "mage.vocabulary": 2,
    "mage.writing": 2,
    "mage.models": 2,
    "mage.model_files": 2,
    "mage.model_checks": 2,
    "mage.pull": 2,
    "mage.places": 2,
    "mage.adapters": 2,
    "mage.adapter_files": 2,
    "mage.cache": 2,
    "mage.work": 2,
    "mage.packing": 2,
    "mage.attention": 2,
    "mage.frozen": 2,
    "mage.population": 2,
    "mage.wrapping": 2,
    "mage.sampler": 2,
    # play
    "mage.reader": 3,
    "mage.decisions": 3,
    "mage.seats": 3,
    "mage.trials": 3,
    "mage.transcribing": 3,
    "mage.lengths": 3,
    "mage.scheduler": 3,
    "mage.matches": 3,
    # what is done with what was played; builtin:tiny is trained on transcripts that are played for it
    "mage.tiny": 4,
    "mage.tiny_tokenizer": 4,
    "mage.bases": 4,
    "mage.rows": 4,
    "mage.update_stats": 4,
    "mage.scoring": 4,
    "mage.learner": 4,
    "mage.checkpoint": 4,
    "mage.session": 4,
    "mage.settings": 4,
    "mage.settle": 4,
    "mage.evaluation": 4,
    "mage.foreign_reflections": 4,
    "mage.diagnosing": 5,
    "mage.diagnosis_report": 1,
    "mage.diagnosis": 1,
    "mage.stage_due": 1,
    "mage.failures": 0,
    "mage.gates": 4,
    "mage.lessons": 4,
    "mage.retention": 4,
    "mage.stage_records": 4,
    "mage.experts": 4,
    "mage.stages": 4,
    "mage.stage_opponents": 4,
    "mage.supervision": 4,
    "mage.evaluation_plan": 4,
    "mage.evaluation_samples": 4,
    "mage.guests": 4,
    "mage.baselines": 4,
    "mage.exact_evaluation": 4,
    "mage.comparison_plan": 4,
    "mage.comparison": 4,
    "mage.frozen_policies": 4,
    "mage.bound": 4,
    "mage.standings": 4,
    # the loop
    "mage.start": 5,
    "mage.reporting": 5,
    "mage.training": 5,
    "mage.training_run": 5,
    "mage.estimate": 5,
    # what a person touches
    "mage": 6,
    "mage.cli": 6,
    "mage.__main__": 6,
    "mage.views": 6,
}
# A package's row covers the modules below it that have no row of their own; only the row of `mage` does not.

HEAVY = frozenset({"torch", "transformers", "peft", "accelerate", "tokenizers"})


def layer(module: str) -> int | None:
    """The row of `module` or of the nearest package above it; `mage` itself lends its row to nobody."""
    name = module
    while name and name not in LAYERS:
        name = name.rpartition(".")[0]
    return None if name in ("", "mage") and module != "mage" else LAYERS[name]


def arrow_complaint(module: str, found: Import) -> str | None:
    """Why this import runs backwards, or None."""
    package, top = module.partition(".")[0], found.target.partition(".")[0]
    where = f"{module} line {found.line} imports {found.target}"
    if package in ("games", "populations"):
        foreign = {"games", "populations", "mage"} - {package}
        return f"{where}: {package} stands alone, without torch" if top in foreign | HEAVY else None
    if top != "mage":
        return None
    own, other = layer(module), layer(found.target)
    if own is not None and other is not None and other > own:
        return f"{where}: layer {own} must not import layer {other}"
    return None


def test_every_module_of_mage_has_a_layer():
    missing = [name for name in modules() if name.partition(".")[0] == "mage" and layer(name) is None]
    assert not missing, f"add {', '.join(missing)} to LAYERS in tests/test_imports.py, in the layer it belongs to"


def test_no_import_runs_backwards():
    complaints = {arrow_complaint(module, found) for module in modules() for found in imports(module)}
    assert not complaints - {None}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other_in_a_circle(package: str):
    names = [name for name in modules() if name.partition(".")[0] == package]
    graph = {name: {found.target for found in imports(name)} & set(names) - {name} for name in names}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imports form a circle: {' <- '.join(error.args[1])}")


def test_views_and_the_command_line_load_no_torch():
    quick = [name for name in modules() if name == "mage" or name.startswith(("mage.cli", "mage.views"))]
    slow = [
        f"{name} loads {target} through {asker}"
        for name in quick
        for target, asker in loaded_with(name).items()
        if target.partition(".")[0] in HEAVY
    ]
    assert not slow


def test_the_checks_see_what_they_look_for():
    """Each check on lines that break it, so that an empty list means innocence, not blindness."""
    tree = ast.parse(
        "from . import cli\n"
        "from .cli import main\n"
        "def later():\n"
        "    import torch\n"
        "if TYPE_CHECKING:\n"
        "    import numpy\n"
        "try:\n"
        "    import scipy.stats\n"
        "except ImportError:\n"
        "    from games import exact, load\n"
    )
    found = imports_of(tree, "mage.records", False, frozenset({"mage.cli", "games.exact"}))
    assert found == [
        Import("mage.cli", 1, True),
        Import("mage.cli", 2, True),
        Import("torch", 4, False),
        Import("numpy", 6, False),
        Import("scipy.stats", 8, True),
        Import("games.exact", 10, True),
        Import("games", 10, True),
    ]
    backwards = "mage.records line 1 imports mage.cli: layer 0 must not import layer 6"
    assert arrow_complaint("mage.records", found[0]) == backwards
    assert arrow_complaint("mage.cli", Import("mage.records", 1, True)) is None
    assert arrow_complaint("games.matrix", found[2])
    assert arrow_complaint("populations.league", found[5])
    assert layer("mage.views.watch") == 6
    assert layer("mage.unheard_of") is None
