"""Regions of draws: which boxes overlap, and which sets of a config may not share one."""

import pytest

from games.errors import RequestError
from games.families import FAMILIES
from games.opponents import parse, split
from games.regions import APART, overlap, region
from games.registry import load
from tests.games.usual_games import KUHN, RPS, TIC_TAC_TOE

LOW, HIGH = [0.6, 0.8], [0.8, 0.9]  # these share a border
CENTRE = "4/0/1/2/3/5/6/7/8"
CENTRE_TOO = "4/8/7/6/5/3/2/1/0"


def habits(peak, **others):
    return {"family": "peaked_habit", "count": 1, "seed": 1, "parameters": {"peak": peak, **others}}


def orders(**parameters):
    return {"family": "preferred_cells", "count": 1, "seed": 1, "parameters": parameters}


def splitting(game, here, there, own, other):
    """Declare `own` for the set `here` and `other` for the set `there`; training is never empty."""
    sets = {"training": ["random"], here: [own], there: [other]}
    return split(game, min_distance=0.0, **sets)


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ((0.6, 0.8), (0.7, 0.9), True),
        ((0.6, 0.8), (0.8, 0.9), False),  # a border alone
        ((0.6, 0.8), (0.8, 0.8), True),  # a number that is drawn at the border
        ((0.7, 0.7), (0.7, 0.7), True),
        ((0.7, 0.7), (0.71, 0.71), False),
        (frozenset("RP"), frozenset("PS"), True),
        (frozenset("RP"), frozenset("S"), False),
        (frozenset({(4,)}), frozenset({(4, 0, 8)}), True),  # an order that begins with the cell
        (frozenset({(4,)}), frozenset({(0, 4, 8), (8, 4, 0)}), False),
        (frozenset({(4, 0, 8)}), frozenset({(4, 8, 0)}), False),
    ],
)
def test_intervals_and_sets_overlap_where_they_share_more_than_a_border(first, second, shared):
    assert overlap({"x": first}, {"x": second}) is overlap({"x": second}, {"x": first}) is shared


def test_boxes_overlap_where_all_their_sides_do():
    box = {"move": frozenset("RP"), "peak": (0.6, 0.8)}
    assert overlap(box, {"move": frozenset("P"), "peak": (0.7, 0.9)})
    assert not overlap(box, {"move": frozenset("S"), "peak": (0.7, 0.9)})
    assert not overlap(box, {"move": frozenset("P"), "peak": (0.85, 0.9)})


def test_a_region_is_what_is_given_and_the_families_own_ranges():
    family = FAMILIES["peaked_habit"]
    assert region(RPS, family, {}) == {"move": frozenset("RPS"), "peak": (0.6, 0.95)}
    assert region(RPS, family, {"peak": 0.7, "move": ["R", "S"]}) == {"move": frozenset("RS"), "peak": (0.7, 0.7)}


def test_seeds_and_dirichlet_draws_make_no_region():
    assert region(RPS, FAMILIES["memory_one"], {"alpha": 0.2}) is None
    assert region(RPS, FAMILIES["dirichlet_habit"], {"alpha": 0.2}) is None
    assert region(RPS, FAMILIES["memory_one"], {"alpha": 0.2, "seed": 3}) == {
        "alpha": (0.2, 0.2),
        "seed": frozenset({3}),
    }


@pytest.mark.parametrize(("here", "there"), APART)
def test_draws_from_regions_that_overlap_are_refused_with_both_sets(here, there):
    with pytest.raises(RequestError) as refusal:
        splitting(RPS, here, there, habits([0.7, 0.9]), habits(LOW))
    assert str(refusal.value) == (
        f"got peaked_habit drawn for {here} from peak=[0.7, 0.9] and for {there} from peak=[0.6, 0.8], expected "
        "regions without overlap: set ranges of one parameter apart"
    )
    splitting(RPS, here, there, habits(HIGH), habits(LOW))
    splitting(RPS, here, there, habits([0.7, 0.9], move="S"), habits(LOW, move=["R", "P"]))


@pytest.mark.parametrize(("here", "there"), APART)
@pytest.mark.parametrize("drawer", ["here", "there"])
def test_a_single_opponent_inside_a_region_of_the_other_set_is_refused(here, there, drawer):
    """However far it is from those that were drawn: near means parameters from a disjoint region."""
    area = habits([0.6, 0.95], move=["R", "P"])

    def declare(opponent):
        pair = (opponent, area) if drawer == "there" else (area, opponent)
        return splitting(RPS, here, there, *pair)

    point, region_of = (here, there) if drawer == "there" else (there, here)
    for peak in (0.6, 0.77, 0.95):
        with pytest.raises(
            RequestError, match=rf"in {point}, which lies where {region_of} draws from \(peak=\[0.6, 0.9"
        ):
            declare(f"peaked_habit(move=R,peak={peak})")
    for outside in ("peaked_habit(move=S,peak=0.8)", "peaked_habit(move=R,peak=0.5)"):
        declare(outside)


def test_a_corpus_may_be_drawn_from_where_training_is():
    sets = split(RPS, training=[habits(LOW)], corpus=[habits(LOW), "peaked_habit(move=S,peak=0.7)"])
    assert sets.training[0] == sets.corpus[0] and len(sets.corpus) == 2


def test_corners_of_kuhn_poker_are_told_apart_by_one_tendency():
    def corner(bluff):
        return {"family": "kuhn_tendencies", "count": 1, "parameters": {"bluff": bluff, "call": [0.1, 0.3]}}

    splitting(KUHN, "held_out", "training", corner([0.0, 0.06]), corner([0.08, 0.3]))
    with pytest.raises(RequestError, match="without overlap"):
        splitting(KUHN, "held_out", "training", corner([0.0, 0.1]), corner([0.08, 0.3]))
    with pytest.raises(RequestError, match="lies where training draws from"):
        splitting(KUHN, "held_out", "training", "kuhn_tendencies(bluff=0.2,call=0.2,raise=0.6)", corner([0.08, 0.3]))


def test_an_order_lies_in_the_region_of_its_first_cell():
    for order in (CENTRE, [4, 0, 1, 2, 3, 5, 6, 7, 8], [CENTRE, "0/1/2/3/4/5/6/7/8"]):
        with pytest.raises(RequestError, match="without overlap"):
            splitting(TIC_TAC_TOE, "held_out", "training", orders(order=order), orders(first=[4, 5]))
    with pytest.raises(RequestError, match="lies where training draws from"):
        splitting(TIC_TAC_TOE, "held_out", "training", f"preferred_cells(order={CENTRE})", orders(first=[4, 5]))
    splitting(TIC_TAC_TOE, "held_out", "training", orders(order=CENTRE), orders(first=[0, 5]))


def test_orders_that_are_given_are_apart_where_they_differ():
    splitting(TIC_TAC_TOE, "held_out", "training", orders(order=CENTRE), orders(order=CENTRE_TOO))
    with pytest.raises(RequestError, match="without overlap"):
        splitting(TIC_TAC_TOE, "held_out", "training", orders(order=CENTRE), orders(order=[CENTRE, CENTRE_TOO]))


def test_a_mixture_lies_in_a_region_of_mixtures_of_the_same_opponent():
    area = {"family": "mixture", "count": 1, "parameters": {"of": "cycle", "epsilon": [0.1, 0.3]}}
    with pytest.raises(RequestError, match="lies where training draws from"):
        splitting(RPS, "held_out", "training", "mixture(of=cycle(start=R,step=1),epsilon=0.2)", area)
    splitting(RPS, "held_out", "training", "mixture(of=cycle(start=R,step=-1),epsilon=0.2)", area)
    with pytest.raises(RequestError, match="got no of, expected the other opponent"):
        splitting(RPS, "held_out", "training", "cycle", {**area, "parameters": {}})


def test_an_opponent_outside_all_regions_is_near_its_rule():
    outside = parse(RPS, "peaked_habit(move=R,peak=0.5)")
    assert split(RPS, training=[habits(LOW)], held_out=[outside.name]).distance(outside) == "near"


@pytest.mark.parametrize(
    "inner", ["peaked_habit(move=R,peak=0.7)", "mixture(of=peaked_habit(move=R,peak=0.7),epsilon=0)"]
)
def test_a_mixture_lies_where_the_opponent_does_that_it_is_made_of(inner):
    drawn = {"family": "peaked_habit", "count": 2, "parameters": {"peak": [0.6, 0.8]}}
    with pytest.raises(RequestError, match="which lies where training draws from"):
        split(load("rock_paper_scissors"), training=[drawn], held_out=[f"mixture(of={inner},epsilon=0.1)"])
    several = {"family": "mixture", "count": 1, "parameters": {"of": [inner], "epsilon": [0.1, 0.2]}}
    with pytest.raises(RequestError, match="which lies where training draws from"):
        split(load("rock_paper_scissors"), training=[drawn], held_out=[several])
