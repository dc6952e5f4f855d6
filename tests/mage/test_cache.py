"""The key-value cache and the mask that goes with it."""

from __future__ import annotations

import torch

from mage.cache import BufferLayer, attention_mask, buffer_cache


def entries(*values: float) -> torch.Tensor:
    return torch.tensor(values).reshape(1, 1, -1, 1)


def test_entries_stay_in_order_while_the_buffer_grows():
    layer = BufferLayer(capacity=2)
    for new in ((1.0,), (2.0, 3.0), (4.0, 5.0, 6.0, 7.0, 8.0)):
        keys, values = layer.update(entries(*new), -entries(*new))
    assert keys.flatten().tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert values.flatten().tolist() == [-1, -2, -3, -4, -5, -6, -7, -8]
    assert layer.get_seq_length() == 8


def test_the_buffer_doubles_so_that_few_copies_are_made():
    layer = BufferLayer(capacity=1)
    buffers = set()
    for number in range(64):
        layer.update(entries(float(number)), entries(float(number)))
        buffers.add(layer.keys.shape[2])
    assert buffers == {1, 2, 4, 8, 16, 32, 64}


def test_an_emptied_cache_shows_nothing_of_before():
    layer = BufferLayer(capacity=4)
    layer.update(entries(1.0, 2.0), entries(1.0, 2.0))
    layer.reset()
    assert layer.get_seq_length() == 0
    keys, _ = layer.update(entries(9.0), entries(9.0))
    assert keys.flatten().tolist() == [9.0]


def test_a_query_sees_the_valid_slots_up_to_its_own_and_always_its_own():
    valid = torch.tensor([[True, False, True, True], [False, False, False, False]])
    mask = attention_mask(valid, new=2)[:, 0].int().tolist()
    assert mask == [
        [[1, 0, 1, 0], [1, 0, 1, 1]],  # slots 2 and 3 ask; slot 1 is padding
        [[0, 0, 1, 0], [0, 0, 0, 1]],  # a row of padding sees itself, so that nothing becomes NaN
    ]


def test_chunks_over_the_cache_equal_one_full_forward(base):
    """Ragged rows: each is fed in chunks of its own sizes, with padding slots in between."""
    generator = torch.Generator().manual_seed(0)
    texts = [torch.randint(2, 300, (n,), generator=generator) for n in (12, 7, 9)]
    sizes = [[5, 4, 3], [2, 0, 5], [1, 7, 1]]
    cache = buffer_cache(base.layers, capacity=3)
    valid = torch.zeros(3, 0, dtype=torch.bool)
    done, found = [0, 0, 0], [[], [], []]
    with torch.no_grad():
        for chunk in range(3):
            width = max(size[chunk] for size in sizes)
            ids, live = torch.zeros(3, width, dtype=torch.long), torch.zeros(3, width, dtype=torch.bool)
            for row, text in enumerate(texts):
                new = text[done[row] : done[row] + sizes[row][chunk]]
                ids[row, : len(new)], live[row, : len(new)] = new, True
            valid = torch.cat([valid, live], dim=1)
            positions = torch.tensor(done)[:, None] + torch.arange(width)
            hidden = base.hidden(ids, positions, attention_mask(valid, width), cache)
            assert hidden.isfinite().all()
            for row in range(3):
                found[row].append(hidden[row, : sizes[row][chunk]])
                done[row] += sizes[row][chunk]
        for row, text in enumerate(texts):
            full = base.hidden(text[None], torch.arange(len(text))[None])[0]
            torch.testing.assert_close(torch.cat(found[row]), full, rtol=0, atol=1e-5)
