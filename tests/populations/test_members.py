"""Members: names are for ever, lineage is checked, and a population survives JSON unchanged."""

import json

import pytest

from populations.members import Member, Population, snapshot_name


def small_population() -> Population:
    return Population([Member("learner_0", "learner"), Member("learner_1", "learner"), Member("bot", "scripted")])


def test_members_are_listed_by_kind_in_order_of_joining():
    population = small_population()
    population.freeze("learner_1", 10, "ab")
    population.freeze("learner_0", 10, "cd")
    assert [m.name for m in population.learners] == ["learner_0", "learner_1"]
    assert [m.name for m in population.scripted] == ["bot"]
    assert [m.name for m in population.snapshots] == ["learner_1@10", "learner_0@10"]


def test_a_snapshot_is_named_by_parent_and_iteration_and_carries_its_digest():
    snapshot = small_population().freeze("learner_0", 12, "ab")
    assert snapshot == Member("learner_0@12", "snapshot", parent="learner_0", born=12, digest="ab")
    assert snapshot_name("learner_0", 12) == "learner_0@12"


def test_a_name_is_never_reused_not_even_after_retiring():
    population = small_population()
    population.freeze("learner_0", 10, "ab")
    population.retire("learner_0@10")
    with pytest.raises(ValueError, match="taken"):
        population.freeze("learner_0", 10, "ab")
    with pytest.raises(ValueError, match="taken"):
        population.add(Member("bot", "scripted"))


def test_a_retired_snapshot_is_no_opponent_and_keeps_its_record():
    population = small_population()
    population.freeze("learner_0", 10, "ab")
    population.retire("learner_0@10")
    assert population.snapshots == ()
    assert population.get("learner_0@10").digest == "ab"
    assert population.is_retired("learner_0@10") and not population.is_retired("bot")
    assert len(population) == 4 and "learner_0@10" in population


def test_only_snapshots_retire():
    with pytest.raises(ValueError, match="learner 'learner_0' to retire"):
        small_population().retire("learner_0")


def test_an_unknown_name_names_the_closest():
    with pytest.raises(ValueError, match="unknown member 'lerner_0'; closest: learner_0, learner_1; known: "):
        small_population().get("lerner_0")


def test_a_bred_learner_needs_a_learner_or_snapshot_as_parent():
    population = small_population()
    population.add(Member("learner_2", "learner", parent="learner_0", born=20))
    with pytest.raises(ValueError, match="scripted parent"):
        population.add(Member("learner_3", "learner", parent="bot"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "", "kind": "learner"}, "empty name"),
        ({"name": "a", "kind": "lerner"}, "unknown member kind 'lerner'; closest: learner"),
        ({"name": "a", "kind": "learner", "born": -1}, "born=-1"),
        ({"name": "a@3", "kind": "snapshot", "parent": "a", "born": 3}, "digest"),
        ({"name": "a@4", "kind": "snapshot", "parent": "a", "born": 3, "digest": "x"}, "expected 'a@3'"),
        ({"name": "a", "kind": "scripted", "parent": "b"}, "expected none"),
    ],
)
def test_members_that_contradict_themselves_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        Member(**fields)


def test_json_gives_back_members_order_and_retirement():
    population = small_population()
    population.freeze("learner_0", 10, "ab")
    population.freeze("learner_0", 20, "cd")
    population.retire("learner_0@10")
    data = json.loads(json.dumps(population.to_json()))
    again = Population.from_json(data)
    assert list(again) == list(population)
    assert again.snapshots == population.snapshots
    assert again.to_json() == population.to_json()
