"""The tokenizer of `builtin:tiny`: byte-level BPE, trained on the segments that trials are made of.

Left out: the network and the transcripts that it is trained on (`mage.tiny`).
"""

import os
from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from games.matrix import PAYOFFS
from games.matrix_text import MatrixGame
from games.text import TextGame
from mage.memories import REFLECTING
from mage.turn_style import PLAIN

VOCABULARY = 512
LONGEST_TOKEN = 8  # characters; keeps the tokenizer from learning whole rule lines by heart
SEGMENT_WEIGHT = 20  # how much more often a round's segments count than a trial's
START, PAD = "<s>", "<pad>"


def build_tokenizer(game: TextGame, memory: str = "transcript") -> PreTrainedTokenizerFast:
    """Train the byte-level BPE tokenizer on the segments that the trials of this and the named games are made of.

    No pre-tokenisation: a segment such as "P -1\\n" becomes one token, so a round takes two.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[START, PAD],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        max_token_length=LONGEST_TOKEN,
        show_progress=False,
    )
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    tokenizer.train_from_iterator((*_segments(game), *_remembered(game, memory)), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=START, pad_token=PAD)


def _segments(own: TextGame) -> Iterable[str]:
    """Every segment of the games, the ones of each round more often than the ones of each trial."""
    named = (MatrixGame(spec, rounds) for spec in PAYOFFS.values() for rounds in range(1, 11))
    for game in (own, *named):
        for seat in range(game.seats):
            yield from (game.rules(seat, episodes) for episodes in range(1, 6))
            yield from (game.episode_header(number) for number in range(1, 10))
            for _ in range(SEGMENT_WEIGHT):
                yield from (move + PLAIN.end for move in game.spoken[seat].moves)
                yield from game.spoken[seat].news


def _remembered(game: TextGame, memory: str) -> Iterable[str]:
    """What reflections are made of, piece by piece, so that a move in them is a token whatever its count is."""
    if memory in REFLECTING:
        moves = dict.fromkeys(move for spoken in game.spoken for move in spoken.moves)
        for _ in range(SEGMENT_WEIGHT):
            yield from (
                "reflection",
                *(f" {move}" for move in moves),
                *(f" {count}" for count in range(game.max_turns + 1)),
            )
