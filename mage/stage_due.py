"""Which stage of training is due for an agent, and why: a table of rules over what `mage.diagnosis` measured.

Before reinforcement learning there must be something to reinforce: attempts that pass, written so that they count, in
groups whose trials differ. Left out: the stages themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mage.diagnosis import Figures

HOPELESS = 0.05  # pass@k up to here: sampling finds next to nothing
STEADY = 0.95  # parse and valid-move rates below it: the format is not there yet
MASTERED = 0.95  # pass@1 from here on: there is little left to learn
SPREAD = 0.25  # share of groups that vary from which reinforcement learning has enough to compare
WIDER = 0.1  # how far above pass@1 pass@k must be for wins to be worth collecting


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a decision on the stage rests on."""

    figures: Figures  # of the way to move that the stage is for
    best: float  # the highest pass@k of any way to move: what the agent can do at all
    k: int  # the largest that was measured
    group_size: int  # trials of a group in training

    @property
    def once(self) -> float:
        """pass@1."""
        return self.figures.pass_at[1].value

    @property
    def often(self) -> float:
        """pass@k."""
        return self.figures.pass_at[self.k].value

    @property
    def varying(self) -> float:
        """Share of training's groups whose returns would differ."""
        return 1.0 - self.figures.frac_reward_zero_std


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: the stage that is due where `applies`, and the reason with the numbers in it."""

    stage: str
    applies: Callable[[Evidence], bool]
    why: Callable[[Evidence], str]


@dataclass(frozen=True, slots=True)
class Due:
    """The stage that comes next, "none" where no training helps, and the reason in a sentence."""

    stage: str
    why: str


RULES: Sequence[Rule] = (
    Rule(
        "pretrain",
        lambda seen: seen.best <= HOPELESS,
        lambda seen: (
            f"Pass@{seen.k} is {seen.best:.2f} at best, so sampling finds next to nothing to learn from: train on "
            "transcripts first."
        ),
    ),
    Rule(
        "sft",
        lambda seen: min(seen.figures.parse_rate, seen.figures.valid_move_rate) < STEADY,
        lambda seen: (
            f"It can do it (pass@{seen.k} {seen.best:.2f} at best), but of its first replies "
            f"{seen.figures.parse_rate:.0%} can be read and {seen.figures.valid_move_rate:.0%} are legal, where "
            f"both should be {STEADY:.0%} or more: teach it the format, or constrain its moves."
        ),
    ),
    Rule(
        "none",
        lambda seen: seen.once >= MASTERED and seen.varying < SPREAD,
        lambda seen: (
            f"Pass@1 is {seen.once:.2f}, and returns differ in {seen.varying:.0%} of groups of {seen.group_size}: "
            "nothing is left to learn here, so choose harder opponents."
        ),
    ),
    Rule(
        "rl",
        lambda seen: seen.often > HOPELESS and seen.varying >= SPREAD,
        lambda seen: (
            f"It has success (pass@1 {seen.once:.2f}, pass@{seen.k} {seen.often:.2f}) and something to compare: "
            f"returns differ in {seen.varying:.0%} of groups of {seen.group_size}."
        ),
    ),
    Rule(
        "rft",
        lambda seen: seen.often - seen.once >= WIDER,
        lambda seen: (
            f"Pass@{seen.k} {seen.often:.2f} is well above pass@1 {seen.once:.2f}, but returns differ in only "
            f"{seen.varying:.0%} of groups of {seen.group_size}: collect its wins and train on them."
        ),
    ),
    Rule(
        "sft",
        lambda seen: True,
        lambda seen: (
            f"Pass@{seen.k} {seen.often:.2f} is hardly above pass@1 {seen.once:.2f}, or hardly above 0, and returns "
            f"differ in {seen.varying:.0%} of groups of {seen.group_size}, so sampling finds nothing better: show it "
            "the moves of experts."
        ),
    ),
)


def due(evidence: Evidence) -> Due:
    """Return the stage of the first rule that applies; the last one always does."""
    rule = next(rule for rule in RULES if rule.applies(evidence))
    return Due(rule.stage, rule.why(evidence))
