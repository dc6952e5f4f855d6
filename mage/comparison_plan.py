"""Which runs a comparison sets side by side, and what both sides are to play; what can't be compared is refused here.

Everything is read from configs and folders, before a weight is read or a trial played. Left out: playing
(`mage.comparison`), statistics (`mage.comparison_report`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from games.errors import RequestError, unknown
from mage import checkpoint
from mage.config import Config, differences, load
from mage.evaluation_plan import SETS, TRIAL_BITS
from mage.memories import MEMORIES
from mage.paths import RunPaths
from mage.session import Setting, describe

MAY_DIFFER = frozenset(  # within a side: seeds, and what changes no more than rounding or what is written down
    {
        "run.seed",
        "model.pretrain.seed",
        "run.threads",
        "run.device",
        "run.linear",
        "run.checkpoint_every",
        "run.log_matches",
        "learning.microbatch_tokens",
        "learning.gradient_checkpointing",
        "learning.batch_rows",
        "learning.merge",
        "evaluation.trials",
        "evaluation.seed",
    }
)
TRIALS_PER_SEAT = 2  # under which an interval over trials can't be had
_GAME = ("name", "rounds", "moves", "payoffs")

Runs = str | Path | Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class Entry:
    """A run with what can be known of it without its weights."""

    path: Path
    config: Config
    trained: str  # the folder of its latest checkpoint, which counts iterations

    @property
    def learners(self) -> tuple[str, ...]:
        """Names of its learners."""
        return tuple(f"learner_{index}" for index in range(self.config.league.learners))


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """Two sides that may be compared, and what their learners play."""

    a: tuple[Entry, ...]
    b: tuple[Entry, ...]
    opponents: tuple[str, ...]  # sets of the runs, opponents' names, RUN or RUN:MEMBER of runs on neither side
    trials: int  # of each learner against each opponent, split over seats
    seed: int
    memory: str  # one of MEMORIES


def plan(
    a: Runs, b: Runs, *, opponents: str | Sequence[str], memory: str | None, trials: int | None, seed: int | None
) -> ComparisonPlan:
    """Read both sides' configs and fill in what was left open, as the first run of A has it.

    a, b: a run, or several seeds of one config. opponents: sets' names (the same opponents in all runs), opponents'
    names, or RUN or RUN:MEMBER of runs on neither side. Raises RequestError for what can't be compared.
    """
    sides = [_entries(runs, side) for side, runs in (("A", a), ("B", b))]
    entries = [entry for side in sides for entry in side]
    _apart(entries)
    _one_game(entries)
    for side in sides:
        one_config(side)
    wanted = (opponents,) if isinstance(opponents, str) else tuple(opponents)
    _strangers(entries, wanted)
    settings = {entry.path: _setting(entry) for entry in (entries if set(wanted) & set(SETS) else entries[:1])}
    _same_sets(settings, wanted)
    first = entries[0].config
    return ComparisonPlan(
        a=sides[0],
        b=sides[1],
        opponents=wanted,
        trials=_trials(first.evaluation.trials if trials is None else trials, settings[entries[0].path]),
        seed=first.evaluation.seed if seed is None else seed,
        memory=_memory(entries, memory),
    )


def split_runs(text: str) -> tuple[str, ...]:
    """Return the folders that a text with commas names; a folder whose own name has a comma is one."""
    parts = [text] if Path(text).exists() else text.split(",")
    return tuple(part.strip() for part in parts if part.strip())


def one_config(side: Sequence[Entry]) -> None:
    """Refuse a side whose runs are not seeds of one config, trained equally long."""
    for one, other in combinations(side, 2):
        changed = set(differences(one.config, other.config)) - MAY_DIFFER
        if one.config.run.iterations != other.config.run.iterations:
            changed.add("run.iterations")
        if changed:
            raise RequestError(
                f"got {one.path} and {other.path} on one side, which differ in {', '.join(sorted(changed))}, expected "
                "runs of one config that differ in run.seed; compare them as two sides"
            )
        if one.config.run.seed == other.config.run.seed:
            raise RequestError(
                f"got {one.path} and {other.path} on one side, both with run.seed = {one.config.run.seed}, expected "
                "another seed in each, since two runs of one seed are one run; leave one of them out"
            )
        if one.trained != other.trained:
            raise RequestError(
                f"got {one.path} after iteration {one.trained} and {other.path} after {other.trained} on one side, "
                "expected runs that were trained equally long; finish both with --resume"
            )


def _entries(runs: Runs, side: str) -> tuple[Entry, ...]:
    paths = [Path(run) for run in ([runs] if isinstance(runs, str | Path) else runs)]
    if not paths:
        raise RequestError(f"got no run for side {side}, expected one at least; name the folder of a run")
    return tuple(_entry(path) for path in paths)


def _entry(path: Path) -> Entry:
    paths = RunPaths(path)
    if not paths.config.exists():
        raise RequestError(
            f"{path} is not a run: {paths.config.name} is missing; give the folder that `mage train` wrote"
        )
    if not paths.has_base:
        raise RequestError(f"{path} holds no base model yet; let its training start, or resume it")
    config = load(paths.config)
    if checkpoint.exists(paths.checkpoint):
        return Entry(path, config, checkpoint.latest(paths.checkpoint).name)
    if not paths.member("learner_0").is_dir():
        raise RequestError(f"{path} holds no trained learner yet; let its training reach a checkpoint, or resume it")
    return Entry(path, config, f"{config.run.iterations:06d}")


def _apart(entries: Sequence[Entry]) -> None:
    for one, other in combinations(entries, 2):
        if one.path.resolve() == other.path.resolve():
            raise RequestError(
                f"got {one.path} twice, expected every run once, on one side; a run always equals itself"
            )


def _strangers(entries: Sequence[Entry], opponents: Sequence[str]) -> None:
    """Refuse opponents that are members of a run that is compared."""
    compared = {entry.path.resolve() for entry in entries}
    for text in opponents:
        runs = (text, text.rpartition(":")[0])
        if any(run and Path(run).resolve() in compared for run in runs):
            raise RequestError(
                f"got {text} among the opponents, which belongs to a side, expected strangers to both sides, since a "
                "side that meets itself breaks even; name another run"
            )


def _one_game(entries: Sequence[Entry]) -> None:
    """Refuse runs whose returns are not of one kind."""
    first = entries[0]
    for other in entries[1:]:
        here = {f"game.{key}": getattr(first.config.game, key) for key in _GAME}
        there = {f"game.{key}": getattr(other.config.game, key) for key in _GAME}
        here["trial.episodes"], there["trial.episodes"] = first.config.trial.episodes, other.config.trial.episodes
        for key, value in here.items():
            if there[key] != value:
                raise RequestError(
                    f"got {key} = {value} in {first.path} and {there[key]} in {other.path}, expected one game and as "
                    "many episodes in all runs; compare runs that play alike"
                )


def _memory(entries: Sequence[Entry], memory: str | None) -> str:
    if memory is not None:
        if memory not in MEMORIES:
            raise unknown("memory", memory, MEMORIES)
        return memory
    modes = list(dict.fromkeys(entry.config.trial.memory for entry in entries))
    if len(modes) > 1:
        raise RequestError(
            f"got runs trained with memory {' and '.join(modes)}, expected one to play with; choose it with --memory"
        )
    return modes[0]


def _setting(entry: Entry) -> Setting:
    return describe(entry.config, RunPaths(entry.path), own_code=False)


def _same_sets(settings: Mapping[Path, Setting], wanted: Sequence[str]) -> None:
    """Refuse a set that is not the same in all runs."""
    for name in set(wanted) & set(SETS):
        first, *others = [(path, [one.name for one in getattr(own.opponents, name)]) for path, own in settings.items()]
        for path, met in others:
            apart = [f"{one} ({first[0]} alone)" for one in first[1] if one not in met]
            apart += [f"{one} ({path} alone)" for one in met if one not in first[1]]
            if apart:
                shown = ", ".join(apart[:3]) + (f" and {len(apart) - 3} more" if len(apart) > 3 else "")
                raise RequestError(
                    f"got {name} opponents that differ: {shown}; name those that both sides meet with --opponents"
                )


def _trials(trials: int, setting: Setting) -> int:
    least = TRIALS_PER_SEAT * setting.game.seats
    if not least <= trials < 1 << TRIAL_BITS:
        raise RequestError(
            f"got {trials} trials per learner and opponent, expected {least} to {(1 << TRIAL_BITS) - 1}, two in each "
            "seat at least; choose with --trials"
        )
    return trials
