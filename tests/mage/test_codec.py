"""Segments, moves and tries of moves, with a tokenizer that spells."""

from __future__ import annotations

import pytest

from games.errors import RequestError
from mage.codec import Codec, Node

PREFIXED = ("1", "10", "O-O", "O-O-O")


class Fixed:
    """A tokenizer with a table."""

    def __init__(self, table: dict[str, list[int]]) -> None:
        self.table = table
        self.calls: list[str] = []

    def encode(self, text: str, *, add_special_tokens: bool = False, split_special_tokens: bool = False) -> list[int]:
        self.calls.append(text)
        return self.table[text]


def leaves(node: Node, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], int]:
    if node.move is not None:
        assert not node.children
        return {path: node.move}
    return {k: v for token in node.allowed for k, v in leaves(node.children[token], (*path, token)).items()}


def test_a_move_is_encoded_with_its_terminator(spelling):
    assert spelling.encode_move("10") == (ord("1"), ord("0"), ord("\n"))
    assert spelling.encode("") == ()


def test_a_segment_is_never_merged_with_its_neighbour(base):
    codec = base.codec
    apart = codec.encode("P\n") + codec.encode("P -1\n")
    assert len(apart) == 2
    assert codec.encode("P") + codec.encode("\nP -1\n") != apart


def test_equal_texts_are_encoded_once():
    tokenizer = Fixed({"a": [1, 2]})
    codec = Codec(tokenizer, ())
    assert codec.encode("a") == codec.encode("a") == (1, 2)
    assert tokenizer.calls == ["a"]


def test_moves_that_begin_with_one_another_end_in_leaves_of_their_own(spelling):
    trie = spelling.trie(PREFIXED)
    expected = {tuple(ord(c) for c in move + "\n"): index for index, move in enumerate(PREFIXED)}
    assert leaves(trie.root) == expected
    one, castle = trie.root.children[ord("1")], trie.root.children[ord("O")]
    assert trie.root.allowed == (ord("1"), ord("O"))
    assert one.allowed == (ord("\n"), ord("0"))
    assert castle.allowed == (ord("-"),)  # forced: nothing to choose
    assert trie.first_token is None


def test_the_first_token_stands_for_the_move_only_where_all_differ(spelling):
    assert spelling.trie(("R", "P")).first_token == (ord("R"), ord("P"))
    assert spelling.trie(("R", "RP")).first_token is None
    assert spelling.trie(("R",)).first_token == (ord("R"),)


@pytest.mark.parametrize(
    ("first", "second"), [([7], [7]), ([7], [7, 8]), ([7, 8], [7])], ids=["alike", "inside", "around"]
)
def test_colliding_encodings_are_refused(first, second):
    codec = Codec(Fixed({"a\n": first, "b\n": second}), ())
    with pytest.raises(RequestError, match="alike or one inside the other") as error:
        codec.trie(("a", "b"))
    assert "'b'" in str(error.value)


def test_the_same_legal_moves_share_a_trie(spelling):
    assert spelling.trie(("R", "P")) is spelling.trie(("R", "P"))
    assert spelling.trie(("P", "R")).moves == ("P", "R")
