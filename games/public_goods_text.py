"""The public goods game as text: compact for small models, full for models that read English.

Left out: the rules as numbers and the environment (`public_goods`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from games.aec import AECGame
from games.errors import unknown
from games.public_goods import PublicGoods, PublicGoodsGame

if TYPE_CHECKING:
    from pettingzoo.utils.env import AECEnv


def number(value: float) -> str:
    """Write units with at most six digits: 2.0 as "2", 2/3 as "0.666667"."""
    return f"{value:.6g}"


def _count(amount: int, noun: str) -> str:
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def compact_rules(rules: PublicGoods, seat: int, episodes: int) -> str:
    """Write one line: seat, own moves, what they do, lengths."""
    return (
        f"public_goods seat {seat} of {rules.seats}: {' '.join(rules.moves)}, "
        f"{number(rules.endowment)} units, given x{number(rules.multiplier)} shared, "
        f"{_count(rules.rounds, 'round')}, {_count(episodes, 'episode')}\n"
    )


def compact_news(rules: PublicGoods, seat: int, joint: Sequence[int]) -> str:
    """Write the others' moves in order of seats and one's own payoff: "keep give 4"."""
    names = rules.moves
    others = " ".join(names[move] for other, move in enumerate(joint) if other != seat)
    return f"{others} {number(rules.payoffs(tuple(joint))[seat])}\n"


def full_rules(rules: PublicGoods, seat: int, episodes: int) -> str:
    """Write the rules and what they pay in sentences."""
    names, own = rules.moves, number(rules.endowment)
    choices = (
        f"Write keep to give nothing, or give to give all {own} units."
        if rules.levels == 2
        else f"Write how many units you give: {', '.join(names[:-1])} or {names[-1]}."
    )
    everyone = rules.endowment * rules.multiplier
    lines = [
        f"You are seat {seat} of {rules.seats} in a public goods game, with the same others for "
        f"{_count(episodes, 'episode')} of {_count(rules.rounds, 'round')}.",
        f"In each round every seat has {own} units and chooses how much of them to give, at the same time; "
        "then all see the choices.",
        choices,
        f"What was given is multiplied by {number(rules.multiplier)} and shared equally among all {rules.seats} seats, "
        "whoever gave; what a seat did not give it keeps.",
        f"If all give everything, each has {number(everyone)} units in that round; if nobody gives, each has {own}.",
        f"Every unit given brings each seat {number(rules.multiplier / rules.seats)} units.",
        "Your result is the sum of your units over the rounds.",
    ]
    return "\n".join(lines) + "\n"


def full_news(rules: PublicGoods, seat: int, joint: Sequence[int]) -> str:
    """Write what the others gave, what became of it and one's own payoff as a sentence."""
    given = [rules.amounts[move] for move in joint]
    others = ", ".join(f"seat {other} gave {number(units)}" for other, units in enumerate(given) if other != seat)
    return (
        f"{others}; the {number(sum(given))} units given become {number(sum(given) * rules.multiplier)}; "
        f"you get {number(rules.payoffs(tuple(joint))[seat])} units\n"
    )


@dataclass(frozen=True, slots=True)
class Rendering:
    """How the game is put into words."""

    rules: Callable[[PublicGoods, int, int], str]  # rules, seat, episodes
    news: Callable[[PublicGoods, int, Sequence[int]], str]  # rules, seat, indices of all moves by seat


RENDERINGS: dict[str, Rendering] = {
    "compact": Rendering(compact_rules, compact_news),
    "full": Rendering(full_rules, full_news),
}


class PublicGoodsAdapter:
    """The `games.text.TextAdapter` of `PublicGoodsGame`."""

    def __init__(self, rules: PublicGoods, rendering: Rendering) -> None:
        """rules: what is played."""
        self._rules = rules
        self._rendering = rendering
        self._names = rules.moves
        self._silence = ("",) * rules.seats

    def opening(self, env: AECEnv[Any, Any, Any]) -> Sequence[str]:
        """Nothing is known before the first round."""
        return self._silence

    def legal_moves(self, env: AECEnv[Any, Any, Any], seat: int) -> tuple[str, ...]:
        """Every move is always legal."""
        return self._names

    def action(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> int:
        """The index of the amount."""
        return self._names.index(move)

    def news(self, env: AECEnv[Any, Any, Any], seat: int, move: str) -> Sequence[str]:
        """Nothing until all have moved; then to each seat the others' moves and its own payoff."""
        if seat < self._rules.seats - 1:
            return self._silence
        return [self._rendering.news(self._rules, reader, env.history[-1]) for reader in range(self._rules.seats)]

    def history(self, env: AECEnv[Any, Any, Any]) -> Sequence[tuple[int, ...]]:
        """The joint moves of complete rounds."""
        return env.history

    def state(self, env: AECEnv[Any, Any, Any]) -> Any:
        """None: OpenSpiel doesn't know the game."""
        return None


def load(rules: PublicGoods, rendering: str) -> AECGame:
    """The game as text; RequestError for a rendering that there is not."""
    if rendering not in RENDERINGS:
        raise unknown("rendering", rendering, RENDERINGS)
    words = RENDERINGS[rendering]
    least, greatest = rules.payoff_range
    return AECGame(
        name=rules.name,
        rendering=rendering,
        seats=rules.seats,
        max_turns=rules.rounds,
        utility_range=(least * rules.rounds, greatest * rules.rounds),
        zero_sum=False,
        make_env=partial(PublicGoodsGame, rules),
        make_adapter=partial(PublicGoodsAdapter, rules, words),
        make_rules=partial(words.rules, rules),
    )
