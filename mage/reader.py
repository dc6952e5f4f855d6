"""What one seat that reads text has in front of it, segment by segment, and what it remembers of earlier episodes.

A context only ever grows (design, decision 4); what is told is written when the seat is asked next. Left out: what is
decided upon it (`mage.decisions`), the words (`games`, `mage.renderers`), control texts (`mage.turn_style`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mage.codec import Codec
from mage.contexts import Context
from mage.memories import FRESH, REFLECTING
from mage.renderers import Prompt


@dataclass(frozen=True, slots=True)
class Told:
    """What a seat was given to read since it last wrote."""

    news: str  # in words
    prompt: str  # exactly, control texts included; "" where that is the same


class Reader:
    """One seat's contexts."""

    def __init__(
        self,
        member: str,
        seat: int,
        codec: Codec,
        memory: str,
        prompt: Prompt,
        rules: str,
        header: Callable[[int], str],
    ) -> None:
        """member: whose contexts these are; memory: one of transcript, reflection, both, none.

        rules: what opens a context; header: gives what opens an episode, counted from 1.
        """
        self.member, self.seat, self.codec, self.memory, self.prompt = member, seat, codec, memory, prompt
        self._rules, self._header = rules, header
        self._encode, self._renders = codec.encode, prompt.renders_news
        self._unwritten: list[str] = []
        self._spoke = False  # whether its own text stands at the context's end
        self.contexts: list[Context] = []

    @property
    def reflects(self) -> bool:
        """Whether it writes something down after an episode."""
        return self.memory in REFLECTING

    def open_episode(self, number: int, reflections: Sequence[str]) -> None:
        """Continue the context, or open a fresh one that knows of earlier episodes what was written down.

        number: from 1. One that remembers nothing reads every episode as the first (docs/decisions.md, 5).
        """
        if not self.contexts or self.memory in FRESH:
            self.context = Context(self.member, self.seat, list(self.codec.opening(self.prompt.system_text())))
            self.contexts.append(self.context)
            self._fresh, self._spoke = True, False
            remembered = self.prompt.remembered(reflections) if self.memory == "reflection" else ""
            self._unwritten = [self._rules, remembered] if remembered else [self._rules]
            number = number if remembered else 1
        pending = sum(len(self._encode(segment)) for segment in self._unwritten)
        pending += len(self.codec.told) if self._spoke else 0
        self.context.openings.append(len(self.context.ids) + pending)
        self._unwritten.append(self._header(number))

    def tell(self, news: str) -> None:
        """Take in news of the game, to be written when the seat is asked next."""
        if news:
            self._unwritten.append(self.prompt.observation_text(news) if self._renders else news)

    def write(self, question: str = "") -> Told:
        """Write what was told, and a question, into the context; what comes next is the seat's own text."""
        context, segments = self.context, self._unwritten
        if question:
            segments.append(question)
        before, after = self._before(), self.codec.ask
        for segment in segments:
            context.ids += self._encode(segment)
        context.ids += after
        news = segments[0] if len(segments) == 1 else "".join(segments)
        self._unwritten, self._fresh, self._spoke = [], False, True
        return Told(news, before + news + self.codec.style.ask if before or after else "")

    def close(self) -> None:
        """Write what was told last, when nothing more is asked."""
        if self._unwritten:
            self._before()
            for segment in self._unwritten:
                self.context.ids += self._encode(segment)
            self._unwritten = []

    def _before(self) -> str:
        """Write what goes before the text that the seat reads next, and return it."""
        if self._fresh:  # its ids stand there already
            return self.codec.decode(self.context.ids)
        if self._spoke:
            self.context.ids += self.codec.told
            return self.codec.style.told
        return ""
