"""Settings that a config may leave open: threads, number type, whose products, tokens a pass, rounds an episode.

The machine decides the first four, the game the last. They are decided once, when a run starts, and written into its
resolved config, so that a resume does not decide again and a reader sees them (design, decision 13). Left out: when
that happens (`mage.start`, `mage.training`).
"""

import time
from collections.abc import Iterator

import torch
from torch import nn

import games
from games.descriptions import REPEATED
from games.errors import RequestError
from mage.adapters import AdapterBank
from mage.base_models import TINY
from mage.config import Config
from mage.contexts import TokenChoice
from mage.frozen import faster
from mage.models import LanguageModel, seconds_of
from mage.rows import Row
from mage.scoring import routed_scores

OPEN: dict[tuple[str, str], object] = {  # the value that leaves a setting open
    ("run", "threads"): 0,
    ("run", "dtype"): "auto",
    ("run", "linear"): "auto",
    ("learning", "microbatch_tokens"): 0,
    ("game", "rounds"): None,
}
BUDGETS = tuple(512 * 2**i for i in range(8))  # tokens; 512 to 65,536
GAIN = 1.03  # a larger budget must be this much faster: it takes more memory
PATIENCE = 20.0  # seconds after which no larger budget is tried
BETTER = 1.2  # bfloat16 must make products this much faster to be worth its rounding on a CPU
PROBE = "probe"  # the name of an agent that exists while budgets are tried


def settled(config: Config) -> Config:
    """Return the config with threads, number type, products and rounds decided where it leaves them open.

    Raises RequestError for a device that torch does not know or this machine does not have, and for a repeated game
    that can't be loaded.
    """
    _check_device(config.run.device)
    if config.game.rounds is None:
        config = _with(config, "game", "rounds", _rounds(config))
    if config.run.threads == 0:
        config = _with(config, "run", "threads", torch.get_num_threads())
    if config.run.dtype == "auto":
        config = _with(config, "run", "dtype", _dtype(config))
    if config.run.linear == "auto":
        config = _with(config, "run", "linear", _linear(config))
    return config


def _rounds(config: Config) -> int | None:
    """Return how many rounds an episode has, as the game's name says or by default; None where there are none."""
    wanted = config.game
    repeated = {row.name for row in games.describe() if row.kind == REPEATED}
    if wanted.name.partition("(")[0] not in repeated:
        return None
    return games.load(wanted.name, moves=wanted.moves, payoffs=wanted.payoffs).max_turns  # a decision a round


def _check_device(name: str) -> None:
    """Raise RequestError for a device that torch does not know or this machine does not have."""
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # torch raises all three
        reason = str(error).splitlines()[0]
        raise RequestError(f'run.device: got "{name}", which is not to be had here ({reason}); set "cpu"') from error


def adopted(wanted: Config, recorded: Config) -> Config:
    """Return the wanted config with what it leaves open as it was recorded when the run started."""
    for (table, key), value in OPEN.items():
        if getattr(getattr(wanted, table), key) == value:
            wanted = _with(wanted, table, key, getattr(getattr(recorded, table), key))
    return wanted


def with_microbatch(config: Config, model: LanguageModel, bank: AdapterBank, longest: int) -> Config:
    """Return the config with the budget of a forward and backward pass found by trying where it is left open.

    longest: tokens of the longest context. Budgets are doubled until that no longer helps.
    """
    if config.learning.microbatch_tokens:
        return config
    bank.add(PROBE, trainable=True)
    try:
        rates = dict(_rates(model, bank, longest))
    finally:
        bank.remove(PROBE)
    if not rates:
        raise RequestError(
            f"a pass over {longest} tokens does not fit into {model.device}'s memory; use another device"
        )
    return _with(config, "learning", "microbatch_tokens", max(rates, key=lambda budget: rates[budget]))


def _rates(model: LanguageModel, bank: AdapterBank, longest: int) -> Iterator[tuple[int, float]]:
    """Yield budgets with their tokens per second for as long as they get better."""
    begun, best, tried = time.perf_counter(), 0.0, 0
    for budget in BUDGETS:
        count = max(1, budget // longest)
        if count == tried:
            continue
        tried = count
        rows = [_probe(longest, first) for first in range(count)]
        try:
            rate = max(count * longest / _seconds(model, bank, rows) for _ in range(2))
        except torch.OutOfMemoryError:
            return
        if rate < best * GAIN:
            return
        yield budget, rate
        best = rate
        if time.perf_counter() - begun > PATIENCE:
            return


def _probe(length: int, first: int) -> Row:
    """Return a row of that length that shares its opening with no other and is trained at every second token."""
    ids = tuple((first * 31 + i) % 97 for i in range(length))
    choices = tuple(TokenChoice(position, (0, 1), 0, 0.0, 0, 0) for position in range(1, length, 2))
    return Row(PROBE, ids, choices, (0.0,) * len(choices))


def _seconds(model: LanguageModel, bank: AdapterBank, rows: list[Row]) -> float:
    def run() -> None:
        with routed_scores(model, bank, rows) as (log_p, _):
            log_p.sum().backward()

    return seconds_of(model.device, run)


def _dtype(config: Config) -> str:
    """Return the number type for the base: small ones stay in float32, others take bfloat16 where it is faster."""
    if config.model.name == TINY:
        return "float32"
    if torch.device(config.run.device).type != "cpu":
        return "bfloat16"
    torch.set_num_threads(config.run.threads)
    return faster_dtype()


def _linear(config: Config) -> str:
    """Return what multiplies the base's layers: torch, or oneDNN where that is faster and takes part at all."""
    on_cpu = torch.device(config.run.device).type == "cpu"
    if config.model.name == TINY or not on_cpu or config.run.dtype != "float32":
        return "torch"
    torch.set_num_threads(config.run.threads)
    return faster()


def faster_dtype() -> str:
    """Return "bfloat16" where this CPU multiplies clearly faster in it, else "float32"."""
    return "bfloat16" if _product(torch.float32) > BETTER * _product(torch.bfloat16) else "float32"


def _product(dtype: torch.dtype, size: int = 512, repeats: int = 5) -> float:
    """Return the seconds of a product of two square matrices, the best of some."""
    layer = nn.Linear(size, size, bias=False, dtype=dtype)
    x = torch.ones(size, size, dtype=dtype)
    seconds = []
    with torch.inference_mode():
        for _ in range(repeats + 1):
            begun = time.perf_counter()
            layer(x)
            seconds.append(time.perf_counter() - begun)
    return min(seconds[1:])


def _with(config: Config, table: str, key: str, value: object) -> Config:
    """Return the config with one setting changed."""
    changed = getattr(config, table).model_copy(update={key: value})
    return config.model_copy(update={table: changed})
