"""How a language agent comes to a move: chosen among the legal ones, written freely, or thought about first.

Each way is a generator that asks a sampler for what it needs and returns what was decided; a wrong reply is data,
booked with the reason (design, decisions 5 and 14). Left out: reading replies (`mage.replies`), what an illegal one
costs.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

from mage.codec import Codec
from mage.contexts import REFLECTION, MoveReply, MoveRequest, Reply, Request, TextReply, TextRequest
from mage.keys import PlayKeys
from mage.reader import Reader
from mage.replies import REASONS, parse

RANDOM_DRAW = -1  # the depth of the draw that stands in for a move; tokens are counted from 0


@dataclass(frozen=True, slots=True)
class Acting:
    """How agents write; the fields are those of a config's [agent]."""

    move: str = "constrained"  # a key of DECIDERS
    thinking_tokens: int = 0  # before a move, at most; 0: no thinking
    reply_tokens: int = 16  # of a free move, at most
    reply_format: str = "bare"  # a key of `mage.replies.FORMATS`
    retries: int = 0  # further tries after an illegal reply
    on_illegal: str = "forfeit"  # or "random": a legal move is drawn
    reflection_tokens: int = 48  # at most


@dataclass(frozen=True, slots=True)
class Decision:
    """What came of it."""

    move: str  # "" where none of the tries was legal
    probabilities: tuple[float, ...] | None  # of each legal move
    said: str = ""  # everything that was written, as it stands in the context; "" where that is the move alone
    thinking: int = 0  # tokens
    illegal: tuple[str, ...] = ()  # the reason of each try that was not legal
    randomised: bool = False  # the move was drawn, since none was legal


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision that is due."""

    legal: tuple[str, ...]
    stream: int
    episode: int
    turn: int
    acting: Acting
    keys: PlayKeys


Deciding = Generator[Request, Reply, Decision]
Writing = Generator[Request, Reply, TextReply]


def choose(reader: Reader, asked: Asked) -> Deciding:
    """Choose among the legal moves."""
    codec, context = reader.codec, reader.context
    context.ids += codec.skip
    reply = yield MoveRequest(context, asked.legal, asked.stream, asked.episode, asked.turn)
    assert isinstance(reply, MoveReply)
    said = "" if codec.plain else codec.style.skip + reply.move + codec.style.end
    return Decision(reply.move, reply.probabilities, said)


def think_then_choose(reader: Reader, asked: Asked) -> Deciding:
    """Think in free text, then choose among the legal moves."""
    context, begun = reader.context, len(reader.context.ids)
    thought = yield from _think(reader, asked, 0)
    reply = yield MoveRequest(context, asked.legal, asked.stream, asked.episode, asked.turn, thought)
    assert isinstance(reply, MoveReply)
    return Decision(reply.move, reply.probabilities, reader.codec.decode(context.ids[begun:]), thought)


def write_freely(reader: Reader, asked: Asked) -> Deciding:
    """Write a move, after thinking where there is a budget for it; an illegal one is said so and tried again."""
    context, acting, begun = reader.context, asked.acting, len(reader.context.ids)
    thought, depth = 0, 0
    illegal: list[str] = []
    move: str | None = None
    for attempt in range(acting.retries + 1):
        if attempt:
            reader.tell(f"{REASONS[illegal[-1]]}\n")
            reader.write(reader.prompt.question(asked.legal))
        tokens = yield from _think(reader, asked, depth)
        thought += tokens
        written = yield from _write(reader, asked, acting.reply_tokens, depth + tokens)
        depth += tokens + written.tokens
        read = parse(written.text, asked.legal, finished=written.ending != "budget")
        move = read.move
        if move is not None:
            break
        illegal.append(read.reason)
    said = reader.codec.decode(context.ids[begun:])
    if move is not None or acting.on_illegal != "random":
        return Decision(move or "", None, said, thought, tuple(illegal))
    draw = asked.keys.move(asked.stream, reader.seat, asked.episode, asked.turn, RANDOM_DRAW)
    drawn = asked.legal[int(draw * len(asked.legal))]
    reader.tell(f"{REASONS[illegal[-1]]}, so your move is {drawn}\n")
    return Decision(drawn, None, said, thought, tuple(illegal), randomised=True)


DECIDERS: dict[str, Callable[[Reader, Asked], Deciding]] = {
    "constrained": choose,
    "free": write_freely,
    "think-then-choose": think_then_choose,
}


def reflect(reader: Reader, stream: int, episode: int, budget: int) -> Generator[Request, Reply, str]:
    """Write down what the episode has taught; returns it as one line."""
    reader.context.ids += reader.codec.skip
    reply = yield TextRequest(reader.context, reader.codec.stop, budget, stream, episode, REFLECTION)
    assert isinstance(reply, TextReply)
    _finish(reader, reply)
    return clipped(reader.codec, " ".join(reply.text.split()), budget)


def clipped(codec: Codec, text: str, budget: int) -> str:
    """Cut a text to so many tokens; one may take more to read again than it took to write, as broken characters do."""
    while len(ids := codec.encode(text)) > budget:
        text = codec.decode(ids[:budget])[: len(text) - 1]
    return text


def _think(reader: Reader, asked: Asked, depth: int) -> Generator[Request, Reply, int]:
    """Think within the budget; returns how many tokens were thought."""
    codec, context, budget = reader.codec, reader.context, asked.acting.thinking_tokens
    if not budget:
        context.ids += codec.skip
        return 0
    opens, closes = codec.style.think
    stop, rest = codec.style.thought
    context.ids += codec.control(opens)
    reply = yield TextRequest(context, stop, budget, asked.stream, asked.episode, asked.turn, depth)
    assert isinstance(reply, TextReply)
    context.ids += codec.control(rest if reply.ending == "stop" else closes)
    return reply.tokens


def _write(reader: Reader, asked: Asked, budget: int, depth: int) -> Writing:
    """Write the agent's own text up to its end."""
    reply = yield TextRequest(reader.context, reader.codec.stop, budget, asked.stream, asked.episode, asked.turn, depth)
    assert isinstance(reply, TextReply)
    _finish(reader, reply)
    return reply


def _finish(reader: Reader, reply: TextReply) -> None:
    """End the agent's text where its own tokens did not."""
    codec = reader.codec
    if codec.plain:
        missing = () if reply.ending == "stop" else codec.end
    else:
        missing = codec.end[1:] if reply.ending == "turn" else codec.end
    reader.context.ids += missing
