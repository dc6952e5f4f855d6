"""One frozen base, many LoRA agents, mixed in one batch (Hu et al. 2021, arXiv 2106.09685; delta W = alpha/r B A).

Each row of a batch belongs to one agent; rows of an agent are contiguous. Which rows belong to whom is set for the
length of one forward by `AdapterBank.routed`, and a forward outside it is an error rather than silently the base.
Adapters are kept by name. Left out: the products (`mage.population`) and where in the base they are made
(`mage.wrapping`).
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from games.errors import RequestError, unknown
from mage.adapter_files import LoraSettings, read_adapter, write_adapter
from mage.population import Factors
from mage.wrapping import Routing, Stack, wrap

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
        """Freeze the model and wrap every target layer; never the head."""
        self.model = model
        self.settings = settings
        self.base_name = base_name
        self.adapters: dict[str, Adapter] = {}
        self._routing = Routing()
        model.requires_grad_(False)
        model.eval()
        self._groups = wrap(model, settings.targets, self._routing)
        layers = [layer for group in self._groups for layer in group.members]
        self.shapes = {layer.name: layer.shape for layer in layers}

    @property
    def route(self) -> tuple[str, ...]:
        """Return the agents of the runs of the forward that is under way; empty outside `routed`."""
        return () if self._routing.stack is None else self._routing.stack.agents

    def pack_base(self) -> None:
        """Let oneDNN multiply the base's layers where it can (`mage.frozen`); takes the weights' memory again."""
        for group in self._groups:
            for layer in group.members:
                layer.pack()

    def add(self, name: str, *, trainable: bool, seed: int = 0) -> Adapter:
        """Make a fresh adapter (equal to the base until trained); frozen ones take no gradient."""
        if name in self.adapters or name == BASE:
            raise ValueError(f"the bank already holds {name!r}; names are never reused")
        if not self.shapes:
            kind = type(self.model).__name__
            raise RequestError(f"{kind} has no nn.Linear or Conv1D layer for an adapter to sit on; use another base")
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

    def stack(self, agents: Sequence[str]) -> Stack:
        """Return the weights for runs of these agents, in the base's dtype; gradients flow to the masters.

        Under `torch.no_grad` the stack is a copy that serves until a weight changes. Raises for unknown agents.
        """
        for name in set(agents):
            if name != BASE and name not in self.adapters:
                raise unknown("agent", name, [BASE, *self.adapters])
        if set(agents) <= {BASE}:
            return Stack(tuple(agents), None)
        return Stack(tuple(agents), {group.names: self._factors(group.names, agents) for group in self._groups})

    def _factors(self, layers: tuple[str, ...], agents: Sequence[str]) -> Factors:
        """Stack the weights in as few steps as can be: each is repeated for every agent, layer and pass."""
        dtype, adapters = self.model.dtype, [self.adapters.get(name) for name in agents]
        a = torch.stack([self._part(adapter, layer, "a") for adapter in adapters for layer in layers])
        b = [torch.stack([self._part(adapter, layer, "b") for adapter in adapters]) for layer in layers]
        scaled = a.unflatten(0, (len(agents), len(layers))).flatten(1, 2) * self.settings.scale
        return Factors(scaled.to(dtype), tuple(factor.transpose(1, 2).to(dtype).contiguous() for factor in b))

    def _part(self, adapter: Adapter | None, layer: str, factor: str) -> Tensor:
        """Return A [rank, in] or B [out, rank] of a layer; zeros for the base alone."""
        if adapter is not None:
            parts: nn.ParameterList = getattr(adapter, factor)
            return parts[adapter.index[layer]]
        out_features, in_features = self.shapes[layer]
        rank = self.settings.rank
        shape = (rank, in_features) if factor == "a" else (out_features, rank)
        return torch.zeros(shape, device=self.model.device)

    @torch.no_grad()
    def merged(self, agent: str) -> dict[str, Tensor]:
        """Return W + alpha/r B A of every target layer for one agent, in the base's dtype."""
        weights = {}
        for layer in (layer for group in self._groups for layer in group.members):
            _, in_features = layer.shape
            identity = torch.eye(in_features, device=layer.weight.device)[:, None]
            delta = self.delta(Segment(agent, 0, in_features), layer.name, identity)
            if delta is not None:
                weights[layer.name] = (layer.weight.float() + delta[:, 0].t()).to(layer.weight.dtype)
        return weights

    @contextmanager
    def routed(
        self,
        agents: Sequence[str],
        lengths: Sequence[int] | None = None,
        *,
        stack: Stack | None = None,
        merged: Mapping[str, Tensor] | None = None,
    ) -> Iterator[None]:
        """Route the rows of the forwards inside to their agents; rows of an agent should be contiguous.

        lengths: the tokens of each row where rows lie packed in one; None: a rectangle, equal for all. stack: the
        weights of the rows' runs if they were stacked before, one run per agent of it, in its order, some perhaps
        without rows. merged: weights that take the place of the base's.
        """
        runs = segments(agents)
        stack = stack or self.stack([run.agent for run in runs])
        rows, tokens = [0] * len(stack.agents), [0] * len(stack.agents)
        number = 0
        for run in runs:
            number = stack.agents.index(run.agent, number)
            rows[number] = run.stop - run.start
            tokens[number] = sum(lengths[run.start : run.stop]) if lengths else 0
            number += 1
        self._routing.open(stack, rows, tokens if lengths else None, merged or {})
        try:
            yield
        finally:
            self._routing.close()
            for group in self._groups:
                group.forget()

    def save(self, name: str, folder: Path) -> None:
        """Write PEFT's own format: adapter_config.json and adapter_model.safetensors."""
        layers = sorted({layer.rsplit(".", 1)[-1] for layer in self.shapes})
        transposed = any(layer.transposed for group in self._groups for layer in group.members)
        write_adapter(folder, self.adapters[name].state(), self.settings, layers, self.base_name, transposed=transposed)

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
