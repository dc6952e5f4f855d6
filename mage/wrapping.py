"""Where agents enter the base: every target layer is wrapped, and layers that read one input are computed together.

What is read is decided when a forward runs: `Routing` says which tokens belong to which agent. Left out: the weights
(`mage.adapters`) and the products (`mage.population`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from games.errors import unknown
from mage.adapter_files import ALL_LINEAR
from mage.frozen import Frozen, Packed, pack
from mage.population import Factors, Runs, products, runs_of

SIBLINGS = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))  # layers of one parent that read one input


@dataclass(frozen=True, slots=True)
class Stack:
    """The weights of one agent per run of rows, ready for batched products; made anew when weights change."""

    agents: tuple[str, ...]  # of each run
    factors: Mapping[tuple[str, ...], Factors] | None  # by the layers of a group; None: the base alone


class Routing:
    """Which tokens of the forward that is under way belong to whom; shared by all wrapped layers of a base."""

    def __init__(self) -> None:
        """Route nobody."""
        self.close()

    def open(
        self, stack: Stack, rows: Sequence[int], tokens: Sequence[int] | None, merged: Mapping[str, Tensor]
    ) -> None:
        """rows, tokens: of each run of the stack; tokens is None where all rows have as many."""
        self.stack: Stack | None = stack
        self.merged = merged
        self._rows, self._tokens = tuple(rows), tokens
        self._runs: dict[int, Runs] = {}

    def close(self) -> None:
        """Forget the forward."""
        self.stack, self.merged = None, {}
        self._rows, self._tokens, self._runs = (), None, {}

    def runs(self, x: Tensor) -> Runs:
        """Return the runs of the tokens of x [rows, T, in] or [N, in]; RuntimeError where others were routed."""
        tokens, rows = x.shape[:-1].numel(), sum(self._rows)
        width = tokens // rows
        lengths = tuple(count * width for count in self._rows) if self._tokens is None else tuple(self._tokens)
        if sum(lengths) != tokens or (self._tokens is None and x.dim() > 2 and len(x) != rows):
            routed = f"{rows} rows" if self._tokens is None else f"{sum(lengths)} tokens"
            raise RuntimeError(
                f"a route for {routed} and a forward of {' x '.join(map(str, x.shape[:-1]))}: name every row's agent"
            )
        if width not in self._runs:
            self._runs[width] = runs_of(lengths, x.device)
        return self._runs[width]


class PopulationLinear(nn.Module):
    """A frozen linear layer plus, for each run of tokens, its agent's low-rank product."""

    def __init__(self, base: nn.Linear | Conv1D, name: str) -> None:
        """Wrap `base`, called `name` in the model."""
        super().__init__()
        self.base = base
        self.name = name
        self.group: LayerGroup
        self.packed: Packed | None = None
        self.transposed = isinstance(base, Conv1D)  # whether the base stores [in, out]

    @property
    def weight(self) -> Tensor:
        """Return the base's weight [out, in], a view where it is stored transposed."""
        return self.base.weight.t() if self.transposed else self.base.weight

    def pack(self) -> None:
        """Let oneDNN multiply, where it can: the base's weights are laid out for it now."""
        self.packed = pack(self.weight)

    def frozen(self, merged: Tensor | None) -> Frozen:
        """Return the base's part; merged: a weight that takes the place of the base's."""
        if merged is not None:
            return Frozen(merged, self.base.bias)
        return Frozen(self.weight, self.base.bias, self.packed)

    @property
    def shape(self) -> tuple[int, int]:
        """Return (out, in)."""
        out_features, in_features = self.weight.shape
        return out_features, in_features

    def forward(self, x: Tensor) -> Tensor:
        """x: [rows, T, in] -> [rows, T, out]."""
        return self.group.output(self, x)


class LayerGroup:
    """Wrapped layers that read the same input, computed when the first of them is called."""

    def __init__(self, members: Sequence[PopulationLinear], routing: Routing) -> None:
        """members: in the order of their calls or in any other."""
        self.members = tuple(members)
        self.names = tuple(member.name for member in members)
        self._routing = routing
        self.forget()
        for member in members:
            member.group = self

    def forget(self) -> None:
        """Drop what was computed for members that were not called."""
        self._input: Tensor | None = None
        self._outputs: dict[str, Tensor] = {}

    def output(self, member: PopulationLinear, x: Tensor) -> Tensor:
        """Return one member's output for x."""
        if x is not self._input or member.name not in self._outputs:
            self._outputs = self._compute(x)
            self._input = x
        output = self._outputs.pop(member.name)
        if not self._outputs:
            self._input = None
        return output

    def _compute(self, x: Tensor) -> dict[str, Tensor]:
        routing = self._routing
        if routing.stack is None:
            raise RuntimeError("a forward outside AdapterBank.routed: say which rows belong to which agent")
        runs = routing.runs(x)
        layers = [member.frozen(routing.merged.get(member.name)) for member in self.members]
        if routing.stack.factors is None:
            outputs: Sequence[Tensor] = [layer.product(x) for layer in layers]
        else:
            flat = products(x.flatten(0, -2), runs, layers, routing.stack.factors[self.names])
            outputs = [y.unflatten(0, x.shape[:-1]) for y in flat]
        return dict(zip(self.names, outputs, strict=True))


def wrap(model: PreTrainedModel, wanted: str | tuple[str, ...], routing: Routing) -> list[LayerGroup]:
    """Put a `PopulationLinear` in place of every target layer; never of the head. Returns the groups in model order.

    wanted: last parts of layer names, or `ALL_LINEAR`. Raises RequestError for a name that no layer has.
    """
    head = model.get_output_embeddings()
    linears = {name: m for name, m in model.named_modules() if isinstance(m, nn.Linear | Conv1D) and m is not head}
    kinds = {_last(name) for name in linears}
    chosen = kinds if wanted == ALL_LINEAR else {wanted} if isinstance(wanted, str) else set(wanted)
    for kind in sorted(chosen - kinds):
        raise unknown("lora target", kind, [ALL_LINEAR, *sorted(kinds)])
    wrapped = {name: PopulationLinear(linear, name) for name, linear in linears.items() if _last(name) in chosen}
    for name, layer in wrapped.items():
        setattr(model.get_submodule(_parent(name)), _last(name), layer)
    return [LayerGroup([wrapped[name] for name in names], routing) for names in _groups(wrapped)]


def _groups(names: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    """Yield the names, siblings together."""
    done: set[str] = set()
    for name in names:
        if name not in done:
            kinds = next((kinds for kinds in SIBLINGS if _last(name) in kinds), (_last(name),))
            group = tuple(f"{_parent(name)}.{kind}".lstrip(".") for kind in kinds)
            group = tuple(member for member in group if member in names)
            done.update(group)
            yield group


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _parent(name: str) -> str:
    return re.sub(r"\.?[^.]+$", "", name)
