"""What sampled trials say about an agent before it is trained: pass@k, how it moves, whether groups vary.

An attempt is one trial; the trials of a group share opponent, seat, deals and the opponent's draws, and differ by the
agent's sampling only. Pure functions of records and numbers. Left out: playing (`mage.diagnosing`), which stage of
training is due (`mage.stage_due`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, stdev
from typing import Any

import numpy as np

from mage.records import TrialRecord
from mage.statistics import Estimate, mean_interval

NAMED = "illegal_named"  # why a reply failed that named one move (`mage.replies`): it was not a legal one


@dataclass(frozen=True, slots=True)
class Attempt:
    """One trial of an agent, as far as it counts here."""

    group: int
    returns: tuple[float, ...]  # of each episode, game units
    passed: bool
    forfeits: int  # episodes that the agent forfeited
    decisions: int
    readable: int  # decisions whose first reply named one move, legal or not
    valid: int  # decisions whose first try was legal
    thinking: int  # tokens


@dataclass(frozen=True, slots=True)
class Figures:
    """What an agent did over all groups, every group counting as much; intervals are over groups."""

    pass_at: Mapping[int, Estimate]  # by k, 1 among them; the chance that at least one of k attempts passes
    mean_return: Estimate  # per episode, game units
    over_random: Estimate | None  # that less what random play gets in the same groups; None for random play
    gain: Estimate | None  # last episode's return less the first's; None where trials have one episode
    frac_reward_zero_std: float  # share of training's groups whose trials would all return the same
    reward_std: float  # of a trial's mean return within a group, game units
    parse_rate: float  # share of decisions whose first reply named one move, legal or not
    valid_move_rate: float  # share of decisions whose first try was legal
    forfeit_rate: float  # share of episodes
    thinking_tokens: float  # per decision

    def to_json(self) -> dict[str, Any]:
        """Return the figures as they stand in `mage diagnose --json` (docs/diagnosis.md)."""
        return {
            "pass_at": [{"k": k, **interval_json(rate)} for k, rate in sorted(self.pass_at.items())],
            "mean_return": interval_json(self.mean_return),
            "over_random": self.over_random and interval_json(self.over_random),
            "gain": self.gain and interval_json(self.gain),
            "frac_reward_zero_std": self.frac_reward_zero_std,
            "reward_std": self.reward_std,
            "parse_rate": self.parse_rate,
            "valid_move_rate": self.valid_move_rate,
            "forfeit_rate": self.forfeit_rate,
            "thinking_tokens": self.thinking_tokens,
        }


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the chance that k of n attempts, drawn without replacement, hold one of the c that passed.

    1 - C(n - c, k) / C(n, k), in [0, 1]: the unbiased estimate of pass@k (Chen et al. 2021, arXiv 2107.03374, eq. 1).
    Raises ValueError unless 0 <= c <= n and 1 <= k <= n.
    """
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"got {c} passes of {n} attempts and k = {k}, expected 0 <= passes <= attempts, 1 <= k <= n")
    return 1.0 - comb(n - c, k) / comb(n, k)


def chance_alike(outcomes: Sequence[Hashable], size: int) -> float:
    """Return the chance that `size` of the outcomes, drawn without replacement, are all the same.

    Sum over distinct outcomes of C(m, size) / C(n, size), m times each: as unbiased as `pass_at_k`, by the same
    argument. In [0, 1]; raises ValueError unless 1 <= size <= n.
    """
    n = len(outcomes)
    if not 1 <= size <= n:
        raise ValueError(f"got {size} of {n} outcomes, expected 1 to {n}")
    return sum(comb(times, size) for times in Counter(outcomes).values()) / comb(n, size)


def attempt(record: TrialRecord, bar: float | None) -> Attempt:
    """Return what counts of the trial of a pairing's learner.

    bar: the return, game units, that its last episode must reach to pass; None: it must be won, the learner's return
    above every other seat's.
    """
    seat = record.pairing.seat
    returns = record.returns(seat)
    turns = [turn for episode in record.episodes for turn in episode.turns if turn.seat == seat]
    return Attempt(
        group=record.pairing.group,
        returns=returns,
        passed=returns[-1] >= bar if bar is not None else returns[-1] > record.best_of_others(seat)[-1],
        forfeits=sum(episode.forfeits[seat] > 0 for episode in record.episodes),
        decisions=len(turns),
        readable=sum(not turn.illegal or turn.illegal[0] == NAMED for turn in turns),
        valid=sum(not turn.illegal and not turn.forfeit for turn in turns),
        thinking=sum(turn.thinking for turn in turns),
    )


def figures(
    attempts: Sequence[Attempt],
    ks: Sequence[int],
    group_size: int,
    rng: np.random.Generator,
    random: Sequence[Attempt] | None = None,
) -> Figures:
    """Return the figures of the attempts of one agent; pass@1 is always among them.

    group_size: trials of a group in training, for how often these would all return the same. random: the attempts of
    uniformly random play in the same groups. rng: draws the groups again for the intervals. Raises ValueError without
    attempts, for groups of fewer than two attempts, fewer than a k or than `group_size`, and for other groups in
    `random`.
    """
    groups = _groups(attempts)
    if not groups or min(map(len, groups.values())) < 2:
        raise ValueError(f"got {len(groups)} groups of {len(attempts)} attempts, expected two or more in each")
    if random is not None and _groups(random).keys() != groups.keys():
        raise ValueError("got random play in other groups, expected the same")
    played = list(groups.values())
    means = np.array([_mean_return(group) for group in played])
    beside = _groups(random or ())
    gains = [fmean(one.returns[-1] - one.returns[0] for one in group) for group in played]
    parse_rate, valid_move_rate = first_tries(attempts)
    return Figures(
        pass_at={k: _rate([_pass_at(group, k) for group in played], rng) for k in sorted({1, *ks})},
        mean_return=mean_interval(means, rng),
        over_random=mean_interval(means - np.array([_mean_return(beside[number]) for number in groups]), rng)
        if beside
        else None,
        gain=mean_interval(np.array(gains), rng) if len(attempts[0].returns) > 1 else None,
        frac_reward_zero_std=fmean(chance_alike([one.returns for one in group], group_size) for group in played),
        reward_std=fmean(stdev(fmean(one.returns) for one in group) for group in played),
        parse_rate=parse_rate,
        valid_move_rate=valid_move_rate,
        forfeit_rate=sum(one.forfeits for one in attempts) / sum(len(one.returns) for one in attempts),
        thinking_tokens=sum(one.thinking for one in attempts) / _decisions(attempts),
    )


def first_tries(attempts: Sequence[Attempt]) -> tuple[float, float]:
    """Return the shares, in [0, 1], of decisions whose first reply named one move, and whose first try was legal."""
    decisions = _decisions(attempts)
    return sum(one.readable for one in attempts) / decisions, sum(one.valid for one in attempts) / decisions


def interval_json(estimate: Estimate) -> dict[str, float]:
    """Return a figure with its interval, under the names that all JSON of this package uses."""
    return {"mean": estimate.value, "ci_low": estimate.low, "ci_high": estimate.high}


def _decisions(attempts: Sequence[Attempt]) -> int:
    return max(1, sum(one.decisions for one in attempts))


def _groups(attempts: Sequence[Attempt]) -> dict[int, list[Attempt]]:
    found: dict[int, list[Attempt]] = {}
    for one in attempts:
        found.setdefault(one.group, []).append(one)
    return found


def _pass_at(group: Sequence[Attempt], k: int) -> float:
    return pass_at_k(len(group), sum(one.passed for one in group), k)


def _rate(values: Sequence[float], rng: np.random.Generator) -> Estimate:
    """Return the mean of chances with its interval, which few groups would stretch beyond what a chance can be."""
    mean = mean_interval(np.array(values), rng)
    return Estimate(mean.value, max(0.0, mean.low), min(1.0, mean.high))


def _mean_return(group: Sequence[Attempt]) -> float:
    return fmean(value for one in group for value in one.returns)
