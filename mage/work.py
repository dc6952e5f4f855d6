"""What a sampler or a learner asked of the base model: tokens and chunks, for profiles and bounds.

Left out: seconds (`mage.timings`).
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Chunk:
    """One forward: `new[i]` tokens of context i, `cached[i]` tokens of which were in the key-value cache before."""

    new: tuple[int, ...]
    cached: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """Return the tokens that went through the model."""
        return sum(self.new)


@dataclass(slots=True)
class Work:
    """The chunks since the last `take`."""

    chunks: list[Chunk] = field(default_factory=list)

    def add(self, new: tuple[int, ...], cached: tuple[int, ...]) -> None:
        """Book one forward."""
        self.chunks.append(Chunk(new, cached))

    def take(self) -> list[Chunk]:
        """Return the chunks booked so far and start over."""
        taken, self.chunks = self.chunks, []
        return taken
