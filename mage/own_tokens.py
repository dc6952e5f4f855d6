"""Which tokens of what an agent wrote were its own choice: those are trained, and nothing else is.

For text that is put into a context rather than sampled, as a scripted player's, whose moves others learn from. Left
out: sampling (`mage.sampler`).
"""

from collections.abc import Sequence

from mage.codec import Codec
from mage.contexts import Context, TokenChoice


def write_move(codec: Codec, context: Context, move: str, legal: tuple[str, ...], episode: int, turn: int) -> None:
    """Append a move to a context as if it had been chosen among the legal ones token by token."""
    node, ids = codec.trie(legal).root, codec.encode_move(move)
    for token in ids:
        if len(node.allowed) > 1:
            pick = node.allowed.index(token)
            context.choices.append(TokenChoice(len(context.ids), node.allowed, pick, 0.0, episode, turn))
        context.ids.append(token)
        node = node.children[token]


def write_text(context: Context, ids: Sequence[int], episode: int, turn: int) -> None:
    """Append text to a context as if every token had been chosen from the whole vocabulary."""
    first = len(context.ids)
    context.ids += ids
    context.choices += [TokenChoice(first + i, None, token, 0.0, episode, turn) for i, token in enumerate(ids)]
