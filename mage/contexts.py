"""One seat's token sequence, with what was sampled in it: the unit of KV cache, batching and training.

Also what a trial asks of a sampler and what it is sent back. Left out: text, which the trial turns into ids.
"""

from dataclasses import dataclass, field
from typing import Literal

REFLECTION = -1  # in the place of a decision's number: the reflection after the episode


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """One token of the agent's own: trained, and nothing else is."""

    position: int  # index of the token in the context; it was predicted at position - 1
    allowed: tuple[int, ...] | None  # the ids it was chosen from, at least two; None: the whole vocabulary
    chosen: int  # index into `allowed`; the token's id where that is the whole vocabulary
    log_prob: float  # of the choice among what was allowed when sampled, nats
    episode: int
    turn: int  # the seat's decision number within the episode, or REFLECTION


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
    """A language agent's choice of a move: its context is complete up to where the move goes."""

    context: Context
    legal: tuple[str, ...]
    stream: int  # this and the next ones key the draws
    episode: int
    turn: int  # as in `TokenChoice`
    depth: int = 0  # tokens that were sampled for this decision before


@dataclass(frozen=True, slots=True)
class MoveReply:
    """The sampled move, and the probability of each legal one (None where a trie of several choices hides it)."""

    move: str
    probabilities: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class TextRequest:
    """Free text at the end of a context, drawn from the whole vocabulary.

    It ends with the token that completes `stop`, with any control token, or when `budget` tokens are written.
    """

    context: Context
    stop: str
    budget: int  # tokens, at least 1
    stream: int  # this and the next ones as in `MoveRequest`
    episode: int
    turn: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class TextReply:
    """What was written."""

    text: str  # up to what ended it
    tokens: int  # what ended it included
    ending: Literal["stop", "turn", "control", "budget"]  # "turn": the token that ends an agent's turn


Request = MoveRequest | TextRequest
Reply = MoveReply | TextReply
