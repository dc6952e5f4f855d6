"""One seat's token sequence, with what was sampled in it: the unit of KV cache, batching and training.

Also what a trial asks of a sampler and what it is sent back. Left out: text, which the trial turns into ids.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """One sampled token: trained, and nothing else is."""

    position: int  # index of the token in the context; it was predicted at position - 1
    allowed: tuple[int, ...]  # the ids it was chosen from, at least two
    chosen: int  # index into `allowed`
    log_prob: float  # of the choice under the constrained distribution when sampled, nats
    episode: int
    turn: int


@dataclass(slots=True)
class Context:
    """Append-only ids of one agent in one seat (design, decision 4)."""

    agent: str
    seat: int
    ids: list[int]
    choices: list[TokenChoice] = field(default_factory=list)
    openings: list[int] = field(default_factory=list)  # where the header of each episode in it begins


@dataclass(frozen=True, slots=True)
class Memory:
    """What an agent has in front of it when an episode begins."""

    ids: tuple[int, ...]  # up to the episode's header
    header: int  # the episode's number, as the header gives it


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """A language agent's decision: its context is complete up to where the move goes."""

    context: Context
    legal: tuple[str, ...]
    stream: int
    episode: int
    turn: int


@dataclass(frozen=True, slots=True)
class MoveReply:
    """The sampled move, and the probability of each legal one (None where a trie of several choices hides it)."""

    move: str
    probabilities: tuple[float, ...] | None
