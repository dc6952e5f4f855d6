"""The words of OpenSpiel's goofspiel: bids for prizes, made at the same time."""

from __future__ import annotations

import re
from typing import Any

from games.openspiel.text import Facts, Lines, Moved, Words, counted, others_moves

_WINNERS = re.compile(r"^Win sequence:(.*)$", re.MULTILINE)
_PRIZES = {  # points_order -> the prize of a round, of so many cards; None where they are drawn
    "ascending": lambda cards, number: number + 1,
    "descending": lambda cards, number: cards - number,
    "random": None,
}
_GOALS = {
    "win_loss": "Whoever has the most points at the end is paid 1 (several share it), the others share a loss of 1; "
    "if all have the same, all are paid 0.",
    "point_difference": "Your payoff is your points minus the average of all seats' points.",
    "total_points": "Your payoff is your points.",
}


def winners(state: Any) -> list[int]:
    """The seat that won each prize so far; negative for nobody."""
    found = _WINNERS.search(state.observation_string(0))
    return [int(word) for word in found.group(1).split()] if found else []


def rounds(facts: Facts) -> int:
    """How many prizes come up."""
    turns: int = facts.parameters["num_turns"]
    return turns if turns > 0 else facts.parameters["num_cards"]


class PrizeTeller:
    """Tells the prize of each round, then who won it, and the others' bids unless they stay hidden."""

    def __init__(self, facts: Facts, rendering: str) -> None:
        """For one episode."""
        self._facts = facts
        self._rendering = rendering
        self._told = 0  # prizes whose winner was told

    def opening(self, env: Any) -> list[Lines]:
        """The first prize."""
        return [[self._prize(env, 0)] for _ in range(self._facts.seats)]

    def after(self, env: Any, moved: Moved) -> list[Lines]:
        """The round's end and the next prize. The last cards are bid without asking; their end is told as well."""
        won = winners(env.game_state)
        first, self._told = self._told, len(won)
        told = []
        for reader in range(self._facts.seats):
            lines = (
                [] if self._facts.parameters["imp_info"] else others_moves(self._facts, self._rendering, moved, reader)
            )
            for number in range(first, len(won)):
                lines.append(self._outcome(won[number], reader))
                if number + 1 < rounds(self._facts):
                    lines.append(self._prize(env, number + 1))
            told.append(lines)
        return told

    def _prize(self, env: Any, number: int) -> str:
        cards = self._facts.parameters["num_cards"]
        rule = _PRIZES[self._facts.parameters["points_order"]]
        if rule is not None:
            prize = rule(cards, number)
        elif number < len(env.chance):
            prize = env.chance[number][0] + 1
        else:  # the last card isn't drawn: it's the one that is left
            prize = sum(range(1, cards + 1)) - sum(action + 1 for action, _ in env.chance)
        return f"prize {prize}" if self._rendering == "compact" else f"the prize is {prize}"

    def _outcome(self, winner: int, reader: int) -> str:
        if winner == reader:
            return "won" if self._rendering == "compact" else "you win the prize"
        if winner < 0:
            return "tie" if self._rendering == "compact" else "the highest bids are equal: nobody wins the prize"
        if self._rendering == "full":
            return f"seat {winner} wins the prize"
        return "lost" if self._facts.seats == 2 else f"lost to seat {winner}"


def _gist(facts: Facts, seat: int) -> str:
    return f"bid each of 1 to {facts.parameters['num_cards']} once for prizes {facts.parameters['points_order']}"


def _rules(facts: Facts, seat: int) -> Lines:
    cards, hidden = facts.parameters["num_cards"], facts.parameters["imp_info"]
    order = {"random": "in random order", "ascending": "from 1 up", "descending": f"from {cards} down"}
    return [
        f"Each seat holds the cards 1 to {cards}, and there are prizes worth 1 to {cards} points, which come up "
        f"{order[facts.parameters['points_order']]}.",
        "In each round all bid one of their cards at the same time; each card is bid once.",
        "The highest bid wins the prize; if the highest bids are equal nobody wins it.",
        "You learn who won, not what was bid." if hidden else "Then you see what was bid.",
        f"There are {counted(rounds(facts), 'round')}"
        + ("; the last card is bid without asking." if rounds(facts) == cards else "."),
        _GOALS[facts.parameters["returns_type"]],
    ]


GOOFSPIEL: dict[str, Words] = {
    "goofspiel": Words(
        PrizeTeller,
        move=lambda facts, action, text: str(action + 1),
        gist=_gist,
        rules=_rules,
        unit="point",
    )
}
