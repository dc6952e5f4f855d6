"""The exact prompt that a view puts together from a match event is what stood in the agent's context when it wrote."""

from collections.abc import Sequence

import pytest

from games.matrix_text import MatrixGame
from games.opponents import parse
from mage.codec import Codec
from mage.contexts import REFLECTION, MoveReply, MoveRequest, TextReply
from mage.decisions import Acting
from mage.events import decode, encode, match_event
from mage.keys import PlayKeys
from mage.renderers import Prompt
from mage.seats import SeatPlan, TrialPlan
from mage.trials import Conditions, play
from mage.turn_style import PLAIN, TurnStyle
from mage.views.prompt_view import before
from mage.views.replay import parse_match
from populations.matchmaking import Pairing

CHAT = TurnStyle(
    start="<|user|>", start_system="<|system|>", after_system="<|end|>\n<|user|>", ask="<|end|>\n<|agent|>\n",
    end="<|end|>", told="\n<|user|>", think=("<think>", "</think>\n"), skip="<think></think>",
)  # fmt: skip
ACTING = {
    "constrained": Acting(),
    "think-then-choose": Acting("think-then-choose", thinking_tokens=9),
    "free": Acting("free", retries=1, on_illegal="random"),
    "free and thinking": Acting("free", thinking_tokens=9, retries=1),
}
WRITTEN = ("Q", "R", "Q", "none", "P", " it plays R")  # in turn, whatever is asked: legal, not legal, thoughts, notes


class Characters:
    """A tokenizer that spells: a token for every character."""

    def encode(self, text: str, *, add_special_tokens: bool = False, split_special_tokens: bool = False) -> list[int]:
        return [ord(character) for character in text]

    def decode(self, ids: Sequence[int], *, clean_up_tokenization_spaces: bool = False) -> str:
        return "".join(map(chr, ids))


def reply(request, codec, text):
    """Write what a sampler would: the first legal move, or the text and what ends it."""
    ids = request.context.ids
    if isinstance(request, MoveRequest):
        ids += codec.encode_move(request.legal[0])
        return MoveReply(request.legal[0], None)
    ids += codec.encode(text + request.stop) if request.stop else codec.encode(text) + codec.end[:1]
    return TextReply(text, len(text) + 1, "stop" if request.stop else "turn")


def played(game, codec, acting, memory):
    """Play a trial; returns its event, and by (episode, decision) the context when it was first asked for."""
    rival = parse(game, "peaked_habit(move=R,peak=0.8)")
    seats = (SeatPlan("ann", None, 0), SeatPlan(rival.name, rival, 1))
    plan = TrialPlan(Pairing("ann", rival.name, 0, 0, 0, "scripted"), seats)
    keys = PlayKeys(0, "train", 0)
    prompt = Prompt(system="player", legal_moves="question")
    trial = play(plan, Conditions(game, codec, keys, 3, memory, acting, prompt))
    seen: dict[tuple[int, int], str] = {}
    request, number = next(trial), 0
    while True:
        seen.setdefault((request.episode, request.turn), codec.decode(request.context.ids))
        try:
            request = trial.send(reply(request, codec, WRITTEN[number % len(WRITTEN)]))
        except StopIteration as ended:
            return decode(encode(match_event(0, ended.value.record))), seen
        number += 1


@pytest.mark.parametrize("memory", ["transcript", "none", "reflection", "both"])
@pytest.mark.parametrize("acting", ACTING.values(), ids=ACTING)
@pytest.mark.parametrize("style", [PLAIN, CHAT], ids=["plain", "chat"])
def test_the_prompt_from_the_event_is_the_context_to_the_letter(rps: MatrixGame, style, acting, memory):
    codec = Codec(Characters(), (ord("^"),), style)
    event, seen = played(rps, codec, acting, memory)
    match = parse_match(event)
    opened = style.think[0] if acting.thinking_tokens else style.skip
    steps = {(e, match.episodes[e].moves[at].number): (e, at) for e, at in match.steps() if mine(match, e, at)}
    steps |= {(e, REFLECTION): (e, len(match.episodes[e].moves)) for e, turn in seen if turn == REFLECTION}
    assert set(steps) == set(seen)
    for place, text in seen.items():
        expected = style.skip if place[1] == REFLECTION else opened
        assert before(match, steps[place], 0) + expected == text


def mine(match, episode, at):
    """Whether the agent moves at that step."""
    moves = match.episodes[episode].moves
    return at < len(moves) and moves[at].seat == 0
