"""One frozen base, many LoRA agents, mixed in one batch (Hu et al. 2021, arXiv 2106.09685; delta W = alpha/r B A).

Each row of a batch belongs to one agent; rows of an agent are contiguous. Which rows belong to whom is set for the
length of one forward by `AdapterBank.routed`, and a forward outside it is an error rather than silently the base.
Adapters are kept by name. Left out: merging into the base and batched products over adapters.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from games.errors import RequestError, unknown
from mage.adapter_files import ALL_LINEAR, LoraSettings, read_adapter, write_adapter

BASE = "base"  # the agent that is the base model alone: the untrained model
_PEFT_PREFIX = "base_model.model."


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows [start, stop) of a batch belong to `agent`."""

    agent: str
    start: int
    stop: int


def segments(agents: Sequence[str]) -> tuple[Segment, ...]:
    """Return the runs of equal names in the rows' agents, in order."""
    starts = [i for i, name in enumerate(agents) if i == 0 or name != agents[i - 1]]
    return tuple(
        Segment(agents[start], start, stop) for start, stop in zip(starts, [*starts[1:], len(agents)], strict=True)
    )


class PopulationLinear(nn.Module):
    """A frozen linear layer plus, for each segment of rows, its agent's low-rank product."""

    def __init__(self, base: nn.Linear, name: str, bank: "AdapterBank") -> None:
        """Wrap `base`, known to the bank as `name`."""
        super().__init__()
        self.base = base
        self.name = name
        self._bank = (bank,)  # in a tuple, so that it is not registered as a submodule

    def forward(self, x: Tensor) -> Tensor:
        """x: [rows, T, in] -> [rows, T, out]."""
        (bank,) = self._bank
        if not bank.route:
            raise RuntimeError("a forward outside AdapterBank.routed: say which rows belong to which agent")
        if bank.route[-1].stop != len(x):
            raise RuntimeError(
                f"a route for {bank.route[-1].stop} rows and a forward of {len(x)}: name every row's agent"
            )
        y: Tensor = self.base(x)
        parts = [bank.delta(segment, self.name, x) for segment in bank.route]
        if all(part is None for part in parts):
            return y
        return y + torch.cat(
            [
                y.new_zeros(1).expand(s.stop - s.start, *y.shape[1:]) if part is None else part
                for s, part in zip(bank.route, parts, strict=True)
            ]
        )


class Adapter(nn.Module):
    """One agent's low-rank weights: per target layer A [rank, in] and B [out, rank], float32."""

    def __init__(self, shapes: Mapping[str, tuple[int, int]], rank: int, generator: torch.Generator) -> None:
        """Draw A uniformly as PEFT does (Kaiming, a = sqrt 5: bound 1/sqrt(in)); B is zero."""
        super().__init__()
        self.names = tuple(shapes)
        self.a = nn.ParameterList()
        self.b = nn.ParameterList()
        for out_features, in_features in shapes.values():
            bound = in_features**-0.5
            uniform = torch.rand(rank, in_features, generator=generator)
            self.a.append(nn.Parameter((uniform * 2 - 1) * bound))
            self.b.append(nn.Parameter(torch.zeros(out_features, rank)))
        self.index = {name: i for i, name in enumerate(self.names)}

    def state(self) -> dict[str, Tensor]:
        """Return copies of the weights under PEFT's names."""
        tensors: dict[str, Tensor] = {}
        for name, a, b in zip(self.names, self.a, self.b, strict=True):
            tensors[f"{_PEFT_PREFIX}{name}.lora_A.weight"] = a.detach().clone()
            tensors[f"{_PEFT_PREFIX}{name}.lora_B.weight"] = b.detach().clone()
        return tensors

    def load(self, tensors: Mapping[str, Tensor], source: str) -> None:
        """Overwrite the weights; names or shapes that differ are refused, saying which."""
        own = self.state()
        if own.keys() != tensors.keys():
            odd = sorted(own.keys() ^ tensors.keys())
            raise RequestError(
                f"{source} holds other layers than this run's adapters, first {odd[0]!r}; use its own base"
            )
        for key, value in own.items():
            if value.shape != tensors[key].shape:
                raise RequestError(
                    f"{source}: {key} has shape {tuple(tensors[key].shape)}, expected {tuple(value.shape)}; "
                    "the adapter was trained with another rank or base"
                )
        with torch.no_grad():
            for name, a, b in zip(self.names, self.a, self.b, strict=True):
                a.copy_(tensors[f"{_PEFT_PREFIX}{name}.lora_A.weight"])
                b.copy_(tensors[f"{_PEFT_PREFIX}{name}.lora_B.weight"])

    def digest(self) -> str:
        """Return a hash of every weight's bytes; a frozen member's never changes."""
        sha = hashlib.sha256()
        for key, tensor in sorted(self.state().items()):
            sha.update(key.encode())
            sha.update(tensor.cpu().contiguous().numpy().tobytes())
        return sha.hexdigest()[:16]


class AdapterBank:
    """The base model with every resident agent's adapter."""

    def __init__(self, model: PreTrainedModel, settings: LoraSettings, base_name: str) -> None:
        """Freeze the model and put a `PopulationLinear` in place of every target layer; never of the head."""
        self.model = model
        self.settings = settings
        self.base_name = base_name
        self.adapters: dict[str, Adapter] = {}
        self.route: tuple[Segment, ...] = ()
        model.requires_grad_(False)
        model.eval()
        self.shapes = _wrap(model, self)

    def add(self, name: str, *, trainable: bool, seed: int = 0) -> Adapter:
        """Make a fresh adapter (equal to the base until trained); frozen ones take no gradient."""
        if name in self.adapters or name == BASE:
            raise ValueError(f"the bank already holds {name!r}; names are never reused")
        adapter = Adapter(self.shapes, self.settings.rank, torch.Generator().manual_seed(seed))
        adapter.to(self.model.device).requires_grad_(trainable)
        self.adapters[name] = adapter
        return adapter

    def freeze(self, source: str, name: str) -> Adapter:
        """Copy an agent into a frozen one that shares no storage with it."""
        snapshot = self.add(name, trainable=False)
        snapshot.load(self.adapters[source].state(), source)
        return snapshot

    def remove(self, name: str) -> None:
        """Forget a resident adapter."""
        del self.adapters[name]

    def delta(self, segment: Segment, layer: str, x: Tensor) -> Tensor | None:
        """Return alpha/r B A x for the segment's rows of x [rows, T, in]; None for the base alone."""
        if segment.agent == BASE:
            return None
        adapter = self.adapters[segment.agent]
        i = adapter.index[layer]
        rows = x[segment.start : segment.stop]
        low = functional.linear(rows, adapter.a[i].to(x.dtype) * self.settings.scale)
        return functional.linear(low, adapter.b[i].to(x.dtype))

    @contextmanager
    def routed(self, agents: Sequence[str]) -> Iterator[None]:
        """Route the rows of the forwards inside to their agents; rows of an agent should be contiguous."""
        for name in set(agents):
            if name != BASE and name not in self.adapters:
                raise unknown("agent", name, [BASE, *self.adapters])
        self.route = segments(agents)
        try:
            yield
        finally:
            self.route = ()

    def save(self, name: str, folder: Path) -> None:
        """Write PEFT's own format: adapter_config.json and adapter_model.safetensors."""
        layers = {layer.rsplit(".", 1)[-1] for layer in self.shapes}
        write_adapter(folder, self.adapters[name].state(), self.settings, sorted(layers), self.base_name)

    def load(self, name: str, folder: Path, *, trainable: bool) -> Adapter:
        """Read an adapter from PEFT's format under a new name; another rank or base is refused."""
        tensors = read_adapter(folder, self.settings, self.base_name)
        adapter = self.add(name, trainable=trainable)
        try:
            adapter.load(tensors, str(folder))
        except RequestError:
            self.remove(name)
            raise
        return adapter


def _wrap(model: PreTrainedModel, bank: AdapterBank) -> dict[str, tuple[int, int]]:
    """Put a `PopulationLinear` in place of every target layer; returns their (out, in) sizes by name."""
    head, wanted = model.get_output_embeddings(), bank.settings.targets
    linears = {n: m for n, m in model.named_modules() if isinstance(m, nn.Linear) and m is not head}
    kinds = {name.rsplit(".", 1)[-1] for name in linears}
    chosen = kinds if wanted == ALL_LINEAR else {wanted} if isinstance(wanted, str) else set(wanted)
    for kind in sorted(chosen - kinds):
        raise unknown("lora target", kind, [ALL_LINEAR, *sorted(kinds)])
    targets = {name: linear for name, linear in linears.items() if name.rsplit(".", 1)[-1] in chosen}
    for name, linear in targets.items():
        parent = model.get_submodule(re.sub(r"\.?[^.]+$", "", name))
        setattr(parent, name.rsplit(".", 1)[-1], PopulationLinear(linear, name, bank))
    return {name: (linear.out_features, linear.in_features) for name, linear in targets.items()}
