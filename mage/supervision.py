"""Rows that are learned from as examples: every trained token is right, as in a transcript of an expert.

They are trained by `reinforce` with advantage 1, whose loss is then the mean of -log p, the cross-entropy. Left out:
who plays the transcripts (`mage.lessons`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from mage.contexts import Context, TokenChoice
from mage.rows import Row
from mage.trials import PlayedTrial


def every_token(agent: str, context: Context) -> Row:
    """Return the row that trains every token after the first on all tokens before it, as pretraining does."""
    ids = tuple(context.ids)
    choices = tuple(TokenChoice(position, None, ids[position], 0.0, 0, 0) for position in range(1, len(ids)))
    return Row(agent, ids, choices, (1.0,) * len(choices))


def own_tokens(agent: str, context: Context) -> Row:
    """Return the row that trains what was written in that seat: constrained moves among what was legal, text freely."""
    choices = tuple(replace(choice, log_prob=0.0) for choice in context.choices)
    return Row(agent, tuple(context.ids), choices, (1.0,) * len(choices))


def examples(played: Sequence[PlayedTrial], make: Callable[[str, Context], Row]) -> list[Row]:
    """Return the rows of the pairings' learners, made of what stood in their seats.

    make: `every_token` or `own_tokens`. A context without a token to train gives none.
    """
    rows = [
        make(trial.record.pairing.learner, context)
        for trial in played
        for context in trial.contexts
        if context.seat == trial.record.pairing.seat
    ]
    return [row for row in rows if row.choices]


def wins(trials: Sequence[PlayedTrial], share: float) -> list[PlayedTrial]:
    """Return the trials whose last episode the learner won: its return is above every other seat's."""
    return [trial for trial in trials if _last(trial) > trial.record.best_of_others(trial.record.pairing.seat)[-1]]


def top(trials: Sequence[PlayedTrial], share: float) -> list[PlayedTrial]:
    """Return the share of the trials, in (0, 1], with the best last returns, in the order given; one at least.

    Of equal last returns the higher sum over all episodes counts, then the earlier trial.
    """

    def worth(number: int) -> tuple[float, float, int]:
        record = trials[number].record
        return (_last(trials[number]), sum(record.returns(record.pairing.seat)), -number)

    best = sorted(range(len(trials)), key=worth, reverse=True)[: max(1, round(share * len(trials)))]
    return [trials[number] for number in sorted(best)]


KEEP: dict[str, Callable[[Sequence[PlayedTrial], float], list[PlayedTrial]]] = {"wins": wins, "top": top}


def kept(played: Sequence[PlayedTrial], keep: str, share: float) -> list[PlayedTrial]:
    """Return the trials that are learned from, chosen among each learner's own; keep: a key of KEEP."""
    groups: dict[str, list[PlayedTrial]] = {}
    for trial in played:
        groups.setdefault(trial.record.pairing.learner, []).append(trial)
    return [trial for trials in groups.values() for trial in KEEP[keep](trials, share)]


def _last(trial: PlayedTrial) -> float:
    """Return the learner's return of the last episode."""
    return trial.record.returns(trial.record.pairing.seat)[-1]
