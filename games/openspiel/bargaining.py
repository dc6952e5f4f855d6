"""The words of OpenSpiel's bargaining: two seats divide books, hats and basketballs that each values in private."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from games.openspiel.cards import Hands, HandTeller
from games.openspiel.text import Facts, Lines, Words

_NUMBER = re.compile(r"\d+")
ITEMS = "books, hats and basketballs"


def _numbers(text: str) -> str:
    return " ".join(_NUMBER.findall(text))


def _line(env: Any, seat: int, number: int) -> str:
    return _numbers(env.game_state.observation_string(seat).split("\n")[number])


def _values(facts: Facts, env: Any, seat: int, rendering: str) -> str:
    return _line(env, seat, 1)


def _pool(facts: Facts, env: Any, rendering: str) -> Lines:
    pool = _line(env, 0, 0)
    return [f"pool {pool}" if rendering == "compact" else f"the pool of {ITEMS}: {pool}"]


def _move(facts: Facts, action: int, text: str) -> str:
    return f"keep {_numbers(text)}" if text.startswith("Offer") else text.lower()


def _rules(facts: Facts, seat: int) -> Lines:
    return [
        f"There is a pool of {ITEMS}, which both see, always in this order; what one of each is worth to you only you "
        "know, and the whole pool is worth 10 points to each seat.",
        "From seat 0 on the seats move in turn. To offer is to write what you would keep: after keep 1 0 2 the other "
        "would get the rest of the pool.",
        "Who writes agree takes the other's last offer, and both are paid what their items are worth to them.",
        f"Without an agreement after {facts.parameters['max_turns']} moves both are paid 0.",
    ]


BARGAINING: dict[str, Words] = {
    "bargaining": Words(
        partial(HandTeller, hands=Hands("values", _values, _pool, lambda facts, env: ())),
        move=_move,
        gist=lambda facts, seat: f"{ITEMS}, keep some or agree, {facts.parameters['max_turns']} moves",
        rules=_rules,
        unit="point",
        even_seats=2,
        defaults=("discount", "prob_end"),
    )
}
