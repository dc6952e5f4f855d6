"""Where a run's base model comes from: one provider for each kind of name, tried in the order of `PROVIDERS`.

`builtin:tiny` is made for the run and copied into it. Every other base stays where it is; the run records its name,
place and the hash of its files, and goes on with those files only. Left out: fetching a known one (`mage.pull`), when
a run writes its record (`mage.training`).
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch

from games.errors import RequestError
from games.opponents import NamedOpponent
from games.text import TextGame
from mage import models, places, tiny
from mage.base_models import KNOWN, TINY
from mage.codec import Codec
from mage.config import Config
from mage.models import LanguageModel
from mage.paths import RunPaths, cache_folder
from mage.places import Place, Record, Wanted

Progress = Callable[[int, int], None]
LINE_END = "\n"


@dataclass(frozen=True, slots=True)
class Reader:
    """How a base reads, known without its weights."""

    codec: Codec
    max_tokens: int  # the longest context


@dataclass(frozen=True, slots=True)
class Base:
    """A base that is here."""

    folder: Path
    digest: str
    start: str | None = None  # the token that opens a context, where it isn't the tokenizer's own
    record: Record | None = None  # which base it is, for the run to write down; None where it is in the run


class Provider(Protocol):
    """Serves the bases of one kind of name."""

    def fits(self, name: str) -> bool:
        """Tell whether a name is of this kind."""
        ...

    def reader(self, config: Config, game: TextGame, record: Record | None) -> Reader:
        """Return how the base reads; RequestError where it isn't to be had. record: of the run, if it has one."""
        ...

    def provide(
        self, config: Config, game: TextGame, corpus: Sequence[NamedOpponent], paths: RunPaths, progress: Progress
    ) -> Base:
        """Return the run's base, made first where it has to be."""
        ...

    def specimen(self, config: Config, reader: Reader) -> LanguageModel:
        """Return a model that takes as long as the base, to measure with, without a run."""
        ...


class Tiny:
    """`builtin:tiny`: made of the corpus, kept in the cache, copied into the run."""

    def fits(self, name: str) -> bool:
        """There is one such name."""
        return name == TINY

    def reader(self, config: Config, game: TextGame, record: Record | None) -> Reader:
        """Its tokenizer is made from the game alone."""
        tokenizer = tiny.build_tokenizer(game, config.trial.memory)
        return Reader(models.codec_of(tokenizer, TINY), tiny.MAX_TOKENS)

    def provide(
        self, config: Config, game: TextGame, corpus: Sequence[NamedOpponent], paths: RunPaths, progress: Progress
    ) -> Base:
        """Copy it into the run, trained first where the cache lacks it."""
        if not paths.base.exists():
            source = tiny.build(game, corpus, tiny.settings_of(config), cache_folder(), progress)
            aside = paths.base.with_name(".base")
            shutil.rmtree(aside, ignore_errors=True)
            shutil.copytree(source, aside)
            aside.rename(paths.base)
        return Base(paths.base, models.weights_digest(paths.base))

    def specimen(self, config: Config, reader: Reader) -> LanguageModel:
        """An untrained network of the same shape, since the base may not be made yet."""
        network = tiny.network(tiny.settings_of(config), tiny.VOCABULARY).eval()
        return LanguageModel(TINY, network.to(getattr(torch, config.run.dtype)), reader.codec)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Bases that stay where they are: known ones, folders, the Hub's."""

    fits: Callable[[str], bool]
    find: Callable[[Wanted], Place]

    def reader(self, config: Config, game: TextGame, record: Record | None) -> Reader:
        """Read tokenizer and config; a tokenizer that can't write the game is refused."""
        place = self.find(Wanted(config.model.name, record, weights=False, offline=config.model.offline))
        tokenizer = models.load_tokenizer(place.folder)
        codec = models.codec_of(tokenizer, config.model.name, place.start, config.prompt.template)
        check_texts(config.model.name, codec, game, config.trial.episodes)
        return Reader(codec, models.load_max_tokens(place.folder))

    def provide(
        self, config: Config, game: TextGame, corpus: Sequence[NamedOpponent], paths: RunPaths, progress: Progress
    ) -> Base:
        """Find it and say which one it is; another one than the run recorded is refused. Writes nothing."""
        name, record = config.model.name, places.read_record(paths)
        place = self.find(Wanted(name, record, weights=True, offline=config.model.offline))
        digest = models.digest(place.folder)
        if record is not None and (record.name, record.digest) != (name, digest):
            raise RequestError(
                f"the run stands on {record.name} whose files hash to {record.digest}, those in {place.folder} to "
                f"{digest}; restore its weights, config and tokenizer, or start a new run"
            )
        return Base(
            place.folder, digest, place.start, record or Record(name, str(place.folder), place.revision, digest)
        )

    def specimen(self, config: Config, reader: Reader) -> LanguageModel:
        """The base itself."""
        place = self.find(Wanted(config.model.name, None, weights=True, offline=config.model.offline))
        dtype = getattr(torch, config.run.dtype)
        return models.load(place.folder, config.model.name, dtype, place.start, config.prompt.template)


def provider(name: str) -> Provider:
    """Return who serves a base of that name. Raises RequestError for a name of no kind."""
    for candidate in PROVIDERS:
        if candidate.fits(name):
            return candidate
    raise RequestError(
        f'unknown base model "{name}": known are {", ".join(KNOWN)}; a Hub model is written "owner/name", a folder '
        '"./name"'
    )


def check_texts(name: str, codec: Codec, game: TextGame, episodes: int) -> None:
    """Refuse a tokenizer whose tokens, segment after segment, are not the game's text, or whose moves collide."""
    for seat in range(game.seats):
        spoken = game.spoken[seat]
        codec.trie(spoken.moves)
        segments = [game.rules(seat, episodes), *(game.episode_header(number + 1) for number in range(episodes))]
        segments += [move + LINE_END for move in spoken.moves] + list(spoken.news)
        ids = [token for segment in segments for token in codec.encode(segment)]
        text, wanted = codec.decode(ids), "".join(segments)
        if text != wanted:
            at = next((i for i, (a, b) in enumerate(zip(text, wanted, strict=False)) if a != b), 0)
            raise RequestError(
                f"the tokenizer of {name} turns {wanted[at : at + 12]!r} into {text[at : at + 12]!r} where a text is "
                "put together from parts; use a model whose tokenizer works on bytes"
            )


PROVIDERS: tuple[Provider, ...] = (
    Tiny(),
    Elsewhere(places.is_pulled, places.pulled),
    Elsewhere(places.is_folder, places.folder),
    Elsewhere(places.is_hub_id, places.hub),
)
