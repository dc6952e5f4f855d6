"""Both sides of a benchmark do the same work, and the whole harness runs on a small model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from benchmarks import arena, bases, scaling
from benchmarks.__main__ import main
from benchmarks.baselines import plain_loop
from benchmarks.baselines.bare_backward import BareUpdate
from benchmarks.baselines.bare_forward import Batch, Replay, _inputs, batches
from benchmarks.baselines.peft_update import PeftUpdate
from benchmarks.bench import CREDIT, Rollout, Sizes, decisions, play
from benchmarks.growth import Point, table
from benchmarks.suites.agents import shared_out, shortened
from games import load as load_game
from mage import models
from mage.base_models import TINY
from mage.contexts import TokenChoice
from mage.models import LanguageModel
from mage.rows import Row as Context
from mage.rows import build_rows
from mage.tiny import build_tokenizer
from mage.work import Chunk

SMALL = Sizes(
    agents=2,
    groups=2,
    generations=2,
    episodes=2,
    rounds=2,
    update_rows=4,
    crowd=(1, 2, 4),
    crowd_rows=8,
    crowd_tokens=12,
    crowd_turns=1,
    tiny_groups=1,
    tiny_generations=2,
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def random_tiny() -> LanguageModel:
    return bases.prepare(bases.settings(TINY))()


@pytest.fixture(scope="module")
def small() -> arena.Arena:
    return arena.populate(random_tiny(), 2)


@pytest.fixture(scope="module")
def trials(small: arena.Arena) -> arena.Trials:
    return arena.plan(small.model.codec, small.agents, groups=2, generations=3, episodes=2, rounds=3)


@pytest.fixture(scope="module")
def rollout(small: arena.Arena, trials: arena.Trials) -> Rollout:
    played = Rollout(trials, small.sampler(trials))
    played.run(small.device)
    return played


def context(agent: str, ids: tuple[int, ...], position: int) -> Context:
    return Context(agent, ids, (TokenChoice(position, (7, 8), 0, -0.7, 0, 0),), (1.0,))


def test_a_replayed_chunk_is_cut_where_padding_would_cost_more_than_a_forward():
    assert batches(Chunk((5, 6, 5), (10, 9, 12))) == [Batch((6, 5, 5), (9, 12, 10))]
    assert batches(Chunk((40, 2, 2), (0, 0, 0))) == [Batch((40, 2, 2), (0, 0, 0))]  # too small to be worth a cut
    assert batches(Chunk((100, 200, 100, 200), (0, 1, 2, 3))) == [Batch((200, 200), (3, 1)), Batch((100, 100), (2, 0))]


def test_a_replayed_row_sees_its_cached_slots_and_its_own_up_to_the_query(small: arena.Arena):
    ids, positions, mask = _inputs(Batch((2, 1), (2, 1)), small.bare)
    assert ids.shape == (2, 2)
    assert positions.tolist() == [[2, 3], [1, 2]]
    assert mask is not None
    assert mask[:, 0].int().tolist() == [[[1, 1, 1, 0], [1, 1, 1, 1]], [[1, 0, 1, 0], [1, 0, 1, 1]]]


def test_a_replay_processes_the_tokens_of_the_chunks(small: arena.Arena):
    replay = Replay(small.bare, [Chunk((3, 2), (0, 0)), Chunk((1, 1), (3, 2)), Chunk((2,), (4,))])
    sample = replay.run()
    assert sample.amount == 3 + 2 + 1 + 1 + 2
    assert sample.seconds > 0


def test_a_rollout_runs_every_token_up_to_the_last_decision_at_most_once(small: arena.Arena, rollout: Rollout):
    assert decisions(rollout.played) == 2 * 2 * 3 * 2 * 3  # agents, groups, generations, episodes, rounds
    needed = sum(context.choices[-1].position for trial in rollout.played for context in trial.contexts)
    assert 0 < rollout.tokens <= needed


def test_the_plain_loop_would_choose_with_our_probabilities(small: arena.Arena, rollout: Rollout):
    rows, _ = build_rows(rollout.played, small.agents, CREDIT)
    keeper, folders = arena.peft_folders(small, small.agents)
    with keeper:
        peft = PeftUpdate(plain_loop.load(small.copy_of_base(), folders), small.agents, 1024)
    for row in rows:
        assert peft.log_probs(row) == pytest.approx([choice.log_prob for choice in row.choices], abs=1e-4)
    untouched = small.bare(input_ids=torch.tensor([rows[0].ids])).logits[0, rows[0].choices[0].position - 1]
    base = torch.log_softmax(untouched[list(rows[0].choices[0].allowed)], dim=-1)[rows[0].choices[0].chosen]
    assert abs(float(base) - rows[0].choices[0].log_prob) > 1e-3  # the adapters are felt


def test_peft_has_the_same_loss_from_all_logits_and_from_those_of_trained_tokens(small: arena.Arena, rollout: Rollout):
    rows = [row for row in build_rows(rollout.played, small.agents, CREDIT)[0] if row.agent == small.agents[1]]
    keeper, folders = arena.peft_folders(small, small.agents)
    with keeper:
        peft = plain_loop.load(small.copy_of_base(), folders)
    losses = [PeftUpdate(peft, small.agents, 1024, whole_vocabulary=way)._loss(rows).item() for way in (True, False)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)
    assert abs(losses[0]) > 1e-2


def test_the_plain_loop_plays_the_same_games_to_their_end(small: arena.Arena, trials: arena.Trials, rollout: Rollout):
    keeper, folders = arena.peft_folders(small, small.agents)
    with keeper:
        peft = plain_loop.load(small.copy_of_base(), folders)
    played = play(trials, plain_loop.PlainSampler(peft, small.model.codec))
    assert decisions(played) == decisions(rollout.played)
    assert [trial.record.pairing for trial in played] == [trial.record.pairing for trial in rollout.played]


def test_prompts_are_padded_on_the_left():
    ids, mask = plain_loop.left_padded([[5], [6, 7, 8]], torch.device("cpu"))
    assert ids.tolist() == [[0, 0, 5], [6, 7, 8]]
    assert mask.tolist() == [[0, 0, 1], [1, 1, 1]]


def test_the_bare_update_counts_real_tokens_and_leaves_the_weights_without_gradient(small: arena.Arena):
    bare = BareUpdate(small.bare, [(1, 2, 3), (4, 5), (6,)])
    assert bare.run().amount == 6
    assert all(parameter.grad is None for parameter in small.bare.parameters())


def test_shortened_contexts_end_with_their_decision_and_share_no_beginning():
    rows = shortened([context("ann", tuple(range(20, 40)), 15)], count=3, tokens=5)
    assert [len(row.ids) for row in rows] == [5, 5, 5]
    assert [row.ids[0] for row in rows] == [1, 2, 3]
    assert {row.ids[1:] for row in rows} == {(32, 33, 34, 35)}
    assert {row.choices[0].position for row in rows} == {4}


def test_rows_are_shared_out_evenly_and_side_by_side():
    rows = [context("ann", (1, 2, 3), 2)] * 4
    assert [row.agent for row in shared_out(rows, ["a", "b"])] == ["a", "a", "b", "b"]


def test_a_study_measures_each_axis_from_the_middle(tmp_path: Path):
    axes = {"episodes": (1, 2), "rows": (4, 8), "agents": (1, 2)}
    small = replace(scaling.TINY, middle=Point(1, 4, 2), axes=axes, repeats=1)
    found = scaling.study(small, random_tiny, "torch", lambda line: None)
    assert [(one.axis, one.point) for one in found] == [
        ("episodes", Point(1, 4, 2)),
        ("episodes", Point(2, 4, 2)),
        ("rows", Point(1, 4, 2)),
        ("rows", Point(1, 8, 2)),
        ("agents", Point(1, 4, 1)),
        ("agents", Point(1, 4, 2)),
    ]
    few, many = found[2].trained_tokens, found[3].trained_tokens  # of 4 rows and of 8; openings are shared
    assert few < many <= 2 * few
    lines = table(found).splitlines()
    assert len(lines) == 2 + len(found) + 1 + 2 + 2 * len(axes)
    pytest.importorskip("matplotlib")
    from benchmarks import plot

    plot.draw(found, tmp_path / "plot.svg")
    assert "agents, rows constant" in (tmp_path / "plot.svg").read_text()


def test_the_scaling_report_holds_the_points_and_their_exponents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    axes = {"episodes": (1, 2), "rows": (2, 4), "agents": (1, 2)}
    monkeypatch.setattr(scaling, "TINY", replace(scaling.TINY, middle=Point(1, 2, 2), axes=axes, repeats=1, rounds=2))
    out = tmp_path / "new" / "scaling.json"
    assert scaling.main(["--model", "none", "--threads", "1", "--json", str(out)]) == 0
    data = json.loads(out.read_text())
    assert (data["schema"], data["dtype"]) == ("mage.bench-scaling/1", "float32")
    assert len(data["points"]) == 2 * 3  # values of an axis, axes
    assert len(data["exponents"]) == 2 * 3  # rollout and update, axes
    assert capsys.readouterr().out.startswith("| ")


def test_trl_is_handed_our_tokens_with_only_the_choices_trained():
    pytest.importorskip("trl")
    from benchmarks.baselines.trl_update import completions

    batch = completions([context("a", (1, 2, 7, 3), 2), context("a", (1, 7), 1)], torch.device("cpu"))
    assert batch["prompt_ids"].tolist() == [[1, 2], [0, 1]]
    assert batch["prompt_mask"].tolist() == [[1, 1], [0, 1]]
    assert batch["completion_ids"].tolist() == [[7, 3], [7, 0]]
    assert batch["completion_mask"].tolist() == [[1, 1], [1, 0]]
    assert batch["tool_mask"].tolist() == [[1, 0], [1, 0]]
    assert batch["advantages"].tolist() == [[1.0, 0.0], [1.0, 0.0]]


def test_trl_trains_on_every_row_once_and_takes_a_step(small: arena.Arena, rollout: Rollout):
    pytest.importorskip("trl")
    from benchmarks.baselines import trl_update

    rows = build_rows(rollout.played, small.agents, CREDIT)[0][:4]
    keeper, folders = arena.peft_folders(small, small.agents[:1])
    with keeper:
        peft = plain_loop.load(small.copy_of_base(), folders)
    seen: list[tuple[int, ...]] = []
    embedding = peft.get_base_model().get_input_embeddings()
    embedding.register_forward_pre_hook(lambda module, inputs: seen.extend(map(tuple, inputs[0].tolist())))
    before = {name: p.detach().clone() for name, p in peft.named_parameters() if p.requires_grad}
    sample = trl_update.run(peft, build_tokenizer(load_game("rock_paper_scissors", rounds=3)), rows, 2)
    assert sorted(seen) == sorted(row.ids for row in rows)  # of one length here, so nothing is padded
    assert sample.amount == sum(len(row.ids) for row in rows)
    assert any(not torch.equal(p, before[name]) for name, p in peft.named_parameters() if name in before)


def test_the_whole_harness_runs_and_writes_what_the_docs_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = random_tiny()
    models.save(model, build_tokenizer(load_game("rock_paper_scissors", rounds=6)), tmp_path / "model")
    out = tmp_path / "new" / "bench.json"
    arguments = ["--model", str(tmp_path / "model"), "--threads", "1", "--repeats", "1", "--json", str(out)]
    arguments += ["--dtype", "float32"]  # "auto" is measured, and goes by the machine
    assert main(arguments, SMALL) == 0
    data = json.loads(out.read_text())
    assert (data["schema"], data["model"]) == ("mage.bench/1", str(tmp_path / "model"))
    assert (data["dtype"], data["rendering"]) == ("float32", "compact")
    assert {"cpu", "threads", "isa", "torch", "gflops"} <= data["machine"].keys()
    assert [check["name"] for check in data["checks"] if not check["holds"]] == []
    bars = {(row["name"], row["other_is"]): row["bar"] for row in data["rows"]}
    assert bars["rollout", "a plain transformers + PEFT loop"] == 14
    assert bars["rollout", "the bare forward"] == 0.75
    assert bars["update", "the bare forward and backward"] == 0.8
    assert bars["update", "TRL's GRPOTrainer"] is None
    assert len(data["rows"]) == 15
    capsys.readouterr()
    assert main(["--markdown", str(out)]) == 0
    assert capsys.readouterr().out.count("\n| ") == 2 + len(data["rows"])
