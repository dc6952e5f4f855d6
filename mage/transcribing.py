"""What stands in a seat's context in the place of what an agent would write there, and what is noted after an episode.

A scripted player's moves and notes are written as an agent would write them; an agent's own notes can be replaced. Left
out: when that is due (`mage.trials`), how an agent writes for itself (`mage.decisions`).
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from mage.contexts import REFLECTION, Reply, Request
from mage.decisions import Acting, reflect
from mage.own_tokens import write_move, write_text
from mage.reader import Reader
from mage.replies import FORMATS


@dataclass(frozen=True, slots=True)
class Note:
    """What one seat wrote down after an episode; the fields are those of an `EpisodeRecord`, without `reflections`."""

    text: str
    prompt: str
    said: str
    drawn: bool


def transcribe_move(reader: Reader, acting: Acting, move: str, legal: tuple[str, ...], episode: int, turn: int) -> str:
    """Write a scripted player's move as an agent would that acts so, and thinks nothing where that would think.

    Returns exactly what stands there; "" where that is the move and a newline.
    """
    codec, context, begun = reader.codec, reader.context, len(reader.context.ids)
    if acting.thinking_tokens:
        mark, rest = codec.style.thought
        context.ids += codec.control(codec.style.think[0])
        write_text(context, codec.control(mark), episode, turn)
        context.ids += codec.control(rest)
    else:
        context.ids += codec.skip
    if acting.move == "free":
        write_text(context, codec.encode_move(FORMATS[acting.reply_format].write(move)), episode, turn)
    else:
        write_move(codec, context, move, legal, episode, turn)
    if codec.plain and acting.move == "constrained":
        return ""
    said = codec.decode(context.ids[begun:])
    return "" if said == move + "\n" else said


def note(
    reader: Reader, episode: int, stream: int, budget: int, given: str | None, scripted: bool
) -> Generator[Request, Reply, Note]:
    """Ask a seat what the episode, counted from 0, has taught, and have the answer written down.

    stream: of an agent's draws. budget: tokens, at most. given: what is written in the place of what an agent would
    write; None: it writes for itself. scripted: what is given counts as the seat's own choice, token by token.
    """
    cue = reader.prompt.reflect(episode + 1)
    told, begun = reader.write(cue), len(reader.context.ids)
    if given is None:
        text = yield from reflect(reader, stream, episode, budget)
    else:
        text = given
        apart = "" if reader.codec.ask or cue.endswith("\n") else " "  # it goes on in the line of the cue
        _write_note(reader, reader.codec.encode_move(apart + text), episode, scripted)
    said = reader.codec.decode(reader.context.ids[begun:])
    return Note(text, told.prompt or told.news, "" if said == text + "\n" else said, given is None)


def _write_note(reader: Reader, ids: Sequence[int], episode: int, scripted: bool) -> None:
    reader.context.ids += reader.codec.skip
    if scripted:
        write_text(reader.context, ids, episode, REFLECTION)
    else:
        reader.context.ids += ids
