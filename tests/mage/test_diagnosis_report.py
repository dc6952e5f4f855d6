"""The object that a diagnosis writes, from attempts that a person can count."""

from mage.diagnosis import Attempt
from mage.diagnosis_report import diagnosis_report


def group(number, *passed, valid=1):
    """One-episode trials that return 1 where they pass and -1 where they don't."""
    return [Attempt(number, (1.0 if one else -1.0,), one, 0, 1, valid, valid, 3) for one in passed]


def report(ways, random):
    return diagnosis_report(ways, random, k=(2,), group_size=2, seed=1, about={"game": "a game"})


CHANCE = group(0, True, False) + group(1, False, False)


def test_ways_to_move_stand_beside_random_play_in_the_same_groups():
    told = report({"constrained": group(0, True, True) + group(1, True, False)}, CHANCE)
    assert (told["schema"], told["game"], told["groups"]) == ("mage.diagnosis/1", "a game", 2)
    row = told["rows"][0]
    assert [(rate["k"], rate["mean"]) for rate in row["pass_at"]] == [(1, 0.75), (2, 1.0)]
    assert [(rate["k"], rate["mean"]) for rate in told["random"]["pass_at"]] == [(1, 0.25), (2, 0.5)]
    assert row["mean_return"]["mean"] == 0.5 and told["random"]["mean_return"]["mean"] == -0.5
    assert row["over_random"]["mean"] == 1.0  # 1 - 0 in one group, 0 - -1 in the other
    assert row["frac_reward_zero_std"] == 0.5 and row["thinking_tokens"] == 3.0


def test_what_constrained_moves_can_do_tells_a_missing_format_from_a_missing_skill():
    silent = group(0, False, False, valid=0) + group(1, False, False, valid=0)
    able = group(0, True, False) + group(1, True, False)
    due = {row["move"]: row["due"]["stage"] for row in report({"constrained": able, "free": silent}, CHANCE)["rows"]}
    assert due == {"constrained": "rl", "free": "sft"}
    assert report({"free": silent}, CHANCE)["rows"][0]["due"]["stage"] == "pretrain"


def test_equal_attempts_have_equal_figures_whatever_they_are_called():
    first, second = report({"constrained": CHANCE, "free": CHANCE}, CHANCE)["rows"]
    assert {**first, "move": ""} == {**second, "move": ""}
    assert first["over_random"] == {"mean": 0.0, "ci_low": 0.0, "ci_high": 0.0}


def test_random_play_has_no_replies_to_count():
    assert (
        not {"parse_rate", "valid_move_rate", "over_random", "due"} & report({"free": CHANCE}, CHANCE)["random"].keys()
    )
