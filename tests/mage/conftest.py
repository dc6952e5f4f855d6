"""What the tests of the language side share: a small random base, agents on it, and trials to play.

The base is `builtin:tiny`'s network without its training, its matrices scaled up so that a context matters to the
next token. Every test works on its own copy, since a bank changes the network that it wraps.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch

import games
from games.matrix_text import MatrixGame
from games.opponents import parse
from games.text import TextGame
from mage import models, tiny
from mage.adapter_files import LoraSettings
from mage.adapters import AdapterBank
from mage.codec import Codec
from mage.decisions import Acting
from mage.keys import PlayKeys
from mage.matches import plan_trials
from mage.models import LanguageModel
from mage.renderers import Prompt
from mage.sampler import CachedSampler
from mage.scheduler import play_all
from mage.tiny import TinySettings
from mage.trials import Conditions, PlayedTrial
from populations.matchmaking import Pairing

LEARNERS = ("ann", "bob", "cid", "dan")
SNAPSHOT = "ann@1"
PREFIXED = ("1", "10", "O-O", "O-O-O")  # moves that begin with one another
CHOOSING, BARE = Acting(), Prompt()  # the defaults
LIVELY = 8.0  # a fresh network's matrices are so small that every next token would be as likely as any other

Plays = Callable[..., list[PlayedTrial]]


class Characters:
    """A tokenizer that spells: a token for every character."""

    def encode(self, text: str, *, add_special_tokens: bool = False, split_special_tokens: bool = False) -> list[int]:
        return [ord(character) for character in text]

    def decode(self, ids: Sequence[int], *, clean_up_tokenization_spaces: bool = False) -> str:
        return "".join(map(chr, ids))


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def settings() -> TinySettings:
    return TinySettings(
        layers=2, width=32, heads=2, steps=2, batch=4, learning_rate=1e-3, seed=3, episodes=3, memory="transcript"
    )


@pytest.fixture(scope="session")
def rps() -> MatrixGame:
    return games.load_matrix("rock_paper_scissors", rounds=3)


@pytest.fixture(scope="session")
def castling() -> MatrixGame:
    """A zero-sum game whose moves begin with one another: the higher number wins the difference."""
    payoffs = [[own - other for other in range(4)] for own in range(4)]
    return games.load_matrix("matrix", rounds=3, moves=[PREFIXED, PREFIXED], payoffs=payoffs)


@pytest.fixture(scope="session")
def characters() -> Characters:
    return Characters()


@pytest.fixture(scope="session")
def spelling(characters: Characters) -> Codec:
    return Codec(characters, (0,))


@pytest.fixture(scope="session")
def base(rps: MatrixGame, settings: TinySettings) -> LanguageModel:
    """The untrained base; not to be changed."""
    tokenizer = tiny.build_tokenizer(rps)
    network = tiny.network(settings, len(tokenizer)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.mul_(LIVELY)
    return LanguageModel("builtin:tiny", network, Codec(tokenizer, models.start_ids(tokenizer)))


@pytest.fixture
def model(base: LanguageModel) -> LanguageModel:
    return replace(base, network=copy.deepcopy(base.network))


@pytest.fixture
def spelled(model: LanguageModel, spelling: Codec) -> LanguageModel:
    """The same network, reading characters."""
    return replace(model, codec=spelling)


@pytest.fixture
def bank(model: LanguageModel) -> AdapterBank:
    """Four learners that differ from the base and from one another, and a snapshot of the first."""
    bank = AdapterBank(model.network, LoraSettings(rank=4, alpha=8.0), model.name)
    for seed, name in enumerate(LEARNERS):
        adapter = bank.add(name, trainable=True, seed=seed)
        generator = torch.Generator().manual_seed(100 + seed)
        with torch.no_grad():
            for b in adapter.b:
                b.copy_(0.2 * torch.randn(b.shape, generator=generator))
    bank.freeze("ann", SNAPSHOT)
    return bank


@pytest.fixture
def play(model: LanguageModel, bank: AdapterBank) -> Plays:
    """Play pairings; `reader` is the model with another codec, where the game needs one."""

    def play(
        game: TextGame,
        pairings: Sequence[Pairing],
        *,
        memory: str = "transcript",
        episodes: int = 3,
        seed: int = 0,
        lane_rows: int = 16,
        reader: LanguageModel = model,
        acting: Acting = CHOOSING,
        prompt: Prompt = BARE,
    ) -> list[PlayedTrial]:
        keys = PlayKeys(seed, "train", 0)
        scripted = {p.opponent: parse(game, p.opponent) for p in pairings if p.opponent_kind == "scripted"}
        conditions = Conditions(game, reader.codec, keys, episodes, memory, acting, prompt)
        sampler = CachedSampler(reader, bank, 64)
        return play_all(plan_trials(pairings, scripted, keys, game.seats), conditions, sampler, lane_rows=lane_rows)

    return play


@pytest.fixture(scope="session")
def pairings() -> Callable[[str], list[Pairing]]:
    """Every learner twice against a scripted opponent, against a snapshot, another learner and the base."""

    def pairings(scripted: str) -> list[Pairing]:
        opponents = [(scripted, "scripted"), (SNAPSHOT, "snapshot"), ("base", "snapshot")]
        found: list[Pairing] = []
        for learner in LEARNERS:
            other = LEARNERS[(LEARNERS.index(learner) + 1) % len(LEARNERS)]
            for opponent, kind in [*opponents, (other, "learner")]:
                for seat in (0, 1):
                    trial = len(found)
                    found.append(Pairing(learner, opponent, seat, trial // 2, trial, kind))
        return found

    return pairings
