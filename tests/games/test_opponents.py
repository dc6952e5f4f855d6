"""Named opponents: names that mean one opponent, players that follow policies, sets that don't overlap."""

from collections import Counter
from types import SimpleNamespace

import pytest

from games.errors import RequestError
from games.naming import opponent_distance
from games.opponents import expand, opponent, parse, split, split_names
from games.registry import load
from tests.games.usual_games import RPS

HABITS = {"family": "dirichlet_habit", "count": 12, "seed": 5}


@pytest.mark.parametrize(
    "name",
    [
        "peaked_habit(move=R,peak=0.8)",
        "dirichlet_habit(p=0.2/0.3/0.5)",
        "memory_one(alpha=0.2,seed=17)",
        "cycle(start=R,step=-1)",
        "win_stay_lose_shift(start=uniform)",
        "tit_for_tat(start=S)",
        "frequency_counter",
    ],
)
def test_a_name_is_read_back(name):
    assert parse(RPS, name).name == name


def test_defaults_are_written_out():
    assert parse(RPS, "tit_for_tat").name == "tit_for_tat(start=R)"
    assert opponent("rock_paper_scissors", "peaked_habit", peak=0.9).name == "peaked_habit(move=R,peak=0.9)"


def test_spaces_and_order_do_not_make_another_opponent():
    assert parse(RPS, " peaked_habit ( peak = 0.80, move = R ) ") == parse(RPS, "peaked_habit(move=R,peak=0.8)")


def test_an_unknown_family_is_refused_with_the_closest_name():
    with pytest.raises(RequestError, match="did you mean 'tit_for_tat'"):
        parse(RPS, "tit_for_tatt")


def test_a_name_that_cannot_be_read_is_refused():
    for text in ("cycle(", "cycle(R)", "cycle(step=1,step=-1)", ""):
        with pytest.raises(RequestError):
            parse(RPS, text)


def test_a_game_without_payoffs_is_refused():
    with pytest.raises(RequestError, match="without a payoff matrix"):
        parse(SimpleNamespace(name="kuhn_poker"), "tit_for_tat")


def test_a_list_of_names_splits_outside_parentheses_only():
    assert split_names("cycle(start=R,step=1), tit_for_tat") == ["cycle(start=R,step=1)", "tit_for_tat"]


def test_a_player_follows_the_joint_history_from_its_own_seat():
    episode = SimpleNamespace(history=[])
    player = parse(RPS, "tit_for_tat").player(RPS, seat=1)
    moves = [player.act(episode, 1, 0.5)]
    for joint in [(2, 0), (1, 2), (1, 1)]:
        episode.history.append(joint)
        moves.append(player.act(episode, 1, 0.5))
    assert moves == ["R", "S", "P", "P"]


def test_a_player_that_missed_rounds_catches_up():
    player = parse(RPS, "tit_for_tat").player(RPS, seat=0)
    assert player.act(SimpleNamespace(history=[(0, 0), (0, 1), (0, 2)]), 0, 0.0) == "S"


def test_every_player_starts_afresh():
    rival = parse(RPS, "cycle")
    rival.player(RPS, 0).act(SimpleNamespace(history=[(0, 0)]), 0, 0.0)
    assert rival.player(RPS, 0).act(SimpleNamespace(history=[]), 0, 0.0) == "R"


def test_the_uniform_number_picks_by_the_inverse_distribution():
    rival = parse(RPS, "dirichlet_habit(p=0.2/0.0/0.8)")
    picked = [rival.player(RPS, 0).act(SimpleNamespace(history=[]), 0, i / 10) for i in range(10)]
    assert Counter(picked) == {"R": 2, "S": 8}
    assert picked == ["R"] * 2 + ["S"] * 8


def test_draws_are_the_same_for_the_same_seed_and_all_different():
    drawn = expand(RPS, [HABITS])
    assert drawn == expand(RPS, [HABITS]) and len(set(drawn)) == 12
    assert drawn != expand(RPS, [{**HABITS, "seed": 6}])
    assert all(parse(RPS, rival.name) == rival for rival in drawn)


def test_a_mapping_without_count_is_one_opponent():
    declared = {"family": "peaked_habit", "parameters": {"move": "P", "peak": 0.7}}
    assert expand(RPS, [declared]) == (parse(RPS, "peaked_habit(move=P,peak=0.7)"),)


def test_more_draws_than_there_are_opponents_are_refused():
    with pytest.raises(RequestError, match="got 6 of 7"):
        expand(RPS, [{"family": "cycle", "count": 7}])


def test_an_unknown_key_of_a_declaration_is_refused():
    with pytest.raises(RequestError, match="did you mean 'count'"):
        expand(RPS, [{**HABITS, "counts": 3}])
    with pytest.raises(RequestError, match="did you mean 'alpha'"):
        expand(RPS, [{**HABITS, "parameters": {"alhpa": 0.3}}])
    with pytest.raises(RequestError, match="opponent family"):
        expand(RPS, [{"count": 3}])


def test_draws_keep_away_from_named_opponents():
    declared = {
        "family": "memory_one",
        "count": 20,
        "seed": 1,
        "away_from": ["cycle", "tit_for_tat"],
        "min_distance": 0.5,
    }
    others = [parse(RPS, name) for name in ("cycle", "tit_for_tat")]
    distances = [opponent_distance(RPS, drawn, other) for drawn in expand(RPS, [declared]) for other in others]
    assert min(distances) >= 0.5
    free = expand(RPS, [{**declared, "away_from": []}])
    assert min(opponent_distance(RPS, drawn, other) for drawn in free for other in others) < 0.5


def test_the_same_opponent_twice_is_refused():
    with pytest.raises(RequestError, match="behaves like tit_for_tat"):
        expand(RPS, ["tit_for_tat", "tit_for_tat(start=R)"])


def test_an_alias_in_training_and_held_out_is_refused_with_both_names():
    message = r"dirichlet_habit\(p=0.8/0.1/0.1\), which behaves like peaked_habit\(move=R,peak=0.8\)"
    with pytest.raises(RequestError, match=message):
        split(RPS, training=["peaked_habit"], held_out=["dirichlet_habit(p=0.8/0.1/0.1)"], min_distance=0.0)


def test_an_alias_on_one_seat_only_is_refused_too():
    """In matching pennies seat 0 wins by matching, so win-stay lose-shift copies the other's last move."""
    pennies = load("matching_pennies")
    with pytest.raises(RequestError, match="behaves like"):
        split(pennies, training=["tit_for_tat"], held_out=["win_stay_lose_shift"])


def test_validation_and_held_out_do_not_share_an_opponent():
    with pytest.raises(RequestError, match="behaves like"):
        split(RPS, training=["cycle"], validation=["tit_for_tat"], held_out=["tit_for_tat"])


def test_a_named_opponent_too_near_to_training_is_refused():
    with pytest.raises(RequestError, match=r"distance 0.020 from .*peak=0.8\), expected at least 0.05"):
        split(RPS, training=["peaked_habit"], held_out=["peaked_habit(move=R,peak=0.82)"])
    split(RPS, training=["peaked_habit"], held_out=["peaked_habit(move=R,peak=0.86)"])


def test_draws_too_near_to_training_are_drawn_again():
    sets = split(RPS, training=[HABITS], held_out=[HABITS], min_distance=0.1)
    distances = [opponent_distance(RPS, held, met) for held in sets.held_out for met in sets.training]
    assert len(sets.held_out) == 12 and min(distances) >= 0.1


def test_a_split_tells_training_near_and_far_apart():
    sets = split(RPS, training=["peaked_habit"], held_out=["dirichlet_habit(p=0.1/0.3/0.6)", "cycle"], validation=[])
    assert [sets.distance(rival) for rival in (*sets.training, *sets.held_out)] == ["training", "near", "far"]


def test_uniform_play_under_two_names_is_refused_in_a_matrix_game():
    pennies = load("matching_pennies")
    for alias in ("peaked_habit(move=H,peak=0.5)", "dirichlet_habit(p=0.5/0.5)"):
        with pytest.raises(RequestError, match="which behaves like random"):
            split(pennies, training=["random"], held_out=[alias], min_distance=0.0)


def test_the_corpus_keeps_away_from_what_is_tested_and_may_be_what_is_trained_on():
    sets = split(RPS, training=["cycle"], held_out=["tit_for_tat"], corpus=["cycle", HABITS], min_distance=0.05)
    assert sets.corpus == (parse(RPS, "cycle"), *expand(RPS, [HABITS]))
    for tested in ({"held_out": ["tit_for_tat"]}, {"validation": ["tit_for_tat"]}):
        with pytest.raises(RequestError, match="behaves like tit_for_tat"):
            split(RPS, training=["cycle"], corpus=["tit_for_tat"], **tested)


@pytest.mark.parametrize(
    "made",
    [
        "mixture(of=tit_for_tat(start=R),epsilon=0.3)",
        "best_response(to=tit_for_tat(start=R))",
        "best_response(to=mixture(of=tit_for_tat(start=R),epsilon=0.2))",
        "q_learning(episodes=10,against=tit_for_tat(start=R),seed=1)",
    ],
)
def test_a_held_out_opponent_teaches_nobody_who_is_trained_against_or_chosen_by(made):
    game = load("rock_paper_scissors")
    held_out, other = ["tit_for_tat(start=R)"], ["cycle(start=R,step=1)"]
    kept = [{"training": [made]}, {"training": other, "corpus": [made]}, {"training": other, "validation": [made]}]
    for sets in kept:
        with pytest.raises(RequestError, match="made of .*which behaves like tit_for_tat"):
            split(game, held_out=held_out, **sets)
    assert split(game, training=held_out, held_out=[made]).held_out  # the other way round nothing is given away


def test_nor_does_one_that_is_nearer_to_it_than_training_may_be():
    near = ["best_response(to=peaked_habit(move=R,peak=0.82))"]
    held_out = ["peaked_habit(move=R,peak=0.8)"]
    with pytest.raises(RequestError, match="which is at distance 0.020 from peaked_habit"):
        split(load("rock_paper_scissors"), training=near, held_out=held_out, min_distance=0.1)
    assert split(load("rock_paper_scissors"), training=near, held_out=held_out, min_distance=0.01).training
