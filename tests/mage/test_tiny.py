"""The tokenizer, the network, the corpus and the cache of `builtin:tiny`."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
import torch

import games
from games.matrix import PAYOFFS
from mage import models, tiny
from mage.codec import Codec
from mage.contexts import MoveReply, MoveRequest
from mage.keys import PlayKeys
from mage.records import EpisodeRecord
from mage.scheduler import play_all
from mage.seats import SeatPlan, TrialPlan
from mage.trials import Conditions
from populations.matchmaking import Pairing

NAMED = tuple(PAYOFFS)
OTHERS = ("kuhn_poker", "leduc_poker", "tictactoe", "public_goods", "texas_holdem")
SHOW = (
    "import hashlib, games; from mage import tiny;"
    "t = tiny.build_tokenizer(games.load_matrix('rock_paper_scissors', rounds=3));"
    "print(hashlib.sha256(t.backend_tokenizer.to_str().encode()).hexdigest())"
)


def codec_of(game: games.MatrixGame) -> Codec:
    tokenizer = tiny.build_tokenizer(game)
    return Codec(tokenizer, models.start_ids(tokenizer))


@pytest.mark.parametrize("name", NAMED)
def test_a_round_of_every_named_game_takes_at_most_eight_tokens(name, base):
    for codec, rounds in ((base.codec, 6), (codec_of(games.load_matrix(name, rounds=10)), 10)):
        game = games.load_matrix(name, rounds=rounds)
        for seat in (0, 1):
            move = max(len(codec.encode_move(move)) for move in game.moves[seat])
            assert move + max(len(codec.encode(news)) for news in game.every_news(seat)) <= 8


@pytest.mark.parametrize("name", NAMED)
def test_every_text_of_a_game_comes_back_from_its_tokens(name):
    game = games.load_matrix(name, rounds=12)
    tokenizer = tiny.build_tokenizer(game)
    texts = [game.rules(1, 7), game.episode_header(12), *game.every_news(0), "Ünseen text\n"]
    for text in texts:
        assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


@pytest.mark.parametrize("name", OTHERS)
def test_texts_of_games_that_can_only_be_tried_come_back_from_their_tokens_too(name):
    game = games.load(name)
    tokenizer = tiny.build_tokenizer(game)
    for seat, spoken in enumerate(game.spoken):
        for text in (game.rules(seat, 3), *(f"{move}\n" for move in spoken.moves), *spoken.news):
            assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def test_the_tokenizer_is_the_same_in_two_processes():
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    other = subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True)
    own = tiny.build_tokenizer(games.load_matrix("rock_paper_scissors", rounds=3)).backend_tokenizer.to_str()
    assert other.stdout.strip() == hashlib.sha256(own.encode()).hexdigest()


def test_the_network_depends_on_the_seed_alone(settings):
    def weights(seed: int) -> torch.Tensor:
        return torch.cat([p.flatten() for p in tiny.network(replace(settings, seed=seed), 300).parameters()])

    first = weights(3)
    torch.rand(5)
    assert torch.equal(first, weights(3))
    assert not torch.equal(first, weights(4))


def habits(game: games.MatrixGame) -> list[games.NamedOpponent]:
    return [games.opponent(game, "peaked_habit", move=move, peak=0.7) for move in game.moves[0]]


class Replay:
    """A lane and its sampler: moves as the scripted players of the corpus moved, by asking them."""

    def __init__(self, codec: Codec, moves: dict[tuple[int, int, int], str]) -> None:
        self.codec, self.moves = codec, moves

    def open(self, agents: Sequence[str]) -> Replay:
        return self

    def choose(self, requests: Mapping[int, MoveRequest], keys: PlayKeys) -> dict[int, MoveReply]:
        replies = {}
        for row, request in requests.items():
            move = self.moves[request.context.seat, request.episode, request.turn]
            request.context.ids.extend(self.codec.encode_move(move))
            replies[row] = MoveReply(move, None)
        return replies


def told(episode: EpisodeRecord) -> EpisodeRecord:
    """Without what is kept of language agents alone: exactly what stood before them."""
    return replace(episode, turns=tuple(replace(turn, prompt="") for turn in episode.turns))


@pytest.mark.parametrize("memory", ["transcript", "none"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_transcript_has_exactly_the_format_of_a_trial(memory, seat, base, rps):
    """A language agent that makes the scripted player's moves ends with the ids of the corpus."""
    script = habits(rps)[0]
    conditions = Conditions(rps, base.codec, PlayKeys(0, "corpus", 0), 3, memory)
    pairing = Pairing(script.name, script.name, seat, 0, 0, "scripted")

    def plan(reads: bool) -> TrialPlan:
        own = SeatPlan(script.name, None if reads else script, 0, transcribed=not reads)
        other = SeatPlan(script.name, script, 0)
        return TrialPlan(pairing, (own, other) if seat == 0 else (other, own))

    (scripted,) = play_all([plan(reads=False)], conditions, Replay(base.codec, {}), lane_rows=8)
    turns = [turn for episode in scripted.record.episodes for turn in episode.turns]
    moves = {(turn.seat, turn.episode, turn.turn): turn.move for turn in turns}
    (read,) = play_all([plan(reads=True)], conditions, Replay(base.codec, moves), lane_rows=8)
    assert [told(episode) for episode in read.record.episodes] == [told(one) for one in scripted.record.episodes]
    assert [c.ids for c in read.contexts] == [c.ids for c in scripted.contexts]
    assert len(read.contexts) == (1 if memory == "transcript" else 3)
    assert all(context.ids[0] == base.codec.start[0] for context in read.contexts)


def test_the_corpus_is_keyed_by_the_settings_seed_and_holds_both_seats(base, rps, settings):
    def corpus(trials: int, seed: int) -> list[list[int]]:
        return tiny.transcripts(rps, base.codec, habits(rps), trials, replace(settings, seed=seed))

    four = corpus(4, 1)
    assert corpus(4, 1) == four
    assert corpus(2, 1) == four[:2]
    assert corpus(4, 2) != four
    for number, ids in enumerate(four):
        rules = base.codec.encode(rps.rules(number % 2, 3))
        assert tuple(ids[1 : 1 + len(rules)]) == rules


def test_padding_does_not_count_in_the_loss(base):
    short, long = [0, 4, 9], [0, 7, 7, 2, 30, 8]
    with torch.no_grad():
        apart = [float(tiny.next_token_loss(base, [row])) for row in (short, long)]
        together = float(tiny.next_token_loss(base, [short, long]))
    assert together == pytest.approx((2 * apart[0] + 5 * apart[1]) / 7, rel=1e-5)


def test_a_network_without_weights_loses_the_logarithm_of_the_vocabulary(settings, base):
    blank = replace(base, network=tiny.network(settings, 300))
    with torch.no_grad():
        blank.head.zero_()
        assert float(tiny.next_token_loss(blank, [[0, 4, 9]])) == pytest.approx(math.log(300))


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(tiny, "CORPUS_TRIALS", 8)


def test_a_base_is_built_once_and_names_the_families_that_it_saw(few, rps, settings, tmp_path):
    steps: list[tuple[int, int]] = []

    def build() -> str:
        return str(tiny.build(rps, habits(rps), settings, tmp_path, lambda done, total: steps.append((done, total))))

    folder = build()
    assert steps == [(1, 2), (2, 2)]
    assert build() == folder
    assert len(steps) == 2
    assert [path.name for path in tmp_path.iterdir()] == [folder.rpartition("/")[2]]
    manifest = json.loads((tmp_path / folder / "manifest.json").read_text())
    assert manifest["families"] == ["peaked_habit"]
    assert manifest["opponents"] == [habit.name for habit in habits(rps)]
    loaded = models.load(tmp_path / folder, tiny.NAME)
    assert loaded.codec.encode("P -1\n") == codec_of(rps).encode("P -1\n")
    assert not any(path.suffix in (".bin", ".pt", ".pkl") for path in (tmp_path / folder).iterdir())


def test_two_builds_have_the_same_weights_and_other_settings_another_folder(few, rps, settings, tmp_path):
    folders = [tiny.build(rps, habits(rps), settings, tmp_path / name) for name in "ab"]
    weights = [(folder / "model.safetensors").read_bytes() for folder in folders]
    assert weights[0] == weights[1]
    assert folders[0].name == folders[1].name
    other = tiny.build(rps, habits(rps)[:2], settings, tmp_path / "a")
    assert other.name != folders[0].name


class Renamed:
    """The same game, its rules and news too, but for one name: `spoken` or `episode_header` as given."""

    def __init__(self, game: games.MatrixGame, **changed: object) -> None:
        self._game = game
        self.__dict__ |= changed

    def __getattr__(self, name: str) -> object:
        return getattr(self._game, name)


def test_games_whose_moves_or_headers_alone_are_named_otherwise_have_bases_of_their_own(few, rps, settings, tmp_path):
    lower = tuple(replace(seat, moves=tuple(move.lower() for move in seat.moves)) for seat in rps.spoken)
    twins = [Renamed(rps), Renamed(rps, spoken=lower), Renamed(rps, episode_header=lambda number: f"game {number}\n")]
    untrained = replace(settings, steps=0)
    own, moves, headers = (tiny.build(game, habits(rps), untrained, tmp_path).name for game in twins)
    assert len({own, moves, headers}) == 3 and tiny.build(rps, habits(rps), untrained, tmp_path).name == own


def test_a_base_without_training_steps_is_the_untrained_network(few, rps, settings, tmp_path):
    untrained = replace(settings, steps=0)
    folder = tiny.build(rps, habits(rps), untrained, tmp_path)
    loaded = models.load(folder, tiny.NAME)
    fresh = tiny.network(untrained, len(tiny.build_tokenizer(rps)))
    assert torch.equal(loaded.head, fresh.get_output_embeddings().weight)
    assert json.loads((folder / "manifest.json").read_text())["loss"] is None
