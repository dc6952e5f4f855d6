"""Who is in the population: learners, their frozen snapshots, and scripted players, with their lineage.

Names are for ever: a name is never reused, renamed or removed, so every payoff, event and adapter folder that
mentions one stays true. A snapshot that is no longer played against is *retired*: it keeps its record.
Leaves out weights (the language side keeps those, keyed by these names), ratings and matchmaking.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Kind = Literal["learner", "snapshot", "scripted"]
KINDS: tuple[str, ...] = get_args(Kind)


def unknown_name(what: str, got: str, known: Iterable[str]) -> ValueError:
    """Build the error for a name that is not known: what was got, the closest names, and all of them."""
    names = list(known)
    closest = difflib.get_close_matches(got, names, n=3, cutoff=0.5)
    hint = f"; closest: {', '.join(closest)}" if closest else ""
    return ValueError(f"unknown {what} {got!r}{hint}; known: {', '.join(names) or 'none'}")


def snapshot_name(learner: str, iteration: int) -> str:
    """Name the copy of `learner` frozen after `iteration` updates: `learner_0@12`."""
    return f"{learner}@{iteration}"


@dataclass(frozen=True, slots=True)
class Member:
    """One agent of the population. Raises ValueError when the fields contradict each other."""

    name: str  # for ever unique; a scripted member's is the canonical name of its opponent
    kind: Kind
    parent: str | None = None  # the learner a snapshot was taken from, or that a learner was bred from
    born: int = 0  # updates completed when it came into being
    digest: str | None = None  # hash of a snapshot's frozen weights

    def __post_init__(self) -> None:
        """Check the fields against each other."""
        if not self.name:
            raise ValueError("a member got an empty name; give it one")
        if self.kind not in KINDS:
            raise unknown_name("member kind", self.kind, KINDS)
        if self.born < 0:
            raise ValueError(f"member {self.name!r} got born={self.born}, expected an iteration from 0")
        if self.kind == "snapshot" and (self.parent is None or self.digest is None):
            raise ValueError(f"snapshot {self.name!r} needs the parent it was taken from and its weights' digest")
        if self.kind == "snapshot" and self.name != snapshot_name(str(self.parent), self.born):
            expected = snapshot_name(str(self.parent), self.born)
            raise ValueError(f"a snapshot got the name {self.name!r}, expected {expected!r} (parent@iteration)")
        if self.kind == "scripted" and self.parent is not None:
            raise ValueError(f"scripted member {self.name!r} got a parent {self.parent!r}, expected none")


class Population:
    """All members in the order they joined; the only changes are `add`, `freeze` and `retire`."""

    def __init__(self, members: Iterable[Member] = ()) -> None:
        """Add `members` in order; ValueError as in `add`."""
        self._members: dict[str, Member] = {}
        self._retired: dict[str, None] = {}
        for member in members:
            self.add(member)

    def add(self, member: Member) -> Member:
        """Let `member` join and return it. ValueError when its name was used or its parent is no learner."""
        if member.name in self._members:
            raise ValueError(f"member name {member.name!r} is taken; names are never reused, choose another")
        if member.parent is not None:
            parent = self.get(member.parent)
            if parent.kind == "scripted" or (member.kind == "snapshot" and parent.kind != "learner"):
                raise ValueError(f"{member.kind} {member.name!r} got a {parent.kind} parent, expected a learner")
        self._members[member.name] = member
        return member

    def freeze(self, learner: str, iteration: int, digest: str) -> Member:
        """Record the snapshot `learner@iteration` whose copied weights hash to `digest`, and return it.

        ValueError when `learner` is not a learner, or that snapshot exists already.
        """
        return self.add(Member(snapshot_name(learner, iteration), "snapshot", learner, iteration, digest))

    def retire(self, name: str) -> None:
        """Stop offering the snapshot `name` as an opponent; its record stays. ValueError for other kinds."""
        member = self.get(name)
        if member.kind != "snapshot":
            raise ValueError(f"got {member.kind} {name!r} to retire, expected a snapshot")
        self._retired[name] = None

    def get(self, name: str) -> Member:
        """Return the member called `name`, retired or not; ValueError names the closest if there is none."""
        if name not in self._members:
            raise unknown_name("member", name, self._members)
        return self._members[name]

    def is_retired(self, name: str) -> bool:
        """Whether the member `name` has been retired; ValueError when there is none."""
        return self.get(name).name in self._retired

    @property
    def learners(self) -> tuple[Member, ...]:
        """The learners, in order of joining."""
        return self._of_kind("learner")

    @property
    def snapshots(self) -> tuple[Member, ...]:
        """The snapshots still played against (not retired), in order of joining."""
        return tuple(member for member in self._of_kind("snapshot") if member.name not in self._retired)

    @property
    def scripted(self) -> tuple[Member, ...]:
        """The scripted players, in order of joining."""
        return self._of_kind("scripted")

    def _of_kind(self, kind: Kind) -> tuple[Member, ...]:
        return tuple(member for member in self._members.values() if member.kind == kind)

    def __contains__(self, name: object) -> bool:
        """Whether a member of that name ever joined."""
        return name in self._members

    def __iter__(self) -> Iterator[Member]:
        """All members, retired ones too, in order of joining."""
        return iter(self._members.values())

    def __len__(self) -> int:
        """How many members ever joined."""
        return len(self._members)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values from which `from_json` rebuilds an equal population."""
        return {"members": [asdict(member) for member in self], "retired": list(self._retired)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Population:
        """Rebuild what `to_json` wrote; ValueError when the members contradict each other."""
        population = cls(Member(**fields) for fields in data["members"])
        for name in data["retired"]:
            population.retire(name)
        return population
