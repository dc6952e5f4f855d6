"""The greedy Bayes player: hand-made trials, Kuhn poker played by a few lines of Python, limits, simulation."""

from types import SimpleNamespace

import numpy as np
import pytest

from games import exact
from games.errors import RequestError
from games.trees import bayes
from games.trees.endings import endings
from games.trees.states import from_table, plan_of_sequences
from tests.games.trees.kuhn_by_hand import KEYS, ByHand
from tests.games.usual_games import KUHN, bare

BARE = bare("kuhn_poker")
NEVER, ALWAYS = ({key: bet for seat in KEYS for key in KEYS[seat]} for bet in (0.0, 1.0))


def policy(bets):
    """The tree policy of {card and moves so far: probability of betting or calling}."""
    return from_table(KUHN, {key: [1.0 - bet, bet] for key, bet in bets.items()})


def greedy(rivals, seat, episodes, weights=None, game=KUHN):
    return exact.greedy_bayes_returns(game, [policy(rival) for rival in rivals], seat, episodes, weights)


def drawn(rng, count):
    """Opponents that do some things nearly always and others hardly ever."""
    return [{key: float(rng.beta(0.5, 0.5)) for seat in KEYS for key in KEYS[seat]} for _ in range(count)]


def test_whoever_is_expected_alone_is_known_at_once():
    for seat in (0, 1):
        rival = drawn(np.random.default_rng(seat), 1)
        informed = exact.best_response_value(KUHN, policy(rival[0]), seat)
        np.testing.assert_allclose(greedy(rival, seat, 4), [[informed] * 4])


def test_one_bet_tells_a_caller_from_a_folder():
    """Not knowing which, a jack and a queen bet, a king may as well pass: 1 against the folder (it never bets either);
    against the other -2, 0 and 2 (it bets, and is called). All of it tells them apart. Then each gets what it gets when
    known: 1, and (-1 + 0 + 2) / 3 from a caller.
    """
    np.testing.assert_allclose(greedy([NEVER, ALWAYS], 0, 3), [[1, 1, 1], [0, 1 / 3, 1 / 3]], atol=1e-12)
    assert exact.best_fixed_value(KUHN, [policy(NEVER), policy(ALWAYS)], 0) == pytest.approx(1 / 2)


def test_two_that_are_the_same_teach_nothing():
    rival = drawn(np.random.default_rng(3), 1)[0]
    informed = exact.best_response_value(KUHN, policy(rival), 1)
    np.testing.assert_allclose(greedy([rival, rival], 1, 5), np.full((2, 5), informed))


def test_a_bet_that_makes_a_queen_fold_is_twice_as_likely_from_a_bluffer():
    """After a pass one bets with kings only, the other with jacks too. A queen is dealt in 1 of 3; the first then bets
    with 1 of 2 cards, the second with both: 1/6 and 1/3. Equal beliefs become 1/3 and 2/3.
    """
    honest = {**NEVER, "2p": 1.0}
    known = endings(KUHN, 0)
    likely = np.array(
        [
            known.likelihoods({1: plan_of_sequences("kuhn_poker", policy(bets), 1)})
            for bets in (honest, {**honest, "0p": 1})
        ]
    )
    number = [ending.told for ending in known.seen].index("card Q\nbet\nreturn -1\n")
    np.testing.assert_allclose(likely[:, number], [1 / 6, 1 / 3])
    np.testing.assert_allclose(bayes.learned(np.array([[0.5, 0.5]]), likely[:, number]), [[1 / 3, 2 / 3]])


def test_what_nobody_would_do_teaches_nothing():
    np.testing.assert_array_equal(bayes.learned(np.array([[1.0, 0.0]]), np.array([0.0, 0.3])), [[1.0, 0.0]])


def test_a_card_that_is_shown_counts():
    """Both bet after a pass with kings only. The one calls with kings only, the other with queens only.

    Not knowing which, all bet: a jack gets (1 - 2) / 2, a queen (1 + (1 - 2) / 2) / 2, a king (1 + 3/2) / 2; together
    1/3. Knowing: -1/2, 0 (it passes), 1 from the one, -1/2, 1, 3/2 from the other; the mean is 5/12. A jack that is
    called, in 1 of 6 deals, knows who called by the card, which the return of -2 doesn't tell: (5/12 - 1/3) / 6.
    """
    rivals = [{**NEVER, "2b": 1.0, "2p": 1.0}, {**NEVER, "1b": 1.0, "2p": 1.0}]
    shown, hidden = greedy(rivals, 0, 2).mean(axis=0), greedy(rivals, 0, 2, game=BARE).mean(axis=0)
    assert shown[0] == pytest.approx(1 / 3) == pytest.approx(hidden[0])
    assert shown[1] - hidden[1] == pytest.approx(1 / 72)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("shown", [True, False])
def test_three_episodes_agree_with_all_that_can_happen(seat, shown):
    """Without words (`BARE`) a showdown shows no card; the return tells what it tells."""
    for seed in range(3):
        rivals, weights = drawn(np.random.default_rng(seed), 3), np.array([0.5, 0.3, 0.2])
        expected = ByHand(rivals, seat, shown).greedy(weights, np.ones(3), 3)
        found = greedy(rivals, seat, 3, 10 * weights, KUHN if shown else BARE)
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_mean_starts_at_the_best_fixed_value_and_never_falls(seat):
    gained = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rivals, weights = drawn(rng, 4), rng.random(4) + 0.1
        policies = [policy(rival) for rival in rivals]
        mean = weights @ greedy(rivals, seat, 5, weights) / weights.sum()
        informed = [exact.best_response_value(KUHN, rival, seat) for rival in policies]
        assert mean[0] == pytest.approx(exact.best_fixed_value(KUHN, policies, seat, weights))
        assert (np.diff(mean) > -1e-12).all()
        assert mean[4] <= weights @ informed / weights.sum() + 1e-12
        gained.append(mean[4] - mean[0])
    assert max(gained) > 0.01


def test_exploring_may_pay_where_the_greedy_player_does_not():
    """Both check after a pass; after a bet the one folds, the other calls with kings. Believed with w = 0.32 and 0.68.

    A jack bets either way, a king gains nothing by it. A queen's bet gets w - (1 - w) / 2 = -0.02, passing 0: the
    greedy player passes and never learns by a queen. A bet loses 0.02 in a third of the deals; a fold, under w and half
    of the rest, leaves 0.32 against 0.34, so that in the next episode, in another third, queens bet and get
    0.32 - 0.34 / 2 = 0.15. Together 0.15 / 9 - 0.02 / 3 = 0.01.
    """
    rivals, weights = [NEVER, {**NEVER, "2b": 1.0}], np.array([0.32, 0.68])
    total = float((weights @ greedy(rivals, 0, 2, weights)).sum())
    optimum = ByHand(rivals, 0).optimum(weights)
    informed = 2 * weights @ [exact.best_response_value(KUHN, policy(rival), 0) for rival in rivals]
    assert optimum - total == pytest.approx(0.01)
    assert optimum < informed - 0.01


@pytest.mark.parametrize("seat", [0, 1])
def test_the_best_total_of_two_episodes_lies_between_greedy_and_informed(seat):
    for seed in range(5):
        rivals = drawn(np.random.default_rng(seed), 2)
        total = float(greedy(rivals, seat, 2).mean(axis=0).sum())
        optimum = ByHand(rivals, seat).optimum(np.array([0.5, 0.5]))
        informed = np.mean([exact.best_response_value(KUHN, policy(rival), seat) for rival in rivals])
        assert total - 1e-12 <= optimum <= 2 * informed + 1e-12


def test_a_weight_of_nothing_is_an_opponent_that_is_not_expected():
    """The player expects the folder: jack and queen bet, a king passes, and folds to the bet that it doesn't expect,
    the first of moves that make no difference. One that always bets and calls takes 2, 0 and 1 in every episode.
    """
    np.testing.assert_allclose(greedy([NEVER, ALWAYS], 0, 3, [1, 0]), [[1, 1, 1], [-1, -1, -1]], atol=1e-12)


def test_an_opponent_without_a_policy_has_no_returns():
    searching = SimpleNamespace(strategy=lambda game, seat: SimpleNamespace())
    assert exact.greedy_bayes_returns(KUHN, [policy(NEVER), searching], 0, 2) is None


def test_the_values_agree_with_simulated_trials():
    """20,000 trials against each of three; the player and its beliefs are those of `ByHand`."""
    rivals, rng, trials, episodes = drawn(np.random.default_rng(1), 3), np.random.default_rng(7), 20_000, 4
    hand, expected = ByHand(rivals, 0), greedy(rivals, 0, 4)
    for rival in range(3):
        returns = np.zeros((trials, episodes))
        groups = {(): np.arange(trials)}  # what was seen so far: which trials
        for episode in range(episodes):
            following = {}
            for past, rows in groups.items():
                joint = np.ones(3)
                for plan, what in past:
                    joint = joint * hand.seen[plan][what]
                plan = hand.best(joint / joint.sum())
                seen = list(hand.seen[plan])
                met = rng.choice(len(seen), size=len(rows), p=[hand.seen[plan][what][rival] for what in seen])
                returns[rows, episode] = np.array([what[3] for what in seen])[met]
                for number in np.unique(met):
                    following[(*past, (plan, seen[number]))] = rows[met == number]
            groups = following
        error = returns.std(axis=0) / np.sqrt(trials)
        assert (np.abs(returns.mean(axis=0) - expected[rival]) < 3 * error).all()


@pytest.mark.parametrize("seat", [0, 1])
def test_two_episodes_of_leduc_poker(seat):
    """OpenSpiel's texts stand for the game's words, which take 5,520 episodes to read."""
    leduc, rng = bare("leduc_poker"), np.random.default_rng(0)
    where = exact.information_states(leduc, 1 - seat)
    rivals = [{state.key: rng.dirichlet([0.3] * len(state.actions)) for state in where} for _ in range(3)]
    first, second = exact.greedy_bayes_returns(leduc, rivals, seat, 2).mean(axis=0)
    assert first == pytest.approx(exact.best_fixed_value(leduc, rivals, seat))
    assert first + 0.01 < second < np.mean([exact.best_response_value(leduc, rival, seat) for rival in rivals])


def test_too_many_beliefs_are_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr(bayes, "BELIEFS", 20)
    rivals = drawn(np.random.default_rng(0), 3)
    assert greedy(rivals, 0, 2).shape == (3, 2)
    with pytest.raises(RequestError, match="more than 20 beliefs.* ask for fewer episodes"):
        greedy(rivals, 0, 4)


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [1, float("nan")]])
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(ValueError, match="weights"):
        greedy([NEVER, ALWAYS], 0, 2, weights)
