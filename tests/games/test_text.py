"""Episodes by AEC rules, and matrix games as text."""

from __future__ import annotations

import pytest
from pettingzoo.classic.tictactoe import tictactoe as classic

from games.matrix import PAYOFFS, make_spec
from games.matrix_text import RENDERINGS, MatrixGame
from games.text import Episode, TextGame
from tests.games.playing import play

RPS = MatrixGame(PAYOFFS["rock_paper_scissors"], 2)
DILEMMA = MatrixGame(PAYOFFS["prisoners_dilemma"], 2)


class TicTacToeAdapter:
    """Cells 1 to 9; each seat reads the other's cell."""

    def opening(self, env):
        return "", ""

    def legal_moves(self, env, seat):
        mask = env.observe(env.possible_agents[seat])["action_mask"]
        return tuple(str(cell + 1) for cell in range(9) if mask[cell])

    def action(self, env, seat, move):
        return int(move) - 1

    def news(self, env, seat, move):
        return ("", f"{move}\n") if seat == 0 else (f"{move}\n", "")

    def history(self, env):
        return ()


def tictactoe() -> Episode:
    return Episode(classic.env(), TicTacToeAdapter(), seed=1, utility_range=(-1.0, 1.0), zero_sum=True)


class Countdown:
    """An AEC environment of three agents: each says "go" once, is finished, and pays everyone else 1.

    Like Shimmy's, it leaves the rewards of the last move lying there while finished agents are removed.
    """

    def __init__(self):
        self.possible_agents = ["a_0", "b_0", "c_0"]

    def reset(self, seed=None, options=None):
        self.seed = seed
        self.agents = list(self.possible_agents)
        self.agent_selection = "a_0"
        self.rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            assert action is None
            self.agents.remove(agent)
            for table in (self.rewards, self.terminations, self.truncations):
                del table[agent]
            self.agent_selection = self.agents[0] if self.agents else agent
        else:
            assert action is not None
            self.rewards = {other: int(other != agent) for other in self.agents}
            self.terminations[agent] = True


class CountdownAdapter(TicTacToeAdapter):
    def opening(self, env):
        return [f"seed {env.seed}\n"] * 3

    def legal_moves(self, env, seat):
        return ("go",)

    def action(self, env, seat, move):
        return 7

    def news(self, env, seat, move):
        return ["", "", ""]


def countdown() -> Episode:
    return Episode(Countdown(), CountdownAdapter(), seed=5, utility_range=(-4.0, 2.0), zero_sum=False)


def test_the_loser_of_a_classic_is_paid_too():
    episode = play(tictactoe(), *"14253")
    assert episode.seat_to_move is None
    assert episode.returns == [1.0, -1.0]
    assert (episode.rewards_since(0), episode.rewards_since(1)) == (1.0, -1.0)


def test_a_win_of_the_second_seat_is_not_mirrored():
    episode = play(tictactoe(), *"14259786")
    assert episode.returns == [-1.0, 1.0]


def test_a_draw_of_a_classic_pays_nothing_and_ends():
    episode = play(tictactoe(), *"123546879")
    assert episode.seat_to_move is None
    assert episode.returns == [0.0, 0.0]
    with pytest.raises(ValueError, match="the episode is over"):
        episode.legal_moves()


def test_legal_moves_and_news_follow_the_board():
    episode = play(tictactoe(), *"51")
    assert episode.legal_moves() == ("2", "3", "4", "6", "7", "8", "9")
    assert (episode.news(0), episode.news(1)) == ("1\n", "5\n")
    assert (episode.news(0), episode.news(1)) == ("", "")


def test_a_forfeit_in_a_zero_sum_classic_is_a_loss_and_a_win():
    episode = play(tictactoe(), *"5")
    episode.forfeit()
    assert episode.seat_to_move is None
    assert episode.returns == [1.0, -1.0]
    assert episode.forfeits == [0, 1]
    assert (episode.rewards_since(0), episode.rewards_since(1)) == (1.0, -1.0)


def test_finished_agents_get_none_and_every_reward_counts_once():
    episode = countdown()
    assert [episode.news(seat) for seat in range(3)] == ["seed 5\n"] * 3
    played = []
    while episode.seat_to_move is not None:
        played.append(episode.seat_to_move)
        episode.play("go")
    assert played == [0, 1, 2]
    assert episode.returns == [0.0, 1.0, 2.0]  # the finished are gone when the later ones pay
    assert [episode.rewards_since(seat) for seat in range(3)] == [0.0, 1.0, 2.0]


def test_a_forfeit_elsewhere_leaves_the_others_what_they_have():
    episode = play(countdown(), "go")
    episode.forfeit()
    assert episode.returns == [0.0, -4.0, 1.0]
    assert episode.forfeits == [0, 1, 0]


def test_a_forfeit_after_some_rounds_books_the_whole_episode():
    episode = play(RPS.start(seed=0), *"PR")
    assert (episode.rewards_since(0), episode.rewards_since(1)) == (1.0, -1.0)
    episode.forfeit()
    assert episode.returns == [-2.0, 2.0]
    assert (episode.rewards_since(0), episode.rewards_since(1)) == (-3.0, 3.0)
    with pytest.raises(ValueError, match="the episode is over"):
        episode.forfeit()


def test_a_forfeit_in_the_prisoners_dilemma_keeps_the_other_s_return():
    episode = play(DILEMMA.start(seed=0), *"DCC")
    episode.forfeit()
    assert episode.returns == [5.0, 0.0]
    assert episode.forfeits == [0, 1]
    assert episode.news(0) == "C 5\nseat 1 forfeits\n"
    assert episode.news(1) == "D 0\nyou forfeit\n"


def test_an_illegal_move_is_the_programmer_s_mistake_and_changes_nothing():
    episode = RPS.start(seed=0)
    with pytest.raises(ValueError, match="got move 'X', expected one of"):
        episode.play("X")
    assert episode.seat_to_move == 0
    assert episode.forfeits == [0, 0]


def test_each_seat_reads_the_other_s_move_and_its_own_payoff():
    episode = play(RPS.start(seed=0), *"RP")
    assert (episode.news(0), episode.news(1)) == ("P -1\n", "R 1\n")
    play(episode, *"SS")
    assert (episode.news(0), episode.news(1)) == ("S 0\n", "S 0\n")
    assert episode.history == [(0, 1), (2, 2)]
    assert episode.returns == [-1.0, 1.0]


def test_nothing_of_a_round_is_shown_before_both_moved():
    episode = RPS.start(seed=0)
    episode.play("S")
    assert episode.seat_to_move == 1
    assert (episode.news(0), episode.news(1), list(episode.history)) == ("", "", [])


def test_news_not_read_in_time_is_not_lost():
    episode = play(RPS.start(seed=0), *"RPSS")
    assert episode.news(1) == "R 1\nS 0\n"


def test_a_payoff_that_is_not_whole_is_written_in_full():
    game = MatrixGame(make_spec("halves", ["A"], ["B"], [[0.5]]), 1)
    episode = play(game.start(seed=0), *"AB")
    assert (episode.news(0), episode.news(1)) == ("B 0.5\n", "A -0.5\n")


def test_the_compact_rules_are_one_line():
    game = MatrixGame(PAYOFFS["rock_paper_scissors"], 6)
    assert game.rules(0, 3) == "rock_paper_scissors seat 0: R P S, 6 rounds, 3 episodes\n"
    assert game.episode_header(1) == "episode 1\n"
    assert MatrixGame(game.spec, 1).rules(1, 1) == "rock_paper_scissors seat 1: R P S, 1 round, 1 episode\n"


def test_the_full_rules_give_each_seat_its_own_payoffs():
    game = MatrixGame(PAYOFFS["prisoners_dilemma"], 2, "full")
    assert "If you play D and they play C, you get 5 and they get 0.\n" in game.rules(0, 3)
    assert game.rules(0, 3).replace("seat 0", "seat 1") == game.rules(1, 3)
    pennies = MatrixGame(PAYOFFS["matching_pennies"], 2, "full")
    assert "If you play H and they play H, you get -1 and they get 1.\n" in pennies.rules(1, 3)
    assert "If you play T and they play H, you get 1 and they get -1.\n" in pennies.rules(1, 3)
    episode = play(game.start(seed=0), *"CD")
    assert episode.news(0) == "they played D; you get 0\n"


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_every_text_ends_in_a_newline(rendering):
    game = MatrixGame(PAYOFFS["stag_hunt"], 1, rendering)
    episode = play(game.start(seed=0), *"SH")
    texts = [game.rules(0, 2), game.rules(1, 2), game.episode_header(2), episode.news(0), episode.news(1)]
    assert all(text.endswith("\n") and not text[:-1].endswith((" ", "\n")) for text in texts)


def test_a_matrix_game_offers_what_solvers_need():
    game: TextGame = DILEMMA
    assert (game.name, game.seats, game.max_turns) == ("prisoners_dilemma", 2, 2)
    assert (game.utility_range, game.zero_sum) == ((0.0, 10.0), False)
    assert (RPS.utility_range, RPS.zero_sum) == ((-2.0, 2.0), True)
    assert DILEMMA.payoffs[1, 0, 1] == 5.0
    assert DILEMMA.moves == (("C", "D"), ("C", "D"))
    assert MatrixGame(PAYOFFS["prisoners_dilemma"], 2) == DILEMMA
    assert len({DILEMMA, RPS, MatrixGame(PAYOFFS["prisoners_dilemma"], 2)}) == 2


def test_interleaved_episodes_leave_each_other_alone():
    one, two = RPS.start(seed=0), RPS.start(seed=0)
    one.play("R")
    play(two, *"PR")
    one.play("S")
    assert (one.news(0), two.news(0)) == ("S 1\n", "R 1\n")
