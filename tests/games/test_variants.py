"""Variants: what a changed game pays and says, who is met there, and what is refused in one sentence."""

import numpy as np
import pytest

from games import exact
from games.errors import RequestError
from games.naming import behaviour, parse
from games.registry import load
from games.variants import describe_variants, variant

RPS = load("rock_paper_scissors", rounds=3, rendering="full")
KUHN = load("kuhn_poker", rendering="full")
TICTACTOE = load("tictactoe")


def played(game, *moves, seed=0):
    """The episode in which these moves are made in order, and what each seat has read at its end."""
    episode, read = game.start(seed), [""] * game.seats
    for move in moves:
        assert episode.seat_to_move is not None
        read[episode.seat_to_move] += episode.news(episode.seat_to_move)
        episode.play(move)
    return episode, [text + episode.news(seat) for seat, text in enumerate(read)]


@pytest.mark.parametrize(
    ("game", "written", "canonical"),
    [
        (RPS, "rounds", "rounds(count=12)"),
        (RPS, " rounds( count = 5 ) ", "rounds(count=5)"),
        (RPS, "misere", "misere"),
        (RPS, "relabelled", "relabelled(to=A/B/C)"),
        (RPS, "relabelled(to= P / S /R)", "relabelled(to=P/S/R)"),
        (RPS, "weighted", "weighted(move=R,factor=2.0)"),
        (RPS, "scaled(factor=3)", "scaled(factor=3.0)"),
        (RPS, "game(name=openspiel:leduc_poker(players=3))", "game(name=openspiel:leduc_poker(players=3))"),
        (KUHN, "misere", "misere"),
        (load("public_goods"), "rounds(count=2)", "rounds(count=2)"),
    ],
)
def test_a_variant_is_made_again_by_its_canonical_name(game, written, canonical):
    changed = variant(game, written)
    assert changed.name == canonical
    assert variant(game, canonical).game == changed.game != game


def test_more_rounds_pay_more_in_all_and_the_rules_say_how_many():
    longer = variant(RPS, "rounds(count=5)").game
    assert (longer.max_turns, longer.utility_range, longer.name) == (5, (-5.0, 5.0), "rock_paper_scissors")
    assert "for 4 episodes of 5 rounds" in longer.rules(0, 4)
    assert variant(load("public_goods"), "rounds(count=2)").game.name == "public_goods(rounds=2)"


def test_in_misere_rock_paper_scissors_rock_loses_to_scissors():
    changed = variant(RPS, "misere").game
    assert "If you play R and they play S, you get -1 and they get 1.\n" in changed.rules(0, 1)
    assert changed.name == "rock_paper_scissors/misere" and changed.name in changed.rules(1, 1)
    episode, read = played(changed, "R", "S", "R", "S", "P", "P")
    assert episode.returns == [-2.0, 2.0]
    assert read[0].startswith("they played S; you get -1\n")


def test_misere_of_a_general_sum_game_negates_both_payoffs():
    """C now gets -3 or 0, D -5 or -1: C is better whatever the other does, and secures -3 in each of six rounds."""
    changed = variant(load("prisoners_dilemma"), "misere").game
    np.testing.assert_array_equal(changed.payoffs[:, 0, 0], [-3.0, -3.0])
    assert exact.security_value(changed, 0) == pytest.approx(6 * -3.0)


def test_in_misere_kuhn_nobody_bets_and_the_game_is_even():
    """A bet that is folded to costs 1 and wins nothing; if all pass, the higher card pays 1, and either may hold it."""
    changed = variant(KUHN, "misere").game
    assert changed.solver == "misere(game=kuhn_poker())" and changed.zero_sum
    assert exact.nash_value(changed) == pytest.approx(0.0, abs=1e-9)
    first = parse(changed, "first_legal")  # always passes
    assert exact.nash_conv(changed, [first, first]) == pytest.approx(0.0, abs=1e-12)
    assert exact.nash_value(KUHN) == pytest.approx(-1 / 18)


def test_misere_kuhn_reads_as_kuhn_does_but_for_a_line_and_the_result():
    changed = variant(KUHN, "misere").game
    assert changed.rules(1, 2).startswith(KUHN.rules(1, 2))
    assert (
        changed.rules(1, 2).removeprefix(KUHN.rules(1, 2)).startswith("But this is a misere game: whatever the rules")
    )
    plain, plain_read = played(KUHN, "bet", "pass", seed=4)
    turned, turned_read = played(changed, "bet", "pass", seed=4)
    assert (plain.returns, turned.returns) == ([1.0, -1.0], [-1.0, 1.0])
    assert turned_read[0] == plain_read[0].replace("you get 1 chip", "you get -1 chip") != plain_read[0]


def test_whoever_plays_kuhn_by_tendencies_plays_misere_kuhn_by_them():
    """Against one who bets jacks and kings and calls with queens: a jack that bets is called and loses 2, which pays 2;
    a queen that passes and folds gets 1; a king gets 1 from a jack's bet and pays 1 to a queen: (2 + 1 + 0) / 3.
    """
    misere = variant(KUHN, "misere")
    rival = misere.opponent(parse(KUHN, "aggressive"))
    assert rival is not None and rival.name == "kuhn_tendencies(bluff=1.0,call=1.0,raise=1.0)"
    assert exact.best_response_value(misere.game, rival, 0) == pytest.approx(1.0)


def test_a_greedy_player_of_misere_tic_tac_toe_is_not_the_one_of_tic_tac_toe():
    """With two in the top row and c1 free, greedy wins by c1; in misere that loses, and it takes the middle."""
    for text, move in ((None, "c1"), ("misere", "b2")):
        game = TICTACTOE if text is None else variant(TICTACTOE, text).game
        episode, _ = played(game, "a1", "a3", "b1", "b3")
        assert parse(game, "greedy(blunder=0.0)").player(game, 0).act(episode, 0, 0.5) == move


def test_in_misere_tic_tac_toe_three_in_a_line_lose_and_the_solver_knows():
    changed = variant(TICTACTOE, "misere").game
    episode, read = played(changed, "a1", "a2", "b1", "b2", "c1")
    assert episode.returns == [-1.0, 1.0]
    assert read[0].endswith("lose -1\n") and read[1].endswith("win 1\n")
    assert changed.rules(0, 1).endswith("misere: every payoff has the opposite sign\n")
    assert str(episode.state.get_game()) == changed.solver and episode.state.returns() == [-1.0, 1.0]
    assert exact.nash_value(changed) == 0.0
    assert exact.best_response_value(changed, parse(changed, "first_legal"), 1) == 1.0  # it lets that fill a line


def test_a_search_plays_the_game_that_is_turned_round():
    """O has two in its middle row, and would lose by a third."""
    changed = variant(TICTACTOE, "misere").game
    episode, _ = played(changed, "a1", "a2", "b1", "b2", "b3")
    searcher = parse(changed, "mcts(simulations=200)").player(changed, 1)
    assert all(searcher.act(episode, 1, uniform) != "c2" for uniform in (0.1, 0.5, 0.9))


def test_games_with_a_range_on_one_side_get_the_other():
    changed = variant(load("bargaining"), "misere").game
    assert changed.utility_range == (-10.0, 0.0)


def test_new_names_change_words_only_and_opponents_move_as_before():
    relabelled = variant(RPS, "relabelled(to=P/S/R)")
    np.testing.assert_array_equal(relabelled.game.payoffs, RPS.payoffs)
    assert relabelled.game.moves == (("P", "S", "R"),) * 2
    assert "If you play P and they play R, you get 1 and they get -1.\n" in relabelled.game.rules(0, 1)
    for name, new in (
        ("peaked_habit(move=R,peak=0.8)", "peaked_habit(move=P,peak=0.8)"),
        ("cycle(start=uniform,step=1)", "cycle(start=uniform,step=1)"),
        ("best_response(to=mixture(of=tit_for_tat(start=S),epsilon=0.5))",
         "best_response(to=mixture(of=tit_for_tat(start=R),epsilon=0.5))"),
        ("memory_one(alpha=0.2,seed=3)", "memory_one(alpha=0.2,seed=3)"),
    ):  # fmt: skip
        named = parse(RPS, name)
        carried = relabelled.opponent(named)
        assert carried is not None and carried.name == new
        assert behaviour(relabelled.game, carried) == behaviour(RPS, named)


def test_the_free_capitals_are_those_that_are_no_moves():
    assert variant(load("stag_hunt"), "relabelled").game.moves == (("A", "B"),) * 2
    lettered = load("matrix", moves=[["A", "B"], ["B", "x"]], payoffs=[[1, 0], [0, 1]])
    assert variant(lettered, "relabelled").game.moves == (("C", "D"), ("D", "E"))


def test_a_doubled_rock_pays_two_where_rock_wins():
    """The equilibrium of that game is rock 1/4, paper 1/2, scissors 1/4: each move then gets 0."""
    changed = variant(RPS, "weighted(move=R)").game
    np.testing.assert_array_equal(changed.payoffs[0], [[0, -1, 2], [1, 0, -1], [-2, 1, 0]])
    assert changed.zero_sum and changed.name == "rock_paper_scissors/weighted(move=R,factor=2.0)"
    np.testing.assert_allclose([0.25, 0.5, 0.25] @ changed.payoffs[0], 0.0)
    policy = parse(changed, "equilibrium").policy(changed, 0)
    np.testing.assert_allclose(policy.probabilities, [[0.25, 0.5, 0.25]], atol=1e-12)


def test_either_seat_can_win_with_the_move_in_a_game_without_symmetry():
    """Seat 0 wins with H on H, H; seat 1 with H on T, H."""
    changed = variant(load("matching_pennies"), "weighted(move=H,factor=3)").game
    np.testing.assert_array_equal(changed.payoffs[0], [[3, -1], [-3, 1]])


def test_scaled_payoffs_are_written_as_a_person_would():
    changed = variant(load("matrix", moves=[["a"], ["b"]], payoffs=[[0.1]], rendering="full"), "scaled(factor=3)").game
    assert "you get 0.3 and they get -0.3." in changed.rules(0, 1)


def test_rules_that_look_at_payoffs_look_at_the_new_ones():
    """Against a rock that wins twice, paper is still best; in misere scissors are."""
    habit = "best_response(to=peaked_habit(move=R,peak=1.0))"
    for text, move in (("weighted", "P"), ("misere", "S")):
        changed = variant(RPS, text)
        carried = changed.opponent(parse(RPS, habit))
        assert carried is not None and carried.player(changed.game, 0).act(changed.game.start(0), 0, 0.5) == move


def test_in_another_game_only_those_are_met_whom_it_knows():
    other = variant(RPS, "game(name=matching_pennies)")
    assert (other.game.name, other.game.max_turns) == ("matching_pennies", 3)  # as long as the game was
    kept = "memory_one(alpha=0.2,seed=3)"
    assert other.opponent(parse(RPS, kept)) == parse(other.game, kept)
    for name in ("peaked_habit(move=R,peak=0.8)", "dirichlet_habit(p=0.2/0.3/0.5)"):
        assert other.opponent(parse(RPS, name)) is None
    assert variant(RPS, "game(name=kuhn_poker)").opponent(parse(RPS, "tit_for_tat")) is None


def test_an_opponent_that_grows_too_large_is_met_no_longer():
    long = variant(RPS, "rounds(count=1000)")
    assert long.opponent(parse(RPS, "frequency_counter")) is None
    assert long.opponent(parse(RPS, "tit_for_tat(start=P)")) == parse(RPS, "tit_for_tat(start=P)")


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        (RPS, "miser", "unknown variant 'miser': known are game, misere, .* did you mean 'misere'"),
        (RPS, "rounds(n=3)", "unknown parameter of rounds 'n': known are count"),
        (RPS, "rounds(3)", "expected each parameter once, as name=value"),
        (RPS, "rounds(count=3,count=4)", "each parameter once"),
        (RPS, "rounds(", r"expected name or name\(parameter=value,...\)"),
        (RPS, "", r"expected name or name"),
        (RPS, "rounds(count=0)", "expected a whole number of at least 1"),
        (RPS, "rounds(count=3)", r"rounds\(count=3\) of rock_paper_scissors, which changes nothing"),
        (RPS, "weighted(factor=1)", "changes nothing"),
        (load("matrix", moves=[["a"], ["b"]], payoffs=[[0]]), "misere", "changes nothing"),
        (RPS, "relabelled(to=R/P/S)", "changes nothing"),
        (RPS, "game(name=rock_paper_scissors)", "changes nothing"),
        (KUHN, "game(name=kuhn_poker)", "changes nothing"),
        (load("public_goods"), "rounds(count=6)", "changes nothing"),
        (RPS, "relabelled(to=A/B)", "got 2 names in to=A/B for the 3 moves"),
        (RPS, "relabelled(to=A/B/A)", "all different"),
        (RPS, "relabelled(to=A/B/x y)", "distinct words without spaces"),
        (RPS, "weighted(move=X)", "unknown move in rock_paper_scissors 'X'"),
        (RPS, "game", "got no name, expected the other game"),
        (RPS, "game(name=kuhn)", "unknown game 'kuhn'"),
        (KUHN, "rounds", "the variant rounds of openspiel:kuhn_poker, .* choose one of misere, game"),
        (load("hanabi"), "misere", "whose chance moves it lists, expected one that the game has: choose one of game"),
        (load("public_goods"), "weighted", "without a payoff matrix.* choose one of rounds, game"),
    ],
)
def test_a_variant_that_makes_no_sense_is_refused_in_one_sentence(game, text, message):
    with pytest.raises(RequestError, match=message) as caught:
        variant(game, text)
    assert "\n" not in str(caught.value)


def test_the_list_says_what_there_is_and_what_a_game_has():
    rows = {row.name: row for row in describe_variants()}
    assert list(rows) == ["rounds", "misere", "relabelled", "weighted", "scaled", "game"]
    assert rows["rounds"].parameters == (("count", "rounds, at least 1"),) and all(row.doc for row in rows.values())
    assert [row.name for row in describe_variants(TICTACTOE)] == ["misere", "relabelled", "game"]
    assert [row.name for row in describe_variants(load("public_goods"))] == ["rounds", "game"]
