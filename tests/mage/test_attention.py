"""Packed and cached attention equal one forward of each context alone, in every kind of network that is accepted.

The networks are small and random, their matrices scaled up so that what is attended to matters. The reference is plain
transformers before anything of this project touches the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForCausalLM

import mage.attention as attention
from games.errors import RequestError
from mage.attention import CachedLayout, PackedLayout, RowCache
from mage.models import LanguageModel
from mage.packing import Piece, pack, share_openings

SIZES = {
    "vocab_size": 100,
    "hidden_size": 36,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 9,
    "max_position_embeddings": 64,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GROUPED = {**SIZES, "num_key_value_heads": 3}
GPT2 = {"vocab_size": 100, "n_embd": 36, "n_layer": 2, "n_head": 9, "n_positions": 64, "bos_token_id": 1}
KINDS = {
    "llama": GROUPED,  # grouped key heads
    "qwen2": GROUPED,  # biases in query, key and value
    "qwen3": {**GROUPED, "head_dim": 8},  # norms of query and key; heads x head_dim is not the width
    "mistral": {**GROUPED, "sliding_window": 40},  # longer than any context
    "gpt_neox": {**SIZES, "num_attention_heads": 6},  # one key head a query head
    "gpt2": {**GPT2, "eos_token_id": 2},  # learned positions
}
OPENING = tuple(range(10, 22))  # 12 tokens
LENGTHS = (5, 1, 23, 30, 9)  # tokens of contexts 0 and 1 after the opening, then of contexts without it


@dataclass(frozen=True)
class Case:
    model: LanguageModel
    texts: list[tuple[int, ...]]
    alone: list[Tensor]  # [T, width] of each text, one forward of plain transformers each


def network(kind: str, options: dict[str, object]) -> LanguageModel:
    torch.manual_seed(3)
    made = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **options)).eval()
    with torch.no_grad():
        for p in made.parameters():
            p.copy_(6 * p if p.dim() > 1 else p + 0.1 * torch.randn(p.shape))
    return LanguageModel(kind, made, None)


def case(kind: str, options: dict[str, object]) -> Case:
    generator = torch.Generator().manual_seed(4)
    texts = [tuple(torch.randint(3, 100, (n,), generator=generator).tolist()) for n in LENGTHS]
    texts = [OPENING + texts[0], OPENING + texts[1], *texts[2:]]
    model = network(kind, options)
    model.network.set_attn_implementation("eager")
    with torch.no_grad():
        plain = [model.network.base_model(torch.tensor([text])).last_hidden_state[0] for text in texts]
    model.network.set_attn_implementation(attention.NAME)
    assert min(float(state.std()) for state in plain) > 0.3
    return Case(model, texts, plain)


@pytest.fixture(params=KINDS)
def kind(request) -> Case:
    return case(request.param, KINDS[request.param])


@pytest.fixture
def llama() -> Case:
    return case("llama", KINDS["llama"])


def packed_states(model: LanguageModel, texts: Sequence[tuple[int, ...]], openings: Sequence[int]) -> list[Tensor]:
    contexts = share_openings(["ann"] * len(texts), texts, openings)
    batch = pack(contexts.pieces, model.device, model.dtype)
    hidden = model.packed_hidden(batch.ids, batch.positions, PackedLayout(batch))
    where = [[contexts.locate(batch, i, position) for position in range(len(text))] for i, text in enumerate(texts)]
    return [hidden[tokens] for tokens in where]


def feed(model: LanguageModel, cache: RowCache, new: dict[int, tuple[int, ...]], done: dict[int, int]) -> list[Tensor]:
    """One chunk: the rows' new tokens through the model; returns their hidden states."""
    pieces = [Piece("ann", ids, done[row]) for row, ids in new.items()]
    batch = pack(pieces, model.device, model.dtype)
    lengths = torch.tensor([len(ids) for ids in new.values()])
    layout = CachedLayout(batch, cache, torch.tensor(list(new)), lengths)
    hidden = model.packed_hidden(batch.ids, batch.positions, layout)
    for row, ids in new.items():
        done[row] += len(ids)
    return [hidden[start : start + len(ids)] for start, ids in zip(batch.starts, new.values(), strict=True)]


def close(found: Sequence[Tensor], expected: Sequence[Tensor], atol: float = 1e-5) -> None:
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=atol)


@torch.no_grad()
def test_packed_ragged_contexts_equal_each_context_alone(kind):
    close(packed_states(kind.model, kind.texts, [1] * 5), kind.alone)


@torch.no_grad()
def test_shared_openings_change_nothing(kind):
    """Contexts 0 and 1 share 12 tokens, and 3 twice shares 20 of 30: openings of two lengths in one batch."""
    texts, alone = [*kind.texts, kind.texts[3]], [*kind.alone, kind.alone[3]]
    close(packed_states(kind.model, texts, [12, 12, 5, 20, 3, 20]), alone)


@torch.no_grad()
def test_contexts_of_equal_length_equal_each_context_alone(kind):
    texts = [text[:9] for text in kind.texts]
    close(packed_states(kind.model, texts, [1] * 5), [state[:9] for state in kind.alone])


@torch.no_grad()
def test_a_context_of_one_token_equals_itself_alone(kind):
    close(packed_states(kind.model, [kind.texts[4][:1]], [1]), [kind.alone[4][:1]])


def test_gradients_of_packed_contexts_equal_those_of_each_alone(llama):
    """Of the first layer's value matrix, which every token of a context reaches; openings shared."""
    weight = llama.model.network.base_model.layers[0].self_attn.v_proj.weight
    tilt = torch.randn(36, generator=torch.Generator().manual_seed(0))

    def gradient(states: list[Tensor]) -> Tensor:
        return torch.autograd.grad(sum((state[-1] @ tilt).sum() for state in states), weight)[0]

    together = gradient(packed_states(llama.model, llama.texts, [12, 12, 1, 1, 1]))
    apart = gradient([packed_states(llama.model, [text], [1])[0] for text in llama.texts])
    assert float((together - apart).norm() / apart.norm()) < 1e-5


# chunk by chunk, how many new tokens each of the five rows has; some ask out of step, some not at all
CHUNKS = {
    "short": [(3, 1, 0, 5, 2), (0, 6, 4, 0, 0), (7, 0, 1, 9, 1), (0, 0, 15, 15, 5), (7, 6, 3, 1, 1)],
    "long": [(17, 0, 20, 0, 9), (0, 13, 3, 30, 0)],  # over SHORT: the fused kernel
}


@torch.no_grad()
@pytest.mark.parametrize("sizes", CHUNKS)
def test_chunks_over_a_cache_equal_one_full_forward(kind, sizes):
    """The cache begins with 4 slots and has to grow to 30."""
    chunks = CHUNKS[sizes]
    assert [sum(chunk[row] for chunk in chunks) for row in range(5)] == [len(text) for text in kind.texts]
    assert (max(max(chunk) for chunk in chunks) > attention.SHORT) == (sizes == "long")
    cache = RowCache(kind.model.layers, 5, 4)
    done, found = dict.fromkeys(range(5), 0), [[] for _ in range(5)]
    for chunk in chunks:
        new = {r: kind.texts[r][done[r] : done[r] + n] for r, n in enumerate(chunk) if n}
        for row, state in zip(new, feed(kind.model, cache, new, done), strict=True):
            found[row].append(state)
    close([torch.cat(states) for states in found], kind.alone)


@torch.no_grad()
def test_short_and_fused_attention_agree(llama, monkeypatch):
    found = {}
    for short in (0, 100):
        monkeypatch.setattr(attention, "SHORT", short)
        done, cache = dict.fromkeys(range(5), 0), RowCache(2, 5, 64)
        feed(llama.model, cache, {row: text[:4] for row, text in enumerate(llama.texts)}, done)
        found[short] = feed(llama.model, cache, {0: llama.texts[0][4:], 3: llama.texts[3][4:9]}, done)
    close(found[0], found[100])
    assert not torch.equal(found[0][0], found[100][0])  # two ways of computing it, so other roundings


@torch.no_grad()
def test_a_new_shorter_context_in_a_row_sees_nothing_of_the_one_before(llama):
    done, cache = dict.fromkeys(range(5), 0), RowCache(2, 5, 8)
    feed(llama.model, cache, {2: llama.texts[2], 3: llama.texts[3]}, done)
    done[3] = 0
    found = [feed(llama.model, cache, {3: part}, done)[0] for part in (llama.texts[4][:4], llama.texts[4][4:])]
    close([torch.cat(found)], [llama.alone[4]])


@torch.no_grad()
def test_copied_slots_are_as_good_as_computed_ones(llama):
    done, cache = dict.fromkeys(range(5), 0), RowCache(2, 5, 64)
    feed(llama.model, cache, {1: OPENING}, done)
    cache.copy(1, torch.tensor([0]), 12)
    done[0] = 12
    tails = feed(llama.model, cache, {0: llama.texts[0][12:], 1: llama.texts[1][12:]}, done)
    close(tails, [llama.alone[0][12:], llama.alone[1][12:]])


def test_the_cache_grows_by_doubling_and_keeps_what_it_holds():
    """One layer, two rows; row 1 gets tokens 1, 2, ..., one a step."""
    cache, capacities = RowCache(1, 2, 1), []
    for position in range(9):
        token = torch.full((1, 1, 1), position + 1.0)
        cache.extend(0, torch.tensor([1]), torch.tensor([position]), token, -token, position + 1)
        capacities.append(cache._keys[0].shape[2])
    assert capacities == [1, 2, 4, 4, 8, 8, 8, 8, 16]
    keys, values = cache.read(0, torch.tensor([1]), 9)
    assert keys.flatten().tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert values.flatten().tolist() == [-1, -2, -3, -4, -5, -6, -7, -8, -9]
    assert cache.read(0, None, 9)[0][0].abs().sum() == 0


@torch.no_grad()
@pytest.mark.parametrize("longest", [10, 11])
def test_a_sliding_window_is_refused_as_soon_as_a_context_outgrows_it(longest):
    model = network("mistral", {**GROUPED, "sliding_window": 10})
    text = tuple(range(3, 3 + longest))
    if longest == 10:
        packed_states(model, [text], [1])
        feed(model, RowCache(2, 1, 4), {0: text}, {0: 0})
        return
    with pytest.raises(RequestError, match="sliding_window=10, which mage does not compute"):
        packed_states(model, [text], [1])
    with pytest.raises(RequestError, match="sliding_window=10"):
        feed(model, RowCache(2, 1, 4), {0: text[10:]}, {0: 10})


def test_a_soft_cap_is_refused_in_one_sentence():
    model = network("gemma2", {**GROUPED, "head_dim": 8})
    with pytest.raises(RequestError) as error:
        packed_states(model, [(1, 2, 3)], [1])
    assert str(error.value) == "this model's attention uses softcap, which mage does not compute; use another"
