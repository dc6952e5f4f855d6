"""Keyed randomness: every draw is a function of what it is for, never of how many came before it.

Batch order, batch size and evaluation in between therefore change no draw (design, decision 10). Left out: global
seeding, which exists only where a library insists on it (the first training of `builtin:tiny`).
"""

import hashlib
import struct
from dataclasses import dataclass

import numpy as np

EVALUATION = "evaluate"  # the stream of everything that is measured on opponents
_SPACING = 2.0**-53  # of the draws
_APART = 1 << 30  # environment seeds from here on are evaluation's own; below are all others
_MOVE_KEY = struct.Struct("<7q")  # the packed key of a move's draw: formats are read once


def _digest(seed: int, stream: str, indices: tuple[int, ...], size: int) -> bytes:
    packed = struct.pack(f"<{len(indices) + 1}q", seed, *indices)
    return hashlib.blake2b(packed, digest_size=size, person=stream.encode()).digest()


def _unit(digest: bytes) -> float:
    return (int.from_bytes(digest, "little") >> 11) * _SPACING


def uniform(seed: int, stream: str, *indices: int) -> float:
    """Return the draw in [0, 1) that belongs to (seed, stream, indices); equal keys give equal draws.

    stream: at most 16 bytes, ValueError above.
    """
    return _unit(_digest(seed, stream, indices, 8))


def generator(seed: int, stream: str, *indices: int) -> np.random.Generator:
    """Return a fresh NumPy generator keyed by (seed, stream, indices), for draws that come in bulk."""
    key = int.from_bytes(_digest(seed, stream, indices, 16), "little")
    return np.random.Generator(np.random.Philox(key=key))


def integer(seed: int, stream: str, *indices: int) -> int:
    """Return the integer in [0, 2**31) that belongs to the key, for seeding environments."""
    return int.from_bytes(_digest(seed, stream, indices, 4), "little") >> 1


@dataclass(frozen=True, slots=True)
class PlayKeys:
    """The part of the key that all trials of one batch share."""

    seed: int
    stream: str  # "train", "validate", "evaluate", "corpus"
    iteration: int

    def move(self, trial: int, seat: int, episode: int, decision: int, depth: int = 0) -> float:
        """Return the draw for one token of a move; `depth` counts the sampled tokens within the move.

        It is `uniform` of the same key, written out, since there are two such draws in every round of every trial.
        """
        key = _MOVE_KEY.pack(self.seed, self.iteration, trial, seat, episode, decision, depth)
        return _unit(hashlib.blake2b(key, digest_size=8, person=self.stream.encode()).digest())

    def deal(self, group: int, episode: int) -> int:
        """Return the environment seed of an episode, in [0, 2**31); all trials of a group see the same deals.

        Seeds of evaluation lie in the upper half and all others in the lower one, so that no deal that was trained on
        is evaluated on, whatever the seeds of the two.
        """
        seed = integer(self.seed, self.stream + "-deal", self.iteration, group, episode) % _APART
        return seed + _APART if self.stream == EVALUATION else seed

    def shared(self, group: int) -> int:
        """Return the stand-in trial number whose draws every trial of a group shares (its opponent's stream)."""
        return -1 - group
