"""Packed tokens: where each piece begins, where each token stands, and which keys each query sees."""

from __future__ import annotations

import torch

from mage.packing import SHARED_AT_LEAST, TOKEN_UNIT, Packed, Piece, causal_mask, pack, share_openings

OPENING = (1, 2, 3, 4, 5, 6, 7, 8)  # of SHARED_AT_LEAST tokens: just long enough to be shared
LONGER = (9, *OPENING, 9)


def packed(*pieces: Piece) -> Packed:
    return pack(pieces, torch.device("cpu"), torch.float32)


def seen(mask: torch.Tensor) -> list[list[int]]:
    """How many keys each query of each row sees; they are the first ones, and the rest is hidden by -inf."""
    rows = mask[:, 0]
    assert set(rows.unique().tolist()) <= {0.0, float("-inf")}
    counts = (rows == 0).sum(-1)
    assert torch.equal(rows == 0, torch.arange(rows.shape[-1]) < counts[..., None])
    return counts.tolist()


def test_the_numbers_below_are_those_of_the_code():
    assert (SHARED_AT_LEAST, TOKEN_UNIT) == (8, 8)


def test_equal_openings_of_one_agent_become_one_piece_and_others_stay_whole():
    texts = [(*OPENING, 20, 21), (*OPENING, 30), (*OPENING, 40)]
    contexts = share_openings(["ann", "ann", "bob"], texts, [8, 8, 8])
    assert contexts.pieces == (
        Piece("ann", OPENING),
        Piece("ann", (20, 21), 8, after=0),
        Piece("ann", (30,), 8, after=0),
        Piece("bob", (*OPENING, 40)),  # bob's is the only one of his
    )
    assert contexts.last == (1, 2, 3)
    assert contexts.split == (8, 8, 0)


def test_a_packed_batch_by_hand():
    """Pieces of 8, 2, 1 and 9 tokens: 20, padded to 24."""
    texts = [(*OPENING, 20, 21), (*OPENING, 30), (*OPENING, 40)]
    contexts = share_openings(["ann", "ann", "bob"], texts, [8, 8, 8])
    batch = packed(*contexts.pieces)
    assert batch.ids.tolist() == [*OPENING, 20, 21, 30, *OPENING, 40, 0, 0, 0, 0]
    assert batch.positions.tolist() == [*range(8), 8, 9, 8, *range(9), 0, 0, 0, 0]
    assert batch.agents == ("ann", "ann", "ann", "bob")
    assert batch.starts == (0, 8, 10, 11)
    assert batch.lengths == (8, 2, 1, 9 + 4)
    whole, following = batch.windows
    assert whole.shape == (2, 9)
    assert whole.queries.tolist() == [[0, 1, 2, 3, 4, 5, 6, 7, 0], list(range(11, 20))]
    assert whole.keys is None
    assert whole.mask is None  # causal
    assert following.shape == (2, 2)
    assert following.queries.tolist() == [[8, 9], [10, 10]]
    assert following.keys.tolist() == [[*range(8), 8, 9], [*range(8), 10, 10]]
    assert seen(following.mask) == [[9, 10], [9, 10]]
    # the first window's 2 x 9 queries come first, then the second's; padding points anywhere
    assert batch.place[:20].tolist() == [*range(8), 18, 19, 20, *range(9, 18)]


def test_every_token_of_every_context_is_found_where_it_was_put():
    texts = [(*OPENING, 20, 21), (*LONGER, 30), (*OPENING, 40), (50, 51), (*LONGER, 60, 61, 62)]
    contexts = share_openings(["ann"] * 5, texts, [8, 10, 8, 1, 10])
    batch = packed(*contexts.pieces)
    for number, text in enumerate(texts):
        where = [contexts.locate(batch, number, position) for position in range(len(text))]
        assert batch.ids[where].tolist() == list(text)
        assert batch.positions[where].tolist() == list(range(len(text)))
    assert len(batch.ids) == 32  # 8 + 10 shared and 2 + 1 + 1 + 2 + 3 of their own are 27


def test_openings_of_unequal_length_keep_each_key_at_its_position():
    """Rows that follow 8 and 10 tokens: the key at index j is the one at position j, and none after the query's."""
    texts = [(*OPENING, 20), (*OPENING, 21), (*LONGER, 30, 31), (*LONGER, 32)]
    contexts = share_openings(["ann"] * 4, texts, [8, 8, 10, 10])
    batch = packed(*contexts.pieces)
    assert batch.starts == (0, 8, 9, 10, 20, 22)
    _, following = batch.windows
    keys = batch.ids[following.keys].tolist()
    assert [row[:n] for row, n in zip(keys, (9, 9, 12, 11), strict=True)] == [list(text) for text in texts]
    counts = seen(following.mask)
    assert [counts[0][0], counts[1][0], *counts[2], counts[3][0]] == [9, 9, 11, 12, 11]


def test_an_opening_below_the_least_is_not_shared():
    texts = [(*OPENING[:7], 20), (*OPENING[:7], 30)]
    contexts = share_openings(["ann", "ann"], texts, [7, 7])
    assert contexts.pieces == (Piece("ann", texts[0]), Piece("ann", texts[1]))
    assert contexts.split == (0, 0)


def test_a_context_that_is_all_opening_stays_whole():
    contexts = share_openings(["ann"] * 3, [OPENING, (*OPENING, 20), (*OPENING, 21)], [8, 8, 8])
    assert contexts.pieces[0] == Piece("ann", OPENING)
    assert contexts.split == (0, 8, 8)


def test_contexts_that_are_all_alike_still_have_a_token_each_of_their_own():
    contexts = share_openings(["ann"] * 3, [(*OPENING, 20)] * 3, [8] * 3)
    assert [len(piece.ids) for piece in contexts.pieces] == [8, 1, 1, 1]
    batch = packed(*contexts.pieces)
    assert [contexts.locate(batch, number, 8) for number in range(3)] == [8, 9, 10]
    assert [contexts.locate(batch, number, 7) for number in range(3)] == [7, 7, 7]


def test_pieces_of_an_agent_stay_adjacent():
    texts = [(*OPENING, 20), (*LONGER, 30), (*OPENING, 40), (*LONGER, 50)]
    contexts = share_openings(["ann", "ann", "ann", "ann"], texts, [8, 10, 8, 10])
    assert [piece.after for piece in contexts.pieces] == [None, 0, None, 2, 0, 2]
    two = share_openings(["ann", "ann", "bob", "bob"], [(*OPENING, n) for n in range(4)], [8] * 4)
    assert [piece.agent for piece in two.pieces] == ["ann", "ann", "ann", "bob", "bob", "bob"]
    assert [piece.after for piece in two.pieces] == [None, 0, 0, None, 3, 3]


def test_contexts_of_equal_length_need_no_index():
    batch = packed(Piece("ann", (5, 6, 7)), Piece("bob", (8, 9, 10)))
    (window,) = batch.windows
    assert (window.queries, window.shape) == (None, (2, 3))
    assert batch.ids.tolist() == [5, 6, 7, 8, 9, 10, 0, 0]
    assert batch.place[:6].tolist() == [0, 1, 2, 3, 4, 5]


def test_a_context_of_one_token_alone_is_padded_to_a_unit():
    batch = packed(Piece("ann", (5,)))
    assert batch.ids.tolist() == [5, 0, 0, 0, 0, 0, 0, 0]
    assert (batch.starts, batch.lengths) == ((0,), (8,))


def test_tokens_that_fill_a_unit_are_not_padded():
    batch = packed(Piece("ann", (1, 2, 3)), Piece("ann", (4, 5, 6, 7, 8)))
    assert batch.lengths == (3, 5)
    assert batch.windows[0].queries.tolist() == [[0, 1, 2, 0, 0], [3, 4, 5, 6, 7]]


def test_new_tokens_of_a_cached_context_stand_after_the_cached_ones():
    batch = packed(Piece("ann", (5, 6), start=7), Piece("bob", (8,), start=3))
    assert batch.positions[:3].tolist() == [7, 8, 3]


def test_the_mask_shows_the_keys_up_to_the_querys_own_position():
    mask = causal_mask(torch.tensor([[0, 2], [3, 1]]), 4, torch.bfloat16)
    assert mask.dtype == torch.bfloat16
    assert seen(mask) == [[1, 3], [4, 2]]
