"""Kuhn poker once more, in a few lines of Python, with all plans of a seat and trials without any merging.

What a seat does is a table {card and moves so far: probability of betting or calling}. Cards are 0, 1, 2, the higher
one wins; p is pass, b is bet.
"""

from itertools import permutations, product

import numpy as np

KEYS = {0: ("0", "1", "2", "0pb", "1pb", "2pb"), 1: ("0p", "1p", "2p", "0b", "1b", "2b")}  # by seat
ENDS = {"pp": 1, "pbb": 2, "bb": 2, "bp": None, "pbp": None}  # the stake of a showdown


def outcomes(seat, mine, theirs, shown=True):
    """[(probability, what the seat has seen, its return)] of all that can happen; shown: showdowns show the cards."""
    found = []

    def follow(deal, moves, chance):
        if chance == 0:
            return
        if moves not in ENDS:
            mover = len(moves) % 2
            bet = (mine if mover == seat else theirs)[f"{deal[mover]}{moves}"]
            follow(deal, moves + "p", chance * (1 - bet))
            follow(deal, moves + "b", chance * bet)
            return
        stake = ENDS[moves]
        winner = int(deal[1] > deal[0]) if stake else (0 if moves == "bp" else 1)
        paid = (stake or 1) * (1 if winner == seat else -1)
        found.append((chance, (deal[seat], moves, deal[1 - seat] if stake and shown else None, paid), paid))

    for deal in permutations(range(3), 2):
        follow(deal, "", 1 / 6)
    return found


class ByHand:
    """All 64 plans of a seat against some rivals, one after the other."""

    def __init__(self, rivals, seat, shown=True):
        plans = [dict(zip(KEYS[seat], bets, strict=True)) for bets in product((0, 1), repeat=6)]
        self.values = np.zeros((len(plans), len(rivals)))
        self.seen = []  # by plan: {what is seen: [probability under each rival]}
        for number, plan in enumerate(plans):
            seen = {}
            for rival, theirs in enumerate(rivals):
                for chance, what, paid in outcomes(seat, plan, theirs, shown):
                    seen.setdefault(what, np.zeros(len(rivals)))[rival] += chance
                    self.values[number, rival] += chance * paid
            self.seen.append(seen)

    def best(self, belief):
        """The first of the best plans; passing comes first."""
        worth = self.values @ belief
        return int(np.flatnonzero(worth >= worth.max() - 1e-12 * belief.sum())[0])

    def greedy(self, joint, reach, episodes):
        """Returns by rival and episode along all that can be seen. joint: prior times likelihood so far."""
        if not episodes:
            return np.zeros((len(joint), 0))
        plan = self.best(joint)
        later = [self.greedy(joint * chance, reach * chance, episodes - 1) for chance in self.seen[plan].values()]
        return np.column_stack([reach * self.values[plan], sum(later)])

    def optimum(self, joint):
        """The highest total of two episodes: any plan in the first, the best one for what was seen in the second."""
        second = [sum((self.values @ (joint * chance)).max() for chance in seen.values()) for seen in self.seen]
        return float((self.values @ joint + np.array(second)).max())
