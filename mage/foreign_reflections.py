"""Reflections that are put in the place of an agent's own, to see what they are worth: none at all, or another trial's.

An agent that gains nothing by its own notes over somebody else's has not learned to read them. Left out: playing
(`mage.evaluation`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from games.errors import RequestError, unknown
from mage.memories import REFLECTING
from mage.records import TrialRecord
from mage.seats import TrialPlan

Written = Mapping[tuple[str, str, int], tuple[str, ...]]  # by agent, opponent, and number of the trial among those
Met = tuple[str, str, int]


def none_at_all(met: Met, written: Written, opponents: Sequence[str], episodes: int) -> tuple[str, ...]:
    """Return an empty reflection after every episode."""
    return ("",) * (episodes - 1)


def of_another_opponent(met: Met, written: Written, opponents: Sequence[str], episodes: int) -> tuple[str, ...]:
    """Return what the agent wrote down in the trial of that number against the next opponent of the list."""
    agent, opponent, number = met
    following = opponents[(opponents.index(opponent) + 1) % len(opponents)]
    return written[agent, following, number]


REFLECTIONS: dict[str, Callable[[Met, Written, Sequence[str], int], tuple[str, ...]] | None] = {
    "own": None,
    "empty": none_at_all,
    "other": of_another_opponent,
}


def require_reflecting(reflections: str, memory: str, opponents: int) -> None:
    """Refuse to replace reflections where there are none, or nobody else's to take. Raises RequestError."""
    if reflections not in REFLECTIONS:
        raise unknown("reflections", reflections, REFLECTIONS)
    if reflections == "own":
        return
    if memory not in REFLECTING:
        raise RequestError(
            f'got reflections = "{reflections}" and memory "{memory}", expected "reflection" or "both"; choose it '
            "with --memory"
        )
    if reflections == "other" and opponents < 2:
        raise RequestError(
            'got reflections = "other" and one opponent, expected two or more, since reflections are taken from trials '
            "against another one; name more opponents"
        )


def numbered(records: Iterable[TrialRecord]) -> Written:
    """Return what agents wrote down in their trials."""
    counts: dict[tuple[str, str], int] = {}
    written: dict[Met, tuple[str, ...]] = {}
    for record in records:
        pairing = record.pairing
        pair = (pairing.learner, pairing.opponent)
        number = counts[pair] = counts.get(pair, -1) + 1
        texts = (episode.reflections[pairing.seat] or "" for episode in record.episodes if episode.reflections)
        written[*pair, number] = tuple(texts)
    return written


def given(
    plans: Sequence[TrialPlan], reflections: str, written: Written, opponents: Sequence[str], episodes: int
) -> list[TrialPlan]:
    """Return the plans with the agents' reflections replaced; reflections: a key of REFLECTIONS."""
    choose = REFLECTIONS[reflections]
    if choose is None:
        return list(plans)
    counts: dict[tuple[str, str], int] = {}
    changed = []
    for plan in plans:
        pairing = plan.pairing
        pair = (pairing.learner, pairing.opponent)
        number = counts[pair] = counts.get(pair, -1) + 1
        texts = choose((*pair, number), written, opponents, episodes)
        seats = [replace(who, reflections=texts) if s == pairing.seat else who for s, who in enumerate(plan.seats)]
        changed.append(replace(plan, seats=tuple(seats)))
    return changed
