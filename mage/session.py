"""What training and evaluation both stand on: the game, the opponents, the base model with its adapters, a sampler.

`describe` reads no weights; `build` makes or reads the base. Left out: any loop, where bases come from (`mage.bases`).
"""

from dataclasses import dataclass, replace
from pathlib import Path

import torch

import games
from games.errors import RequestError, unknown
from games.opponents import NamedOpponent, Split, split
from games.text import TextGame
from mage import bases, checkpoint, models, places
from mage.adapter_files import LoraSettings
from mage.adapters import BASE, AdapterBank
from mage.base_models import TINY
from mage.bases import Progress, Reader
from mage.codec import Codec
from mage.config import Config, declarations, load
from mage.keys import PlayKeys
from mage.lengths import longest_context
from mage.paths import RunPaths
from mage.sampler import CachedSampler
from mage.settings import conditions_of
from mage.settle import settled, with_microbatch
from mage.trials import Conditions


@dataclass(frozen=True, slots=True)
class Setting:
    """What is played and against whom, checked: the sets are disjoint and the corpus keeps away from what is tested."""

    game: TextGame
    opponents: Split
    corpus: tuple[NamedOpponent, ...]  # whose matches the base was trained on here
    reader: Reader


@dataclass(frozen=True, slots=True)
class Session:
    """A run that is open: base and bank in memory."""

    config: Config
    paths: RunPaths
    setting: Setting
    base: bases.Base
    model: models.LanguageModel
    bank: AdapterBank
    sampler: CachedSampler

    def playing(self, game: TextGame, episodes: int | None = None) -> "Session":
        """Return the session in another game, with as many episodes a trial unless given; base and bank are shared.

        Raises RequestError where the base can't read the game, or a whole trial of it.
        """
        name, codec = self.model.name, self.model.codec
        trial = self.config.trial.model_copy(update={"episodes": episodes or self.config.trial.episodes})
        config = self.config.model_copy(update={"trial": trial})
        bases.check_texts(name, codec, game, trial.episodes)
        needed = _needed(config, game, codec, self.model.max_tokens)
        sampler = CachedSampler(self.model, self.bank, needed, config.learning.merge)
        return replace(self, config=config, setting=replace(self.setting, game=game), sampler=sampler)

    def require_memory(self, memory: str) -> None:
        """Raise RequestError where the base can't read a whole trial with another memory than the run's."""
        trial = self.config.trial.model_copy(update={"memory": memory})
        config = self.config.model_copy(update={"trial": trial})
        _needed(config, self.setting.game, self.model.codec, self.model.max_tokens)

    @property
    def members(self) -> dict[str, Path]:
        """The adapter folder of every member; a learner's in the checkpoint is the newest there is."""
        roots = [self.paths.members]
        if checkpoint.exists(self.paths.checkpoint):
            roots.append(checkpoint.learners(self.paths.checkpoint))
        return {folder.name: folder for root in roots if root.is_dir() for folder in sorted(root.iterdir())}

    def admit(self, name: str) -> None:
        """Bring a member's adapter into the bank, from its folder or, while a run goes on, from its checkpoint."""
        if name == BASE or name in self.bank.adapters:
            return
        if not self.members:
            raise RequestError(
                f"got member {name!r} of {self.paths.root}, where none is trained yet, known are {BASE}; let its "
                "training reach a checkpoint"
            )
        if name not in self.members:
            raise unknown("member", name, [BASE, *self.members])
        self.bank.load(name, self.members[name], trainable=False)

    def conditions(self, keys: PlayKeys, memory: str | None = None) -> Conditions:
        """Return what the trials of one batch share; memory as configured unless given."""
        return conditions_of(self.config, self.setting.game, self.model.codec, keys, memory)


def describe(config: Config, paths: RunPaths | None = None, *, own_code: bool = True) -> Setting:
    """Load the game and draw the opponents.

    Everything that can be refused without a base's weights is refused here, before a run writes anything: unknown
    names, models that are not here, overlaps and leaks between the sets, trials longer than the base can read.
    paths: of a run that may have recorded its base already. own_code: False where a person did not name the game, which
    may then be none that runs code of their own (design, decision 15).
    """
    if config.model.name == TINY and config.prompt.template == "chat":
        raise RequestError(f'got prompt.template = "chat" for {TINY}, which reads plain text; leave it out')
    provider = bases.provider(config.model.name)
    wanted = config.game
    game = games.load(
        wanted.name,
        rounds=wanted.rounds,
        rendering=wanted.rendering,
        moves=wanted.moves,
        payoffs=wanted.payoffs,
        own_code=own_code,
    )
    declared = config.opponents
    reader = provider.reader(config, game, places.read_record(paths) if paths else None)
    turns = config.trial.episodes * game.max_turns
    if 2 * turns > reader.max_tokens:  # a move and its news; checked before anything of that length is made
        raise RequestError(
            f"a trial of {config.trial.episodes} episodes of up to {game.max_turns} decisions may take {2 * turns} "
            f"tokens or more, {config.model.name} reads {reader.max_tokens} at most; ask for fewer episodes or a "
            "shorter game"
        )
    made_here = config.model.name == TINY  # any other base comes trained
    sets = split(
        game,
        training=declarations(declared.training),
        validation=declarations(declared.validation),
        held_out=declarations(declared.held_out),
        corpus=declarations(config.model.pretrain.corpus) if made_here else (),
        min_distance=declared.min_distance,
    )
    _needed(config, game, reader.codec, reader.max_tokens)
    return Setting(game, sets, (sets.corpus or sets.training) if made_here else (), reader)


def build(config: Config, setting: Setting, paths: RunPaths, progress: Progress = lambda done, total: None) -> Session:
    """Open a run that `describe` described, making its base first where it has none.

    The session's config has no setting left open (`mage.settle`).
    """
    config = settled(config)
    torch.set_num_threads(config.run.threads)
    name, dtype = config.model.name, getattr(torch, config.run.dtype)
    base = bases.provider(name).provide(config, setting.game, setting.corpus, paths, progress)
    template = "plain" if name == TINY else config.prompt.template
    model = models.load(base.folder, name, dtype, base.start, template)
    model.network.to(device=config.run.device)
    needed = _needed(config, setting.game, model.codec, model.max_tokens)
    bank = open_bank(model, lora_settings(config), f"{name}@{base.digest}", config.run.linear)
    if config.learning.gradient_checkpointing:
        model.checkpoint_layers()
    config = with_microbatch(config, model, bank, needed)
    sampler = CachedSampler(model, bank, needed, config.learning.merge)
    return Session(config, paths, setting, base, model, bank, sampler)


def reopen(run: Path) -> Session:
    """Open an existing run from its own files only."""
    paths = RunPaths(run)
    if not paths.config.exists():
        raise RequestError(
            f"{run} is not a run: {paths.config.name} is missing; give the folder that `mage train` wrote"
        )
    config = load(paths.config)
    if not paths.has_base:
        raise RequestError(f"{run} holds no base model yet; let its training start, or resume it")
    return build(config, describe(config, paths, own_code=False), paths)


def lora_settings(config: Config) -> LoraSettings:
    """Return the shape of the adapters."""
    return LoraSettings(config.lora.rank, config.lora.alpha, config.lora.targets)


def open_bank(model: models.LanguageModel, lora: LoraSettings, base_name: str, linear: str) -> AdapterBank:
    """Put an empty bank of adapters onto a base that lies on its device; linear: as `run.linear`, decided."""
    bank = AdapterBank(model.network, lora, base_name)
    if linear == "onednn":
        bank.pack_base()
    return bank


def _needed(config: Config, game: TextGame, codec: Codec, most: int) -> int:
    """Return the tokens that a trial may take; more than `most` are refused."""
    needed = longest_context(conditions_of(config, game, codec))
    if needed > most:
        raise RequestError(
            f"a trial of {config.trial.episodes} episodes may take {needed} tokens, {config.model.name} reads "
            f"{most} at most; ask for fewer episodes, a shorter game, or fewer tokens and tries in [agent]"
        )
    return needed
