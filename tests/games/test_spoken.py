"""What is heard of a game by trying it: a small game whose every text is known."""

import games
from games import spoken
from games.spoken import by_trying


class Counting:
    """An episode: seat 0 says `a` or `b`, again, and `end`; seat 1 reads each with its number, and seat 0 nothing."""

    def __init__(self):
        self._turn, self._heard = 0, ["", "go\n"]

    @property
    def seat_to_move(self):
        return 0 if self._turn < 3 else None

    def legal_moves(self):
        return ("a", "b") if self._turn < 2 else ("end",)

    def news(self, seat):
        text, self._heard[seat] = self._heard[seat], ""
        return text

    def play(self, move):
        self._turn += 1
        self._heard[1] += f"{self._turn}{move}\n"


class Game:
    """Only what trying needs."""

    seats, max_turns = 2, 3

    def __init__(self):
        self.started = []

    def start(self, seed):
        self.started.append(seed)
        return Counting()


def test_moves_and_news_are_listed_by_seat_in_the_order_in_which_they_came_up():
    mover, reader = by_trying(Game())
    assert (mover.moves, mover.news) == (("a", "b", "end"), ())
    assert reader.moves == ()  # it never moves, and reads all of an episode at its end
    assert set(reader.news) == {f"go\n1{first}\n2{second}\n3end\n" for first in "ab" for second in "ab"}


def test_a_seat_writes_once_a_turn_and_reads_once_more_at_the_end():
    assert {(seat.turns, seat.readings) for seat in by_trying(Game())} == {(3, 4)}


def test_as_many_episodes_are_tried_as_stated_each_from_a_seed_of_its_own():
    game = Game()
    by_trying(game)
    assert game.started == list(range(64))


def test_trying_ends_when_all_moves_are_spent_in_the_middle_of_an_episode_too(monkeypatch):
    monkeypatch.setattr(spoken, "MOST_MOVES", 7)  # of three an episode: two whole ones and a move
    game = Game()
    _, reader = by_trying(game)
    assert game.started == [0, 1, 2]
    assert min(reader.news, key=len) in ("go\n1a\n", "go\n1b\n")  # of the third episode


def test_in_tic_tac_toe_every_cell_is_heard_of_from_both_sides():
    cells = {column + row for column in "abc" for row in "123"}
    for seat in by_trying(games.load("tictactoe")):
        assert set(seat.moves) == cells and (seat.turns, seat.readings) == (5, 6)


def test_what_is_heard_is_the_same_every_time():
    game = games.load("kuhn_poker")
    assert by_trying(game) == by_trying(game)
