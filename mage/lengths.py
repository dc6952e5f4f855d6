"""The most tokens that one seat's context of a trial can hold: what a base has to be able to read, known before play.

Left out: what is done where it can't (`mage.session`).
"""

from mage.memories import FRESH, REFLECTING
from mage.replies import FORMATS, REASONS
from mage.trials import Conditions, opening


def longest_context(conditions: Conditions) -> int:
    """Return the most tokens of a context, over the seats and whatever the agents write."""
    return max(_of_seat(conditions, seat) for seat in range(conditions.game.seats))


def _of_seat(conditions: Conditions, seat: int) -> int:
    game, episodes, memory = conditions.game, conditions.episodes, conditions.memory
    headers = [_tokens(conditions, game.episode_header(n + 1)) for n in range(episodes)]
    reflects, fresh = memory in REFLECTING, memory in FRESH
    wrote = _reflection(conditions, seat) if reflects else 0
    begun, episode = len(opening(conditions, seat)), _episode(conditions, seat)
    if fresh:
        remembered = _remembered(conditions) if reflects else 0
        return begun + remembered + max(headers) + episode + wrote
    return begun + sum(headers) + episodes * (episode + wrote)


def _tokens(conditions: Conditions, text: str) -> int:
    return len(conditions.codec.encode(text))


def _longest(conditions: Conditions, texts: list[str]) -> int:
    return max((_tokens(conditions, text) for text in texts), default=0)


def _episode(conditions: Conditions, seat: int) -> int:
    """Return the most tokens of an episode after its header."""
    spoken, prompt = conditions.game.spoken[seat], conditions.prompt
    news = _longest(conditions, [prompt.observation_text(text) for text in spoken.news])
    return spoken.turns * _decision(conditions, seat) + spoken.readings * news


def _decision(conditions: Conditions, seat: int) -> int:
    """Return the most tokens of a decision: what is asked, what is written, and what is said of it."""
    codec, acting, moves = conditions.codec, conditions.acting, conditions.game.spoken[seat].moves
    around = len(codec.told) + _tokens(conditions, conditions.prompt.question(moves)) + len(codec.ask)
    move = max((len(codec.encode_move(move)) for move in moves), default=0)
    thinks = acting.thinking_tokens > 0
    thought = sum(len(codec.control(text)) for text in codec.style.think) + acting.thinking_tokens if thinks else 0
    before = around + (thought if thinks else len(codec.skip))
    if acting.move != "free":
        return before + move
    refusal = _longest(
        conditions, [f"{reason}, so your move is {move}\n" for reason in REASONS.values() for move in moves]
    )
    shown = _longest(conditions, [FORMATS[acting.reply_format].write(move) for move in moves])  # by an expert
    return (acting.retries + 1) * (before + max(acting.reply_tokens, shown) + len(codec.end) + refusal)


def _reflection(conditions: Conditions, seat: int) -> int:
    """Return the most tokens of asking for a reflection and writing it."""
    codec = conditions.codec
    cue = _longest(conditions, [conditions.prompt.reflect(n + 1) for n in range(conditions.episodes)])
    around = len(codec.told) + len(codec.ask) + len(codec.skip) + len(codec.end)
    return around + cue + conditions.acting.reflection_tokens


def _remembered(conditions: Conditions) -> int:
    """Return the most tokens of what was written down, read again."""
    most, empty = conditions.acting.reflection_tokens, ["x"] * (conditions.episodes - 1)
    return _tokens(conditions, conditions.prompt.remembered(empty)) + most * len(empty)
